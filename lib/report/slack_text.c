#include "report/slack_text.h"

#include <stdio.h>
#include <string.h>

#include "base/present.h"
#include "report/slack.h"

enum {
	MORE_UNITS = 40, /* kept free for "and N more" */
	LINES_MAX = 12,
};

void
slack_text_init(struct slack_text *t, size_t limit)
{
	*t = (struct slack_text){.b = BUF_INIT, .limit = limit};
}

/* Whole or not at all; one unit is kept for the ellipsis. */
static bool
put(struct slack_text *t, const char *s, size_t len, size_t units)
{
	if (t->full)
		return false;
	if (t->units + units > t->limit - 1) {
		buf_str(&t->b, "…");
		t->units++;
		t->full = true;
		return false;
	}
	buf_add(&t->b, s, len);
	t->units += units;
	return true;
}

/* Markup of ours. */
void
slack_text_mark(struct slack_text *t, const char *s)
{
	put(t, s, strlen(s), present_units(s));
}

/* Text of anybody, escaped as Slack wants it: & < > and nothing else. */
void
slack_text_plain(struct slack_text *t, const char *s)
{
	AUTO_BUF struct buf line = BUF_INIT;

	present_line(&line, s, 0);
	for (const char *p = line.data; *p;) {
		size_t units, n = present_char(p, &units);
		const char *e = *p == '&'   ? "&amp;"
				: *p == '<' ? "&lt;"
				: *p == '>' ? "&gt;"
					    : NULL;

		if (!(e ? put(t, e, strlen(e), strlen(e))
			: put(t, p, n, units)))
			return;
		p += n;
	}
}

/* <url|label>, whole or not at all. */
void
slack_text_link(struct slack_text *t, const char *url, const char *label)
{
	AUTO_BUF struct buf b = BUF_INIT;

	url = present_url(url);
	if (url == NULL)
		return;
	buf_chr(&b, '<');
	for (; *url; url++) {
		if (*url == '&')
			buf_str(&b, "&amp;");
		else
			buf_chr(&b, *url);
	}
	buf_fmt(&b, "|%s>", label);
	put(t, b.data, b.len, present_units(b.data));
}

/* " · " between two things on a line. */
void
slack_text_dot(struct slack_text *t, size_t start)
{
	if (t->b.len > start)
		slack_text_mark(t, " · ");
}

void
slack_text_lines(struct slack_lines *l, size_t limit)
{
	*l = (struct slack_lines){0};
	slack_text_init(&l->t, limit - MORE_UNITS);
}

void
slack_text_line(struct slack_lines *l,
		void (*line)(struct slack_text *t, const cJSON *item),
		const cJSON *item)
{
	size_t len = l->t.b.len, units = l->t.units;

	if (l->shown == LINES_MAX || l->more) {
		l->more++;
		return;
	}
	if (len)
		slack_text_mark(&l->t, "\n");
	slack_text_mark(&l->t, "• ");
	line(&l->t, item);
	if (!l->t.full) {
		l->shown++;
		return;
	}
	buf_truncate(&l->t.b, len);
	l->t.units = units;
	l->t.full = false;
	l->more++;
}

struct slack_text *
slack_text_end(struct slack_lines *l)
{
	char more[MORE_UNITS];

	l->t.limit += MORE_UNITS;
	if (l->more) {
		(void)snprintf(more, sizeof(more), "%sand %zu more",
			       l->shown ? "\n" : "", l->more);
		slack_text_mark(&l->t, more);
	}
	return &l->t;
}

static cJSON *
text_object(struct slack_text *t, const char *type)
{
	cJSON *o = json_obj();

	json_set_str(o, "type", type);
	json_set_str(o, "text", t->b.data);
	/* Nothing in it is a mention or a channel. */
	if (strcmp(type, "mrkdwn") == 0)
		json_set_bool(o, "verbatim", true);
	return o;
}

/* Take `t` and put it behind as one block; empty text makes none. */
void
slack_text_block(cJSON *blocks, struct slack_text *t, const char *type)
{
	cJSON *block;

	if (t->b.len && cJSON_GetArraySize(blocks) < SLACK_BLOCKS_MAX) {
		block = json_obj();
		json_set_str(block, "type", type);
		if (strcmp(type, "context") == 0) {
			cJSON *elements = json_arr();

			json_push(elements, text_object(t, "mrkdwn"));
			json_set(block, "elements", elements);
		} else {
			json_set(block, "text", text_object(t, "mrkdwn"));
		}
		json_push(blocks, block);
	}
	buf_done(&t->b);
}
