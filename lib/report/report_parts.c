#include "report/report_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "report/report.h"

enum { TEXT_UNITS = 1000 };

void
report_parts_text_max(struct report *r, const char *s, size_t units)
{
	present_html(r->out, s, units);
}

void
report_parts_text(struct report *r, const char *s)
{
	report_parts_text_max(r, s, TEXT_UNITS);
}

void
report_parts_link(struct report *r, const char *url, const char *label)
{
	if (!present_url(url))
		return;
	buf_str(r->out, "<a href=\"");
	buf_html(r->out, url);
	buf_fmt(r->out, "\" rel=\"noopener noreferrer\">%s</a>", label);
}

/* By its first bytes; a name proves nothing. */
static const char *
media_type(const struct buf *b)
{
	if (b->len > 8 && memcmp(b->data, "\x89PNG\r\n\x1a\n", 8) == 0)
		return "image/png";
	if (b->len > 3 && memcmp(b->data, "\xFF\xD8\xFF", 3) == 0)
		return "image/jpeg";
	if (b->len > 12 && memcmp(b->data, "RIFF", 4) == 0 &&
	    memcmp(b->data + 8, "WEBP", 4) == 0)
		return "image/webp";
	return NULL;
}

static void
no_image(struct report *r, const char *file, const char *why)
{
	buf_str(r->out, "<span class=\"noshot\">");
	report_parts_text_max(r, file, 80);
	buf_fmt(r->out, " %s</span>", why);
}

void
report_parts_image(struct report *r, const char *file, const char *alt)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(REPORT_IMAGE_MAX);
	struct err err = ERR_INIT;
	const char *type;

	if (r->dir == NULL || present_file(file) == NULL)
		return;
	AUTO_FREE char *path = file_join(r->dir, file);

	if (file_read(path, &b, &err) || b.len == 0) {
		no_image(r, file,
			 err.code == ERR_PROTO ? "is too large to show"
					       : "is missing");
		return;
	}
	type = media_type(&b);
	if (type == NULL) {
		no_image(r, file, "is no image");
		return;
	}
	if (r->images_bytes + b.len > REPORT_IMAGES_MAX) {
		no_image(r, file, "is in the folder");
		return;
	}
	r->images_bytes += b.len;
	/* The box is a switch that shows the image large, without a script. */
	buf_str(r->out, "<label class=\"shot\"><input type=\"checkbox\" "
			"aria-label=\"enlarge\"><img loading=\"lazy\" alt=\"");
	report_parts_text_max(r, alt, 100);
	buf_fmt(r->out, "\" src=\"data:%s;base64,", type);
	buf_base64(r->out, b.data, b.len);
	buf_str(r->out, "\"></label>");
}

void
report_parts_open(struct report *r, const char *id, const char *title,
		  const char *note)
{
	buf_fmt(r->out, "<section id=\"%s\"><h2>%s", id, title);
	if (note) {
		buf_str(r->out, " <small>");
		report_parts_text(r, note);
		buf_str(r->out, "</small>");
	}
	buf_str(r->out, "</h2>\n");
}

void
report_parts_close(struct report *r)
{
	buf_str(r->out, "</section>\n");
}

void
report_parts_chip(struct report *r, const char *tone, const char *word)
{
	buf_fmt(r->out, "<span class=\"chip %s\">", tone);
	report_parts_text_max(r, word, 60);
	buf_str(r->out, "</span>");
}

void
report_parts_more(struct report *r, size_t left)
{
	if (left)
		buf_fmt(r->out,
			"<p class=\"quiet\">%zu more in "
			"result.json</p>\n",
			left);
}

const char *
report_parts_tone(const cJSON *screen)
{
	const char *status = json_str(screen, "status", "");

	if (strcmp(status, "visited") == 0)
		return json_bool(screen, "off_route", false) ? "warn" : "good";
	if (strcmp(status, "crashed") == 0)
		return "bad";
	return strcmp(status, "unreached") == 0 ? "warn" : "quiet";
}

const char *
report_parts_status(const cJSON *screen)
{
	const char *status = json_str(screen, "status", "unknown");

	if (strcmp(status, "visited") == 0)
		return json_bool(screen, "off_route", false) ? "off-route"
							     : "visited";
	if (strcmp(status, "unreached") == 0)
		return "not reached";
	if (strcmp(status, "not_visited") == 0)
		return "not visited";
	return status;
}
