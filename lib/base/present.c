#include "base/present.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LARGEST 9e15

static const char *const months[] = {
	"Jan", "Feb", "Mar", "Apr", "May", "Jun",
	"Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
};
static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed",
				       "Thu", "Fri", "Sat"};

size_t
present_char(const char *s, size_t *units)
{
	unsigned char c = (unsigned char)*s;

	*units = c >= 0xF0 ? 2 : 1;
	return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

size_t
present_units(const char *s)
{
	size_t total = 0;

	while (*s) {
		size_t units;
		size_t n = present_char(s, &units);

		total += units;
		while (n-- > 0 && *s)
			s++;
	}
	return total;
}

/* Characters that move the cursor or turn the direction of text. */
static bool
odd(const unsigned char *s)
{
	if (s[0] < 0x20 || s[0] == 0x7F)
		return true;
	if (s[0] == 0xC2)
		return s[1] < 0xA0;
	if (s[0] == 0xE2 && s[1] == 0x80)
		return (s[2] >= 0xA8 && s[2] <= 0xAE) || s[2] == 0x8E ||
		       s[2] == 0x8F;
	return s[0] == 0xE2 && s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9;
}

/* Where a cut to max - 1 units ends; the whole length when it all fits. */
static size_t
cut_at(const char *s, size_t max)
{
	size_t total = 0, keep = 0;

	for (size_t i = 0; s[i] != '\0';) {
		size_t units, n = present_char(s + i, &units);

		total += units;
		if (total > max)
			return keep;
		i += n;
		if (total < max)
			keep = i;
	}
	return strlen(s);
}

void
present_line(struct buf *out, const char *s, size_t max_units)
{
	AUTO_BUF struct buf clean = BUF_INIT;
	AUTO_BUF struct buf line = BUF_INIT;
	size_t keep;

	if (s == NULL)
		return;
	buf_utf8(&clean, s);
	for (const char *p = clean.data; *p;) {
		size_t units, n = present_char(p, &units);

		if (!odd((const unsigned char *)p))
			buf_add(&line, p, n);
		else if (line.len && line.data[line.len - 1] != ' ')
			buf_chr(&line, ' ');
		p += n;
	}
	keep = max_units ? cut_at(line.data, max_units) : line.len;
	buf_add(out, line.data, keep);
	if (keep < line.len)
		buf_str(out, "…");
}

void
present_html(struct buf *out, const char *s, size_t max_units)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, s, max_units);
	buf_html(out, line.data);
}

char *
present_line_dup(const char *s, size_t max_units)
{
	struct buf b = BUF_INIT;

	if (s == NULL)
		return NULL;
	present_line(&b, s, max_units);
	return buf_take(&b);
}

struct when {
	int year, month, day, hour, minute;
};

static bool
parse_when(const char *time, struct when *w)
{
	if (time == NULL ||
	    sscanf(time, "%4d-%2d-%2dT%2d:%2d", &w->year, &w->month, &w->day,
		   &w->hour, &w->minute) < 3)
		return false;
	return w->month >= 1 && w->month <= 12 && w->day >= 1 && w->day <= 31;
}

/* Days since 1970-01-01, proleptic Gregorian. */
static long
day_number(const struct when *w)
{
	long y = w->year - (w->month <= 2);
	long era = (y >= 0 ? y : y - 399) / 400;
	long yoe = y - era * 400;
	long doy = (153L * (w->month + (w->month > 2 ? -3 : 9)) + 2) / 5 +
		   w->day - 1;

	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

void
present_date(struct buf *out, const char *time)
{
	struct when w = {0};

	if (parse_when(time, &w))
		buf_fmt(out, "%d %s", w.day, months[w.month - 1]);
}

void
present_clock(struct buf *out, const char *time)
{
	struct when w = {0};

	if (parse_when(time, &w))
		buf_fmt(out, "%02d:%02d", w.hour, w.minute);
}

void
present_since(struct buf *out, const char *time, const char *now)
{
	struct when w = {0}, n = {0};

	if (!parse_when(time, &w))
		return;
	if (parse_when(now, &n) && day_number(&n) - day_number(&w) >= 0 &&
	    day_number(&n) - day_number(&w) <= 6)
		buf_str(out, weekdays[(day_number(&w) % 7 + 11) % 7]);
	else
		buf_fmt(out, "%d %s", w.day, months[w.month - 1]);
	buf_fmt(out, " %02d:%02d", w.hour, w.minute);
}

void
present_count(struct buf *out, long long n)
{
	char digits[32];
	int len = snprintf(digits, sizeof(digits), "%lld", n < 0 ? -n : n);

	if (n < 0)
		buf_chr(out, '-');
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf_chr(out, ',');
		buf_chr(out, digits[i]);
	}
}

void
present_ordinal(struct buf *out, long long n)
{
	long long tens = n % 100;
	const char *end = "th";

	if (tens < 11 || tens > 13)
		end = n % 10 == 1   ? "st"
		      : n % 10 == 2 ? "nd"
		      : n % 10 == 3 ? "rd"
				    : "th";
	buf_fmt(out, "%lld%s", n, end);
}

