#include <string.h>

#include "base/mem.h"
#include "run/probe_check.h"

/* How a connection begins and ends: each check on streams of its own. */

static const int one[] = {1, 0}, unknown[] = {98, 99, 0},
		 with_newer[] = {99, 1, 0};

static int
hello_once(struct probe_look *l, const int *versions, const char *token,
	   cJSON **answer, struct deadline dl, struct err *err)
{
	struct probe_wire w;
	int rc = probe_wire_open(&w, l->r, dl, err);

	if (rc == 0)
		rc = probe_wire_hello(&w, versions, token, answer, dl, err);
	probe_wire_done(&w);
	return rc;
}

static int
answers(struct probe_look *l, struct deadline dl, struct buf *got,
	struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;
	const cJSON *r;

	if (hello_once(l, one, l->r->token.value, &answer, dl, err))
		return -1;
	r = json_get(answer, "result");
	if (!cJSON_IsObject(r)) {
		probe_check_describe(answer, got);
		return 0;
	}
	if (json_int(r, "version", 0) != 1) {
		probe_check_describe(answer, got);
		return 0;
	}
	if (!probe_check_fields(
		    r,
		    "server:s session:s app:o app.package:s app.pid:n "
		    "app.unity:s app.il2cpp:b app.dev:b device:o "
		    "capabilities:a actions:a maxMessage:n",
		    got))
		return 0;
	buf_str(got, "all fields");
	return 1;
}

static int
picks(struct probe_look *l, struct deadline dl, struct buf *got,
      struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (hello_once(l, with_newer, l->r->token.value, &answer, dl, err))
		return -1;
	if (json_int(answer, "result.version", 0) == 1) {
		buf_str(got, "version 1");
		return 1;
	}
	probe_check_describe(answer, got);
	return 0;
}

static int
no_version(struct probe_look *l, struct deadline dl, struct buf *got,
	   struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (hello_once(l, unknown, l->r->token.value, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32013, "Version", got);
}

/* As long as ours and wrong in its last digit only. */
static int
wrong_token(struct probe_look *l, struct deadline dl, struct buf *got,
	    struct err *err)
{
	AUTO_FREE char *token = mem_strdup(
		l->r->token.value ? l->r->token.value : "0000000000000000");
	size_t n = strlen(token);
	AUTO_JSON cJSON *answer = NULL;

	if (n > 0)
		token[n - 1] = token[n - 1] == '0' ? '1' : '0';
	if (hello_once(l, one, token, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32009, "Unauthorized", got);
}

static int
no_token(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (hello_once(l, one, NULL, &answer, dl, err))
		return -1;
	return probe_check_error(answer, -32009, "Unauthorized", got);
}

static int
no_hello(struct probe_look *l, struct deadline dl, struct buf *got,
	 struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;
	struct probe_wire w;
	int rc = probe_wire_open(&w, l->r, dl, err);

	if (rc == 0)
		rc = probe_wire_ask(&w, "app.state", NULL, &answer, dl, err);
	probe_wire_done(&w);
	if (rc == 0)
		return probe_check_error(answer, -32009, "Unauthorized", got);
	/* Closed without a word: refused as well. */
	if (err->code != ERR_IO)
		return -1;
	err_clear(err);
	buf_str(got, "the connection ended");
	return 1;
}

const struct probe_check probe_hello_checks[] = {
	{"hello", "version 1 and all fields", 0, answers},
	{"hello, newer versions too", "the highest common version", 0, picks},
	{"hello, unknown versions", "error -32013 Version", 0, no_version},
	{"hello, wrong token", "error -32009 Unauthorized", 0, wrong_token},
	{"hello, no token", "error -32009 Unauthorized", 0, no_token},
	{"a request before hello", "error -32009 Unauthorized", 0, no_hello},
};
const size_t probe_hello_count =
	sizeof(probe_hello_checks) / sizeof(*probe_hello_checks);
