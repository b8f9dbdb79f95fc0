#include "followup/issue_way.h"

#include <string.h>

#include "base/mem.h"
#include "followup/issue_text.h"

enum { STEPS_MAX = 12, NAME_MAX_UNITS = 60, ACTION_MAX = 120 };

/* The first of steps[0..before) that leads to `to`; -1: none. */
static int
step_to(const cJSON *steps, int before, const char *to)
{
	const cJSON *s;
	int i = 0;

	cJSON_ArrayForEach(s, steps)
	{
		if (i == before)
			break;
		if (strcmp(json_str(s, "to", ""), to) == 0)
			return i;
		i++;
	}
	return -1;
}

/* The step of a transition "from>to"; the first to a screen. */
static int
last_step(const cJSON *steps, const char *subject)
{
	const char *sign = strchr(subject, '>');
	const cJSON *s;
	int i = 0;

	if (!sign)
		return step_to(steps, cJSON_GetArraySize(steps), subject);
	cJSON_ArrayForEach(s, steps)
	{
		const char *from = json_str(s, "from", "");

		if (strlen(from) == (size_t)(sign - subject) &&
		    strncmp(from, subject, strlen(from)) == 0 &&
		    strcmp(json_str(s, "to", ""), sign + 1) == 0)
			return i;
		i++;
	}
	return -1;
}

void
issue_way_write(struct buf *out, const cJSON *result, const cJSON *series)
{
	const char *subject = json_str(series, "subject", "");
	const cJSON *steps = json_get(result, "route.steps");
	int way[STEPS_MAX], count = 0;

	if (!*subject || !cJSON_IsArray(steps))
		return;
	/* Each screen was reached by an earlier step: it ends. */
	for (int at = last_step(steps, subject); at >= 0 && count < STEPS_MAX;
	     at = step_to(steps, at,
			  json_str(cJSON_GetArrayItem(steps, at), "from", "")))
		way[count++] = at;
	if (!count)
		return;
	buf_str(out, "### The way there\n\n");
	for (int n = 1; count > 0; n++) {
		const cJSON *s = cJSON_GetArrayItem(steps, way[--count]);

		buf_fmt(out, "%d. ", n);
		issue_text_code(out, json_str(s, "action", NULL), ACTION_MAX);
		buf_str(out, " → ");
		issue_text_code(out, json_str(s, "to", NULL), NAME_MAX_UNITS);
		buf_chr(out, '\n');
	}
	buf_chr(out, '\n');
}
