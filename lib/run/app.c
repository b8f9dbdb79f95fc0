#include "run/app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/rand.h>

#include "adb/adb_app.h"
#include "adb/adb_stream.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "report/ci_output.h"
#include "run/app_log.h"
#include "run/capture.h"

enum {
	RETRY_MS = 150, /* between looks at a port that is closed */
	RETRY_MOST_MS = 1000,
	HELLO_MS = 5000,
	EVIDENCE_LIMIT = 2 << 20,
	EXCERPT_LINES = 12,
	PORTS = 5, /* 17320 to 17324 */
	APP_LOG_MAX = 64 << 20,
};

static int
make_token(struct run *r, struct err *err)
{
	unsigned char raw[16];
	char hex[33];

	if (r->token.value)
		return 0;
	if (r->set->control_token.value) {
		secret_set(&r->token, r->set->control_token.value);
		return 0;
	}
	if (RAND_bytes(raw, sizeof(raw)) != 1)
		return err_set(err, ERR_IO, "no random bytes for the token");
	for (size_t i = 0; i < sizeof(raw); i++) {
		hex[2 * i] = "0123456789abcdef"[raw[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[raw[i] & 15];
	}
	hex[32] = '\0';
	secret_set(&r->token, hex);
	ci_output_mask(hex);
	return 0;
}

/* The plan's extras and the token. */
static int
make_extras(struct run *r, struct adb_app_extra **out, size_t *count,
	    struct err *err)
{
	size_t n = r->plan ? r->plan->app.extras.count : 0;
	struct adb_app_extra *e = mem_array(n + 1, sizeof(*e));

	for (size_t i = 0; i < n; i++) {
		const struct plan_pair *pair = &r->plan->app.extras.item[i];
		struct buf b = BUF_INIT;

		if (plan_vars_text(pair->value, &r->vars, &b, err)) {
			buf_done(&b);
			*out = e;
			*count = i;
			return err_wrap(err, "%s:%d:%d: app.extras.%s",
					r->plan->file, pair->at.line,
					pair->at.col, pair->key);
		}
		e[i] = (struct adb_app_extra){pair->key, buf_take(&b)};
	}
	e[n] = (struct adb_app_extra){"patrol.token",
				      mem_strdup(r->token.value)};
	*out = e;
	*count = n + 1;
	return 0;
}

static void
free_extras(struct adb_app_extra *e, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free((char *)(uintptr_t)e[i].value);
	free(e);
}

int
app_start(struct run *r, struct deadline dl, struct err *err)
{
	struct adb_app_start spec = {.package = r->package};
	struct adb_app_extra *extras = NULL;
	int64_t total_ms = -1;
	size_t count = 0;
	int rc = -1;

	app_disconnect(r);
	if (make_token(r, err))
		return -1;
	if (adb_app_force_stop(&r->dev, r->package,
			       deadline_cap(dl, r->set->budget.shell_ms), err))
		return err_wrap(err, "stop the app before its start");
	if (capture_app_begins(r, dl, err) ||
	    make_extras(r, &extras, &count, err))
		goto out;
	/* What the old process still says belongs to the old one. */
	if (run_tend(r, err))
		goto out;
	app_log_forget(r);
	if (r->pid > 0)
		r->old_pid = r->pid;
	spec.activity = r->plan && r->plan->app.activity ? r->plan->app.activity
							 : r->manifest.activity;
	spec.extra = extras;
	spec.extra_count = count;
	r->started_us = deadline_now_us();
	r->app_started = true;
	if (adb_app_start(&r->dev, &spec, &total_ms,
			  deadline_cap(dl, r->set->budget.app_start_ms), err)) {
		err_wrap(err, "start %s", r->package);
		goto out;
	}
	if (json_get(r->res.json, "startup_ms") == NULL) {
		cJSON *s = result_object(&r->res, "startup_ms");

		json_set(s, "process",
			 total_ms >= 0 ? cJSON_CreateNumber((double)total_ms)
				       : cJSON_CreateNull());
	}
	rc = adb_app_pid(&r->dev, r->package, &r->pid,
			 deadline_cap(dl, r->set->budget.shell_ms), err);
out:
	free_extras(extras, count);
	return rc;
}

int
app_dial(void *arg, int *fd, struct deadline dl, struct err *err)
{
	struct run *r = arg;
	AUTO_FREE char *local = mem_fmt("localabstract:patrol.%s", r->package);
	int port = r->plan ? r->plan->connect.port : 17320;

	for (int i = 0; i < PORTS; i++) {
		AUTO_FREE char *service = mem_fmt("tcp:%d", port + i);

		if (adb_stream_open(&r->adb, r->serial, service, fd, dl, err) ==
		    0)
			return 0;
		if (!err_is(err, "refused"))
			return -1;
	}
	if (adb_stream_open(&r->adb, r->serial, local, fd, dl, err) == 0)
		return 0;
	return err_wrap(err, "ports %d to %d and %s", port, port + PORTS - 1,
			local);
}

static void
event(void *arg, const char *name, const cJSON *params)
{
	struct run *r = arg;
	AUTO_FREE char *path = file_join(r->cfg->out, "logs/app.log");
	const char *message = json_str(params, "data.message", NULL), *level;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf line = BUF_INIT;

	if (message == NULL ||
	    (strcmp(name, "log") != 0 && strcmp(name, "exception") != 0))
		return;
	level = json_str(params, "data.level", name);
	buf_escaped(&line, level, strlen(level));
	buf_chr(&line, ' ');
	buf_escaped(&line, message, strlen(message));
	buf_chr(&line, '\n');
	if (r->app_log_bytes >= APP_LOG_MAX)
		return;
	r->app_log_bytes += (int64_t)line.len;
	if (r->app_log_bytes >= APP_LOG_MAX)
		buf_str(&line, "--- the file is full ---\n");
	/* The app's log is a courtesy; logcat has it too. */
	(void)file_append(path, line.data, line.len, &err);
}

/* What a refused dial may turn into when it is tried again. */
static bool
worth_retrying(const struct err *err)
{
	return err->code == ERR_NOTFOUND || err->code == ERR_IO ||
	       (err->code == ERR_TIMEOUT && err->reason == NULL);
}

static int
subscribe(struct run *r, struct deadline dl, struct err *err)
{
	cJSON *params, *names;

	if (!control_has(r->control, CONTROL_LOG))
		return 0;
	params = json_obj();
	names = json_arr();
	json_push_str(names, "log");
	json_push_str(names, "exception");
	json_set(params, "names", names);
	json_set_str(params, "level", "warn");
	return control_request(r->control, "events.subscribe", params, -1, NULL,
			       NULL, dl, err);
}

static void
note_hello(struct run *r)
{
	cJSON *s = result_object(&r->res, "startup_ms");

	if (json_get(s, "first_hello") == NULL && !r->cfg->attach)
		json_set_int(s, "first_hello",
			     (deadline_now_us() - r->started_us) / 1000);
}

int
app_connect(struct run *r, int64_t budget_ms, struct deadline dl,
	    struct err *err)
{
	struct control_spec spec = {.dial = app_dial,
				    .arg = r,
				    .token = &r->token,
				    .event = event,
				    .event_arg = r};
	struct deadline limit = deadline_cap(dl, budget_ms);
	int64_t pause = RETRY_MS;
	struct err last;

	app_disconnect(r);
	for (;;) {
		if (control_open(&r->control, &spec,
				 deadline_cap(limit, HELLO_MS), err) == 0)
			break;
		if (!worth_retrying(err) || deadline_left_ms(dl) == 0)
			return -1;
		last = *err;
		if (run_wait(r, -1, pause, limit, err) < 0) {
			if (err->code != ERR_TIMEOUT)
				return -1;
			*err = last;
			err_wrap(err,
				 "no answer from a control server for "
				 "%.0f s",
				 (double)budget_ms / 1000);
			err_reason(err, "no_control_server");
			return err_hint(err, "is this a development build "
					     "with the server in it?");
		}
		if (app_log_tells(r)) {
			err_set(err, ERR_REMOTE,
				"the app crashed at its start: %.200s",
				r->seen.line ? r->seen.line : "");
			return err_reason(err, "app_crashed");
		}
		err_clear(err);
		pause = pause * 2 > RETRY_MOST_MS ? RETRY_MOST_MS : pause * 2;
	}
	free(r->session);
	r->session = mem_strdup(control_info(r->control)->session);
	r->session_pid = control_info(r->control)->pid;
	note_hello(r);
	return subscribe(r, limit, err);
}

void
app_disconnect(struct run *r)
{
	control_close(r->control);
	r->control = NULL;
}

int
app_undo(void *arg, struct deadline dl, struct err *err)
{
	struct run *r = arg;

	app_disconnect(r);
	if (!r->app_started || r->cfg->attach)
		return 0;
	return adb_app_force_stop(&r->dev, r->package, dl, err);
}

/* The first lines, for the report. */
static char *
excerpt(const char *text)
{
	const char *p = text;

	for (int i = 0; i < EXCERPT_LINES && *p; i++) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	return mem_strndup(text, (size_t)(p - text));
}

int
app_note_end(struct run *r, const char *kind, const char *screen,
	     const struct err *why, bool restarted, struct deadline dl,
	     struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(EVIDENCE_LIMIT);
	cJSON *list = result_array(&r->res, "crashes"), *c = json_obj();
	AUTO_FREE char *name =
		mem_fmt("logs/crash-%d.txt", cJSON_GetArraySize(list) + 1);
	AUTO_FREE char *path = file_join(r->cfg->out, name);
	AUTO_FREE char *part = NULL;
	int rc;

	rc = adb_app_evidence(&r->dev, r->package, &text, dl, err);
	if (rc == 0 && text.len > 0)
		rc = file_write(path, text.data, text.len, err);
	part = excerpt(text.data);
	json_set_str(c, "kind", kind);
	json_set_str(c, "screen", screen);
	json_set_int(c, "at_ms", result_at_ms(&r->res));
	json_set_str(c, "message", why->msg);
	json_set_str(c, "excerpt", text.len ? part : NULL);
	json_set_str(c, "tombstone", rc == 0 && text.len ? name : NULL);
	json_set_str(c, "logcat", r->logcat ? "logs/logcat.txt" : NULL);
	json_set_bool(c, "restarted", restarted);
	json_push(list, c);
	return rc;
}
