#include "plan/plan_vars.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/yaml.h"
#include "plan/js_scan.h"

enum { MAX_EXPANDED = 4 << 20 };

static const char *const names[] = {
	"run_id",   "commit",	"device",	    "gpu",	     "build",
	"date",	    "files",	"screen",	    "snapshot_name", "n",
	"frame_ms", "gc_bytes", "max_output_bytes", "secret.X",	     "var.X",
};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* What a name stands for: text or a number. */
struct value {
	const char *text;
	int64_t number;	      /* when text is NULL */
	struct secret secret; /* keeps text alive */
};

static bool
has_prefix(const char *name, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len > n && memcmp(name, prefix, n) == 0;
}

static bool
known_name(const char *name, size_t len)
{
	if (has_prefix(name, len, "secret.") || has_prefix(name, len, "var."))
		return true;
	for (size_t i = 0; i < NAMES; i++) {
		if (strlen(names[i]) == len && memcmp(names[i], name, len) == 0)
			return !strchr(names[i], '.');
	}
	return false;
}

static int
unknown_name(const char *name, size_t len, struct err *err)
{
	AUTO_FREE char *word = mem_strndup(name, len);
	const char *near = yaml_nearest(word, names, NAMES);

	err_set(err, ERR_INPUT, "'{%s}' is no name that patrol replaces", word);
	if (near)
		return err_hint(err, "did you mean '{%s}'?", near);
	return err_hint(err, "known are run_id, commit, device, gpu, build, "
			     "date, files, screen, n, snapshot_name, frame_ms, "
			     "gc_bytes, max_output_bytes, secret.X and var.X");
}

static int
look_up_secret(const char *name, struct value *out, struct err *err)
{
	AUTO_FREE char *env = mem_fmt("PATROL_SECRET_%s", name);

	if (secret_from_env(&out->secret, env, err))
		return -1;
	if (!out->secret.value)
		return err_set(err, ERR_INPUT,
			       "the plan needs '{secret.%s}'; set %s in the "
			       "environment",
			       name, env);
	out->text = out->secret.value;
	return 0;
}

static int
look_up_var(const char *name, const struct plan_vars *vars, struct value *out,
	    struct err *err)
{
	for (size_t i = vars ? vars->var_count : 0; i > 0; i--) {
		if (strcmp(vars->var[i - 1].key, name) == 0) {
			out->text = vars->var[i - 1].value;
			return 0;
		}
	}
	return err_set(err, ERR_INPUT,
		       "the plan needs '{var.%s}'; give it with --var %s=VALUE",
		       name, name);
}

static void
look_up_fixed(const char *name, const struct plan_vars *v, struct value *out)
{
	const struct {
		const char *name, *text;
		int64_t number;
	} all[] = {
		{"run_id", v->run_id, -1},
		{"commit", v->commit, -1},
		{"device", v->device, -1},
		{"gpu", v->gpu, -1},
		{"build", v->build, -1},
		{"date", v->date, -1},
		{"files", v->files, -1},
		{"screen", v->screen, -1},
		{"snapshot_name", v->snapshot_name, -1},
		{"n", NULL, v->n},
		{"frame_ms", NULL, v->frame_ms},
		{"gc_bytes", NULL, v->gc_bytes},
		{"max_output_bytes", NULL, v->max_output_bytes},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (strcmp(all[i].name, name) == 0) {
			out->text = all[i].text;
			out->number = all[i].number;
		}
	}
}

static int
look_up(const char *name, size_t len, const struct plan_vars *vars,
	struct value *out, struct err *err)
{
	AUTO_FREE char *word = mem_strndup(name, len);

	*out = (struct value){.number = -1, .secret = SECRET_INIT};
	if (has_prefix(name, len, "secret."))
		return look_up_secret(word + strlen("secret."), out, err);
	if (has_prefix(name, len, "var."))
		return look_up_var(word + strlen("var."), vars, out, err);
	if (!known_name(name, len))
		return unknown_name(name, len, err);
	if (vars)
		look_up_fixed(word, vars, out);
	if (!out->text && out->number < 0)
		return err_set(err, ERR_INPUT, "'{%s}' is not known here",
			       word);
	return 0;
}

int
plan_vars_text(const char *text, const struct plan_vars *vars, struct buf *out,
	       struct err *err)
{
	size_t len = strlen(text), i = 0;

	while (i < len) {
		size_t n = js_scan_hole(text + i, len - i);
		struct value v;

		if (n == 0) {
			buf_chr(out, text[i++]);
			continue;
		}
		if (look_up(text + i + 1, n - 2, vars, &v, err)) {
			secret_done(&v.secret);
			return -1;
		}
		if (v.text)
			buf_str(out, v.text);
		else
			buf_fmt(out, "%lld", (long long)v.number);
		secret_done(&v.secret);
		i += n;
	}
	return buf_check(out, "the replaced text", err);
}

/*
 * JSON is JavaScript but for two characters, which end a line in a string of
 * ES5.  They are UTF-8's E2 80 A8 and A9.
 */
