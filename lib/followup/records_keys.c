#include "followup/records_keys.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/present.h"
#include "base/wall.h"
#include "history/history_record.h"

enum {
	OLD_MAX = 400,	/* records whose id does not tell whose they are */
	NAMED_MAX = 64, /* keys that are read */
	NAME_TRIES = 3, /* of a key whose newest records are damaged */
	ROUTE_LEAST = 4,
	TOLD_KEYS = 4,
	TITLE_UNITS = 80,
};

void
records_keys_done(struct records_keys *k)
{
	for (size_t i = 0; i < k->count; i++)
		cJSON_Delete(k->item[i].record);
	free(k->item);
	free(k->tag);
	history_ids_done(&k->ids);
	*k = (struct records_keys){.more = false};
}

/* --- whose each run is --------------------------------------------------- */

/* Those whose clock ran ahead are the last. */
static void
drop_ahead(struct records *r, struct history_ids *ids)
{
	int64_t most = wall_now_s() + HISTORY_RECORD_AHEAD_S, at_s;

	while (ids->count) {
		char *last = ids->item[ids->count - 1];

		if (!history_id_parse(last, &at_s) || at_s <= most)
			return;
		records_leave_out_ahead(r, last);
		free(last);
		ids->count--;
	}
}

struct old {
	struct records *r;
	struct records_keys *k;
};

/* An id of an earlier patrol, or of nobody: its text tells. */
static int
see_old(void *arg, const char *id, const char *text, size_t len,
	struct err *err)
{
	const struct old *o = arg;
	struct err bad = ERR_INIT;
	cJSON *record;

	(void)err; /* nothing here fails */
	if (history_record_parse(id, text, len, &record, &bad)) {
		records_leave_out(o->r, &bad);
		return 0;
	}
	for (size_t i = o->k->ids.count; i > 0; i--) {
		if (strcmp(o->k->ids.item[i - 1], id) != 0)
			continue;
		history_tag_of(record, &o->k->tag[i - 1]);
		break;
	}
	cJSON_Delete(record);
	return 0;
}

static int
read_tags(struct records *r, struct records_keys *k, struct deadline dl,
	  struct err *err)
{
	char *old[OLD_MAX];
	struct old o = {r, k};
	size_t n = 0;

	k->tag = mem_array(k->ids.count + 1, sizeof(*k->tag));
	for (size_t i = k->ids.count; i > 0; i--) {
		if (!history_tag_parse(k->ids.item[i - 1], &k->tag[i - 1]) &&
		    n < OLD_MAX)
			old[OLD_MAX - ++n] = k->ids.item[i - 1];
	}
	return history_read(r->history, old + OLD_MAX - n, n, see_old, &o, dl,
			    err);
}

/* --- the keys ------------------------------------------------------------ */

static struct records_key *
key_for(struct records_keys *k, const struct history_tag *tag, size_t last)
{
	struct records_key *x;

	for (size_t i = 0; i < k->count; i++) {
		x = &k->item[i];
		if (!history_tag_same(&x->tag, tag))
			continue;
		if (!history_tag_has_title(&x->tag))
			x->tag = *tag; /* perhaps it tells the title, too */
		return x;
	}
	MEM_GROW(k->item, k->count, k->room);
	x = &k->item[k->count++];
	*x = (struct records_key){.tag = *tag, .last = last, .wanted = true};
	return x;
}

static bool
has_title(const struct records_keys *k, const struct history_tag *tag)
{
	for (size_t i = 0; i < k->count; i++) {
		if (history_tag_same_title(&k->item[i].tag, tag))
			return true;
	}
	return false;
}

static int
by_last(const void *a, const void *b)
{
	const struct records_key *x = a, *y = b;

	return x->last > y->last ? -1 : x->last < y->last;
}

/* A title that has never been started is one without a key. */
static void
group(struct records_keys *k)
{
	for (size_t i = k->ids.count; i > 0; i--) {
		if (history_tag_is_known(&k->tag[i - 1]) &&
		    history_tag_has_key(&k->tag[i - 1]))
			key_for(k, &k->tag[i - 1], i - 1)->runs++;
	}
	for (size_t i = k->ids.count; i > 0; i--) {
		if (history_tag_is_known(&k->tag[i - 1]) &&
		    !has_title(k, &k->tag[i - 1]))
			(void)key_for(k, &k->tag[i - 1], i - 1); /* is there */
	}
	if (k->count)
		qsort(k->item, k->count, sizeof(*k->item), by_last);
}

int
records_keys_read(struct records *r, size_t most, struct records_keys *out,
		  struct deadline dl, struct err *err)
{
	*out = (struct records_keys){.more = false};
	if (history_list(r->history, most, &out->ids, dl, err))
		return -1;
	out->more = most && out->ids.count == most;
	drop_ahead(r, &out->ids);
	if (read_tags(r, out, dl, err)) {
		records_keys_done(out);
		return -1;
	}
	group(out);
	return 0;
}

/* --- what they are ------------------------------------------------------- */

static int
see_name(void *arg, const char *id, const char *text, size_t len,
	 struct err *err)
{
	struct records_keys *k = arg;
	struct err bad = ERR_INIT;
	struct history_tag tag;
	cJSON *record;

	(void)err; /* nothing here fails */
	if (history_record_parse(id, text, len, &record, &bad)) {
		err_clear(&bad); /* told where its runs are read */
		return 0;
	}
	cJSON_DeleteItemFromObjectCaseSensitive(record, "metrics");
	history_tag_of(record, &tag);
	for (size_t i = 0; i < k->count; i++) {
		if (!history_tag_same(&k->item[i].tag, &tag) ||
		    k->item[i].record)
			continue;
		k->item[i].record = record;
		return 0;
	}
	cJSON_Delete(record);
	return 0;
}

