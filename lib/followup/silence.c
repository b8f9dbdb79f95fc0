#include "followup/silence.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "base/wall.h"
#include "report/verdict.h"

enum {
	DAY_S = 86400,
	LOOK_BACK_S = 400 * DAY_S, /* longer ago is just as long ago */
	AHEAD_S = 3600,		   /* a clock may be wrong by so much */
	EVERY_DAY = 127,
};

static const char *const day_names[] = {"mon", "tue", "wed", "thu",
					"fri", "sat", "sun"};

/* --- the rule ------------------------------------------------------------ */

static int
day_of(const char *text, size_t len)
{
	for (int i = 0; i < 7; i++) {
		if (len == 3 && strncasecmp(text, day_names[i], 3) == 0)
			return i;
	}
	return -1;
}

int
silence_days(const char *text, unsigned *days, struct err *err)
{
	unsigned set = 0;

	if (strcasecmp(text, "daily") == 0) {
		*days = EVERY_DAY;
		return 0;
	}
	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");
		const char *dash = memchr(p, '-', len);
		size_t one = dash ? (size_t)(dash - p) : len;
		int from = day_of(p, one);
		int to = dash ? day_of(dash + 1, len - one - 1) : from;

		if (from < 0 || to < 0) {
			err_set(err, ERR_USAGE, "'%s' names no days", text);
			return err_hint(err, "write mon-fri, mon,wed,fri or "
					     "daily");
		}
		for (int i = from;; i = (i + 1) % 7) {
			set |= 1U << i;
			if (i == to)
				break;
		}
		p += len;
		if (*p == '\0')
			break;
	}
	*days = set;
	return 0;
}

char *
silence_days_text(unsigned days)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (days == EVERY_DAY)
		return mem_strdup("daily");
	for (int i = 0; i < 7; i++) {
		int last = i;

		if (!(days >> i & 1))
			continue;
		while (last < 6 && days >> (last + 1) & 1)
			last++;
		buf_fmt(&b, "%s%s", b.len ? "," : "", day_names[i]);
		if (last > i)
			buf_fmt(&b, "%s%s", last > i + 1 ? "-" : ",",
				day_names[last]);
		i = last;
	}
	return buf_take(&b);
}

/* "+09:00" in the words of POSIX, which count westward. */
static char *
fixed_zone(const char *name)
{
	bool form = strlen(name) == 6 && (*name == '+' || *name == '-') &&
		    isdigit((unsigned char)name[1]) &&
		    isdigit((unsigned char)name[2]) && name[3] == ':' &&
		    isdigit((unsigned char)name[4]) &&
		    isdigit((unsigned char)name[5]);

	if (!form || strncmp(name + 1, "14:59", 2) > 0 || name[4] > '5')
		return NULL;
	/* No colon may stand in the zone's name. */
	return mem_fmt("<%.3s%s>%c%s", name, name + 4, *name == '+' ? '-' : '+',
		       name + 1);
}

int
silence_zone(const char *name, struct err *err)
{
	AUTO_FREE char *file = mem_fmt("/usr/share/zoneinfo/%s", name);
	AUTO_FREE char *fixed = fixed_zone(name);
	const char *tz = fixed ? fixed : name;

	if (strcmp(name, "UTC") == 0) {
		tz = "UTC0";
	} else if (fixed == NULL &&
		   (*name == '\0' || *name == '/' || strstr(name, "..") ||
		    access(file, R_OK))) {
		err_set(err, ERR_USAGE, "there is no time zone '%s' here",
			name);
		return err_hint(err, "write UTC, +09:00, or a name like "
				     "Europe/Berlin (Debian: install tzdata)");
	}
	if (setenv("TZ", tz, 1))
		return err_sys(err, "set the time zone");
	tzset();
	return 0;
}

