#include "report/dashboard.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/digest.h"
#include "base/mem.h"
#include "base/present.h"
#include "history/compare.h"
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

/* --- whose runs ---------------------------------------------------------- */

/* One key's runs, and those of the others in the order of the JSON. */
struct board {
	struct dashboard *d;
	struct trend *t; /* of each */
	size_t count;
	size_t silent; /* keys that did not run lately */
};

static void
board_done(struct board *b)
{
	for (size_t i = 0; i < b->count; i++) {
		trend_groups_done(&b->d[i].groups);
		trend_thin_done(&b->d[i].thin);
		trend_done(&b->t[i]);
	}
	free(b->d);
	free(b->t);
}

static int
board_add(struct board *b, const cJSON *trends, int64_t now_s, struct err *err)
{
	struct dashboard *d = &b->d[b->count];
	struct trend *t = &b->t[b->count];

	if (trend_read(trends, t, err)) {
		if (b->count)
			err_wrap(err, "others[%zu]", b->count - 1);
		return -1;
	}
	*d = (struct dashboard){.t = t, .now_s = now_s, .key = b->count};
	if (b->count)
		(void)snprintf(d->prefix, sizeof(d->prefix), "k%zu-",
			       b->count); /* fits */
	trend_thin_init(&d->thin, t);
	trend_groups_init(&d->groups, t, d->thin.recent);
	b->count++;
	return 0;
}

static int
board_init(struct board *b, const cJSON *trends, int64_t now_s, struct err *err)
{
	const cJSON *others = json_get(trends, "others"), *one;
	size_t n = 1 + json_count(trends, "others");

	if (n > DASHBOARD_KEYS)
		return err_set(err, ERR_INPUT,
			       "trends: more than %d keys for a page",
			       DASHBOARD_KEYS);
	*b = (struct board){.d = mem_array(n, sizeof(*b->d)),
			    .t = mem_array(n, sizeof(*b->t))};
	b->silent = (size_t)json_int(trends, "silent_keys", 0);
	if (board_add(b, trends, now_s, err) == 0) {
		bool bad = false;

		cJSON_ArrayForEach(one, others)
		{
			bad = bad || board_add(b, one, now_s, err);
		}
		if (!bad)
			return 0;
	}
	board_done(b);
	return -1;
}

/* "▲ Starfall: Pixel 6 (1A2B), ... worse, 30 Nov" */
static void
key_line(struct buf *out, const struct dashboard *d)
{
	struct dashboard_state s = dashboard_head_state(d);
	AUTO_BUF struct buf key = BUF_INIT;

	compare_key(&key, d->t->json);
	buf_fmt(out, "<span class=\"key %s\">%s</span> <b>", s.cls, s.sign);
	buf_html(out, key.data);
	buf_fmt(out, "</b> <small>%s", s.word);
	if (d->t->runs) {
		buf_str(out, ", last run ");
		present_date(out, d->t->run[d->t->runs - 1].at);
	}
	buf_str(out, "</small>");
}

/* What leads to each; of the first alone there is no need. */
static void
chooser(struct buf *out, const struct board *b)
{
	if (b->count < 2 && b->silent == 0)
		return;
	buf_str(out, "<nav class=\"keys\" aria-label=\"titles and phones\">"
		     "<ul>\n");
	for (size_t i = 0; i < b->count; i++) {
		buf_fmt(out, "<li><a href=\"#%shead\">", b->d[i].prefix);
		key_line(out, &b->d[i]);
		buf_str(out, "</a></li>\n");
	}
	buf_str(out, "</ul>");
	if (b->silent)
		buf_fmt(out,
			"<p class=\"quiet\">%zu more did not run lately: "
			"<code>patrol history list --keys</code></p>",
			b->silent);
	buf_str(out, "</nav>\n");
}

static void
one_key(struct dashboard *d)
{
	if (d->key) {
		buf_str(d->out, "<details class=\"onekey\"><summary>");
		key_line(d->out, d);
		buf_str(d->out, "</summary>\n");
	}
	dashboard_head_write(d);
	dashboard_board_write(d);
	dashboard_charts_write(d);
	if (d->key)
		buf_str(d->out, "</details>\n");
}

static void
page(const struct board *b, const char *csp, enum dashboard_cut cut,
     struct buf *out)
{
	AUTO_FREE char *title =
		mem_fmt("%s: the history of its runs",
			json_str(b->t[0].json, "title", "patrol"));

	page_begin(out, csp, title, (const char *)dashboard_css);
	chooser(out, b);
	for (size_t i = 0; i < b->count; i++) {
		b->d[i].cut = cut;
		b->d[i].charts = 0;
		b->d[i].out = out;
		one_key(&b->d[i]);
	}
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
	struct board board;

	if (policy(&csp, err) || board_init(&board, trends, now_s, err))
		return -1;
	for (int cut = 0; cut < DASHBOARD_CUTS; cut++) {
		AUTO_BUF struct buf b = BUF_INIT_MAX(DASHBOARD_MAX);

		page(&board, csp.data, (enum dashboard_cut)cut, &b);
		if (b.over && cut + 1 < DASHBOARD_CUTS)
			continue;
		buf_add(out, b.data, b.len);
		out->over = out->over || b.over;
		break;
	}
	board_done(&board);
	return buf_check(out, "the dashboard", err);
}