/* The newest but `nth` run of a key; NULL: there is none. */
static char *
nth_of(const struct records_keys *k, const struct records_key *x, size_t nth)
{
	for (size_t i = x->last + 1; i > 0; i--) {
		if (history_tag_is_known(&k->tag[i - 1]) &&
		    history_tag_same(&k->tag[i - 1], &x->tag) && nth-- == 0)
			return k->ids.item[i - 1];
	}
	return NULL;
}

int
records_keys_name(struct records *r, struct records_keys *k, struct deadline dl,
		  struct err *err)
{
	size_t most = k->count < NAMED_MAX ? k->count : NAMED_MAX;

	for (size_t nth = 0; nth < NAME_TRIES; nth++) {
		char *id[NAMED_MAX];
		size_t n = 0;

		for (size_t i = most; i > 0; i--) {
			id[n] = k->item[i - 1].record
					? NULL
					: nth_of(k, &k->item[i - 1], nth);
			n += id[n] != NULL;
		}
		if (history_read(r->history, id, n, see_name, k, dl, err))
			return -1;
	}
	return 0;
}

char *
records_keys_text(const cJSON *record)
{
	AUTO_FREE char *title =
		present_line_dup(json_str(record, "title", NULL), TITLE_UNITS);
	AUTO_FREE char *key = history_record_key_text(record);
	AUTO_FREE char *clean = present_line_dup(key, 0);

	if (!history_record_has_key(record))
		return mem_fmt("%s: never started", title ? title : "a game");
	return mem_fmt("%s%s%s", title ? title : "", title ? ": " : "", clean);
}

/* --- which are wanted ---------------------------------------------------- */

static bool
is(const char *want, const cJSON *record, const char *path)
{
	return strcasecmp(want, json_str(record, path, "")) == 0;
}

static bool
fits(const cJSON *record, const struct records_want *w)
{
	size_t digits = w->route ? strlen(w->route) : 0;
	const char *route = json_str(record, "key.plan", "");

	return (!w->title || is(w->title, record, "title")) &&
	       (!w->device || is(w->device, record, "key.model") ||
		is(w->device, record, "key.serial")) &&
	       (!w->os || is(w->os, record, "key.os")) &&
	       (!w->unity || is(w->unity, record, "key.unity")) &&
	       (!w->route || strcmp(route, w->route) == 0 ||
		(digits >= ROUTE_LEAST &&
		 strncasecmp(route, w->route, digits) == 0));
}

static int
none_wanted(const struct records *r, const struct records_keys *k,
	    struct err *err)
{
	AUTO_BUF struct buf all = BUF_INIT;

	for (size_t i = 0; i < k->count && i < TOLD_KEYS; i++) {
		AUTO_FREE char *text =
			k->item[i].record
				? records_keys_text(k->item[i].record)
				: mem_strdup("one that can't be read");

		buf_fmt(&all, "%s%s", i ? "; " : "", text);
	}
	if (k->count > TOLD_KEYS)
		buf_fmt(&all, "; and %zu more", k->count - TOLD_KEYS);
	err_set(err, ERR_NOTFOUND, "none of the runs in %s is so%s%s",
		history_url(r->history), all.len ? "; it has " : "",
		all.len ? all.data : "");
	return err_hint(err, "`patrol history list --keys` shows the values of "
			     "--title, --device, --os, --unity and --route");
}

bool
records_keys_wants(const struct records_want *w)
{
	return w->title || w->device || w->os || w->unity || w->route;
}

int
records_keys_narrow(struct records *r, struct records_keys *k,
		    const struct records_want *want, struct deadline dl,
		    struct err *err)
{
	size_t n = 0;

	if (!records_keys_wants(want))
		return 0;
	if (records_keys_name(r, k, dl, err))
		return -1;
	for (size_t i = 0; i < k->count; i++) {
		struct records_key *x = &k->item[i];

		x->wanted = x->record && fits(x->record, want);
		n += x->wanted;
	}
	k->want = *want;
	k->narrowed = true;
	return n ? 0 : none_wanted(r, k, err);
}

const struct records_key *
records_keys_of(const struct records_keys *k, size_t at)
{
	const struct history_tag *tag = &k->tag[at];

	if (!history_tag_is_known(tag))
		return NULL;
	/* A day without a phone is of the title's last one. */
	for (size_t i = at + 1; i > 0 && !history_tag_has_key(tag); i--) {
		if (history_tag_is_known(&k->tag[i - 1]) &&
		    history_tag_has_key(&k->tag[i - 1]) &&
		    history_tag_same_title(&k->tag[i - 1], &k->tag[at]))
			tag = &k->tag[i - 1];
	}
	for (size_t i = 0; i < k->count; i++) {
		if (history_tag_same(&k->item[i].tag, tag))
			return &k->item[i];
	}
	return NULL;
}

bool
records_keys_is_wanted(const struct records_keys *k, size_t at)
{
	const struct records_key *x = records_keys_of(k, at);
	const struct records_want *w = &k->want;
	bool only_title = !w->device && !w->os && !w->unity && !w->route;

	/* A day without a phone is of a title, and of nothing else. */
	return x && x->wanted &&
	       (only_title || history_tag_has_key(&k->tag[at]));
}
