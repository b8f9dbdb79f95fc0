#include "history/history_tag.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/digest.h"
#include "history/history_record.h"

enum { OWN = 8 }; /* digits of a record's own digest */

void
history_tag_digits(const char *text, size_t len, size_t digits, char *out)
{
	struct digest *d = digest_new();
	struct err err = ERR_INIT;
	char hex[DIGEST_HEX] = "";

	digest_feed(d, text, len);
	/* Without a provider for SHA-256 all texts share their digits. */
	if (digest_finish(d, hex, &err))
		memset(hex, '0', sizeof(hex) - 1);
	digest_free(d);
	memcpy(out, hex, digits);
	out[digits] = '\0';
}

static bool
is_zeros(const char *digits)
{
	return digits[strspn(digits, "0")] == '\0';
}

void
history_tag_of_title(const char *title, struct history_tag *out)
{
	memset(out->title, '0', HISTORY_TAG_TITLE);
	memset(out->key, '0', HISTORY_TAG_KEY);
	out->title[HISTORY_TAG_TITLE] = out->key[HISTORY_TAG_KEY] = '\0';
	if (title && *title)
		history_tag_digits(title, strlen(title), HISTORY_TAG_TITLE,
				   out->title);
}

void
history_tag_of(const cJSON *record, struct history_tag *out)
{
	const cJSON *key = cJSON_GetObjectItemCaseSensitive(record, "key");
	AUTO_BUF struct buf text = BUF_INIT;

	history_tag_of_title(json_str(record, "title", NULL), out);
	if (!history_record_has_key(record))
		return;
	for (size_t i = 0; i < HISTORY_RECORD_PARTS; i++) {
		buf_str(&text, json_str(key, history_record_parts[i], ""));
		buf_chr(&text, '\n');
	}
	history_tag_digits(text.data, text.len, HISTORY_TAG_KEY, out->key);
}

static bool
is_hex(const char *s, size_t n)
{
	return strspn(s, "0123456789abcdef") >= n;
}

bool
history_tag_parse(const char *id, struct history_tag *out)
{
	enum { DIGITS = HISTORY_TAG_TITLE + HISTORY_TAG_KEY };
	size_t len = strlen(id);
	const char *dot;

	if (len < 1 + OWN + 1 + DIGITS)
		return false;
	dot = id + len - DIGITS - 1;
	if (dot[0] != '.' || dot[-OWN - 1] != '-' || !is_hex(dot - OWN, OWN) ||
	    !is_hex(dot + 1, DIGITS))
		return false;
	(void)snprintf(out->title, sizeof(out->title), "%.*s",
		       HISTORY_TAG_TITLE, dot + 1); /* fits */
	(void)snprintf(out->key, sizeof(out->key), "%s",
		       dot + 1 + HISTORY_TAG_TITLE); /* fits */
	return true;
}

bool
history_tag_is_known(const struct history_tag *t)
{
	return *t->key != '\0';
}

bool
history_tag_has_key(const struct history_tag *t)
{
	return !is_zeros(t->key);
}

bool
history_tag_has_title(const struct history_tag *t)
{
	return !is_zeros(t->title);
}

bool
history_tag_same_title(const struct history_tag *a, const struct history_tag *b)
{
	return !history_tag_has_title(a) || !history_tag_has_title(b) ||
	       strcmp(a->title, b->title) == 0;
}

bool
history_tag_same(const struct history_tag *a, const struct history_tag *b)
{
	return strcmp(a->key, b->key) == 0 && history_tag_same_title(a, b);
}
