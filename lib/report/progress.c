#include "report/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "base/secret.h"
#include "report/ci_output.h"
#include "report/verdict.h"

enum {
	REDRAW_US = 100 * 1000,
	ALIVE_US = 30 * 1000 * 1000,
	TEXT_MAX = 2000,
	NAME_COLUMNS = 9,
	WAIT_MS = 1000, /* for a reader that is slow */
	UNREAD_MS = 5,	/* for one that was too slow before */
};

static const struct {
	const char *word, *color;
} marks[] = {
	[PROGRESS_OK] = {"ok", "32"},
	[PROGRESS_WARN] = {"warn", "33"},
	[PROGRESS_FAIL] = {"fail", "31"},
	[PROGRESS_SKIP] = {"skip", "36"},
};

void
progress_init(struct progress *p, int fd, enum progress_quiet quiet)
{
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");
	bool terminal = isatty(fd) && term && strcmp(term, "dumb") != 0;

	*p = (struct progress){.fd = fd, .mode = PROGRESS_PLAIN};
	if (quiet == PROGRESS_HUSH)
		p->mode = PROGRESS_QUIET;
	else if (ci_output_active())
		p->mode = PROGRESS_ACTIONS;
	else if (terminal)
		p->mode = PROGRESS_TERMINAL;
	p->color = terminal && (!no_color || !*no_color);
}

/* A stderr that is gone, or that nobody reads, must not stop a run. */
static void
emit(struct progress *p, const struct buf *b)
{
	p->unread = !file_say(p->fd, b->data, b->len,
			      p->unread ? UNREAD_MS : WAIT_MS);
	p->drawn_at_us = deadline_now_us();
}

/* Text of anybody: redacted, escaped, on one line, no command to a runner. */
static void
add_text(struct buf *out, const char *s)
{
	AUTO_BUF struct buf raw = BUF_INIT;
	AUTO_BUF struct buf escaped = BUF_INIT;
	AUTO_BUF struct buf line = BUF_INIT;

	buf_str(&raw, s);
	secret_redact(&raw);
	buf_escaped(&escaped, raw.data, raw.len);
	present_line(&line, escaped.data, TEXT_MAX);
	for (const char *c = line.data; *c; c++) {
		buf_chr(out, *c);
		/* The runner looks for "##[" anywhere in a line. */
		if (c[0] == '#' && c[1] == '#' && c[2] == '[')
			buf_chr(out, ' ');
	}
}

static void
paint(const struct progress *p, struct buf *out, const char *color,
      const char *s)
{
	if (p->color)
		buf_fmt(out, "\033[%sm%s\033[0m", color, s);
	else
		buf_str(out, s);
}

void
progress_clear(struct progress *p)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (!p->live)
		return;
	buf_str(&b, "\r\033[K");
	emit(p, &b);
	p->live = false;
}

static void
end_group(struct progress *p)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (!p->group)
		return;
	buf_str(&b, "::endgroup::\n");
	emit(p, &b);
	p->group = false;
}

void
progress_done(struct progress *p)
{
	progress_clear(p);
	end_group(p);
}

void
progress_begin(struct progress *p, const char *title)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (p->mode == PROGRESS_QUIET)
		return;
	paint(p, &b, "1", "patrol");
	buf_str(&b, " · ");
	add_text(&b, title);
	buf_chr(&b, '\n');
	progress_clear(p);
	emit(p, &b);
}

void
progress_stage_begin(struct progress *p, const char *name)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (p->mode == PROGRESS_TERMINAL) {
		/* At once: nobody should look at a line that is over. */
		p->drawn_at_us = 0;
		progress_waiting(p, name, -1, -1, -1);
		return;
	}
	if (p->mode != PROGRESS_ACTIONS)
		return;
	end_group(p);
	buf_str(&b, "::group::");
	add_text(&b, name);
	buf_chr(&b, '\n');
	emit(p, &b);
	p->group = true;
}

static void
pad(struct buf *out, const char *shown, size_t columns)
{
	for (size_t n = progress_width(shown); n < columns; n++)
		buf_chr(out, ' ');
}

static void
result_line(struct progress *p, enum progress_mark mark, const char *what,
	    const char *text, int64_t ms)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf name = BUF_INIT;
	AUTO_BUF struct buf time = BUF_INIT;

	if (p->mode == PROGRESS_QUIET &&
	    (mark == PROGRESS_OK || mark == PROGRESS_SKIP))
		return;
	add_text(&name, what);
	buf_str(&b, "  ");
	paint(p, &b, marks[mark].color, marks[mark].word);
	pad(&b, marks[mark].word, 6);
	buf_str(&b, name.data);
	if (text && *text) {
		pad(&b, name.data, NAME_COLUMNS);
		buf_chr(&b, ' ');
		add_text(&b, text);
	}
	if (ms >= 0) {
		buf_str(&b, "   ");
		buf_duration(&time, ms);
		paint(p, &b, "2", time.data);
	}
	buf_chr(&b, '\n');
	progress_clear(p);
	emit(p, &b);
}