static void
js_literal(struct buf *out, const struct value *v)
{
	AUTO_BUF struct buf quoted = BUF_INIT_MAX(MAX_EXPANDED);
	const char *s;

	if (!v->text) {
		buf_fmt(out, "%lld", (long long)v->number);
		return;
	}
	json_quote(&quoted, v->text);
	s = quoted.data;
	while (*s) {
		if (memcmp(s, "\xE2\x80\xA8", strnlen(s, 3)) == 0 ||
		    memcmp(s, "\xE2\x80\xA9", strnlen(s, 3)) == 0) {
			buf_str(out, s[2] == '\xA8' ? "\\u2028" : "\\u2029");
			s += 3;
		} else {
			buf_chr(out, *s++);
		}
	}
}

static int
refuse_place(const struct js_hole *hole, struct err *err)
{
	const char *where = hole->place == JS_STRING  ? "a string"
			    : hole->place == JS_REGEX ? "a regular expression"
						      : "a template";

	return err_set(
		err, ERR_INPUT,
		"'{%.*s}' stands inside %s of JavaScript; it becomes a "
		"literal with its quotes, so write it bare: f({%.*s}) or "
		"'a' + {%.*s}",
		(int)hole->name_len, hole->name, where, (int)hole->name_len,
		hole->name, (int)hole->name_len, hole->name);
}

int
plan_vars_js(const char *code, const struct plan_vars *vars, struct buf *out,
	     struct err *err)
{
	struct js_scan scan;
	struct js_hole hole;
	size_t done = 0;

	js_scan_init(&scan, code, strlen(code), known_name);
	while (js_scan_next(&scan, &hole)) {
		struct value v;
		int rc;

		if (hole.place != JS_CODE)
			return refuse_place(&hole, err);
		rc = look_up(hole.name, hole.name_len, vars, &v, err);
		if (rc == 0) {
			buf_add(out, code + done, hole.offset - done);
			js_literal(out, &v);
			done = hole.offset + hole.name_len + 2;
		}
		secret_done(&v.secret);
		if (rc)
			return -1;
	}
	buf_str(out, code + done);
	return buf_check(out, "the replaced code", err);
}

static int
replace_in(cJSON *v, const struct plan_vars *vars, struct err *err)
{
	cJSON *child;

	if (cJSON_IsString(v)) {
		AUTO_BUF struct buf text = BUF_INIT_MAX(MAX_EXPANDED);

		if (plan_vars_text(v->valuestring, vars, &text, err))
			return -1;
		cJSON_free(v->valuestring);
		v->valuestring = buf_take(&text);
		return 0;
	}
	cJSON_ArrayForEach(child, v)
	{
		if (replace_in(child, vars, err))
			return -1;
	}
	return 0;
}

int
plan_vars_args(const cJSON *args, const struct plan_vars *vars, cJSON **out,
	       struct err *err)
{
	cJSON *copy = cJSON_Duplicate(args, true);

	if (!copy)
		copy = json_arr();
	if (replace_in(copy, vars, err)) {
		cJSON_Delete(copy);
		return -1;
	}
	*out = copy;
	return 0;
}

int
plan_vars_check_text(const char *text, size_t *offset, struct err *err)
{
	size_t len = strlen(text), i = 0;

	while (i < len) {
		size_t n = js_scan_hole(text + i, len - i);

		if (n && !known_name(text + i + 1, n - 2)) {
			*offset = i;
			return unknown_name(text + i + 1, n - 2, err);
		}
		i += n ? n : 1;
	}
	return 0;
}

int
plan_vars_check_given(const char *text, const struct plan_vars *vars,
		      struct err *err)
{
	size_t len = strlen(text), i = 0;

	while (i < len) {
		size_t n = js_scan_hole(text + i, len - i);
		const char *name = text + i + 1;

		if (n && (has_prefix(name, n - 2, "var.") ||
			  has_prefix(name, n - 2, "secret."))) {
			struct value v;
			int rc = look_up(name, n - 2, vars, &v, err);

			secret_done(&v.secret);
			if (rc)
				return -1;
		}
		i += n ? n : 1;
	}
	return 0;
}

int
plan_vars_check_js(const char *code, size_t *offset, struct err *err)
{
	struct js_scan scan;
	struct js_hole hole;

	js_scan_init(&scan, code, strlen(code), known_name);
	while (js_scan_next(&scan, &hole)) {
		if (hole.place != JS_CODE) {
			*offset = hole.offset;
			return refuse_place(&hole, err);
		}
	}
	return 0;
}

int
plan_vars_parse(const char *arg, struct plan_pair *out, char **name,
		struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const char *eq = strchr(arg, '=');
	size_t len = eq ? (size_t)(eq - arg) : 0;

	if (len == 0 || strspn(arg, letters) != len ||
	    (arg[0] >= '0' && arg[0] <= '9'))
		return err_set(err, ERR_USAGE,
			       "'--var %s': write it NAME=VALUE, the name of "
			       "letters, digits and '_'",
			       arg);
	*name = mem_strndup(arg, len);
	*out = (struct plan_pair){.key = *name, .value = eq + 1};
	return 0;
}
