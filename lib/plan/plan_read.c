#include "plan/plan_read.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/opt.h"
#include "plan/plan_vars.h"

enum {
	MAX_SCRIPT = 1 << 20,
	MAX_CANDIDATES = 128,
};
#define MAX_DURATION_MS (7 * 24 * 3600000LL)

void
plan_read_bad(struct plan_reader *r, const struct yaml_node *node,
	      const char *fmt, ...)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(4096);
	va_list ap;

	va_start(ap, fmt);
	buf_vfmt(&b, fmt, ap);
	va_end(ap);
	yaml_complain(r->c, node->line, node->col, "%s", b.data);
}

/* What a node is, for messages; long text is cut. */
static const char *
shown(const struct yaml_node *node, char out[64])
{
	if (node->kind == YAML_LIST)
		return "a list";
	if (node->kind == YAML_MAP)
		return "a map";
	if (snprintf(out, 64, "'%.40s%s'", node->text,
		     strlen(node->text) > 40 ? "..." : "") < 0)
		return "text";
	return out;
}

int
plan_read_map(struct plan_reader *r, const struct yaml_node *node,
	      const char *what)
{
	char text[64];

	if (node->kind == YAML_MAP)
		return 0;
	plan_read_bad(r, node, "%s must be a map, not %s", what,
		      shown(node, text));
	return -1;
}

int
plan_read_list(struct plan_reader *r, const struct yaml_node *node,
	       const char *what)
{
	char text[64];

	if (node->kind == YAML_LIST)
		return 0;
	plan_read_bad(r, node, "%s must be a list, not %s", what,
		      shown(node, text));
	return -1;
}

int
plan_read_str(struct plan_reader *r, const struct yaml_node *node,
	      const char *what, const char **out)
{
	char text[64];

	if (node->kind != YAML_SCALAR) {
		plan_read_bad(r, node, "%s must be text, not %s", what,
			      shown(node, text));
		return -1;
	}
	if (node->text[0] == '\0') {
		plan_read_bad(r, node, "%s is empty", what);
		return -1;
	}
	*out = plan_mem_dup(r->mem, node->text);
	return 0;
}

/* The place of a byte within a scalar; exact where it stands on one line. */
static void
bad_at(struct plan_reader *r, const struct yaml_node *node, size_t offset,
       const struct err *err)
{
	int col = node->col;

	if (!strchr(node->text, '\n'))
		col += (int)offset + (node->plain ? 0 : 1);
	yaml_complain(r->c, node->line, col, "%s", err->msg);
}

int
plan_read_text(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, const char **out)
{
	struct err err = ERR_INIT;
	size_t offset = 0;

	if (plan_read_str(r, node, what, out))
		return -1;
	if (plan_vars_check_text(*out, &offset, &err)) {
		bad_at(r, node, offset, &err);
		return -1;
	}
	return 0;
}

int
plan_read_bool(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, bool *out)
{
	char text[64];

	if (node->kind == YAML_SCALAR && node->plain) {
		if (strcmp(node->text, "true") == 0) {
			*out = true;
			return 0;
		}
		if (strcmp(node->text, "false") == 0) {
			*out = false;
			return 0;
		}
	}
	plan_read_bad(r, node, "%s must be true or false, not %s%s", what,
		      shown(node, text),
		      node->kind == YAML_SCALAR && !node->plain ? " in quotes"
								: "");
	return -1;
}

int
plan_read_int(struct plan_reader *r, const struct yaml_node *node,
	      const char *what, int64_t min, int64_t max, int64_t *out)
{
	const char *s = node->kind == YAML_SCALAR ? node->text : "";
	size_t digits = strspn(s, "0123456789");
	char text[64];
	long long n;

	if (digits == 0 || s[digits] || !node->plain ||
	    (s[0] == '0' && digits > 1)) {
		plan_read_bad(r, node,
			      "%s must be a whole number (decimal, no leading "
			      "zeros, no quotes), not %s",
			      what, shown(node, text));
		return -1;
	}
	errno = 0;
	n = strtoll(s, NULL, 10);
	if (errno || n < min || n > max) {
		plan_read_bad(r, node, "%s must be from %lld to %lld", what,
			      (long long)min, (long long)max);
		return -1;
	}
	*out = n;
	return 0;
}

