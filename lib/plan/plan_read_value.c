#include "plan/plan_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/opt.h"
#include "plan/plan_vars.h"

#define MAX_DURATION_MS (7 * 24 * 3600000LL)
#define EXACT_MAX	999999999999999.0 /* 15 digits, as JSON is written */

int
plan_read_str(struct plan_reader *r, const struct yaml_node *node,
	      const char *what, const char **out)
{
	char text[64];

	if (node->kind != YAML_SCALAR) {
		plan_read_bad(r, node, "%s must be text, not %s", what,
			      plan_read_shown(node, text));
		return -1;
	}
	if (node->text[0] == '\0') {
		plan_read_bad(r, node, "%s is empty", what);
		return -1;
	}
	*out = plan_mem_dup(r->mem, node->text);
	return 0;
}

void
plan_read_bad_at(struct plan_reader *r, const struct yaml_node *node,
		 size_t offset, const struct err *err)
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
		plan_read_bad_at(r, node, offset, &err);
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
		      plan_read_shown(node, text),
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
			      what, plan_read_shown(node, text));
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

int
plan_read_size(struct plan_reader *r, const struct yaml_node *node,
	       const char *what, int64_t *out)
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
		      plan_read_shown(node, text));
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
		      plan_read_shown(node, text));
	return -1;
}

/* An id that loses its last digits would be another one's. */
static cJSON *
number(struct plan_reader *r, const struct yaml_node *node)
{
	double d = strtod(node->text, NULL);
	bool whole = strcspn(node->text, ".eE") == strlen(node->text);

	if (!isfinite(d) || (whole && fabs(d) > EXACT_MAX))
		plan_read_bad(r, node,
			      "the number %.40s is too large to be kept "
			      "exactly: put it in quotes, as text",
			      node->text);
	return cJSON_CreateNumber(d);
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
		return number(r, node);
	if (node->text[0])
		(void)plan_read_text(r, node, "the value", &unused);
	return cJSON_CreateString(node->text);
}

const cJSON *
plan_read_json(struct plan_reader *r, const struct yaml_node *node)
{
	return plan_mem_json(r->mem, to_json(r, node));
}
