#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "plan/plan_mem.h"
#include "plan/plan_read.h"

void
plan_free(struct plan *plan)
{
	if (!plan)
		return;
	yaml_complaints_done(&plan->warnings);
	plan_mem_free(plan->mem);
	free(plan);
}

static void
hash_file(const char *text, size_t len, char out[65])
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	/* Fails only without a provider for SHA-256. */
	if (!EVP_Digest(text, len, sum, &n, EVP_sha256(), NULL))
		n = 0;
	out[0] = '\0';
	for (unsigned i = 0; i < n && i < 32; i++)
		(void)snprintf(out + 2 * i, 3, "%02x", sum[i]); /* fits */
}

static char *
folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return mem_strdup(".");
	return mem_strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int
bad_plan(const struct yaml_complaints *c, struct err *err)
{
	size_t more = c->count + c->dropped - 1;

	err_set(err, ERR_INPUT, "%s:%d:%d: %s", c->file, c->item[0].line,
		c->item[0].col, c->item[0].text);
	if (more)
		err_hint(err, "and %zu more", more);
	return err_reason(err, "bad_plan");
}

int
plan_load_text(const char *path, const char *text, size_t len,
	       struct plan **out, struct yaml_complaints *c, struct err *err)
{
	AUTO_FREE char *dir = folder_of(path);
	struct plan_reader r = {.c = c, .dir = dir};
	struct yaml_node *root;

	yaml_complaints_init(c, path);
	root = yaml_parse(text, len, c);
	if (!root)
		return bad_plan(c, err);
	r.plan = mem_alloc(sizeof(*r.plan));
	r.mem = plan_mem_new();
	r.plan->mem = r.mem;
	r.plan->file = plan_mem_dup(r.mem, path);
	yaml_complaints_init(&r.plan->warnings, r.plan->file);
	hash_file(text, len, r.plan->sha256);
	if (plan_read_map(&r, root, "a plan") == 0) {
		plan_read_top(&r, root);
		plan_read_measure(&r, root);
		plan_read_graph(&r, root);
	}
	yaml_node_free(root);
	if (c->count == 0)
		plan_check_whole(&r);
	if (c->count) {
		plan_free(r.plan);
		return bad_plan(c, err);
	}
	*out = r.plan;
	return 0;
}

int
plan_load(const char *path, struct plan **out, struct yaml_complaints *c,
	  struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(YAML_MAX_BYTES + 1);

	yaml_complaints_init(c, path);
	if (file_read(path, &text, err)) {
		if (err->code == ERR_CANCELLED)
			return -1;
		err->code = ERR_INPUT;
		return err_reason(err, "bad_plan");
	}
	return plan_load_text(path, text.data, text.len, out, c, err);
}

int
plan_screen_index(const struct plan *plan, const char *name)
{
	return plan_mem_name_find(plan->mem, PLAN_NAMES_SCREEN, name);
}

static int
by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

bool
plan_leaves(const struct plan_transition *t, int screen)
{
	if (t->disabled || screen < 0)
		return false;
	if (t->from != PLAN_ANY_SCREEN)
		return t->from == screen;
	if (screen == t->to)
		return false;
	return t->except_count == 0 ||
	       !bsearch(&screen, t->except, t->except_count, sizeof(int),
			by_number);
}

static int
unknown_visit(const struct plan *plan, const char *name, struct err *err)
{
	AUTO_FREE const char **names =
		mem_array(plan->screen_count + 1, sizeof(char *));
	const char *near;

	for (size_t i = 0; i < plan->screen_count; i++)
		names[i] = plan->screen[i].name;
	near = yaml_nearest(name, names, plan->screen_count);
	err_set(err, ERR_USAGE, "the plan has no screen '%s'", name);
	return near ? err_hint(err, "did you mean '%s'?", near) : -1;
}

int
plan_set_visits(struct plan *plan, const char *const *names, size_t count,
		struct err *err)
{
	int *visit;