/* The midnight after `at_s`; days have 23 to 25 hours. */
static int64_t
next_midnight(const struct tm *day, int64_t at_s)
{
	struct tm tm = {.tm_year = day->tm_year,
			.tm_mon = day->tm_mon,
			.tm_mday = day->tm_mday + 1,
			.tm_isdst = -1};
	int64_t next = mktime(&tm);

	return next > at_s ? next : at_s + DAY_S;
}

int64_t
silence_age_s(unsigned days, int64_t from_s, int64_t to_s)
{
	int64_t sum = 0;

	if (from_s < to_s - LOOK_BACK_S)
		from_s = to_s - LOOK_BACK_S;
	while (from_s < to_s) {
		time_t t = (time_t)from_s;
		struct tm tm;
		int64_t next;

		if (localtime_r(&t, &tm) == NULL)
			break;
		next = next_midnight(&tm, from_s);
		if (next > to_s)
			next = to_s;
		if (days >> ((tm.tm_wday + 6) % 7) & 1)
			sum += next - from_s;
		from_s = next;
	}
	return sum;
}

/* --- the words ----------------------------------------------------------- */

void
silence_time(struct buf *out, int64_t at_s)
{
	time_t t = (time_t)at_s;
	struct tm tm;
	char day[20], rest[60];

	if (localtime_r(&t, &tm) && strftime(day, sizeof(day), "%a", &tm) &&
	    strftime(rest, sizeof(rest), "%b %H:%M %Z", &tm))
		buf_fmt(out, "%s %d %s", day, tm.tm_mday, rest);
}

/* To the minute: "26 h, at most 26 h is right" would say nothing. */
static void
hours(struct buf *out, int64_t s)
{
	buf_fmt(out, "%lld h", (long long)(s / 3600));
	if (s % 3600 >= 60)
		buf_fmt(out, " %lld min", (long long)(s % 3600 / 60));
}

/* The newest that measured and whose clock can be believed; NULL: none. */
static const struct past_item *
last_measured(const struct past *past, int64_t now_s)
{
	for (size_t i = 0; i < past->count; i++) {
		if (past_is_measured(NULL, &past->item[i]) &&
		    past->item[i].at_s <= now_s + AHEAD_S)
			return &past->item[i];
	}
	return NULL;
}

static void
set_time(cJSON *o, const char *key, int64_t at_s)
{
	AUTO_BUF struct buf b = BUF_INIT;

	wall_text(&b, at_s);
	json_set_str(o, key, b.data);
}

/* What came after the last that measured: how many, and the newest. */
static size_t
since(const struct past *past, const struct past_item *last)
{
	return last ? (size_t)(last - past->item) : past->count;
}

/* Why the newest patrol measured nothing, in its own words. */
static cJSON *
newest(const struct past *past)
{
	const struct past_item *it = &past->item[0];
	cJSON *o = json_obj();
	const char *words;
	struct verdict v;

	verdict_init(&v, it->result);
	words = v.sentence;
	/* That it did not measure is known. */
	if (strncmp(words, "NOTHING MEASURED", 16) == 0 && strstr(words, ". "))
		words = strstr(words, ". ") + 2;
	set_time(o, "ended_at", it->at_s);
	json_set_str(o, "where", it->where);
	json_set_str(o, "outcome", json_str(it->result, "outcome", "?"));
	json_set_str(o, "reason", json_str(it->result, "reason", NULL));
	json_set_str(o, "words", words);
	json_set_str(o, "next", v.todo);
	verdict_done(&v);
	return o;
}

/* "An artifact" of one alert: what it is about, so that it is told once. */
static char *
alert_name(const char *name, const struct past_item *last)
{
	AUTO_BUF struct buf at = BUF_INIT;
	AUTO_BUF struct buf id = BUF_INIT;

	if (last)
		wall_text(&at, last->at_s);
	else
		buf_str(&at, "never");
	for (const char *p = at.data; *p; p++) {
		if (isalnum((unsigned char)*p))
			buf_chr(&id, *p);
	}
	return mem_fmt("patrol-watch-%s-%s", name, id.data);
}

