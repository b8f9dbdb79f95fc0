#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/wall.h"
#include "history/history.h"
#include "history/history_tag.h"
#include "tests/detect/noise.h"

/*
 * make_history STORE DAYS VALUES [PHONES]
 *
 * That many days up to 2026-11-30, of that many values each: loads, settle
 * times, memory and sizes of types, at 3 % of noise.  A fiftieth of the series
 * gets 15 % worse ten days before the end.  PHONES (1) run each day, an hour
 * after each other; the last of them is the one of --run.
 *
 * make_history --run N VALUES: one such day as `history import` takes it, a
 * minute later for each N.
 */
enum { DAY_S = 24 * 3600, HOUR_S = 3600, LAST_STEP = 10, BATCH = 100 };

/* 2026-11-30T10:46:00Z */
static const int64_t last_s = 1796035560;

static const struct kind {
	const char *name, *unit, *subject;
	double level;
	int per_name; /* subjects of one metric; then there is another one */
} kinds[] = {
	{"load", "ms", "screen%03d>screen%03d", 1800, 1000},
	{"settle", "ms", "screen%03d", 300, 1000},
	{"memory", "bytes", "screen%03d", 1.2e9, 1000},
	{"snapshot_type.Type", "bytes", "screen%03d", 4e7, 4},
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const char title[] = "Starfall daily";

/* Phone 0 is the one of --run; free() it. */
static char *
key_of(int phone)
{
	return mem_fmt("{\"model\":\"Pixel 6\",\"serial\":\"%dA2B3C4D\","
		       "\"os\":\"14\",\"unity\":\"6000.0.23f1\","
		       "\"plan\":\"9f3c1d2\"}",
		       phone + 1);
}

static double
value_of(struct noise *r, const struct kind *k, int number, int from_end)
{
	double level = k->level * (1 + number % 7 / 10.0);

	if (number % 50 == 0 && from_end < LAST_STEP)
		level *= 1.15;
	return level * (1 + 0.03 * noise_normal(r));
}

static void
metric_name(struct buf *out, const struct kind *k, int i)
{
	if (k->per_name < 1000)
		buf_fmt(out, "%s%d", k->name, i / k->per_name);
	else
		buf_str(out, k->name);
}

/* The values of a kind, as metrics of a record. */
static void
put_kind(struct buf *out, struct noise *r, const struct kind *k, int count,
	 int from_end)
{
	for (int i = 0; i < count; i++) {
		bool first = i % k->per_name == 0;

		if (first) {
			buf_str(out, i ? "},\"unused\":{}},{\"name\":\""
				       : "{\"name\":\"");
			metric_name(out, k, i);
			buf_fmt(out,
				"\",\"unit\":\"%s\",\"lower_is_better\":true,"
				"\"deterministic\":false,\"values\":{",
				k->unit);
		}
		buf_str(out, first ? "\"" : ",\"");
		buf_fmt(out, k->subject, i, i + 1);
		buf_fmt(out, "\":%.0f", value_of(r, k, i, from_end));
	}
	buf_str(out, "},\"unused\":{}}");
}

static void
put_record(struct buf *out, struct noise *r, const char *id, const char *key,
	   int64_t at_s, int values, int from_end)
{
	buf_fmt(out, "{\"schema_version\":1,\"id\":\"%s\",\"at\":\"", id);
	wall_text(out, at_s);
	buf_fmt(out,
		"\",\"title\":\"%s\",\"run_id\":\"%d\","
		"\"commit\":\"%040x\",\"branch\":\"main\",\"subject\":\"a "
		"change of day %d\",\"outcome\":\"passed\",\"measured\":true,"
		"\"valid\":true,\"key\":%s,\"start_c\":31.5,\"metrics\":[",
		title, 100000 - from_end, 100000u - (unsigned)from_end,
		from_end, key);
	for (int k = 0; k < KINDS; k++) {
		if (k)
			buf_chr(out, ',');
		put_kind(out, r, &kinds[k], values / KINDS, from_end);
	}
	buf_str(out, "]}");
}

/* "20261130T104600Z-100000-0001869f.5b1ec07d19aa" */
static char *
id_of(const char *key, int64_t at_s, int from_end)
{
	AUTO_FREE char *text = mem_fmt(
		"{\"title\":\"%s\",\"valid\":true,\"key\":%s}", title, key);
	AUTO_JSON cJSON *record = cJSON_Parse(text);
	AUTO_BUF struct buf at = BUF_INIT;
	AUTO_BUF struct buf id = BUF_INIT;
	struct history_tag tag;

	wall_text(&at, at_s);
	for (const char *p = at.data; *p; p++) {
		if (*p != '-' && *p != ':')
			buf_chr(&id, *p);
	}
	history_tag_of(record, &tag);
	buf_fmt(&id, "-%d-%08x.%s%s", 100000 - from_end, (unsigned)from_end,
		tag.title, tag.key);
	return buf_take(&id);
}

static int
make(struct history *h, int days, int values, int phones, struct err *err)
{
	struct deadline dl = deadline_in(NULL, 3600000);
	struct history_entry e[BATCH] = {{.id = NULL}};
	struct noise r;
	size_t n = 0, added;
	int rc = 0;

	noise_seed(&r, 1);
	for (int i = days * phones - 1; rc == 0 && i >= 0; i--) {
		int from_end = i / phones, phone = i % phones;
		int64_t at_s = last_s - (int64_t)from_end * DAY_S -
			       (int64_t)phone * HOUR_S;
		AUTO_FREE char *key = key_of(phone);
		AUTO_BUF struct buf text = BUF_INIT;

		e[n].id = id_of(key, at_s, from_end);
		put_record(&text, &r, e[n].id, key, at_s, values, from_end);
		e[n].len = text.len;
		e[n++].text = buf_take(&text);
		if (n < BATCH && i > 0)
			continue;
		rc = history_add(h, e, n, &added, dl, err);
		while (n)
			history_entry_done(&e[--n]);
	}
	return rc;
}

static void
print_run(int number, int values)
{
	AUTO_FREE char *key = key_of(0);
	AUTO_BUF struct buf b = BUF_INIT;
	struct noise r;

	noise_seed(&r, 2);
	buf_str(&b, "{\"at\":\"");
	wall_text(&b, last_s + 60 * (int64_t)number);
	buf_fmt(&b, "\",\"run_id\":\"%d\",\"key\":%s,\"metrics\":[",
		200000 + number, key);
	for (int i = 0; i < values; i++) {
		const struct kind *k = &kinds[i % KINDS];

		buf_fmt(&b, "%s{\"name\":\"", i ? "," : "");
		metric_name(&b, k, i / KINDS);
		buf_str(&b, "\",\"subject\":\"");
		buf_fmt(&b, k->subject, i / KINDS, i / KINDS + 1);
		buf_fmt(&b, "\",\"unit\":\"%s\",\"value\":%.0f}", k->unit,
			value_of(&r, k, i / KINDS, 0));
	}
	buf_str(&b, "]}\n");
	(void)fwrite(b.data, 1, b.len, stdout);
}

int
main(int argc, char **argv)
{
	static const struct history_access nobody = {.state_dir = "."};
	struct err err = ERR_INIT;
	struct history *h;
	int rc;

	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: make_history STORE DAYS VALUES "
				"[PHONES], or --run N VALUES\n");
		return 2;
	}
	if (strcmp(argv[1], "--run") == 0) {
		print_run((int)strtol(argv[2], NULL, 10),
			  (int)strtol(argv[3], NULL, 10));
		return 0;
	}
	rc = history_open(&h, argv[1], &nobody, &err);
	if (rc == 0) {
		rc = make(h, (int)strtol(argv[2], NULL, 10),
			  (int)strtol(argv[3], NULL, 10),
			  argc == 5 ? (int)strtol(argv[4], NULL, 10) : 1, &err);
		history_close(h);
	}
	if (rc)
		fprintf(stderr, "make_history: %s\n", err.msg);
	return rc ? 1 : 0;
}
