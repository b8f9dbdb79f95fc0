#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "followup/records_keys.h"
#include "history/history_record.h"

/* Which runs of the keys are read. */
enum {
	SEARCHED = 100, /* records that are read at once to find a commit */
	COMMIT_LEAST = 7,
	TITLE_KEYS = 4,
};

/* --- by name ------------------------------------------------------------- */

struct search {
	const char *name;
	struct history_ids *ids;
	size_t from, at; /* `at` SIZE_MAX: not found */
	struct err broken;
};

static int
see_candidate(void *arg, const char *id, const char *text, size_t len,
	      struct err *err)
{
	struct search *s = arg;
	cJSON *record;

	(void)err; /* nothing here fails */
	if (history_record_parse(id, text, len, &record, &s->broken))
		return 0;
	for (size_t i = s->from; history_record_is(record, s->name); i++) {
		if (strcmp(s->ids->item[i], id) != 0)
			continue;
		s->at = i;
		break;
	}
	cJSON_Delete(record);
	return 0;
}

/* Ids tell all but a commit. */
static int
find_by_id(struct records *r, const struct records_keys *k, struct search *s,
	   struct deadline dl, struct err *err)
{
	for (size_t i = k->ids.count; i > 0 && s->at == SIZE_MAX; i--) {
		if (!history_record_id_is(k->ids.item[i - 1], s->name) ||
		    (k->narrowed && !records_keys_is_wanted(k, i - 1)))
			continue;
		s->from = i - 1;
		if (history_read(r->history, &k->ids.item[i - 1], 1,
				 see_candidate, s, dl, err))
			return -1;
	}
	return 0;
}

static int
find_by_commit(struct records *r, const struct records_keys *k,
	       struct search *s, struct deadline dl, struct err *err)
{
	size_t len = strlen(s->name);
	size_t end = k->ids.count;

	if (len < COMMIT_LEAST ||
	    strspn(s->name, "0123456789abcdefABCDEF") != len)
		return 0;
	while (end > 0 && s->at == SIZE_MAX) {
		char *id[SEARCHED];
		size_t n = 0;

		s->from = end > SEARCHED ? end - SEARCHED : 0;
		for (size_t i = s->from; i < end; i++) {
			if (!k->narrowed || records_keys_is_wanted(k, i))
				id[n++] = k->ids.item[i];
		}
		if (history_read(r->history, id, n, see_candidate, s, dl, err))
			return -1;
		end = s->from;
	}
	return 0;
}

static int
not_found(const struct records *r, const struct records_keys *k,
	  const struct search *s, struct err *err)
{
	if (s->broken.code != ERR_NONE) {
		*err = s->broken;
		return err_wrap(err, "run '%s' can't be used", s->name);
	}
	err_set(err, ERR_NOTFOUND, "no run '%s'%s in %s", s->name,
		k->narrowed ? " of those that were asked for" : "",
		history_url(r->history));
	return err_hint(err, "`patrol history list --all` shows them");
}

int
records_keys_find(struct records *r, struct records_keys *k, const char *name,
		  size_t *at, struct deadline dl, struct err *err)
{
	struct search s = {.name = name, .at = SIZE_MAX, .broken = ERR_INIT};

	for (;;) {
		struct records_want want = k->want;

		s.ids = &k->ids;
		err_clear(&s.broken);
		if (find_by_id(r, k, &s, dl, err) ||
		    (s.at == SIZE_MAX && find_by_commit(r, k, &s, dl, err)))
			return -1;
		if (s.at != SIZE_MAX) {
			*at = s.at;
			return 0;
		}
		if (!k->more)
			return not_found(r, k, &s, err);
		records_keys_done(k);
		if (records_keys_read(r, 0, k, dl, err) ||
		    records_keys_narrow(r, k, &want, dl, err))
			return -1;
	}
}

/* --- those of a key ------------------------------------------------------ */

static int
read_marked(struct records *r, const struct records_keys *k, const bool *marked,
	    struct deadline dl, struct err *err)
{
	char **id = mem_array(k->ids.count + 1, sizeof(*id));
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < k->ids.count; i++) {
		if (marked[i])
			id[n++] = k->ids.item[i];
	}
	rc = records_read_ids(r, id, n, dl, err);
	free(id);
	return rc;
}

