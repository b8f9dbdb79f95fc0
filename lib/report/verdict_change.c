#include <math.h>
#include <string.h>

#include "base/present.h"
#include "report/verdict.h"

enum { NAME_UNITS = 60 };

/*
 * How people say that a metric rose: "shop uses 18 % more memory", "shop takes
 * 20 % longer to load".  Of the others: "shop's worst_frame is 18 % higher".
 */
static const struct phrase {
	const char *metric; /* a name ended by * begins so */
	const char *verb, *more, *less, *after;
} phrases[] = {
	{"memory", " uses ", "more", "less", " memory"},
	{"load", " takes ", "longer", "less", " to load"},
	{"settle", " takes ", "longer", "less", " to settle"},
	{"startup_*", " takes ", "longer", "less", " to start"},
	{"apk_size", "'s APK is ", "larger", "smaller", ""},
};

static const struct phrase *
phrase_of(const char *metric)
{
	for (size_t i = 0; i < sizeof(phrases) / sizeof(*phrases); i++) {
		const char *name = phrases[i].metric;
		size_t n = strcspn(name, "*");

		if (strncmp(metric, name, n) == 0 &&
		    (name[n] == '*' || metric[n] == '\0'))
			return &phrases[i];
	}
	return NULL;
}

/* "shop", of a transition "home>shop" where it leads; "the game". */
static void
subject(struct buf *out, const cJSON *r)
{
	const char *name = json_str(r, "screen", "");
	const char *to = strrchr(name, '>');

	if (to && to[1])
		name = to + 1;
	if (*name)
		present_line(out, name, NAME_UNITS);
	else
		buf_str(out, "the game");
}

static void
share(struct buf *out, double before, double after, const char *more,
      const char *less)
{
	buf_fmt(out, "%.0f %% %s", fabs(after / before - 1) * 100,
		after > before ? more : less);
}

void
verdict_change(struct buf *out, const cJSON *r)
{
	const char *metric = json_str(r, "metric", "a metric");
	double before = json_num(r, "before", 0);
	double after = json_num(r, "after", 0);
	const struct phrase *p = before > 0 ? phrase_of(metric) : NULL;

	subject(out, r);
	if (p) {
		buf_str(out, p->verb);
		share(out, before, after, p->more, p->less);
		buf_str(out, p->after);
	} else {
		buf_str(out, ": ");
		present_line(out, metric, NAME_UNITS);
		if (before > 0) {
			buf_str(out, " is ");
			share(out, before, after, "higher", "lower");
		}
	}
	buf_str(out, p || before > 0 ? " (" : " ");
	present_range(out, before, after, json_str(r, "unit", NULL));
	buf_str(out, p || before > 0 ? ")" : "");
	if (strcmp(json_str(r, "kind", ""), "creep") == 0)
		buf_str(out, ", a creep over weeks");
	if (json_int(r, "days", 0) > 1) {
		buf_str(out, ", ");
		present_ordinal(out, json_int(r, "days", 0));
		buf_str(out, " day");
	}
}

void
verdict_commits(struct buf *out, const cJSON *r)
{
	present_commits(out, json_str(r, "last_good", NULL),
			json_str(r, "first_bad", NULL));
}
