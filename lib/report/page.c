#include "report/page.h"

#include "base/present.h"

#include <report_css.h> /* generated from report.css */

enum { TITLE_UNITS = 120 };

static const char still[] =
	"default-src 'none'; style-src 'unsafe-inline'; img-src data:";

void
page_begin(struct buf *out, const char *policy, const char *title,
	   const char *css)
{
	buf_str(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
		     "<meta charset=\"utf-8\">\n"
		     "<meta name=\"viewport\" "
		     "content=\"width=device-width, initial-scale=1\">\n"
		     "<meta name=\"color-scheme\" content=\"light dark\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" "
		     "content=\"");
	buf_str(out, policy ? policy : still);
	buf_str(out, "\">\n<title>");
	present_html(out, title, TITLE_UNITS);
	buf_str(out, "</title>\n<style>\n");
	buf_str(out, (const char *)report_css);
	if (css)
		buf_str(out, css);
	buf_str(out, "</style>\n</head>\n<body>\n<main>\n");
}

void
page_end(struct buf *out)
{
	buf_str(out, "</main>\n</body>\n</html>\n");
}
