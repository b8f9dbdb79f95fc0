#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "followup/verify.h"
#include "history/history_record.h"

enum { REASON_UNITS = 200 };

/* The game that ran is another one than the build: nothing of it counts. */
static const char *
another_build(const cJSON *result, struct buf *words)
{
	if (json_bool(result, "comparable", true))
		return NULL;
	present_line(
		words,
		json_str(result, "not_comparable_reason", "the run says so"),
		REASON_UNITS);
	buf_str(words, ": verify with the run that built this app");
	return "not_comparable";
}

static const char *
throttled(const cJSON *result, struct buf *words)
{
	static const char why[] = "throttled";
	AUTO_JSON cJSON *record = history_record_of(result);

	if (strcmp(json_str(record, "invalid", ""), why) != 0)
		return NULL;
	buf_str(words, "the phone throttled: let it cool, and verify again");
	return why;
}

static const char *
temperature(const struct issue_block *block, const cJSON *result,
	    struct buf *words)
{
	const cJSON *first =
		cJSON_GetArrayItem(json_get(result, "timeline"), 0);
	double now = json_num(first, "battery_c", NAN);

	/* Of an issue that does not tell, and a phone that does not. */
	if (isnan(now) || isnan(block->start_c) ||
	    fabs(now - block->start_c) <= block->start_reach_c)
		return NULL;
	buf_fmt(words,
		"the phone began at %.1f °C, and those runs at %.1f ± %.1f: "
		"let it %s, and verify again",
		now, block->start_c, block->start_reach_c,
		now > block->start_c ? "cool" : "warm up");
	return "temperature";
}

void
verify_unfit_find(const struct issue_block *block, const cJSON *result,
		  struct verify_unfit *out)
{
	AUTO_BUF struct buf words = BUF_INIT;

	*out = (struct verify_unfit){.reason = another_build(result, &words)};
	out->all = out->reason != NULL;
	if (!out->reason)
		out->reason = throttled(result, &words);
	if (!out->reason)
		out->reason = temperature(block, result, &words);
	if (out->reason)
		out->message = buf_take(&words);
}
