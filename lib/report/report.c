#include "report/report.h"

#include "report/page.h"
#include "report/report_parts.h"

int
report_write(const cJSON *result, const char *dir, struct buf *out,
	     struct err *err)
{
	struct verdict v;
	struct report r = {
		.result = result, .verdict = &v, .dir = dir, .out = out};

	verdict_init(&v, result);
	page_begin(out, NULL, v.sentence, NULL);
	report_head_write(&r);
	report_findings_write(&r);
	report_screens_write(&r);
	report_trends_write(&r);
	report_route_write(&r);
	report_frames_write(&r);
	report_phone_write(&r);
	report_memory_write(&r);
	report_capture_write(&r);
	report_states_write(&r);
	report_again_write(&r);
	page_end(out);
	verdict_done(&v);
	return buf_check(out, "the report", err);
}
