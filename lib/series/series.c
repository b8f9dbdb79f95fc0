#include "series/series.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

enum { NUMBER_MAX = 64 };

void
series_done(struct series *s)
{
	free(s->name);
	free(s->value);
	free(s->point);
	*s = (struct series){0};
}

static void
room_for(struct series *s, size_t points)
{
	s->value = mem_array(points, sizeof(*s->value));
	s->point = mem_array(points, sizeof(*s->point));
}

static void
add(struct series *s, double value)
{
	s->value[s->count] = value;
	s->point[s->count++] = s->points;
}

static int
parse_json(struct series *s, const char *text, size_t len, const char *path,
	   struct err *err)
{
	AUTO_JSON cJSON *v = NULL;
	const cJSON *points, *p;

	if (json_parse(text, len, path, &v, err))
		return -1;
	points = json_get(v, "points");
	if (!cJSON_IsArray(points)) {
		err_set(err, ERR_INPUT, "'%s' is no series: it has no 'points'",
			path);
		return err_hint(err, "a series is {\"name\": ..., \"points\": "
				     "[{\"t\": ..., \"value\": ...}]}, or "
				     "lines t,value");
	}
	if (json_str(v, "name", NULL)) {
		free(s->name);
		s->name = mem_strdup(json_str(v, "name", NULL));
	}
	s->lower_is_better = json_bool(v, "lower_is_better", true);
	room_for(s, json_count(v, "points"));
	cJSON_ArrayForEach(p, points)
	{
		const cJSON *value = json_get(p, "value");

		if (cJSON_IsNumber(value) && isfinite(value->valuedouble))
			add(s, value->valuedouble);
		else if (!cJSON_IsObject(p) || (value && !cJSON_IsNull(value)))
			return err_set(err, ERR_INPUT,
				       "'%s': point %zu has no 'value' that is "
				       "a number or null",
				       path, s->points);
		s->points++;
	}
	return 0;
}

enum cell { CELL_NUMBER, CELL_EMPTY, CELL_WORD };

/* What is behind the last comma of a line. */
static enum cell
read_cell(const char *line, size_t len, double *value)
{
	const char *comma = memrchr(line, ',', len);
	char number[NUMBER_MAX], *end;
	size_t n;

	if (comma) {
		len -= (size_t)(comma + 1 - line);
		line = comma + 1;
	}
	while (len > 0 && isspace((unsigned char)*line)) {
		line++;
		len--;
	}
	while (len > 0 && isspace((unsigned char)line[len - 1]))
		len--;
	if (len == 0 || (len == 4 && strncasecmp(line, "null", 4) == 0) ||
	    (len == 3 && strncasecmp(line, "nan", 3) == 0))
		return CELL_EMPTY;
	n = len < sizeof(number) ? len : 0;
	memcpy(number, line, n);
	number[n] = 0;
	*value = strtod(number, &end);
	return n == 0 || end != number + n || !isfinite(*value) ? CELL_WORD
								: CELL_NUMBER;
}

static int
parse_lines(struct series *s, const char *text, size_t len, const char *path,
	    struct err *err)
{
	size_t lines = 1, number = 0;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	room_for(s, lines);
	for (size_t at = 0; at < len;) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t n = end ? (size_t)(end - text) - at : len - at;
		enum cell cell;
		double value;

		number++;
		cell = read_cell(text + at, n, &value);
		if (cell == CELL_NUMBER)
			add(s, value);
		else if (cell == CELL_WORD && number > 1)
			return err_set(
				err, ERR_INPUT,
				"'%s': line %zu does not end in a number", path,
				number);
		/* A heading is no run, and neither is an empty line. */
		s->points += cell == CELL_NUMBER ||
			     (cell == CELL_EMPTY && memchr(text + at, ',', n));
		at += n + 1;
	}
	if (s->points == 0)
		return err_set(err, ERR_INPUT, "'%s': no line ends in a number",
			       path);
	return 0;
}

int
series_parse(struct series *s, const char *text, size_t len, const char *path,
	     struct err *err)
{
	const char *name = strrchr(path, '/');
	size_t at = 0;
	int rc;

	*s = (struct series){.lower_is_better = true,
			     .name = mem_strdup(name ? name + 1 : path)};
	while (at < len && isspace((unsigned char)text[at]))
		at++;
	if (at < len && (text[at] == '{' || text[at] == '['))
		rc = parse_json(s, text, len, path, err);
	else
		rc = parse_lines(s, text, len, path, err);
	if (rc)
		series_done(s);
	return rc;
}

int
series_read(struct series *s, const char *path, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(SERIES_FILE_MAX);

	if (file_read(path, &b, err))
		return -1;
	return series_parse(s, b.data, b.len, path, err);
}