int
plan_read_duration(struct plan_reader *r, const struct yaml_node *node,
		   const char *what, int64_t min_ms, int64_t *out_ms)
{
	struct err err = ERR_INIT;
	const char *s;
	int64_t ms;

	if (plan_read_str(r, node, what, &s))
		return -1;
	if (opt_duration(s, &ms, &err)) {
		plan_read_bad(r, node, "%s: %s", what, err.msg);
		return -1;
	}
	if (ms < min_ms || ms > MAX_DURATION_MS) {
		plan_read_bad(r, node, "%s must be from %lldms to 168h", what,
			      (long long)min_ms);
		return -1;
	}
	*out_ms = ms;
	return 0;
}

static int
read_size(struct plan_reader *r, const struct yaml_node *node, const char *what,
	  int64_t *out)
{
	struct err err = ERR_INIT;
	const char *s;

	if (plan_read_str(r, node, what, &s))
		return -1;
	if (opt_size(s, out, &err)) {
		plan_read_bad(r, node, "%s: %s", what, err.msg);
		return -1;
	}
	return 0;
}

int
plan_read_word(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, const struct plan_word *words, int *out)
{
	AUTO_BUF struct buf list = BUF_INIT_MAX(1024);
	char text[64];

	for (const struct plan_word *w = words; w->name; w++) {
		if (node->kind == YAML_SCALAR &&
		    strcmp(w->name, node->text) == 0) {
			*out = w->value;
			return 0;
		}
		if (w != words)
			buf_str(&list, w[1].name ? ", " : " or ");
		buf_str(&list, w->name);
	}
	plan_read_bad(r, node, "%s must be %s, not %s", what, list.data,
		      shown(node, text));
	return -1;
}

/* [-]digits[.digits][e[+-]digits], as JSON has it. */
static bool
is_number(const char *s)
{
	size_t n;

	s += *s == '-';
	n = strspn(s, "0123456789");
	if (n == 0 || (n > 1 && s[0] == '0'))
		return false;
	s += n;
	if (*s == '.') {
		n = strspn(s + 1, "0123456789");
		if (n == 0)
			return false;
		s += 1 + n;
	}
	if (*s == 'e' || *s == 'E') {
		s++;
		s += *s == '-' || *s == '+';
		n = strspn(s, "0123456789");
		if (n == 0)
			return false;
		s += n;
	}
	return *s == '\0';
}

int
plan_read_part(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, double *out)
{
	char text[64];
	double d;

	if (node->kind == YAML_SCALAR && node->plain && is_number(node->text)) {
		d = strtod(node->text, NULL);
		if (d >= 0 && d <= 1) {
			*out = d;
			return 0;
		}
	}
	plan_read_bad(r, node, "%s must be a number from 0 to 1, not %s", what,
		      shown(node, text));
	return -1;
}

static cJSON *
to_json(struct plan_reader *r, const struct yaml_node *node)
{
	const char *unused;
	cJSON *v;

	if (node->kind == YAML_LIST) {
		v = json_arr();
		for (size_t i = 0; i < node->count; i++)
			json_push(v, to_json(r, node->item[i]));
		return v;
	}
	if (node->kind == YAML_MAP) {
		v = json_obj();
		for (size_t i = 0; i < node->count; i++)
			json_set(v, node->key[i]->text,
				 to_json(r, node->item[i]));
		return v;
	}
	if (node->plain && strcmp(node->text, "true") == 0)
		return cJSON_CreateTrue();
	if (node->plain && strcmp(node->text, "false") == 0)
		return cJSON_CreateFalse();
	if (node->plain && strcmp(node->text, "null") == 0)
		return cJSON_CreateNull();
	if (node->plain && is_number(node->text))
		return cJSON_CreateNumber(strtod(node->text, NULL));
	if (node->text[0])
		(void)plan_read_text(r, node, "the value", &unused);
	return cJSON_CreateString(node->text);
}

const cJSON *
plan_read_json(struct plan_reader *r, const struct yaml_node *node)
{
	return plan_mem_json(r->mem, to_json(r, node));
}

