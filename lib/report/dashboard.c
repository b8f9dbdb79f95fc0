#include "report/dashboard.h"

#include <stdio.h>

#include "base/digest.h"
#include "base/mem.h"
#include "report/dashboard_parts.h"
#include "report/page.h"

#include <dashboard_css.h> /* generated from dashboard.css */
#include <dashboard_js.h>  /* generated from dashboard.js */

/* Our script is named by its digest: no other runs, whatever a name has. */
static int
policy(struct buf *out, struct err *err)
{
	struct digest *d = digest_new();
	unsigned char raw[(DIGEST_HEX - 1) / 2];
	char hex[DIGEST_HEX];
	int rc;

	digest_feed(d, dashboard_js, sizeof(dashboard_js) - 1);
	rc = digest_finish(d, hex, err);
	digest_free(d);
	if (rc)
		return -1;
	for (size_t i = 0; i < sizeof(raw); i++) {
		unsigned byte = 0;

		(void)sscanf(hex + 2 * i, "%2x", &byte); /* our own digits */
		raw[i] = (unsigned char)byte;
	}
	buf_str(out, "default-src 'none'; style-src 'unsafe-inline'; "
		     "script-src 'sha256-");
	buf_base64(out, raw, sizeof(raw));
	buf_str(out, "'");
	return 0;
}

static void
page(struct dashboard *d, const char *csp)
{
	struct buf *out = d->out;
	AUTO_FREE char *title =
		mem_fmt("%s: the history of its runs",
			json_str(d->t->json, "title", "patrol"));

	page_begin(out, csp, title, (const char *)dashboard_css);
	dashboard_head_write(d);
	dashboard_board_write(d);
	dashboard_charts_write(d);
	buf_str(out, "<script>");
	buf_str(out, (const char *)dashboard_js);
	buf_str(out, "</script>\n");
	page_end(out);
}

int
dashboard_write(const cJSON *trends, int64_t now_s, struct buf *out,
		struct err *err)
{
	AUTO_BUF struct buf csp = BUF_INIT;
	struct trend t;
	struct dashboard d = {.t = &t, .now_s = now_s, .out = out};

	if (policy(&csp, err) || trend_read(trends, &t, err))
		return -1;
	trend_thin_init(&d.thin, &t);
	trend_groups_init(&d.groups, &t, d.thin.recent);
	for (int cut = 0; cut < DASHBOARD_CUTS; cut++) {
		AUTO_BUF struct buf b = BUF_INIT_MAX(DASHBOARD_MAX);

		d.cut = (enum dashboard_cut)cut;
		d.charts = 0;
		d.out = &b;
		page(&d, csp.data);
		if (b.over && cut + 1 < DASHBOARD_CUTS)
			continue;
		buf_add(out, b.data, b.len);
		out->over = out->over || b.over;
		break;
	}
	trend_groups_done(&d.groups);
	trend_thin_done(&d.thin);
	trend_done(&t);
	return buf_check(out, "the dashboard", err);
}
