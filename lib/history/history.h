#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"
#include "base/secret.h"

/*
 * The records of earlier runs (history_record.h), in a store:
 *
 *	dir:PATH		files of a folder
 *	git:BRANCH		files of a branch that has nothing else
 *	clickhouse:URL		a table, for many machines
 *
 * A record has an id, "20261130T104600Z-4242-1f9a04c2.5b1ec07d19aa": when its
 * run ended, its build's run, eight digits of its own digest, and whose runs it
 * belongs to (history_tag.h).  Ids sort as their runs did, and a record that is
 * there already is the same.  Nobody's record is ever
 * overwritten: any number of runners may add at once.
 */
struct history_entry {
	char *id;
	char *text; /* JSON, HISTORY_RECORD_MAX at most; no newline in it */
	size_t len;
};

void history_entry_done(struct history_entry *e);

/* Owned; by id, the oldest first. */
struct history_ids {
	char **item;
	size_t count, room;
};

enum {
	HISTORY_RECORD_MAX = 4 << 20,
	HISTORY_IDS_MAX = 200000,
	HISTORY_ID_MAX = 80,
};

/* What a store needs from outside; borrowed while the store is open. */
struct history_access {
	const char *state_dir; /* for what is kept between two calls */
	const char *remote;    /* git: URL; NULL: origin of the checkout here */
	const struct secret *git_token; /* over https; may be NULL */
	const char *ssh_key;		/* path or PEM; NULL: the agent */
	const struct secret *ssh_passphrase;
	const char *ssh_known_hosts; /* path or lines; NULL: as ssh does */
	const char *clickhouse_user;
	const struct secret *clickhouse_password;
};

/*
 * Sees the record `id`; `text` is not terminated and gone afterwards.  What is
 * longer than HISTORY_RECORD_MAX, and so no record, may be cut behind that.
 * Another answer than 0 ends the reading, with `err`.
 */
typedef int history_see(void *arg, const char *id, const char *text, size_t len,
			struct err *err);

struct history;

/* ERR_USAGE, reason bad_setting: `url` names no store. */
int history_check(const char *url, struct err *err);

/*
 * Nothing of the store is asked for before it is needed, but `url` is checked.
 * A store that does not exist yet is empty, and the first add makes it.
 */
int history_open(struct history **out, const char *url,
		 const struct history_access *access, struct err *err);
void history_close(struct history *h);
const char *history_url(const struct history *h); /* without a password */

/*
 * The ids in the store, of the newest `most` (0: all).  What has no id's form
 * is not ours and not looked at.
 */
int history_list(struct history *h, size_t most, struct history_ids *out,
		 struct deadline dl, struct err *err);
void history_ids_done(struct history_ids *ids);

/*
 * Each of ids[0..count) that is there, in this order; those that have gone in
 * between are left out.
 */
int history_read(struct history *h, char *const *id, size_t count,
		 history_see *see, void *arg, struct deadline dl,
		 struct err *err);

/* All or none of them, in one step where the store can; `added`: new ones. */
int history_add(struct history *h, const struct history_entry *e, size_t count,
		size_t *added, struct deadline dl, struct err *err);

/* What is not there is no error. */
int history_remove(struct history *h, char *const *id, size_t count,
		   struct deadline dl, struct err *err);

/*
 * Remove what writers left that were killed in the middle of a record: *files.
 * What may be another's who writes just now stays.
 */
int history_tidy(struct history *h, size_t *files, struct deadline dl,
		 struct err *err);

/* Has `id` the form of one?  Its time goes to *at_s. */
bool history_id_parse(const char *id, int64_t *at_s);
/* "2026-11/ID.json": its file in a folder or a branch; free() it. */
char *history_id_path(const char *id);
void history_ids_push(struct history_ids *ids, const char *id); /* copies */
/* Sorted, doubles dropped, the newest `most` kept (0: all). */
void history_ids_settle(struct history_ids *ids, size_t most);

#endif