/* Beside the plan, unless it is absolute; free() it. */
static char *
path_of(const struct plan_reader *r, const char *name)
{
	return name[0] == '/' ? mem_strdup(name) : file_join(r->dir, name);
}

const char *
plan_read_path(struct plan_reader *r, const struct yaml_node *node,
	       const char *what)
{
	AUTO_FREE char *path = NULL;
	const char *name;

	if (plan_read_str(r, node, what, &name))
		return NULL;
	path = path_of(r, name);
	return plan_mem_dup(r->mem, path);
}

static int
read_js_file(struct plan_reader *r, const struct yaml_node *node,
	     const char *name, const char **code)
{
	AUTO_FREE char *path = path_of(r, name);
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_SCRIPT);
	struct err err = ERR_INIT;
	size_t offset = 0;
	int line = 1, col = 1;

	if (file_read(path, &b, &err)) {
		plan_read_bad(r, node, "%s", err.msg);
		return -1;
	}
	if (strlen(b.data) != b.len) {
		plan_read_bad(r, node, "'%s' is no text: it has a NUL byte",
			      path);
		return -1;
	}
	if (plan_vars_check_js(b.data, &offset, &err)) {
		for (size_t i = 0; i < offset; i++) {
			col = b.data[i] == '\n' ? 1 : col + 1;
			line += b.data[i] == '\n';
		}
		plan_read_bad(r, node, "%s:%d:%d: %s", name, line, col,
			      err.msg);
		return -1;
	}
	*code = plan_mem_dup(r->mem, b.data);
	return 0;
}

int
plan_read_js(struct plan_reader *r, const struct yaml_node *node,
	     const char *what, const char **code, const char **file)
{
	static const struct plan_field fields[] = {
		{.name = "file", .type = PLAN_FIELD_STR},
		{.name = NULL},
	};
	struct err err = ERR_INIT;
	const char *name = NULL;
	size_t offset = 0;

	if (file && node->kind == YAML_MAP) {
		plan_read_fields(r, node, what, fields, NULL, &name);
		if (!name) {
			plan_read_bad(r, node, "%s needs 'file'", what);
			return -1;
		}
		*file = name;
		return read_js_file(r, node, name, code);
	}
	if (plan_read_str(r, node, what, code))
		return -1;
	if (plan_vars_check_js(*code, &offset, &err)) {
		bad_at(r, node, offset, &err);
		return -1;
	}
	return 0;
}

/* All names of one kind, for the nearest; only when there is an error. */
static const char *
nearest_name(struct plan_reader *r, enum plan_names kind, const char *word)
{
	const struct plan *p = r->plan;
	size_t n = kind == PLAN_NAMES_SCREEN ? p->screen_count
					     : p->procedure_count;
	AUTO_FREE const char **names = mem_array(n + 1, sizeof(char *));

	for (size_t i = 0; i < n; i++)
		names[i] = kind == PLAN_NAMES_SCREEN ? p->screen[i].name
						     : p->procedure[i].name;
	return yaml_nearest(word, names, n);
}

int
plan_read_name(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, enum plan_names kind, int *out)
{
	const char *near = NULL;
	char text[64];

	if (node->kind != YAML_SCALAR) {
		plan_read_bad(r, node, "%s must be a name, not %s", what,
			      shown(node, text));
		return -1;
	}
	*out = plan_mem_name_find(r->mem, kind, node->text);
	if (*out >= 0)
		return 0;
	if (r->c->count < YAML_MAX_COMPLAINTS)
		near = nearest_name(r, kind, node->text);
	plan_read_bad(r, node, "%s: there is no %s %s%s%s%s", what,
		      kind == PLAN_NAMES_SCREEN ? "screen" : "procedure",
		      shown(node, text), near ? "; did you mean '" : "",
		      near ? near : "", near ? "'?" : "");
	return -1;
}

const struct plan_field *
plan_read_find(const struct plan_field *fields, const char *name)
{
	for (; fields && fields->name; fields++) {
		if (strcmp(fields->name, name) == 0)
			return fields;
	}
	return NULL;
}

