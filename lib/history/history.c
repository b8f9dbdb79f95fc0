#include "history/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/secret.h"
#include "base/wall.h"
#include "history/history_backend.h"

struct history {
	const struct history_backend *backend;
	void *self;
	char *url;
};

static const struct history_backend *const backends[] = {
	&history_dir_backend,
	&history_git_backend,
	&history_clickhouse_backend,
};

/* --- ids ----------------------------------------------------------------- */

/* "20261130T104600Z-" */
static const char id_form[] = "dddddddd\1dddddd\2-";

static bool
two_digits(const char *p, int least, int most, int *out)
{
	*out = (p[0] - '0') * 10 + (p[1] - '0');
	return *out >= least && *out <= most;
}

bool
history_id_parse(const char *id, int64_t *at_s)
{
	size_t len = strnlen(id, HISTORY_ID_MAX + 1);
	AUTO_FREE char *time = NULL;
	int n;

	if (len > HISTORY_ID_MAX || len < sizeof(id_form))
		return false;
	for (size_t i = 0; i + 1 < sizeof(id_form); i++) {
		char c = id_form[i];

		if (c == 'd' ? id[i] < '0' || id[i] > '9'
			     : id[i] != (c == '\1'   ? 'T'
					 : c == '\2' ? 'Z'
						     : c))
			return false;
	}
	for (size_t i = sizeof(id_form) - 1; i < len; i++) {
		if (strchr("0123456789abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ._-",
			   id[i]) == NULL)
			return false;
	}
	if (!two_digits(id + 4, 1, 12, &n) || !two_digits(id + 6, 1, 31, &n))
		return false;
	time = mem_fmt("%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", id, id + 4, id + 6,
		       id + 9, id + 11, id + 13);
	return wall_parse(time, at_s);
}

char *
history_id_path(const char *id)
{
	return mem_fmt("%.4s-%.2s/%s.json", id, id + 4, id);
}

void
history_ids_push(struct history_ids *ids, const char *id)
{
	MEM_GROW(ids->item, ids->count, ids->room);
	ids->item[ids->count++] = mem_strdup(id);
}

void
history_ids_done(struct history_ids *ids)
{
	for (size_t i = 0; i < ids->count; i++)
		free(ids->item[i]);
	free(ids->item);
	*ids = (struct history_ids){.item = NULL};
}

void
history_entry_done(struct history_entry *e)
{
	free(e->id);
	free(e->text);
	*e = (struct history_entry){.id = NULL};
}

static int
by_id(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Drop item[0..n). */
static void
forget_first(struct history_ids *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(ids->item[i]);
	ids->count -= n;
	memmove(ids->item, ids->item + n, ids->count * sizeof(*ids->item));
}

void
history_ids_settle(struct history_ids *ids, size_t most)
{
	size_t kept = 0;

	if (ids->count == 0)
		return;
	qsort(ids->item, ids->count, sizeof(*ids->item), by_id);
	for (size_t i = 0; i < ids->count; i++) {
		if (kept && strcmp(ids->item[kept - 1], ids->item[i]) == 0)
			free(ids->item[i]);
		else
			ids->item[kept++] = ids->item[i];
	}
	ids->count = kept;
	if (most && kept > most)
		forget_first(ids, kept - most);
}

/* --- a store ------------------------------------------------------------- */

/* The backend of `url`; *rest is what it gets of it. */
static const struct history_backend *
backend_of(const char *url, const char **rest)
{
	for (size_t i = 0; i < sizeof(backends) / sizeof(*backends); i++) {
		size_t len = strlen(backends[i]->scheme);

		if (strncmp(url, backends[i]->scheme, len) == 0 &&
		    url[len] == ':') {
			*rest = url + len + 1;
			return backends[i];
		}
	}
	return NULL;
}

int
history_check(const char *url, struct err *err)
{
	const char *rest;
	const struct history_backend *b = backend_of(url, &rest);

	if (b && b->check(rest, err) == 0)
		return 0;
	if (b == NULL)
		err_set(err, ERR_USAGE, "'%s' names no history", url);
	err_hint(err, "write dir:PATH, git:BRANCH or clickhouse:URL");
	return err_reason(err, "bad_setting");
}

int
history_open(struct history **out, const char *url,
	     const struct history_access *access, struct err *err)
{
	const struct history_backend *b;
	const char *rest;

	if (history_check(url, err))
		return -1;
	b = backend_of(url, &rest);
	*out = mem_alloc(sizeof(**out));
	(*out)->backend = b;
	(*out)->self = b->open(rest, access);
	(*out)->url = mem_strdup(url);
	return 0;
}

void
history_close(struct history *h)
{
	if (h == NULL)
		return;
	h->backend->close(h->self);
	free(h->url);
	free(h);
}

const char *
history_url(const struct history *h)
{
	return h->url;
}

int
history_list(struct history *h, size_t most, struct history_ids *out,
	     struct deadline dl, struct err *err)
{
	*out = (struct history_ids){.item = NULL};
	if (h->backend->list(h->self, most, out, dl, err)) {
		history_ids_done(out);
		return err_wrap(err, "history %s", h->url);
	}
	history_ids_settle(out, most);
	return 0;
}

/* What a backend may rely on: ids are names of files and words of queries. */
static int
check_id(const char *id, struct err *err)
{
	AUTO_BUF struct buf shown = BUF_INIT;
	int64_t at_s;

	if (history_id_parse(id, &at_s))
		return 0;
	buf_escaped(&shown, id, strnlen(id, HISTORY_ID_MAX));
	err_set(err, ERR_USAGE, "'%s' is no record's id", shown.data);
	return err_hint(err, "`patrol history list` tells them");
}

static int
check_ids(char *const *id, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (check_id(id[i], err))
			return -1;
	}
	return 0;
}

