#ifndef LEASE_JOURNAL_H
#define LEASE_JOURNAL_H

#include <stdbool.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/json.h"

/*
 * What a run has taken outside its process, on disk before it is taken, so
 * that `patrol reap` and the next run can give it back after SIGKILL.
 *
 * One file a run in the state folder, STATE/run-PID-RANDOM.ndjson, locked
 * while the run lives.  Its first line names the run, then one line for each
 * thing: {"take":"stf","id":...,"detail":URL}, {"have":"stf","id":...,
 * "since":...} when it was had, and {"gave":"stf",...}.  Each line is flushed before the call returns.
 */
struct lease_journal {
	int fd; /* -1: none */
	char *path;
};

#define LEASE_JOURNAL_NONE \
	{                  \
		.fd = -1   \
	}

/* Opens and locks a new file; `out_dir` is where its result belongs. */
int lease_journal_open(struct lease_journal *j, const char *state_dir,
		       const char *out_dir, struct err *err);
/* Before it is taken; `what` is one of those that reap.c knows. */
int lease_journal_take(struct lease_journal *j, const char *what,
		       const char *id, const char *detail, struct err *err);
/* It was had; `since` tells it from a later one of the same id. */
int lease_journal_have(struct lease_journal *j, const char *what,
		       const char *id, const char *since, struct err *err);
/* `id` NULL: all of this kind. */
int lease_journal_gave(struct lease_journal *j, const char *what,
		       const char *id, struct err *err);
/* Removes the file when all was given back, else leaves it for reap. */
void lease_journal_close(struct lease_journal *j);

/* One thing that a dead run still holds. */
struct lease_journal_item {
	char *what, *id, *detail;
	char *since;	/* NULL: not known */
	int64_t age_ms; /* of the journal's last line */
};

struct lease_journal_dead {
	char *path; /* of the journal */
	char *out_dir;
	struct lease_journal_item *item;
	size_t count, room;
	int lock; /* held by us until done */
};

struct lease_journal_list {
	struct lease_journal_dead *dead;
	size_t count, room;
	size_t alive; /* journals of runs that still live */
	/* What those hold and where they write; not locked by us. */
	struct lease_journal_dead *live;
	size_t live_count, live_room;
	size_t unread;	/* dead ones that could not be read */
	struct err why; /* of the first of them */
};

/*
 * Journals of dead runs; theirs are locked by us.  No folder: none.  Files of
 * another user are not ours to believe, and one that can't be read does not
 * hide the others.
 */
int lease_journal_find(const char *state_dir, struct lease_journal_list *list,
		       struct err *err);
/* All of it was given back: the file can go. */
int lease_journal_settle(struct lease_journal_dead *d, struct err *err);
/* Does a run that lives hold this, or write into this folder? */
bool lease_journal_live_holds(const struct lease_journal_list *list,
			      const char *what, const char *id);
bool lease_journal_live_writes(const struct lease_journal_list *list,
			       const char *out_dir);
void lease_journal_list_done(struct lease_journal_list *list);

#endif
