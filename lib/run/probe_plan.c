#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/js_names.h"
#include "plan/plan_walk.h"
#include "run/measure_unity.h"
#include "run/probe.h"
#include "run/run_caps.h"

/* Does the app have what the plan counts on?  Asked without running any. */

enum { ASK_MS = 5000 };

#define HINT_TYPE                                                          \
	"is it in this build? IL2CPP strips managed code that nothing in " \
	"C# uses: keep it in link.xml, <linker><assembly fullname=\"%s\">" \
	"<type fullname=\"%s\" preserve=\"all\"/></assembly></linker>"
#define HINT_JS                                                              \
	"is it in this build and visible to scripts? IL2CPP strips managed " \
	"code that only scripts use: keep it in link.xml"
#define HINT_CAP "turn it on in the server, or do without it in the plan"

/* One thing to be resolved, at the first place that needs it. */
struct want {
	char *name;	/* what is said of it */
	char *type;	/* of a call; NULL: a name of JavaScript */
	char *assembly; /* may be NULL */
	char *method;	/* may be NULL */
	const char *js; /* the chain */
	bool called;
	struct plan_pos at;
};

struct look {
	struct run *r;
	struct probe *p;
	cJSON *list;
	struct want *want;
	size_t count, room;
};

static void
tell(struct look *l, const struct plan_pos *at, const char *needs,
     enum probe_status status, const char *got, const char *hint)
{
	AUTO_FREE char *where =
		mem_fmt("%s:%d:%d", l->r->plan->file, at->line, at->col);
	cJSON *o = json_obj();

	json_set_str(o, "at", where);
	json_set_str(o, "needs", needs);
	json_set_str(o, "status", probe_status_name(status));
	json_set_str(o, "got", got);
	json_set_str(o, "hint", status == PROBE_FAIL ? hint : NULL);
	json_push(l->list, o);
	l->p->ok += status == PROBE_OK;
	l->p->failed += status == PROBE_FAIL;
	l->p->skipped += status == PROBE_SKIP;
}

static bool
told(const struct look *l, const char *needs)
{
	const cJSON *o;

	cJSON_ArrayForEach(o, l->list)
	{
		if (strcmp(json_str(o, "needs", ""), needs) == 0)
			return true;
	}
	return false;
}

static void
on_need(void *arg, const struct run_caps_need *n)
{
	struct look *l = arg;
	AUTO_FREE char *needs = mem_fmt(
		"%s '%s'", n->is_action ? "action" : "capability", n->name);

	if (told(l, needs))
		return;
	tell(l, n->at, needs, n->have ? PROBE_OK : PROBE_FAIL,
	     n->have	    ? "there"
	     : n->is_action ? "the app has registered no such action"
			    : "the server does not announce it",
	     n->is_action ? "register it in this build, or correct its name"
			  : HINT_CAP);
}

/* --- what is to be resolved ---------------------------------------------- */

static struct want *
add(struct look *l, char *name, const struct plan_pos *at)
{
	for (size_t i = 0; i < l->count; i++) {
		if (strcmp(l->want[i].name, name) == 0) {
			free(name);
			return NULL;
		}
	}
	MEM_GROW(l->want, l->count, l->room);
	l->want[l->count] = (struct want){.name = name, .at = *at};
	return &l->want[l->count++];
}

static void
add_js(struct look *l, const char *code, const struct plan_pos *at)
{
	struct js_names names;

	js_names_scan(code, &names);
	for (size_t i = 0; i < names.count; i++) {
		struct want *w = add(l, mem_fmt("js %s", names.item[i]), at);

		if (w) {
			w->js = strchr(w->name, ' ') + 1;
			w->called = names.called[i];
		}
	}
	js_names_done(&names);
}

static void
on_pred(void *arg, const struct plan_pred *p)
{
	if (p->kind == PLAN_PRED_JS)
		add_js(arg, p->value, &p->at);
}

