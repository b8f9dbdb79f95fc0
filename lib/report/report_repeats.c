#include <string.h>

#include "report/report.h"
#include "report/report_parts.h"

/*
 * What was walked more than once: the suspects of a tour, and the repetitions
 * of a verification.
 */
enum { REPEATS_SHOWN = 50 };

static void
sample(struct report *r, const cJSON *s, const char *key)
{
	int64_t ms = json_int(s, key, -1);
	const char *why = json_str(s, "off_route_reason", NULL);

	if (ms >= 0)
		buf_duration(r->out, ms);
	else
		report_parts_text_max(r, json_str(s, "status", "?"), 40);
	if (why == NULL)
		return;
	buf_str(r->out, " (");
	report_parts_text_max(r, why, 80);
	buf_chr(r->out, ')');
}

/* "home>shop load 1.10 s, 100 ms, 104 ms: the median 104 ms is the day's" */
static void
decided(struct report *r, const cJSON *way, const cJSON *d)
{
	bool load = strcmp(json_str(d, "metric", ""), "load") == 0;
	const cJSON *s;

	buf_str(r->out, "<li><b>");
	report_parts_text_max(r, json_str(d, "subject", "?"), 120);
	buf_str(r->out, "</b> ");
	report_parts_text_max(r, json_str(d, "metric", "?"), 40);
	buf_chr(r->out, ' ');
	cJSON_ArrayForEach(s, json_get(way, "samples"))
	{
		if (s->prev->next)
			buf_str(r->out, ", ");
		sample(r, s, load ? "reached_ms" : "settle_ms");
	}
	if (strcmp(json_str(d, "by", ""), "median") == 0) {
		buf_str(r->out, ": the median ");
		buf_duration(r->out, json_int(d, "median", 0));
		buf_str(r->out, " is the day's");
	} else {
		buf_str(r->out, ": the first stays");
	}
	buf_str(r->out, "</li>\n");
}

static void
repeats(struct report *r)
{
	const cJSON *way, *d;
	size_t shown = 0;

	if (json_count(r->result, "repeats") == 0)
		return;
	buf_str(r->out,
		"<h3>Suspect, walked again</h3><ul class=\"plainlist\">");
	cJSON_ArrayForEach(way, json_get(r->result, "repeats"))
	{
		cJSON_ArrayForEach(d, json_get(way, "decided"))
		{
			if (shown++ < REPEATS_SHOWN)
				decided(r, way, d);
		}
	}
	buf_str(r->out, "</ul>\n");
	report_parts_more(r, shown > REPEATS_SHOWN ? shown - REPEATS_SHOWN : 0);
}

static void
repetition(struct report *r, const cJSON *one)
{
	const cJSON *s;

	buf_fmt(r->out, "<li><b>%lld</b> ",
		(long long)json_int(one, "number", 0));
	cJSON_ArrayForEach(s, json_get(one, "screens"))
	{
		if (s->prev->next)
			buf_str(r->out, ", ");
		report_parts_text_max(r, json_str(s, "name", "?"), 80);
		buf_chr(r->out, ' ');
		sample(r, s, "reached_ms");
	}
	buf_str(r->out, "</li>\n");
}

static void
repetitions(struct report *r)
{
	const cJSON *one;

	if (json_count(r->result, "repetitions") == 0)
		return;
	buf_str(r->out, "<h3>Repetitions</h3><ul class=\"plainlist\">");
	cJSON_ArrayForEach(one, json_get(r->result, "repetitions"))
	{
		repetition(r, one);
	}
	buf_str(r->out, "</ul>\n");
}

void
report_repeats_write(struct report *r)
{
	repeats(r);
	repetitions(r);
}
