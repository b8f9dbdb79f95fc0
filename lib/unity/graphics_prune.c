#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "unity/graphics.h"
#include "unity/positions.h"

enum { LINE_LIMIT = 64 << 10 };

static const char no_keywords[] = "<no keywords>";

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Each keyword once, in order, so that sets compare as text; free() it. */
static char *
keyword_set(const char *s, size_t len)
{
	AUTO_FREE char *copy = mem_strndup(s, len);
	AUTO_BUF struct buf set = BUF_INIT;
	char **word = NULL;
	size_t count = 0, room = 0;
	char *rest = NULL;

	for (char *w = strtok_r(copy, " ", &rest); w;
	     w = strtok_r(NULL, " ", &rest)) {
		MEM_GROW(word, count, room);
		word[count++] = w;
	}
	if (count)
		qsort(word, count, sizeof(*word), by_text);
	for (size_t i = 0; i < count; i++) {
		if (i && strcmp(word[i - 1], word[i]) == 0)
			continue;
		if (set.len)
			buf_chr(&set, ' ');
		buf_str(&set, word[i]);
	}
	free(word);
	return buf_take(&set);
}

/* What stands behind `prefix` at `*s`, which then moves behind it. */
static bool
skip_word(const char **s, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	if ((size_t)(end - *s) < n || memcmp(*s, prefix, n) != 0)
		return false;
	*s += n;
	return true;
}

static bool
take_number(const char **s, const char *end, int64_t *out)
{
	int64_t n = 0;
	const char *from = *s;

	while (*s < end && isdigit((unsigned char)**s)) {
		if (n > INT32_MAX)
			return false;
		n = n * 10 + (*(*s)++ - '0');
	}
	*out = n;
	return *s > from;
}

/* The last place before `end` where `word` begins; NULL: none. */
static const char *
find_last(const char *s, const char *end, const char *word)
{
	const char *found = NULL;
	size_t n = strlen(word);

	while ((size_t)(end - s) >= n) {
		const char *at = memmem(s, (size_t)(end - s), word, n);

		if (!at)
			break;
		found = at;
		s = at + 1;
	}
	return found;
}

/* "NAME (real shader REAL)" */
static void
take_names(struct graphics_missing *m, const char *s, const char *end)
{
	static const char real[] = " (real shader ";
	const char *at = find_last(s, end, real);

	if (at && end[-1] == ')') {
		const char *from = at + strlen(real);

		m->real = mem_strndup(from, (size_t)(end - 1 - from));
		end = at;
	}
	m->shader = mem_strndup(s, (size_t)(end - s));
}

/*
 * From "Shader " on.  A shader's name may hold commas and brackets, but
 * ", subshader N, pass N, stage S: variant " comes once.
 */
static bool
parse(const char *s, const char *end, struct graphics_missing *m)
{
	static const char sub[] = ", subshader ", tail[] = " not found.";
	const char *at = find_last(s, end, sub);
	const char *stop = find_last(s, end, tail);
	const char *name = s, *name_end = at;

	if (!at || !stop || stop < at)
		return false;
	s = at + strlen(sub);
	if (!take_number(&s, stop, &m->subshader) ||
	    !skip_word(&s, stop, ", pass ") ||
	    !take_number(&s, stop, &m->pass) ||
	    !skip_word(&s, stop, ", stage "))
		return false;
	s = memmem(s, (size_t)(stop - s), ": variant ", 10);
	if (!s)
		return false;
	s += 10;
	take_names(m, name, name_end);
	if ((size_t)(stop - s) == strlen(no_keywords) &&
	    memcmp(s, no_keywords, strlen(no_keywords)) == 0)
		s = stop;
	m->keywords = keyword_set(s, (size_t)(stop - s));
	return true;
}

static void
missing_done(struct graphics_missing *m)
{
	free(m->shader);
	free(m->real);
	free(m->keywords);
}

static bool
same_missing(const struct graphics_missing *a, const struct graphics_missing *b)
{
	return a->subshader == b->subshader && a->pass == b->pass &&
	       strcmp(a->shader, b->shader) == 0 &&
	       strcmp(a->keywords, b->keywords) == 0 &&
	       strcmp(a->real ? a->real : "", b->real ? b->real : "") == 0;
}

static uint64_t
pass_hash(const char *shader, int64_t subshader, int64_t pass)
{
	const int64_t number[] = {subshader, pass};
	uint64_t h = positions_hash(POSITIONS_HASH, shader, strlen(shader));

	return positions_hash(h, number, sizeof(number));
}

static uint64_t
missing_hash(const struct graphics_missing *m)
{
	uint64_t h = pass_hash(m->shader, m->subshader, m->pass);

	return pass_hash(m->keywords, (int64_t)h, 0);
}

void
graphics_log_line(struct graphics_log *log, const char *line, size_t len)
{
	static const char begin[] = "Shader ", said[] = "not found";
	struct graphics_missing m = {.lines = 1};
	const char *s = memmem(line, len, begin, strlen(begin));
	uint64_t h;
	size_t at, is;

	log->lines++;
	if (!s || !memmem(s, len - (size_t)(s - line), said, strlen(said)) ||
	    !memmem(s, len - (size_t)(s - line), "variant", 7))
		return;
	if (!parse(s + strlen(begin), line + len, &m)) {
		log->unparsed++;
		return;
	}
	h = missing_hash(&m);
	for (is = positions_first(&log->seen, h, &at); is != POSITIONS_NONE;
	     is = positions_next(&log->seen, h, &at))
		if (same_missing(&log->missing[is], &m)) {
			log->missing[is].lines++;
			missing_done(&m);
			return;
		}
	if (log->count == GRAPHICS_LOG_MISSING) {
		log->dropped++;
		missing_done(&m);
		return;
	}
	positions_add(&log->seen, h, log->count);
	MEM_GROW(log->missing, log->count, log->room);
	log->missing[log->count++] = m;
}

