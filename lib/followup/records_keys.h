#ifndef RECORDS_KEYS_H
#define RECORDS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "followup/records.h"
#include "history/history_tag.h"

/*
 * Whose runs a store holds: several titles, phones and plans may share one.
 * What is chosen is chosen by ids (history_tag.h), so that of another key's
 * runs nothing is read but, where people see it, what the key is.
 */

/* The part of all runs that people want; each NULL: any. */
struct records_want {
	const char *title, *device, *os, *unity, *route;
};

bool records_keys_wants(const struct records_want *want); /* any of them */

struct records_key {
	struct history_tag tag;
	cJSON *record; /* one of its newest, after records_keys_name(); owned */
	size_t runs, last; /* `last`: its newest, as index of `ids` */
	bool wanted;
};

struct records_keys {
	struct history_ids ids;	  /* the oldest first */
	struct history_tag *tag;  /* of each */
	bool more;		  /* the store has older ones */
	struct records_key *item; /* the one that ran last is the first */
	size_t count, room;
	struct records_want want; /* of records_keys_narrow(); borrowed */
	bool narrowed;
};

/*
 * Ids that are looked at, 180 of each of 22 keys that run every day; and how
 * long ago a key has run lately.
 */
enum { RECORDS_KEYS_IDS = 4000, RECORDS_KEYS_LATELY_S = 30 * 24 * 3600 };

/*
 * The keys of the newest `most` runs, which is RECORDS_KEYS_IDS; 0: of all.
 * Damaged records and those of another time are told in r->left_out where one
 * looks at them.
 */
int records_keys_read(struct records *r, size_t most, struct records_keys *out,
		      struct deadline dl, struct err *err);
void records_keys_done(struct records_keys *k);

/* Read what each of the keys is: item[].record. */
int records_keys_name(struct records *r, struct records_keys *k,
		      struct deadline dl, struct err *err);
/*
 * Keep to those that are wanted, by their names.  ERR_NOTFOUND: none is, and
 * which there are.
 */
int records_keys_narrow(struct records *r, struct records_keys *k,
			const struct records_want *want, struct deadline dl,
			struct err *err);
/* "Starfall daily: Pixel 6 (1A2B), OS 14, ..."; free() it. */
char *records_keys_text(const cJSON *record);

/* The key of run `at`; of a day without one its title's last. */
const struct records_key *records_keys_of(const struct records_keys *k,
					  size_t at);
/* How many of the ids, from the first on, are not later than `at_s`. */
size_t records_keys_until(const struct records_keys *k, int64_t at_s);
/* Is run `at` one of a key that is wanted? */
bool records_keys_is_wanted(const struct records_keys *k, size_t at);

/*
 * The run that `name` means, of those that are wanted the newest: its id, its
 * build's run, its date, or seven digits or more of its commit.  *at is an
 * index of k->ids, which has all there are when it was not among the newest.
 * ERR_NOTFOUND, with the cure.
 */
int records_keys_find(struct records *r, struct records_keys *k,
		      const char *name, size_t *at, struct deadline dl,
		      struct err *err);

/*
 * Into r->runs the runs of `key` up to run `last`, the newest `most`, and where
 * there are fewer the title's runs before its first one.
 */
int records_keys_series(struct records *r, const struct records_keys *k,
			const struct history_tag *key, size_t last, size_t most,
			struct deadline dl, struct err *err);
/* Into r->runs those that are wanted, up to now, the newest `most` (0: all). */
int records_keys_wanted(struct records *r, const struct records_keys *k,
			size_t most, struct deadline dl, struct err *err);

/*
 * Into r->runs `record`, which need not be in the store, and its key's runs
 * before it; *at is its place.  It is taken over in any case.
 */
int records_keys_before(struct records *r, cJSON *record, size_t *at,
			struct deadline dl, struct err *err);
/* For a run that has no phone yet: of a title the keys that ran last. */
int records_keys_title(struct records *r, const char *title, struct deadline dl,
		       struct err *err);

#endif
