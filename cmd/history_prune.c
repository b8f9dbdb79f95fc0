#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/wall.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"
#include "cmd/stray.h"
#include "cmd/table.h"

enum { DAY_S = 24 * 3600, DAYS_MAX = 36500 };

struct options {
	const char *history;
	int64_t keep, older_than;
	bool broken, dry_run;
};

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{"keep", 0, OPT_COUNT, offsetof(struct options, keep), "N",
	 "Drop all but the newest N runs", NULL},
	{"older-than", 0, OPT_COUNT, offsetof(struct options, older_than),
	 "DAYS", "Drop what is older than so many days", NULL},
	{"broken", 0, OPT_FLAG, offsetof(struct options, broken), NULL,
	 "Drop records that can't be read, but not those of a newer patrol",
	 NULL},
	{"dry-run", 'n', OPT_FLAG, offsetof(struct options, dry_run), NULL,
	 "Say what would be dropped", NULL},
	{0},
};

/* Of an id that history_list() gave. */
static int64_t
time_of(const char *id)
{
	int64_t at_s = 0;

	(void)history_id_parse(id, &at_s); /* it has the form */
	return at_s;
}

static int
find_broken(void *arg, const char *id, const char *text, size_t len,
	    struct err *err)
{
	struct history_ids *ids = arg;

	(void)err; /* nothing here fails */
	if (records_is_broken(id, text, len))
		history_ids_push(ids, id);
	return 0;
}

/* Those to drop, of all. */
static int
choose(const struct options *o, struct history_store *s,
       struct history_ids *drop, struct err *err)
{
	int64_t oldest = wall_now_s() - o->older_than * DAY_S;
	struct history_ids all;
	int rc = 0;

	if (history_list(s->records.history, 0, &all, s->dl, err))
		return -1;
	for (size_t i = 0; i < all.count; i++) {
		bool many = o->keep && i + (size_t)o->keep < all.count;
		bool old = o->older_than && time_of(all.item[i]) < oldest;

		if (many || old)
			history_ids_push(drop, all.item[i]);
	}
	if (o->broken)
		rc = history_read(s->records.history, all.item, all.count,
				  find_broken, drop, s->dl, err);
	history_ids_done(&all);
	history_ids_settle(drop, 0);
	return rc;
}

static int
prune(const struct options *o, struct history_store *s, struct err *err)
{
	struct history_ids drop = {.item = NULL};
	int rc = choose(o, s, &drop, err);

	if (rc == 0 && !o->dry_run)
		rc = history_remove(s->records.history, drop.item, drop.count,
				    s->dl, err);
	if (rc == 0)
		printf("%s %zu run%s\n", o->dry_run ? "would drop" : "dropped",
		       drop.count, drop.count == 1 ? "" : "s");
	history_ids_done(&drop);
	return rc ? -1 : CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct history_store s;
	int rc;

	if (stray_word(&ctx->args, &history_prune_command, err))
		return -1;
	if (!o->keep && !o->older_than && !o->broken)
		return err_set(err, ERR_USAGE,
			       "history prune: what is to go? Give --keep, "
			       "--older-than or --broken");
	if (o->older_than > DAYS_MAX)
		return err_set(err, ERR_USAGE,
			       "--older-than %lld is more than %d days",
			       (long long)o->older_than, DAYS_MAX);
	if (history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = prune(o, &s, err);
	history_store_done(&s);
	return rc;
}

const struct command history_prune_command = {
	.name = "history prune",
	.summary = "Drop old runs from the history",
	.usage = "[OPTION]... (--keep N | --older-than DAYS | --broken)",
	.details = "What any of the options says goes: with --keep 100 and "
		   "--older-than 365 all but the newest 100 go, and of those "
		   "what is older than a year.\n\nComparisons look at the "
		   "newest 180 runs; the dashboard "
		   "draws all that are kept.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