/*
 * The whole lines of `have` bytes, a NUL being one like others; the begin of
 * the next one is moved to the front, and how much of it there is.  One that
 * fills all of the room is taken as it is, and its rest, `*inside`, skipped.
 */
static size_t
take_lines(struct graphics_log *log, char *text, size_t have, bool *inside)
{
	const char *s = text, *end = text + have, *stop;

	for (; (stop = memchr(s, '\n', (size_t)(end - s))); s = stop + 1) {
		const char *cr = memchr(s, '\r', (size_t)(stop - s));

		if (!*inside)
			graphics_log_line(log, s,
					  (size_t)((cr ? cr : stop) - s));
		*inside = false;
	}
	have = (size_t)(end - s);
	if (have == LINE_LIMIT) {
		if (!*inside)
			graphics_log_line(log, text, have);
		*inside = true;
		return 0;
	}
	memmove(text, s, have);
	return have;
}

int
graphics_log_read(struct graphics_log *log, const char *path, struct err *err)
{
	AUTO_FREE char *text = mem_alloc(LINE_LIMIT);
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	bool inside = false;
	size_t have = 0;
	ssize_t n = 1;

	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	while (n != 0) {
		n = read(fd, text + have, LINE_LIMIT - have);
		if (n < 0 && errno != EINTR)
			return err_sys(err, "read '%s'", path);
		if (n > 0)
			have = take_lines(log, text, have + (size_t)n, &inside);
	}
	if (have && !inside)
		graphics_log_line(log, text, have);
	return 0;
}

void
graphics_log_done(struct graphics_log *log)
{
	for (size_t i = 0; i < log->count; i++)
		missing_done(&log->missing[i]);
	free(log->missing);
	positions_done(&log->seen);
	memset(log, 0, sizeof(*log));
}

/* FIT_NEAR: of the same shader and pass, with other keywords. */
enum fit { FIT_NOT, FIT_NEAR, FIT_SAME };

static enum fit
fits(const struct graphics_missing *m, const struct graphics_variant *v,
     const char *shader, const char *keywords)
{
	if (m->subshader != v->subshader || m->pass != v->pass ||
	    (strcmp(m->shader, shader) != 0 &&
	     (!m->real || strcmp(m->real, shader) != 0)))
		return FIT_NOT;
	return strcmp(m->keywords, keywords) == 0 ? FIT_SAME : FIT_NEAR;
}

/* One variant against all that the log says of its shader and pass. */
static void
count_fits(const struct positions *by_pass, struct graphics_log *log,
	   const struct graphics_variant *v, const char *shader,
	   const char *keywords, size_t *same)
{
	uint64_t h = pass_hash(shader, v->subshader, v->pass);
	size_t at, is;

	for (is = positions_first(by_pass, h, &at); is != POSITIONS_NONE;
	     is = positions_next(by_pass, h, &at)) {
		struct graphics_missing *m = &log->missing[is];

		switch (fits(m, v, shader, keywords)) {
		case FIT_SAME:
			m->matches++;
			*same = is;
			break;
		case FIT_NEAR:
			m->near++;
			break;
		case FIT_NOT:
			break;
		}
	}
}

static void
index_log(struct positions *x, const struct graphics_log *log)
{
	for (size_t i = 0; i < log->count; i++) {
		const struct graphics_missing *m = &log->missing[i];

		positions_add(x, pass_hash(m->shader, m->subshader, m->pass),
			      i);
		if (m->real && strcmp(m->real, m->shader) != 0)
			positions_add(x,
				      pass_hash(m->real, m->subshader, m->pass),
				      i);
	}
}

size_t
graphics_states_prune(struct graphics_states *g, struct graphics_log *log,
		      enum graphics_several several)
{
	struct positions by_pass = {NULL, 0, 0};
	size_t *same = mem_array(g->count + 1, sizeof(*same));
	size_t kept = 0, dropped;

	index_log(&by_pass, log);
	for (size_t i = 0; i < log->count; i++)
		log->missing[i].matches = log->missing[i].near = 0;
	for (size_t i = 0; i < g->count; i++) {
		struct graphics_variant *v = &g->variant[i];
		AUTO_FREE char *shader = exact_json_string(v->shader);
		AUTO_FREE char *words = exact_json_string(v->keywords);
		AUTO_FREE char *set = keyword_set(words, strlen(words));

		same[i] = POSITIONS_NONE;
		count_fits(&by_pass, log, v, shader, set, &same[i]);
	}
	for (size_t i = 0; i < g->count; i++) {
		if (same[i] != POSITIONS_NONE &&
		    (several == GRAPHICS_DROP_SEVERAL ||
		     log->missing[same[i]].matches == 1)) {
			free(g->variant[i].state);
			continue;
		}
		g->variant[kept++] = g->variant[i];
	}
	dropped = g->count - kept;
	g->count = kept;
	positions_done(&by_pass);
	free(same);
	(void)graphics_states_sweep(g); /* how many is told by the counts */
	return dropped;
}
