#include "base/yaml_parts.h"

#include <string.h>

/* Line and column of a byte; in UTF-16 by its units. */
static void
place_of_byte(const struct yaml_reader *r, size_t offset, int *line, int *col)
{
	const unsigned char *s = (const unsigned char *)r->text;
	bool le = r->len > 1 && s[0] == 0xFF && s[1] == 0xFE;
	bool be = r->len > 1 && s[0] == 0xFE && s[1] == 0xFF;
	size_t step = le || be ? 2 : 1;
	size_t i = step == 2 ? 2 : 0;

	*line = 1;
	*col = 1;
	if (step == 1 && r->len > 2 && memcmp(s, "\xEF\xBB\xBF", 3) == 0)
		i = 3;
	for (; i + step <= r->len && i < offset; i += step) {
		unsigned c = step == 1 ? s[i]
			     : le      ? s[i] | (unsigned)s[i + 1] << 8
				       : s[i + 1] | (unsigned)s[i] << 8;

		if (c == '\n') {
			(*line)++;
			*col = 1;
		} else if (step == 2 || (c & 0xC0) != 0x80) {
			(*col)++;
		}
	}
}

static void
complain_reader(struct yaml_reader *r)
{
	const char *problem = r->parser.problem;
	const char *hint = "";
	int line, col;

	/* Only the offset is right: the mark stands at the buffer's start. */
	place_of_byte(r, r->parser.problem_offset, &line, &col);
	if (problem && strstr(problem, "UTF-8"))
		hint = "; the file is not UTF-8 (Shift_JIS?), save it as UTF-8";
	yaml_complain(r->c, line, col, "%s%s",
		      problem ? problem : "cannot be read", hint);
}

/* The bytes of one line, without its end. */
static const char *
line_text(const struct yaml_reader *r, int line, size_t *len)
{
	const char *s = r->text, *end = r->text + r->len;

	for (int i = 1; i < line && s < end; i++) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));

		if (!nl)
			break;
		s = nl + 1;
	}
	*len = 0;
	while (s + *len < end && s[*len] != '\n' && s[*len] != '\r')
		(*len)++;
	return s;
}

static const char *
syntax_hint(const struct yaml_reader *r, const char *problem, int line)
{
	size_t len, i = 0;
	const char *s = line_text(r, line, &len);

	while (i < len && (s[i] == ' ' || s[i] == '\t')) {
		if (s[i] == '\t')
			return "; tab used for indentation, use spaces";
		i++;
	}
	if (strstr(problem, "cannot start any token"))
		return "; put text that begins with '@', '`' or '%' in quotes";
	if (strstr(problem, "mapping values are not allowed"))
		return "; put text that contains ': ' in quotes";
	if (strstr(problem, "expected ',' or"))
		return "; a bracket is not closed, or a comma is missing";
	if (strstr(problem, "could not find expected ':'"))
		return "; a key needs ': ' behind it";
	return "";
}

void
yaml_syntax_complain(struct yaml_reader *r)
{
	const yaml_parser_t *p = &r->parser;
	const char *problem = p->problem ? p->problem : "is no YAML";
	int line = yaml_parts_line(p->problem_mark);

	if (p->error == YAML_READER_ERROR) {
		complain_reader(r);
		return;
	}
	yaml_complain(r->c, line, yaml_parts_col(p->problem_mark), "%s%s%s%s",
		      p->context ? p->context : "", p->context ? ": " : "",
		      problem, syntax_hint(r, problem, line));
}
