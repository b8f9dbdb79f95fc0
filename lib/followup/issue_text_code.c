#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "followup/issue_text.h"

enum { FENCE_MAX = 3 };

void
issue_text_code(struct buf *out, const char *s, size_t max_units)
{
	AUTO_FREE char *line = present_line_dup(s && *s ? s : "?", max_units);
	size_t most = 0, run = 0, len = strlen(line);
	bool pad;

	for (char *p = line; *p; p++) {
		run = *p == '`' ? run + 1 : 0;
		if (run > FENCE_MAX)
			*p = '\''; /* nobody writes so many */
		else if (run > most)
			most = run;
	}
	/* An end beside a backtick, and blanks alone, need a blank. */
	pad = line[0] == '`' || line[len - 1] == '`' || line[0] == ' ';
	for (size_t i = 0; i <= most; i++)
		buf_chr(out, '`');
	buf_fmt(out, "%s%s%s", pad ? " " : "", line, pad ? " " : "");
	for (size_t i = 0; i <= most; i++)
		buf_chr(out, '`');
}

void
issue_text_cell(struct buf *out, const char *s, size_t max_units)
{
	AUTO_BUF struct buf code = BUF_INIT;

	issue_text_code(&code, s, max_units);
	for (const char *p = code.data; *p; p++) {
		if (*p == '|')
			buf_chr(out, '\\');
		buf_chr(out, *p);
	}
}

void
issue_text_plain(struct buf *out, const char *s, size_t max_units)
{
	AUTO_BUF struct buf b = BUF_INIT;

	for (; *s; s++) {
		buf_chr(&b, *s);
		/* A space of no width: it names nobody and nothing then. */
		if (*s == '@' || (*s == '#' && isdigit((unsigned char)s[1])))
			buf_str(&b, "\u200b");
	}
	present_line(out, b.data, max_units);
}

void
issue_text_link(struct buf *out, const char *label, const char *url)
{
	if (present_url(url) && strlen(url) <= ISSUE_TEXT_URL_MAX)
		buf_fmt(out, "[%s](<%s>)", label, url);
	else
		buf_str(out, label);
}
