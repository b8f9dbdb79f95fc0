#include "report/ci_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "report/summary.h"
#include "report/verdict.h"

bool
ci_output_active(void)
{
	const char *v = getenv("GITHUB_ACTIONS");

	return v && strcmp(v, "true") == 0;
}

/* Only the runner must read it: it goes around what redacts our own text. */
void
ci_output_mask(const char *secret)
{
	AUTO_BUF struct buf line = BUF_INIT;
	struct err err = ERR_INIT;

	if (!ci_output_active())
		return;
	buf_fmt(&line, "::add-mask::%s\n", secret);
	/* Nobody listens: then nobody shows it either. */
	(void)file_write_all(STDOUT_FILENO, line.data, line.len, "stdout",
			     &err);
}

static void
encode(struct buf *out, const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s))
			buf_fmt(out, "%%%02X", (unsigned char)*s);
		else
			buf_chr(out, *s);
	}
}

void
ci_output_data(struct buf *out, const char *s)
{
	encode(out, s, "%\r\n");
}

void
ci_output_property(struct buf *out, const char *s)
{
	encode(out, s, "%\r\n:,");
}

static void
variable(struct buf *out, const char *name, const char *value,
	 const char *delimiter)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, value, 4000);
	buf_fmt(out, "%s<<%s\n%s\n%s\n", name, delimiter, line.data, delimiter);
}

void
ci_output_vars(const cJSON *result, const char *result_path,
	       const char *delimiter, struct buf *out)
{
	variable(out, "outcome", json_str(result, "outcome", ""), delimiter);
	variable(out, "measured",
		 json_bool(result, "measured", false) ? "true" : "false",
		 delimiter);
	variable(out, "reason", json_str(result, "reason", ""), delimiter);
	variable(out, "result", result_path, delimiter);
}

/* Annotations: counted first, because the last one says how many are left. */
struct notes {
	struct buf *out; /* NULL: count only */
	size_t count, total;
};

/* The plan's file and line, when `where` is "file:line:col". */
static void
place(struct buf *out, const char *where)
{
	const char *col = where ? strrchr(where, ':') : NULL;
	const char *line = col;
	size_t digits;

	if (!col || strspn(col + 1, "0123456789") != strlen(col + 1))
		return;
	while (line > where && *--line != ':')
		;
	digits = strspn(line + 1, "0123456789");
	if (line == where || digits == 0 || line + 1 + digits != col ||
	    digits > 9 || !col[1] || strlen(col + 1) > 9)
		return;
	AUTO_FREE char *file = mem_strndup(where, (size_t)(line - where));
	AUTO_FREE char *clean = present_line_dup(file, 500);

	buf_str(out, "file=");
	ci_output_property(out, clean);
	buf_fmt(out, ",line=%.*s,col=%s,", (int)digits, line + 1, col + 1);
}

static void
command(struct buf *out, const char *level, const char *where,
	const char *title, const char *text)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, text, 1000);
	buf_fmt(out, "::%s ", level);
	place(out, where);
	buf_str(out, "title=");
	ci_output_property(out, title);
	buf_str(out, "::");
	ci_output_data(out, line.data);
	buf_chr(out, '\n');
}

static void
annotate(struct notes *n, const char *level, const char *where,
	 const char *text)
{
	size_t at = n->count++;

	if (n->out == NULL)
		return;
	if (n->total <= CI_ANNOTATIONS_MAX || at < CI_ANNOTATIONS_MAX - 1) {
		command(n->out, level, where, "patrol", text);
	} else if (at == CI_ANNOTATIONS_MAX - 1) {
		AUTO_FREE char *more =
			mem_fmt("%zu more in the summary and the report",
				n->total - at);

		command(n->out, level, NULL, "patrol", more);
	}
}

static void
note_screens(struct notes *n, const cJSON *result)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		const char *status = json_str(s, "status", "");
		bool crashed = strcmp(status, "crashed") == 0;
		AUTO_BUF struct buf b = BUF_INIT;

		if (!crashed && strcmp(status, "unreached") != 0)
			continue;
		present_line(&b, json_str(s, "name", "?"), 100);
		buf_str(&b, crashed ? " crashed: " : " not reached: ");
		present_line(&b, json_str(s, "message", "no message"), 500);
		annotate(n, crashed ? "error" : "warning", NULL, b.data);
	}
}