static void
on_action(void *arg, const struct plan_action *a)
{
	struct look *l = arg;
	struct want *w;

	if (a->kind == PLAN_JS) {
		add_js(l, a->value, &a->at);
	} else if (a->kind == PLAN_CALL && a->type) {
		w = add(l, mem_fmt("type %s, method %s", a->type, a->value),
			&a->at);
		if (w == NULL)
			return;
		w->type = mem_strdup(a->type);
		w->assembly = mem_strdup(a->assembly);
		w->method = mem_strdup(a->value);
	}
}

/* A built-in with a method of its own in the server needs no type. */
static void
on_hook(void *arg, const struct plan_hook *h)
{
	struct look *l = arg;
	const struct control *c = l->r->control;

	if (h->kind != PLAN_HOOK_USE)
		return;
	if (h->use == PLAN_UNITY_PROFILER && !control_has(c, CONTROL_PROFILER))
		add_js(l, MEASURE_UNITY_PROFILER_START, &h->at);
	if (h->use == PLAN_UNITY_SNAPSHOT && !control_has(c, CONTROL_SNAPSHOT))
		add_js(l, MEASURE_UNITY_SNAPSHOT, &h->at);
}

/* --- resolving ----------------------------------------------------------- */

/* -1 only when the run itself must end. */
static int
ask(struct look *l, const char *method, cJSON *params, cJSON **result,
    struct err *why, struct err *err)
{
	*result = NULL;
	if (run_tend(l->r, err)) {
		cJSON_Delete(params);
		return -1;
	}
	if (control_request(l->r->control, method, params, ASK_MS, result, NULL,
			    l->r->dl, why) &&
	    (why->code == ERR_CANCELLED || why->code == ERR_IO)) {
		*err = *why;
		return -1;
	}
	return 0;
}

/* What `typeof` says of an expression; "undefined" also when it throws. */
static int
type_of(struct look *l, const char *expr, struct buf *out, struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	AUTO_BUF struct buf code = BUF_INIT;
	struct err why = ERR_INIT;
	cJSON *params = json_obj();

	buf_fmt(&code,
		"(function () { try { return typeof (%s); } catch (e) { "
		"return 'undefined'; } })()",
		expr);
	json_set_str(params, "code", code.data);
	json_set_str(params, "name", "probe");
	json_set_str(params, "as", "json");
	if (ask(l, "script.eval", params, &result, &why, err))
		return -1;
	if (why.code)
		buf_str(out, why.msg);
	else
		buf_str(out, json_str(result, "value", "no string"));
	return 0;
}

/* The chain link by link: the first that is not there is told. */
static int
resolve_js(struct look *l, const struct want *w, struct err *err)
{
	size_t len = 0;

	for (;;) {
		AUTO_BUF struct buf type = BUF_INIT_MAX(1000);
		AUTO_FREE char *part = NULL;
		bool last;

		len += w->js[len] == '.';
		len += strcspn(w->js + len, ".");
		last = w->js[len] == '\0';
		part = mem_strndup(w->js, len);
		if (type_of(l, part, &type, err))
			return -1;
		/* A field may be unset; what is called must be there. */
		if (strcmp(type.data, "undefined") == 0 &&
		    (!last || w->called || strchr(w->js, '.') == NULL)) {
			AUTO_FREE char *got = mem_fmt("%s is undefined", part);

			tell(l, &w->at, w->name, PROBE_FAIL, got, HINT_JS);
			return 0;
		}
		if (last) {
			tell(l, &w->at, w->name, PROBE_OK, type.data, NULL);
			return 0;
		}
	}
}

/*
 * A call of a method that no type has: what the server misses, the type or
 * the method, tells whether the type is there, and nothing was called.
 */
static int
type_by_call(struct look *l, const struct want *w, int *there, struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	struct err why = ERR_INIT;
	cJSON *params = json_obj();

	json_set_str(params, "type", w->type);
	if (w->assembly)
		json_set_str(params, "assembly", w->assembly);
	json_set_str(params, "method", "PatrolProbeAbsent");
	json_set(params, "args", json_arr());
	if (ask(l, "call", params, &result, &why, err))
		return -1;
	*there = -1;
	if (err_is(&why, "NotFound")) {
		const char *what = json_str(control_last_error(l->r->control),
					    "data.what", "");

		*there = strcmp(what, "type") == 0     ? 0
			 : strcmp(what, "method") == 0 ? 1
						       : -1;
	}
	return 0;
}

