#include <string.h>
#include <unistd.h>

#include "base/present.h"
#include "base/secret.h"
#include "report/progress.h"
#include "report/verdict.h"

static void
dot(struct buf *b, size_t start)
{
	if (b->len > start)
		buf_str(b, " · ");
}

static void
add_frames(const cJSON *result, struct buf *b, size_t start)
{
	int64_t total = json_int(result, "captures.profiler.frames_total", -1);
	int64_t kept = json_int(result, "captures.profiler.frames_kept", -1);

	if (total < 0 || kept < 0)
		return;
	dot(b, start);
	present_count(b, kept);
	buf_str(b, " of ");
	present_count(b, total);
	buf_str(b, " frames kept");
}

/* Said only where the stage says so: a phone at hand is nobody's to return. */
static const char *
phone_returned(const cJSON *result)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "stages"))
	{
		if (strcmp(json_str(s, "name", ""), "return") == 0 &&
		    strcmp(json_str(s, "status", ""), "ok") == 0)
			return json_str(s, "message", NULL);
	}
	return NULL;
}

/* "11/11 in 24:10 · 71 of 43,212 frames kept · phone returned · FILE" */
static void
tail(const cJSON *result, const struct verdict *v, const char *report,
     struct buf *b)
{
	int64_t ms = json_int(result, "duration_ms", -1);
	size_t start = b->len;

	if (v->planned)
		buf_fmt(b, "%zu/%zu", v->visited, v->planned);
	if (ms >= 0) {
		buf_str(b, b->len > start ? " in " : "in ");
		if (ms >= 60000)
			buf_fmt(b, "%lld:%02lld", (long long)ms / 60000,
				(long long)ms / 1000 % 60);
		else
			buf_duration(b, ms);
	}
	add_frames(result, b, start);
	if (phone_returned(result)) {
		dot(b, start);
		buf_str(b, phone_returned(result));
	}
	if (report) {
		dot(b, start);
		buf_str(b, report);
	}
}

static void
add_line(struct buf *out, const char *indent, const char *s)
{
	AUTO_BUF struct buf raw = BUF_INIT;
	AUTO_BUF struct buf escaped = BUF_INIT;

	buf_str(&raw, s);
	secret_redact(&raw);
	buf_escaped(&escaped, raw.data, raw.len);
	buf_str(out, indent);
	present_line(out, escaped.data, 2000);
	buf_chr(out, '\n');
}

void
progress_end(struct progress *p, const cJSON *result, const char *report_path)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf facts = BUF_INIT;
	struct verdict v;
	size_t at = 0;

	progress_done(p);
	verdict_init(&v, result);
	if (p->color)
		buf_fmt(&b, "\033[1;%sm",
			v.tone == VERDICT_GOOD	 ? "32"
			: v.tone == VERDICT_NONE ? "33"
						 : "31");
	buf_str(&b, v.state);
	if (p->color)
		buf_str(&b, "\033[0m");
	tail(result, &v, report_path, &facts);
	add_line(&b, " ", facts.data);
	/* A fine day needs no second line. */
	if (v.tone != VERDICT_GOOD ||
	    strcmp(json_str(result, "kind", ""), "try") == 0)
		add_line(&b, "  ", v.sentence);
	if (v.todo)
		add_line(&b, "  To do: ", v.todo);
	while (at < b.len) {
		ssize_t n = write(p->fd, b.data + at, b.len - at);

		if (n <= 0)
			break;
		at += (size_t)n;
	}
	verdict_done(&v);
}
