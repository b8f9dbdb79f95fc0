#include "base/secret.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"

/*
 * The registry of every form of every secret: one of the two things that
 * change and are global (the other is the log's level), because a sink has to
 * know all of them without being told.
 */
enum { SHORTEST = 4, MAX_SECRET = 64 << 10 };

static struct form {
	char *text;
	size_t len;
} * forms;
static size_t form_count, form_room;
/* Every message is redacted, also those of other threads. */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void
insert(const char *text, size_t len)
{
	size_t at;

	for (size_t i = 0; i < form_count; i++) {
		if (strcmp(forms[i].text, text) == 0)
			return;
	}
	MEM_GROW(forms, form_count, form_room);
	/* Longest first, so that a part never hides the whole. */
	for (at = 0; at < form_count && forms[at].len >= len; at++)
		;
	memmove(&forms[at + 1], &forms[at],
		(form_count - at) * sizeof(forms[0]));
	forms[at].text = mem_strdup(text);
	forms[at].len = len;
	form_count++;
}

static void
add_form(const char *text)
{
	size_t len = strlen(text);

	if (len < SHORTEST)
		return;
	pthread_rwlock_wrlock(&lock);
	insert(text, len);
	pthread_rwlock_unlock(&lock);
}

void
secret_register(const char *value)
{
	AUTO_BUF struct buf b = BUF_INIT;
	size_t len = strlen(value);

	if (len < SHORTEST)
		return;
	add_form(value);
	/* As they stand in a URL, a JSON string, and HTML or XML. */
	buf_url(&b, value);
	add_form(b.data);
	buf_clear(&b);
	json_quote(&b, value);
	buf_truncate(&b, b.len - 1);
	add_form(b.data + 1);
	buf_clear(&b);
	buf_html(&b, value);
	add_form(b.data);
	/*
	 * Inside a longer base64 text the value can start at any of three
	 * phases; the characters that its neighbours share are left out.
	 */
	for (size_t phase = 0; phase < 3; phase++) {
		AUTO_BUF struct buf raw = BUF_INIT;
		size_t skip = phase == 0 ? 0 : phase + 1;
		size_t whole;

		buf_add(&raw, "\0\0", phase);
		buf_add(&raw, value, len);
		buf_clear(&b);
		whole = (raw.len / 3) * 3;
		buf_base64(&b, raw.data, whole);
		if (b.len > skip + SHORTEST)
			add_form(b.data + skip);
	}
}

void
secret_set(struct secret *s, const char *value)
{
	secret_done(s);
	if (value == NULL)
		return;
	s->value = mem_strdup(value);
	secret_register(value);
}

int
secret_from_env(struct secret *s, const char *name, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_SECRET);
	AUTO_FREE char *file_name = mem_fmt("%s_FILE", name);
	const char *value = getenv(name);
	const char *path = getenv(file_name);

	if (value == NULL || *value == '\0') {
		if (path == NULL || *path == '\0')
			return 0;
		if (file_read(path, &b, err)) {
			err->code = ERR_USAGE;
			return err_wrap(err, "%s", file_name);
		}
	} else {
		buf_str(&b, value);
	}
	/* What editors and copying leave behind it. */
	while (b.len > 0 &&
	       (b.data[b.len - 1] == '\n' || b.data[b.len - 1] == '\r'))
		buf_truncate(&b, b.len - 1);
	if (buf_check(&b, name, err) || strlen(b.data) != b.len) {
		err_clear(err);
		return err_set(err, ERR_USAGE, "%s is no token: %zu bytes",
			       name, b.len);
	}
	for (const char *p = b.data; *p; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7F)
			return err_set(err, ERR_USAGE,
				       "%s has a control character in it; "
				       "copy the value again",
				       name);
	}
	secret_set(s, b.len ? b.data : NULL);
	return 0;
}

void
secret_done(struct secret *s)
{
	if (s->value) {
		explicit_bzero(s->value, strlen(s->value));
		free(s->value);
		s->value = NULL;
	}
}

struct range {
	size_t at, end;
};

struct ranges {
	struct range *item;
	size_t count, room;
};

/* All places of one form; those that overlap are one. */
static void
find_form(const struct buf *b, const char *text, size_t len, struct ranges *r)
{
	size_t first = r->count, from = 0;
	char *hit;

	while ((hit = memmem(b->data + from, b->len - from, text, len))) {
		size_t at = (size_t)(hit - b->data);

		if (r->count > first && r->item[r->count - 1].end > at) {
			r->item[r->count - 1].end = at + len;
		} else {
			MEM_GROW(r->item, r->count, r->room);
			r->item[r->count++] = (struct range){at, at + len};
		}
		from = at + 1;
	}
}

static int
by_place(const void *a, const void *b)
{
	size_t x = ((const struct range *)a)->at;
	size_t y = ((const struct range *)b)->at;

	return (x > y) - (x < y);
}

/* All are found before any is replaced, since two secrets may overlap. */
void
secret_redact(struct buf *b)
{
	struct ranges r = {0};
	size_t to = 0, from = 0;

	pthread_rwlock_rdlock(&lock);
	for (size_t i = 0; i < form_count; i++)
		find_form(b, forms[i].text, forms[i].len, &r);
	pthread_rwlock_unlock(&lock);
	if (r.count == 0)
		return;
	qsort(r.item, r.count, sizeof(r.item[0]), by_place);
	for (size_t i = 0; i < r.count; i++) {
		if (r.item[i].at >= from) {
			size_t kept = r.item[i].at - from;

			memmove(b->data + to, b->data + from, kept);
			memcpy(b->data + to + kept, "***", 3);
			to += kept + 3;
		}
		if (r.item[i].end > from)
			from = r.item[i].end;
	}
	memmove(b->data + to, b->data + from, b->len - from);
	buf_truncate(b, to + b->len - from);
	free(r.item);
}

char *
secret_redacted(const char *s)
{
	struct buf b = BUF_INIT_MAX(SIZE_MAX / 2);

	buf_str(&b, s);
	secret_redact(&b);
	return buf_take(&b);
}
