#include "run/probe.h"

#include <string.h>

#include "base/mem.h"
#include "run/app.h"
#include "run/probe_check.h"

enum {
	CONNECT_MS = 60000, /* without a plan, which has its own */
	GIVE_UP = 3,	    /* checks in a row that got no answer at all */
};

void
probe_init(struct probe *p)
{
	*p = (struct probe){.report = json_obj()};
	json_set_str(p->report, "package", NULL);
	json_set(p->report, "server", cJSON_CreateNull());
	json_set(p->report, "checks", json_arr());
	json_set(p->report, "plan", cJSON_CreateNull());
}

void
probe_done(struct probe *p)
{
	cJSON_Delete(p->report);
	*p = (struct probe){0};
}

const char *
probe_status_name(enum probe_status status)
{
	static const char *const names[] = {"ok", "fail", "skip"};

	return names[status];
}

void
probe_note(struct probe *p, const char *name, enum probe_status status,
	   const char *expected, const char *got)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(p->report, "checks");
	cJSON *o = json_obj();

	json_set_str(o, "name", name);
	json_set_str(o, "status", probe_status_name(status));
	json_set_str(o, "expected", expected);
	json_set_str(o, "got", got && *got ? got : NULL);
	json_push(list, o);
	p->ok += status == PROBE_OK;
	p->failed += status == PROBE_FAIL;
	p->skipped += status == PROBE_SKIP;
}

static void
note_server(struct run *r, struct probe *p)
{
	const cJSON *hello = control_info(r->control)->hello;

	cJSON_ReplaceItemInObjectCaseSensitive(p->report, "server",
					       cJSON_Duplicate(hello, 1));
}

/* A greeted stream for the next check. */
static int
ready(struct probe_look *l, struct deadline dl, struct err *err)
{
	static const int versions[] = {1, 0};
	AUTO_JSON cJSON *answer = NULL;

	if (l->w.greeted && !l->w.ended)
		return 0;
	probe_wire_done(&l->w);
	if (probe_wire_open(&l->w, l->r, dl, err) ||
	    probe_wire_hello(&l->w, versions, l->r->token.value, &answer, dl,
			     err))
		return -1;
	if (!l->w.greeted)
		return err_set(err, ERR_REMOTE, "hello was refused");
	return 0;
}

enum stream { OWN_STREAMS, OUR_STREAM };

/* -1: cancelled, or the lease is lost; nothing else ends the probe. */
static int
check(struct probe_look *l, const struct probe_check *c, enum stream stream,
      int *silent, struct err *err)
{
	struct probe *p = l->r->cfg->probe;
	struct deadline dl = run_dl(l->r, PROBE_ASK_MS);
	AUTO_BUF struct buf got = BUF_INIT_MAX(4096);
	struct err why = ERR_INIT;
	int rc = 0;

	if (run_tend(l->r, err))
		return -1;
	if (c->cap && !(l->caps & c->cap)) {
		buf_fmt(&got, "no capability '%s'", control_cap_name(c->cap));
		probe_note(p, c->name, PROBE_SKIP, c->expected, got.data);
		return 0;
	}
	if (*silent >= GIVE_UP) {
		probe_note(p, c->name, PROBE_SKIP, c->expected,
			   "the server no longer answers");
		return 0;
	}
	if (stream == OUR_STREAM)
		rc = ready(l, dl, &why);
	if (rc == 0)
		rc = c->run(l, dl, &got, &why);
	if (rc < 0) {
		if (why.code == ERR_CANCELLED) {
			*err = why;
			return -1;
		}
		buf_clear(&got);
		buf_str(&got, why.code == ERR_TIMEOUT ? "no answer: "
						      : "no answer to use: ");
		buf_escaped(&got, why.msg, strlen(why.msg));
		/* What it may still send would be taken for another's. */
		probe_wire_done(&l->w);
		(*silent)++;
	} else {
		*silent = 0;
	}
	probe_note(p, c->name, rc == 1 ? PROBE_OK : PROBE_FAIL, c->expected,
		   got.data);
	return 0;
}

static int
conformance(struct run *r, unsigned caps, struct err *err)
{
	const struct {
		const struct probe_check *check;
		size_t count;
		enum stream stream;
	} parts[] = {
		{probe_hello_checks, probe_hello_count, OWN_STREAMS},
		{probe_rpc_checks, probe_rpc_count, OUR_STREAM},
		{probe_calls_checks, probe_calls_count, OUR_STREAM},
	};
	struct probe_look l = {.r = r, .caps = caps, .w = {.fd = -1}};
	int silent = 0, rc = 0;

	buf_init(&l.w.in, 0);
	buf_init(&l.w.stream, 0);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		for (size_t n = 0; n < parts[i].count && rc == 0; n++)
			rc = check(&l, &parts[i].check[n], parts[i].stream,
				   &silent, err);
	}
	probe_wire_done(&l.w);
	return rc;
}

/* Whether it is the server that failed, not the phone or we. */
static bool
is_the_servers(const struct err *err)
{
	return err->code != ERR_CANCELLED && err->code != ERR_USAGE &&
	       err->code != ERR_INPUT && !err_is(err, "lease_lost");
}

int
probe_stage(struct run *r, struct buf *note, struct err *err)
{
	struct probe *p = r->cfg->probe;
	int64_t budget = r->plan ? r->plan->connect.timeout_ms : CONNECT_MS;
	struct err why = ERR_INIT;
	unsigned caps;

	cJSON_ReplaceItemInObjectCaseSensitive(p->report, "package",
					       cJSON_CreateString(r->package));
	if (app_connect(r, budget, r->dl, &why)) {
		if (!is_the_servers(&why)) {
			*err = why;
			return -1;
		}
		probe_note(p, "server", PROBE_FAIL, "an answer to hello",
			   why.msg);
		buf_str(note, why.msg);
		return 0;
	}
	caps = control_info(r->control)->caps;
	note_server(r, p);
	if (r->plan && probe_plan(r, p, err))
		return -1;
	app_disconnect(r);
	if (conformance(r, caps, err))
		return -1;
	buf_fmt(note, "%zu ok, %zu failed, %zu skipped", p->ok, p->failed,
		p->skipped);
	return 0;
}

int
probe_run(const struct run_config *cfg, struct settings *set,
	  struct progress *progress, const struct cancel *cancel,
	  struct result *res)
{
	struct probe *p = cfg->probe;
	int status = run_patrol(cfg, set, progress, cancel, res);

	json_set_int(p->report, "ok", (int64_t)p->ok);
	json_set_int(p->report, "failed", (int64_t)p->failed);
	json_set_int(p->report, "skipped", (int64_t)p->skipped);
	if (res->decided || result_has_left(res))
		return status;
	return p->failed > 0 ? 1 : 0;
}