/* Are there as many of its own as are wanted? */
static bool
mark_series(const struct records_keys *k, const struct history_tag *key,
	    size_t end, size_t most, bool *marked)
{
	size_t count = 0, first = end;

	for (size_t i = end; i > 0 && count < most; i--) {
		const struct history_tag *t = &k->tag[i - 1];

		if (!history_tag_is_known(t) ||
		    !history_tag_same_title(t, key) ||
		    (history_tag_has_key(t) && !history_tag_same(t, key)))
			continue;
		marked[i - 1] = true;
		first = i - 1;
		count++;
	}
	if (count == most)
		return true;
	for (size_t i = first; i > 0 && count < most; i--) {
		const struct history_tag *t = &k->tag[i - 1];

		if (!history_tag_is_known(t) || !history_tag_same_title(t, key))
			continue;
		marked[i - 1] = true;
		count++;
	}
	return false;
}

int
records_keys_series(struct records *r, const struct records_keys *k,
		    const struct history_tag *key, size_t last, size_t most,
		    struct deadline dl, struct err *err)
{
	AUTO_FREE bool *marked = mem_array(k->ids.count + 1, sizeof(*marked));
	size_t end = last < k->ids.count ? last + 1 : k->ids.count;

	r->runs.cut = mark_series(k, key, end, most, marked);
	return read_marked(r, k, marked, dl, err);
}

int
records_keys_wanted(struct records *r, const struct records_keys *k,
		    size_t most, struct deadline dl, struct err *err)
{
	AUTO_FREE bool *marked = mem_array(k->ids.count + 1, sizeof(*marked));
	size_t n = 0;

	for (size_t i = k->ids.count; i > 0 && (most == 0 || n < most); i--) {
		marked[i - 1] = records_keys_is_wanted(k, i - 1);
		n += marked[i - 1];
	}
	return read_marked(r, k, marked, dl, err);
}

size_t
records_keys_until(const struct records_keys *k, int64_t at_s)
{
	size_t n = k->ids.count;
	int64_t then;

	while (n > 0 && history_id_parse(k->ids.item[n - 1], &then) &&
	       then > at_s)
		n--;
	return n;
}

int
records_keys_before(struct records *r, cJSON *record, size_t *at,
		    struct deadline dl, struct err *err)
{
	const struct records_key *x = NULL;
	struct records_keys k;
	struct history_tag tag;
	size_t end;
	int rc;

	if (records_keys_read(r, RECORDS_KEYS_IDS, &k, dl, err)) {
		cJSON_Delete(record);
		return -1;
	}
	history_tag_of(record, &tag);
	end = records_keys_until(&k, history_record_at(record));
	for (size_t i = end; i > 0 && !x && !history_tag_has_key(&tag); i--) {
		if (history_tag_is_known(&k.tag[i - 1]) &&
		    history_tag_same_title(&k.tag[i - 1], &tag))
			x = records_keys_of(&k, i - 1);
	}
	rc = end ? records_keys_series(r, &k, x ? &x->tag : &tag, end - 1,
				       COMPARE_RUNS_MAX, dl, err)
		 : 0;
	records_keys_done(&k);
	if (rc)
		cJSON_Delete(record);
	else
		records_put(r, record, at);
	return rc;
}

int
records_keys_title(struct records *r, const char *title, struct deadline dl,
		   struct err *err)
{
	AUTO_FREE bool *marked = NULL;
	struct history_tag tag;
	struct records_keys k;
	size_t n = 0;
	int rc;

	if (records_keys_read(r, RECORDS_KEYS_IDS, &k, dl, err))
		return -1;
	history_tag_of_title(title, &tag);
	marked = mem_array(k.ids.count + 1, sizeof(*marked));
	for (size_t i = 0; i < k.count && n < TITLE_KEYS; i++) {
		const struct records_key *x = &k.item[i];

		if (!history_tag_same_title(&x->tag, &tag))
			continue;
		n++;
		r->runs.cut |= mark_series(&k, &x->tag, k.ids.count,
					   COMPARE_RUNS_MAX, marked);
	}
	rc = read_marked(r, &k, marked, dl, err);
	records_keys_done(&k);
	return rc;
}