void
progress_stage_end(struct progress *p, const char *name,
		   enum progress_mark mark, const char *text, int64_t ms)
{
	end_group(p);
	result_line(p, mark, name, text, ms);
}

void
progress_item(struct progress *p, enum progress_mark mark, const char *what,
	      const char *text, int64_t ms)
{
	result_line(p, mark, what, text, ms);
}

static size_t
columns(const struct progress *p)
{
	struct winsize w;

	if (ioctl(p->fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0)
		return w.ws_col;
	return 80;
}

/* As much of clean text as fits into `max` columns. */
static void
add_cut(struct buf *out, const char *s, size_t max)
{
	size_t used = 0;

	while (*s) {
		size_t units, n = present_char(s, &units);
		AUTO_FREE char *one = mem_strndup(s, n);
		size_t w = progress_width(one);

		if (used + w > max)
			return;
		used += w;
		buf_add(out, s, n);
		s += n;
	}
}

/* Redraw the line, or now and then say that we are alive. */
static void
show(struct progress *p, const struct buf *text)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_BUF struct buf clean = BUF_INIT;
	int64_t since = deadline_now_us() - p->drawn_at_us;

	if (p->mode == PROGRESS_QUIET ||
	    since < (p->mode == PROGRESS_TERMINAL ? REDRAW_US : ALIVE_US))
		return;
	add_text(&clean, text->data);
	if (p->mode == PROGRESS_TERMINAL) {
		size_t width = columns(p);

		buf_str(&b, "\r  ");
		paint(p, &b, "36", ">");
		buf_str(&b, "     ");
		/* The last column stays free, or some terminals wrap. */
		add_cut(&b, clean.data, width > 9 ? width - 9 : 1);
		buf_str(&b, "\033[K");
		p->live = true;
	} else {
		buf_fmt(&b, "  >     %s\n", clean.data);
	}
	emit(p, &b);
}

static void
add_left(struct buf *b, int64_t left_ms)
{
	if (left_ms >= 120000)
		buf_fmt(b, "   %lld min left", (long long)left_ms / 60000);
	else if (left_ms >= 0)
		buf_fmt(b, "   %lld s left", (long long)left_ms / 1000);
}

void
progress_waiting(struct progress *p, const char *text, int64_t elapsed_ms,
		 int64_t limit_ms, int64_t left_ms)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, text);
	if (elapsed_ms >= 0 && limit_ms >= 0)
		buf_fmt(&b, "   %.1f of %.0f s", (double)elapsed_ms / 1000,
			(double)limit_ms / 1000);
	else if (elapsed_ms >= 0)
		buf_fmt(&b, "   %.1f s", (double)elapsed_ms / 1000);
	add_left(&b, left_ms);
	show(p, &b);
}

void
progress_bytes(struct progress *p, const char *what, int64_t now, int64_t total)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, what);
	buf_chr(&b, ' ');
	buf_size(&b, now);
	if (total > 0) {
		buf_str(&b, " of ");
		buf_size(&b, total);
		buf_fmt(&b, "   %lld %%",
			(long long)(now < total ? now * 100 / total : 100));
	}
	show(p, &b);
}

static const struct {
	unsigned long first, last;
	size_t width;
} widths[] = {
	{0x0300, 0x036F, 0},   {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0},
	{0x2E80, 0x303E, 2},   {0x3041, 0x4DBF, 2},   {0x4E00, 0xA4CF, 2},
	{0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2},   {0xFE00, 0xFE0F, 0},
	{0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2},
	{0x1F300, 0x1F64F, 2}, {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2},
};

size_t
progress_width(const char *s)
{
	size_t total = 0;

	while (*s) {
		size_t units, w = 1, n = present_char(s, &units);
		unsigned long cp = (unsigned char)*s;

		cp = n == 1 ? cp : cp & (0xFFu >> (n + 1));
		for (size_t i = 1; i < n; i++)
			cp = cp << 6 | ((unsigned char)s[i] & 0x3F);
		for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++)
			if (cp >= widths[i].first && cp <= widths[i].last)
				w = widths[i].width;
		total += w;
		s += strnlen(s, n);
	}
	return total;
}