	if (count == 0)
		return err_set(err, ERR_USAGE, "no screen to visit");
	visit = plan_mem_array(plan->mem, count, sizeof(int));
	for (size_t i = 0; i < count; i++) {
		visit[i] = plan_screen_index(plan, names[i]);
		if (visit[i] < 0)
			return unknown_visit(plan, names[i], err);
		if (!plan->screen[visit[i]].is)
			return err_set(err, ERR_INPUT,
				       "%s:%d:%d: screen '%s' has no 'is', so "
				       "nobody could tell that it is there",
				       plan->file,
				       plan->screen[visit[i]].at.line,
				       plan->screen[visit[i]].at.col, names[i]);
	}
	for (size_t i = 0; i < plan->screen_count; i++)
		plan->screen[i].visited = false;
	for (size_t i = 0; i < count; i++)
		plan->screen[visit[i]].visited = true;
	plan->route.visit = visit;
	plan->route.visit_count = count;
	return 0;
}

void
plan_set_serial(struct plan *plan, const char *serial)
{
	plan->device.serial.item = plan_mem_array(plan->mem, 1, sizeof(char *));
	plan->device.serial.item[0] = plan_mem_dup(plan->mem, serial);
	plan->device.serial.count = 1;
	plan->device.match_count = plan->device.candidates = 0;
}

const char *
plan_action_name(enum plan_action_kind kind)
{
	static const char *const names[] = {
		[PLAN_TAP] = "tap",
		[PLAN_LONG_PRESS] = "long_press",
		[PLAN_TEXT] = "text",
		[PLAN_KEY] = "key",
		[PLAN_SWIPE] = "swipe",
		[PLAN_JS] = "js",
		[PLAN_CALL] = "call",
		[PLAN_ACTION] = "action",
		[PLAN_WAIT] = "wait",
		[PLAN_SLEEP] = "sleep",
		[PLAN_ANDROID] = "android",
		[PLAN_INTENT] = "intent",
		[PLAN_PULL] = "pull",
		[PLAN_STOP] = "stop",
		[PLAN_PROCEDURE] = "procedure",
	};

	return names[kind];
}

static const char *
android_word(enum plan_android a)
{
	static const char *const words[] = {
		[PLAN_ALLOW] = "allow",
		[PLAN_DENY] = "deny",
		[PLAN_WAIT_ON] = "wait",
		[PLAN_CLOSE] = "close",
	};

	return words[a];
}

char *
plan_action_text(const struct plan_action *a)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(1 << 20);
	AUTO_FREE char *until = a->until ? plan_pred_text(a->until) : NULL;

	buf_str(&b, plan_action_name(a->kind));
	if (a->kind == PLAN_CALL)
		buf_fmt(&b, " %s.%s", a->type, a->value);
	else if (a->kind == PLAN_JS && a->file)
		buf_fmt(&b, " file %s", a->file);
	else if (a->kind == PLAN_ANDROID)
		buf_fmt(&b, " %s", android_word(a->android));
	else if (a->kind == PLAN_SLEEP)
		buf_fmt(&b, " %lldms", (long long)a->duration_ms);
	else if (a->kind == PLAN_SWIPE)
		buf_fmt(&b, " %g,%g to %g,%g", a->from[0], a->from[1], a->to[0],
			a->to[1]);
	else if (a->kind == PLAN_TEXT)
		buf_fmt(&b, " into %s",
			a->target.value ? a->target.value : "the focus");
	else if (until)
		buf_fmt(&b, " for %s", until);
	else if (a->target.value)
		buf_fmt(&b, " %s", a->target.value);
	else if (a->data)
		buf_fmt(&b, " %s", a->data);
	else if (a->value)
		buf_fmt(&b, " %s", a->value);
	return buf_take(&b);
}

const char *
plan_builtin_name(enum plan_builtin b)
{
	static const char *const names[] = {
		[PLAN_UNITY_PROFILER] = "unity.profiler",
		[PLAN_UNITY_SNAPSHOT] = "unity.snapshot",
		[PLAN_UNITY_GRAPHICS_STATES] = "unity.graphics_states",
		[PLAN_UNITY_NAV] = "unity.nav",
	};

	return names[b];
}