static int
check_entries(const struct history_entry *e, size_t count, struct err *err)
{
	for (size_t i = 0; i < count; i++) {
		if (check_id(e[i].id, err))
			return -1;
		if (e[i].len > HISTORY_RECORD_MAX)
			return err_set(err, ERR_INPUT,
				       "record '%s' is larger than %d bytes",
				       e[i].id, HISTORY_RECORD_MAX);
		if (memchr(e[i].text, '\n', e[i].len) ||
		    memchr(e[i].text, '\0', e[i].len))
			return err_set(err, ERR_INPUT,
				       "record '%s' is not one line", e[i].id);
	}
	return 0;
}

int
history_read(struct history *h, char *const *id, size_t count, history_see *see,
	     void *arg, struct deadline dl, struct err *err)
{
	if (count == 0)
		return 0;
	if (check_ids(id, count, err) ||
	    h->backend->read(h->self, id, count, see, arg, dl, err))
		return err_wrap(err, "history %s", h->url);
	return 0;
}

/* What leaves us is redacted, whichever way it goes. */
static struct history_entry *
redacted(const struct history_entry *e, size_t count)
{
	struct history_entry *out = mem_array(count, sizeof(*out));

	for (size_t i = 0; i < count; i++) {
		AUTO_FREE char *text = mem_strndup(e[i].text, e[i].len);

		out[i].id = mem_strdup(e[i].id);
		out[i].text = secret_redacted(text);
		out[i].len = strlen(out[i].text);
	}
	return out;
}

int
history_add(struct history *h, const struct history_entry *e, size_t count,
	    size_t *added, struct deadline dl, struct err *err)
{
	struct history_entry *clean;
	size_t unused;
	int rc;

	if (added == NULL)
		added = &unused;
	*added = 0;
	if (count == 0)
		return 0;
	if (check_entries(e, count, err))
		return err_wrap(err, "history %s", h->url);
	clean = redacted(e, count);
	rc = h->backend->add(h->self, clean, count, added, dl, err);
	for (size_t i = 0; i < count; i++)
		history_entry_done(&clean[i]);
	free(clean);
	return rc ? err_wrap(err, "history %s", h->url) : 0;
}

int
history_remove(struct history *h, char *const *id, size_t count,
	       struct deadline dl, struct err *err)
{
	if (count == 0)
		return 0;
	if (check_ids(id, count, err) ||
	    h->backend->remove(h->self, id, count, dl, err))
		return err_wrap(err, "history %s", h->url);
	return 0;
}

int
history_tidy(struct history *h, size_t *files, struct deadline dl,
	     struct err *err)
{
	*files = 0;
	if (h->backend->tidy && h->backend->tidy(h->self, files, dl, err))
		return err_wrap(err, "history %s", h->url);
	return 0;
}
