#include "followup/issue_marker.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/mem.h"

#define HEAD "<!-- patrol:regression v1 range="
#define NEXT " series="
#define RUN  "<!-- patrol:run "
#define END  " -->"

void
issue_marker_done(struct issue_marker *m)
{
	free(m->range.item);
	free(m->series.item);
	memset(m, 0, sizeof(*m));
}

static bool
has(const struct issue_marker_set *s, const char *digits)
{
	for (size_t i = 0; i < s->count; i++) {
		if (strcmp(s->item[i], digits) == 0)
			return true;
	}
	return false;
}

static bool
add(struct issue_marker_set *s, const char *digits)
{
	if (has(s, digits) || s->count >= ISSUE_MARKER_MOST)
		return false;
	MEM_GROW(s->item, s->count, s->room);
	memcpy(s->item[s->count], digits, ISSUE_MARKER_DIGITS);
	s->item[s->count++][ISSUE_MARKER_DIGITS] = '\0';
	return true;
}

/* Of strings of `o`, each with an end that none of them has. */
static void
feed(struct digest *d, const cJSON *o, const char *const *path)
{
	for (; *path; path++) {
		AUTO_FREE char *text = json_id(o, *path);

		if (text)
			digest_feed(d, text, strlen(text));
		digest_feed(d, "", 1);
	}
}

static void
add_digest(struct issue_marker_set *s, struct digest *d)
{
	char hex[DIGEST_HEX] = "000000000000";
	struct err err = ERR_INIT;

	if (digest_finish(d, hex, &err))
		abort(); /* no SHA-256: nothing else works, either */
	hex[ISSUE_MARKER_DIGITS] = '\0';
	(void)add(s, hex); /* twice is once */
	digest_free(d);
}

static bool
has_build(const cJSON *run)
{
	return *json_str(run, "run_id", "") != '\0';
}

void
issue_marker_range(struct issue_marker *m, const cJSON *comparison,
		   const cJSON *step)
{
	static const char *const key[] = {"key.model", "key.serial", "key.os",
					  "key.unity", "key.plan",   NULL};
	static const char *const end[] = {"run_id", "commit", NULL};
	static const char *const id[] = {"id", NULL};
	const cJSON *good = json_get(step, "last_good");
	const cJSON *bad = json_get(step, "first_bad");
	struct digest *d = digest_new();

	feed(d, comparison, key);
	feed(d, good, has_build(good) ? end : id);
	feed(d, bad, has_build(bad) ? end : id);
	add_digest(&m->range, d);
}

void
issue_marker_series(struct issue_marker *m, const cJSON *comparison,
		    const cJSON *series)
{
	static const char *const run[] = {"title", "key.model", NULL};
	static const char *const name[] = {"metric", "subject", NULL};
	struct digest *d = digest_new();

	feed(d, comparison, run);
	feed(d, series, name);
	add_digest(&m->series, d);
}

static bool
merge(struct issue_marker_set *into, const struct issue_marker_set *from)
{
	bool any = false;

	for (size_t i = 0; i < from->count; i++)
		any |= add(into, from->item[i]);
	return any;
}

bool
issue_marker_merge(struct issue_marker *into, const struct issue_marker *from)
{
	bool range = merge(&into->range, &from->range);

	return merge(&into->series, &from->series) || range;
}

size_t
issue_marker_common(const struct issue_marker_set *a,
		    const struct issue_marker_set *b)
{
	size_t n = 0;

	for (size_t i = 0; i < a->count; i++)
		n += has(b, a->item[i]);
	return n;
}

bool
issue_marker_covers(const struct issue_marker *told,
		    const struct issue_marker *wanted)
{
	if (issue_marker_common(&wanted->range, &told->range) <
	    wanted->range.count)
		return false;
	return told->series.count >= ISSUE_MARKER_MOST ||
	       issue_marker_common(&wanted->series, &told->series) ==
		       wanted->series.count;
}

static void
write_set(struct buf *out, const struct issue_marker_set *s)
{
	for (size_t i = 0; i < s->count; i++)
		buf_fmt(out, "%s%s", i ? "," : "", s->item[i]);
}

void
issue_marker_write(struct buf *out, const struct issue_marker *m)
{
	buf_str(out, HEAD);
	write_set(out, &m->range);
	buf_str(out, NEXT);
	write_set(out, &m->series);
	buf_str(out, END "\n");
}

char *
issue_marker_run(const cJSON *run)
{
	const char *at = json_str(run, "at", "");

	if (!has_build(run))
		return mem_strdup(json_str(run, "id", ""));
	/* 2026-11-30T... */
	if (strlen(at) < 10)
		at = "0000-00-00";
	return mem_fmt("%s-%.4s%.2s%.2s", json_str(run, "run_id", ""), at,
		       at + 5, at + 8);
}

/* Letters and digits with single dashes: it can't end the comment. */
static void
clean_run(struct buf *out, const char *run)
{
	for (size_t n = 0; *run && n < 80; run++, n++) {
		if (isalnum((unsigned char)*run) ||
		    (*run == '-' && run[1] != '-'))
			buf_chr(out, *run);
	}
}

void
issue_marker_write_run(struct buf *out, const char *run)
{
	buf_str(out, RUN);
	clean_run(out, run);
	buf_str(out, END "\n");
}

bool
issue_marker_has_run(const char *body, const char *run)
{
	AUTO_BUF struct buf line = BUF_INIT;

	issue_marker_write_run(&line, run);
	buf_truncate(&line, line.len - 1); /* GitHub's page writes CR LF */
	return strstr(body, line.data) != NULL;
}

/* Digits with commas; where they end. */
static const char *
read_set(const char *p, struct issue_marker_set *s)
{
	while (strspn(p, "0123456789abcdef") == ISSUE_MARKER_DIGITS) {
		(void)add(s, p); /* more than fit are left out */
		p += ISSUE_MARKER_DIGITS;
		if (*p != ',')
			break;
		p++;
	}
	return p;
}

static const char *
skip(const char *p, const char *text)
{
	return p && strncmp(p, text, strlen(text)) == 0 ? p + strlen(text)
							: NULL;
}

bool
issue_marker_read(const char *body, struct issue_marker *out, size_t *offset,
		  size_t *size)
{
	const char *p = body;

	memset(out, 0, sizeof(*out));
	while ((p = strstr(p, HEAD))) {
		const char *at =
			skip(read_set(p + strlen(HEAD), &out->range), NEXT);

		if (at)
			at = skip(read_set(at, &out->series), END);
		if (at && out->series.count) {
			if (offset)
				*offset = (size_t)(p - body);
			if (size)
				*size = (size_t)(at - p);
			return true;
		}
		issue_marker_done(out);
		p += strlen(HEAD);
	}
	return false;
}
