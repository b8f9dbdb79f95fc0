#include "base/wall.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t
wall_now_s(void)
{
	return time(NULL);
}

/* So many digits, at most `most`; moves `p` behind them. */
static bool
number(const char **p, size_t digits, int least, int most, int *out)
{
	int n = 0;

	for (size_t i = 0; i < digits; i++, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		n = n * 10 + (**p - '0');
	}
	*out = n;
	return n >= least && n <= most;
}

static bool
letter(const char **p, const char *any_of)
{
	if (**p == '\0' || strchr(any_of, **p) == NULL)
		return false;
	(*p)++;
	return true;
}

/* "Z" or "+09:00", in seconds east of UTC; nothing may follow. */
static bool
offset(const char *p, int64_t *east_s)
{
	int hours, minutes;
	bool west = *p == '-';

	*east_s = 0;
	if (letter(&p, "Zz"))
		return *p == '\0';
	if (!letter(&p, "+-") || !number(&p, 2, 0, 23, &hours) ||
	    !letter(&p, ":") || !number(&p, 2, 0, 59, &minutes))
		return false;
	*east_s = (hours * 60 + minutes) * (west ? -60 : 60);
	return *p == '\0';
}

bool
wall_parse(const char *text, int64_t *at_s)
{
	struct tm tm = {0}, months;
	const char *p = text;
	int64_t east_s;
	int year, month, day;

	if (text == NULL || !number(&p, 4, 1970, 9999, &year) ||
	    !letter(&p, "-") || !number(&p, 2, 1, 12, &month) ||
	    !letter(&p, "-") || !number(&p, 2, 1, 31, &day) ||
	    !letter(&p, "Tt ") || !number(&p, 2, 0, 23, &tm.tm_hour) ||
	    !letter(&p, ":") || !number(&p, 2, 0, 59, &tm.tm_min) ||
	    !letter(&p, ":") || !number(&p, 2, 0, 60, &tm.tm_sec))
		return false;
	if (letter(&p, "."))
		p += strspn(p, "0123456789");
	if (!offset(p, &east_s))
		return false;
	tm.tm_year = year - 1900;
	tm.tm_mon = month - 1;
	tm.tm_mday = day;
	/* Of 30 February timegm() makes a day of March. */
	months = tm;
	months.tm_sec = 0;     /* a leap second may lead into the next day */
	(void)timegm(&months); /* it normalises; -1 is a time, too */
	if (months.tm_mday != day)
		return false;
	*at_s = (int64_t)timegm(&tm) - east_s;
	return true;
}

void
wall_text(struct buf *out, int64_t at_s)
{
	time_t t = (time_t)at_s;
	struct tm tm;
	char text[40];

	if (gmtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		buf_str(out, text);
	else
		buf_str(out, "1970-01-01T00:00:00Z");
}