static void
say_fresh(const struct past_item *last, int64_t age_s, struct buf *out)
{
	buf_str(out, "measured ");
	silence_time(out, last->at_s);
	buf_str(out, ", ");
	hours(out, age_s);
	buf_fmt(out, " of expected time ago (%s)", last->where);
}

static void
say_silent(const struct silence_rule *rule, const struct past_item *last,
	   int64_t age_s, const char *where, struct buf *out)
{
	AUTO_FREE char *days = silence_days_text(rule->days);

	buf_str(out, "NOTHING MEASURED ");
	if (last == NULL) {
		buf_fmt(out, "at all: %s has no patrol that measured.", where);
		return;
	}
	buf_str(out, "since ");
	silence_time(out, last->at_s);
	buf_str(out, ": ");
	hours(out, age_s);
	if (rule->days != EVERY_DAY)
		buf_fmt(out, " on days when it was expected (%s)", days);
	buf_str(out, ", at most ");
	hours(out, rule->max_age_s);
	buf_str(out, " is right.");
}

static void
say_why(cJSON *o, const struct past *past, size_t ran)
{
	AUTO_BUF struct buf why = BUF_INIT;
	const char *next = "See whether the patrol's workflow still runs: is "
			   "it disabled, has the build's name changed, is the "
			   "runner offline?";

	if (ran == 0) {
		buf_str(&why, past->count ? "No patrol has run since then."
					  : "No patrol has left a result.");
	} else {
		cJSON *n = newest(past);

		buf_fmt(&why,
			"%zu patrol%s since then measured nothing; the "
			"newest says: ",
			ran, ran == 1 ? "" : "s");
		buf_str(&why, json_str(n, "words", "?"));
		next = json_str(n, "next", "Look at its report.");
		json_set_str(o, "next", next);
		json_set(o, "newest", n);
		json_set_str(o, "why", why.data);
		return;
	}
	json_set_str(o, "why", why.data);
	json_set_str(o, "next", next);
}

/* One that is newer than what we go by could say anything. */
static int
check_unread(const struct past *past, const struct past_item *last,
	     struct err *err)
{
	if (past->unread == 0 || (last && past->unread_at_s < last->at_s))
		return 0;
	*err = past->why;
	err_wrap(err,
		 "%zu newer result%s can't be read, so nobody knows "
		 "whether they measured",
		 past->unread, past->unread == 1 ? "" : "s");
	err->code = ERR_PROTO;
	return -1;
}

int
silence_judge(const struct silence_rule *rule, const struct past *past,
	      const char *where, const char *name, int64_t now_s, cJSON **out,
	      struct err *err)
{
	const struct past_item *last = last_measured(past, now_s);
	int64_t age_s = last ? silence_age_s(rule->days, last->at_s, now_s) : 0;
	bool fresh = last && age_s <= rule->max_age_s;
	AUTO_FREE char *days = silence_days_text(rule->days);
	AUTO_FREE char *alert = alert_name(name, last);
	AUTO_BUF struct buf text = BUF_INIT;
	cJSON *o;

	if (!fresh && check_unread(past, last, err))
		return -1;
	o = json_obj();
	json_set_bool(o, "fresh", fresh);
	set_time(o, "checked_at", now_s);
	json_set_str(o, "where", where);
	json_set_str(o, "days", days);
	json_set_int(o, "max_age_ms", rule->max_age_s * 1000);
	json_set_str(o, "last_measured", NULL);
	json_set(o, "age_ms", cJSON_CreateNull());
	if (last) {
		set_time(o, "last_measured", last->at_s);
		json_set_int(o, "age_ms", age_s * 1000);
	}
	json_set_int(o, "patrols_since", (int64_t)since(past, last));
	json_set_str(o, "alert", fresh ? NULL : alert);
	if (fresh)
		say_fresh(last, age_s, &text);
	else
		say_silent(rule, last, age_s, where, &text);
	json_set_str(o, "message", text.data);
	if (!fresh)
		say_why(o, past, since(past, last));
	*out = o;
	return 0;
}