void
present_commit(struct buf *out, const char *hash)
{
	if (hash == NULL)
		return;
	if (strspn(hash, "0123456789abcdef") >= 7)
		buf_add(out, hash, 7);
	else
		present_line(out, hash, 12);
}

void
present_commits(struct buf *out, const char *good, const char *bad)
{
	if (bad == NULL)
		return;
	if (good) {
		present_commit(out, good);
		buf_str(out, "..");
	}
	present_commit(out, bad);
}

void
present_value(struct buf *out, double value, const char *unit)
{
	/* A result may hold anything that JSON can. */
	if (!(value < LARGEST && value > -LARGEST))
		value = value > 0 ? LARGEST : -LARGEST;
	if (unit && strcmp(unit, "bytes") == 0) {
		buf_size(out, (long long)value);
	} else if (unit && strcmp(unit, "ms") == 0) {
		if (value < 100)
			buf_fmt(out, "%.3g ms", value);
		else
			buf_duration(out, (long long)value);
	} else if (unit && strcmp(unit, "ratio") == 0) {
		buf_fmt(out, "%.3g %%", value * 100);
	} else {
		/* As people say it: 43212, 57.21, 0.6412. */
		if (value == (double)(long long)value)
			buf_fmt(out, "%lld", (long long)value);
		else
			buf_fmt(out, "%.4g", value);
		if (unit && *unit && strcmp(unit, "count") != 0) {
			buf_chr(out, ' ');
			present_line(out, unit, 20);
		}
	}
}

void
present_range(struct buf *out, double from, double to, const char *unit)
{
	AUTO_BUF struct buf a = BUF_INIT;
	AUTO_BUF struct buf b = BUF_INIT;
	const char *ua, *ub;

	present_value(&a, from, unit);
	present_value(&b, to, unit);
	ua = strchr(a.data, ' ');
	ub = strchr(b.data, ' ');
	/* The unit once, when it is the same. */
	if (ua && ub && strcmp(ua, ub) == 0)
		buf_truncate(&a, (size_t)(ua - a.data));
	buf_fmt(out, "%s→%s", a.data, b.data);
}

const char *
present_thermal(int64_t status)
{
	static const char *const names[] = {
		"not throttled",
		"lightly throttled",
		"throttled",
		"severely throttled",
		"critically hot",
		"at emergency temperature",
		"shutting down by heat",
	};

	if (status < 0 || status > 6)
		return NULL;
	return names[status];
}

/* Lowest and highest temperature, and the worst thermal status. */
static void
heat(const cJSON *result, double *first, double *top, int64_t *worst)
{
	const cJSON *sample;

	cJSON_ArrayForEach(sample, json_get(result, "timeline"))
	{
		double c = json_num(sample, "battery_c", -1000);
		int64_t status = json_int(sample, "thermal_status", -1);

		if (c > -100 && *first < -100)
			*first = c;
		if (c > *top)
			*top = c;
		if (status > *worst)
			*worst = status;
	}
}

void
present_device(struct buf *out, const cJSON *result)
{
	const char *model = json_str(result, "device.model", NULL);
	double first = -1000, top = -1000;
	int64_t worst = -1;

	if (model == NULL)
		model = json_str(result, "device.serial", NULL);
	if (model == NULL)
		return;
	present_line(out, model, 60);
	heat(result, &first, &top, &worst);
	if (first > -100)
		buf_fmt(out, top - first >= 1 ? ", %.0f→%.0f °C" : ", %.0f °C",
			first, top);
	if (present_thermal(worst))
		buf_fmt(out, ", %s", present_thermal(worst));
}

void
present_build(struct buf *out, const cJSON *result)
{
	AUTO_FREE char *run = json_id(result, "build.run_id");
	const char *commit = json_str(result, "build.commit", NULL);
	int64_t since = json_int(result, "build.commits_since", 0);
	const char *apk = json_str(result, "build.apk.file", NULL);

	if (run) {
		buf_str(out, "build ");
		present_line(out, run, 24);
	} else if (apk) {
		present_line(out, apk, 60);
	}
	if (commit) {
		buf_str(out, run || apk ? " " : "commit ");
		present_commit(out, commit);
	}
	if (since > 0)
		buf_fmt(out, " (+%lld commit%s)", (long long)since,
			since == 1 ? "" : "s");
}

const char *
present_url(const char *url)
{
	if (url == NULL || strlen(url) > 2000 ||
	    (strncmp(url, "https://", 8) != 0 &&
	     strncmp(url, "http://", 7) != 0))
		return NULL;
	for (const unsigned char *p = (const unsigned char *)url; *p; p++)
		if (*p <= 0x20 || *p >= 0x7F || strchr("<>\"'|\\`", *p))
			return NULL;
	return url;
}

const char *
present_file(const char *path)
{
	if (path == NULL || *path == '\0' || *path == '/' ||
	    strlen(path) > 512 || strchr(path, '\\') || strchr(path, ':'))
		return NULL;
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || !p[2]))
			return NULL;
	}
	return path;
}