void
plan_read_unknown_key(struct plan_reader *r, const struct yaml_node *key,
		      const char *what, const struct plan_field *fields,
		      const struct plan_field *more)
{
	const char *names[MAX_CANDIDATES], *near;
	size_t n = 0;

	for (; fields && fields->name && n < MAX_CANDIDATES; fields++)
		names[n++] = fields->name;
	for (; more && more->name && n < MAX_CANDIDATES; more++)
		names[n++] = more->name;
	near = yaml_nearest(key->text, names, n);
	if (near)
		plan_read_bad(r, key,
			      "unknown key '%s' in %s; did you mean '%s'?",
			      key->text, what, near);
	else
		plan_read_bad(r, key, "unknown key '%s' in %s", key->text,
			      what);
}

static void
read_strings(struct plan_reader *r, const struct yaml_node *node,
	     const char *what, struct plan_strings *out)
{
	size_t n = node->kind == YAML_LIST ? node->count : 1;

	out->item = plan_mem_array(r->mem, n, sizeof(*out->item));
	for (size_t i = 0; i < n; i++) {
		const struct yaml_node *item =
			node->kind == YAML_LIST ? node->item[i] : node;

		if (plan_read_str(r, item, what, &out->item[out->count]) == 0)
			out->count++;
	}
}

static void
read_pairs(struct plan_reader *r, const struct yaml_node *node,
	   const char *what, struct plan_pairs *out)
{
	if (plan_read_map(r, node, what))
		return;
	out->item = plan_mem_array(r->mem, node->count, sizeof(*out->item));
	for (size_t i = 0; i < node->count; i++) {
		struct plan_pair *p = &out->item[out->count];

		p->at = (struct plan_pos){node->key[i]->line,
					  node->key[i]->col};
		p->key = plan_mem_dup(r->mem, node->key[i]->text);
		if (plan_read_text(r, node->item[i], p->key, &p->value) == 0)
			out->count++;
	}
}

static void
read_port(struct plan_reader *r, const struct yaml_node *node, const char *what,
	  int *out)
{
	int64_t n;

	if (plan_read_int(r, node, what, 1, 65535, &n) == 0)
		*out = (int)n;
}

/* Failures have been complained about; the default stays. */
static void
read_field(struct plan_reader *r, const struct yaml_node *node,
	   const struct plan_field *f, void *into)
{
	void *at = (char *)into + f->offset;

	switch (f->type) {
	case PLAN_FIELD_STR:
		(void)plan_read_str(r, node, f->name, at);
		break;
	case PLAN_FIELD_TEXT:
		(void)plan_read_text(r, node, f->name, at);
		break;
	case PLAN_FIELD_BOOL:
		(void)plan_read_bool(r, node, f->name, at);
		break;
	case PLAN_FIELD_INT:
		(void)plan_read_int(r, node, f->name, f->min, f->max, at);
		break;
	case PLAN_FIELD_PORT:
		read_port(r, node, f->name, at);
		break;
	case PLAN_FIELD_DURATION:
		(void)plan_read_duration(r, node, f->name, f->min, at);
		break;
	case PLAN_FIELD_SIZE:
		(void)read_size(r, node, f->name, at);
		break;
	case PLAN_FIELD_WORD:
		(void)plan_read_word(r, node, f->name, f->words, at);
		break;
	case PLAN_FIELD_STRINGS:
		read_strings(r, node, f->name, at);
		break;
	case PLAN_FIELD_PAIRS:
		read_pairs(r, node, f->name, at);
		break;
	case PLAN_FIELD_CALL:
		f->read(r, node, at);
		break;
	case PLAN_FIELD_OTHER:
		break;
	}
}

void
plan_read_fields(struct plan_reader *r, const struct yaml_node *node,
		 const char *what, const struct plan_field *fields,
		 const struct plan_field *more, void *into)
{
	if (plan_read_map(r, node, what))
		return;
	for (size_t i = 0; i < node->count; i++) {
		const char *key = node->key[i]->text;
		const struct plan_field *f = plan_read_find(fields, key);

		if (f)
			read_field(r, node->item[i], f, into);
		else if (!plan_read_find(more, key))
			plan_read_unknown_key(r, node->key[i], what, fields,
					      more);
	}
}
