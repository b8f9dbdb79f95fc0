#include "domain/report.h"

#include "domain/report_parts.h"

#include <report_css.h> /* generated from report.css */

/* Nothing is fetched, and no script runs, whatever a name contains. */
static const char policy[] =
	"default-src 'none'; style-src 'unsafe-inline'; img-src data:";

static void
page_head(struct report *r)
{
	buf_str(r->out,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" "
		"content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"");
	buf_str(r->out, policy);
	buf_str(r->out, "\">\n<title>");
	report_parts_text_max(r, r->verdict->sentence, 120);
	buf_str(r->out, "</title>\n<style>\n");
	buf_str(r->out, (const char *)report_css);
	buf_str(r->out, "</style>\n</head>\n<body>\n<main>\n");
}

int
report_write(const cJSON *result, const char *dir, struct buf *out,
	     struct err *err)
{
	struct verdict v;
	struct report r = {
		.result = result, .verdict = &v, .dir = dir, .out = out};

	verdict_init(&v, result);
	page_head(&r);
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
	buf_str(out, "</main>\n</body>\n</html>\n");
	verdict_done(&v);
	return buf_check(out, "the report", err);
}