static void
note_regressions(struct notes *n, const cJSON *result)
{
	const cJSON *r;

	cJSON_ArrayForEach(r, json_get(result, "regressions"))
	{
		AUTO_BUF struct buf b = BUF_INIT;
		const char *unit = json_str(r, "unit", NULL);

		present_line(&b, json_str(r, "screen", ""), 100);
		buf_chr(&b, ' ');
		present_line(&b, json_str(r, "metric", "?"), 100);
		buf_chr(&b, ' ');
		present_range(&b, json_num(r, "before", 0),
			      json_num(r, "after", 0), unit);
		annotate(n, "warning", NULL, b.data);
	}
}

static void
note_errors(struct notes *n, const cJSON *result)
{
	const cJSON *e;

	/* Others are told by the verdict itself. */
	if (strcmp(json_str(result, "outcome", ""), "invalid_input") != 0)
		return;
	cJSON_ArrayForEach(e, json_get(result, "errors"))
	{
		annotate(n, "error", json_str(e, "where", NULL),
			 json_str(e, "message", "?"));
	}
}

static void
note_warnings(struct notes *n, const cJSON *result)
{
	const cJSON *w;

	cJSON_ArrayForEach(w, json_get(result, "warnings"))
	{
		annotate(n, "warning", NULL, json_str(w, "message", "?"));
	}
}

static void
note_all(struct notes *n, const cJSON *result, const struct verdict *v)
{
	const char *outcome = json_str(result, "outcome", "");
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, v->sentence);
	if (v->todo)
		buf_fmt(&b, " %s", v->todo);
	if (json_count(result, "left_behind"))
		annotate(n, "error", NULL, b.data);
	else if (strcmp(outcome, "skipped") == 0)
		annotate(n, "notice", NULL, b.data);
	else if (strcmp(outcome, "cancelled") == 0 || v->tone == VERDICT_NONE)
		annotate(n, "warning", NULL, b.data);
	else if (v->tone == VERDICT_BAD)
		annotate(n, "error", NULL, b.data);
	note_errors(n, result);
	note_screens(n, result);
	note_regressions(n, result);
	note_warnings(n, result);
}

void
ci_output_annotations(const cJSON *result, struct buf *out)
{
	struct notes n = {0};
	struct verdict v;

	verdict_init(&v, result);
	note_all(&n, result, &v);
	n = (struct notes){.out = out, .total = n.count};
	note_all(&n, result, &v);
	verdict_done(&v);
}

static int
delimiter(char *out, size_t size, struct err *err)
{
	unsigned char r[12];
	size_t at = 0;

	if (getrandom(r, sizeof(r), 0) != (ssize_t)sizeof(r))
		return err_sys(err, "get random bytes");
	at = (size_t)snprintf(out, size, "patrol_");
	for (size_t i = 0; i < sizeof(r) && at + 3 <= size; i++)
		at += (size_t)snprintf(out + at, size - at, "%02x", r[i]);
	return 0;
}

int
ci_output_write(const cJSON *result, const char *result_path,
		const char *summary, struct err *err)
{
	const char *output = getenv("GITHUB_OUTPUT");
	const char *steps = getenv("GITHUB_STEP_SUMMARY");
	AUTO_BUF struct buf b = BUF_INIT;
	char word[40];

	if (output && *output) {
		if (delimiter(word, sizeof(word), err))
			return -1;
		ci_output_vars(result, result_path, word, &b);
		if (file_append(output, b.data, b.len, err))
			return err_wrap(err, "GITHUB_OUTPUT");
	}
	if (steps && *steps && strlen(summary) <= SUMMARY_MAX &&
	    file_append(steps, summary, strlen(summary), err))
		return err_wrap(err, "GITHUB_STEP_SUMMARY");
	return 0;
}