/* By the agent's own helper for scripts, when there is one. */
static int
type_by_script(struct look *l, const struct want *w, int *there,
	       struct err *err)
{
	AUTO_JSON cJSON *result = NULL;
	AUTO_BUF struct buf code = BUF_INIT;
	struct err why = ERR_INIT;
	cJSON *params = json_obj();

	*there = -1;
	buf_str(&code, "typeof patrol === 'object' && "
		       "typeof patrol.exists === 'function' ? "
		       "[patrol.exists(");
	json_quote(&code, w->type);
	buf_str(&code, "), patrol.exists(");
	json_quote(&code, w->type);
	buf_chr(&code, ',');
	json_quote(&code, w->method);
	buf_str(&code, ")] : null");
	json_set_str(params, "code", code.data);
	json_set_str(params, "name", "probe");
	json_set_str(params, "as", "json");
	if (ask(l, "script.eval", params, &result, &why, err))
		return -1;
	if (cJSON_IsArray(json_get(result, "value"))) {
		const cJSON *v = json_get(result, "value");

		*there = cJSON_IsTrue(cJSON_GetArrayItem(v, 0)) +
			 cJSON_IsTrue(cJSON_GetArrayItem(v, 1));
	}
	return 0;
}

static void
tell_type(struct look *l, const struct want *w, int there)
{
	AUTO_FREE char *hint =
		mem_fmt(HINT_TYPE,
			w->assembly ? w->assembly : "Assembly-CSharp", w->type);

	switch (there) {
	case 0:
		tell(l, &w->at, w->name, PROBE_FAIL, "there is no such type",
		     hint);
		break;
	case 1:
		tell(l, &w->at, w->name, PROBE_FAIL,
		     "the type has no such method", hint);
		break;
	case 2:
		tell(l, &w->at, w->name, PROBE_OK, "there", NULL);
		break;
	default:
		tell(l, &w->at, w->name, PROBE_SKIP,
		     "the server can't tell without calling it", NULL);
	}
}

static int
resolve_type(struct look *l, const struct want *w, struct err *err)
{
	int there = -1;

	if (control_has(l->r->control, CONTROL_SCRIPT) &&
	    type_by_script(l, w, &there, err))
		return -1;
	if (there >= 0 || !control_has(l->r->control, CONTROL_CALL)) {
		tell_type(l, w, there);
		return 0;
	}
	if (type_by_call(l, w, &there, err))
		return -1;
	if (there == 1)
		tell(l, &w->at, w->name, PROBE_OK,
		     "the type is there; its method is not looked at", NULL);
	else
		tell_type(l, w, there);
	return 0;
}

static void
look_done(struct look *l)
{
	for (size_t i = 0; i < l->count; i++) {
		free(l->want[i].name);
		free(l->want[i].type);
		free(l->want[i].assembly);
		free(l->want[i].method);
	}
	free(l->want);
}

int
probe_plan(struct run *r, struct probe *p, struct err *err)
{
	struct look l = {.r = r, .p = p, .list = json_arr()};
	const struct plan_walk walk = {.pred = on_pred,
				       .action = on_action,
				       .hook = on_hook,
				       .arg = &l};
	cJSON *o = json_obj();
	int rc = 0;

	json_set_str(o, "file", r->plan->file);
	json_set(o, "checks", l.list);
	cJSON_ReplaceItemInObjectCaseSensitive(p->report, "plan", o);
	run_caps_each(r->plan, r->control, on_need, &l);
	plan_walk(r->plan, &walk);
	for (size_t i = 0; i < l.count && rc == 0; i++) {
		if (l.want[i].type)
			rc = resolve_type(&l, &l.want[i], err);
		else if (control_has(r->control, CONTROL_SCRIPT))
			rc = resolve_js(&l, &l.want[i], err);
		else
			tell(&l, &l.want[i].at, l.want[i].name, PROBE_SKIP,
			     "the server runs no scripts", NULL);
	}
	look_done(&l);
	return rc;
}
