#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/wall.h"
#include "cmd/cmd.h"
#include "cmd/history_store.h"

enum { DAY_S = 24 * 3600, DAYS_MAX = 36500 };

struct options {
	const char *history, *keep, *older_than;
	bool all, broken, dry_run;
};

#define AT(field) offsetof(struct options, field)

static const struct opt options[] = {
	HISTORY_STORE_OPTION(struct options),
	{"keep", 0, OPT_STRING, AT(keep), "N",
	 "Of each title, phone and so on drop all but the newest N runs", NULL},
	{"older-than", 0, OPT_STRING, AT(older_than), "DAYS",
	 "Drop what is older than so many days", NULL},
	{"broken", 0, OPT_FLAG, AT(broken), NULL,
	 "Drop records that can't be read, but not those of a newer patrol",
	 NULL},
	{"all", 0, OPT_FLAG, AT(all), NULL, "Drop every run", NULL},
	{"dry-run", 'n', OPT_FLAG, AT(dry_run), NULL,
	 "Say what would be dropped", NULL},
	{0},
};

/* What the options say, in numbers; 0: not given. */
struct limits {
	int64_t keep, days;
};

/* Nobody means all who writes 0, or an empty variable in its place. */
static int
number_of(const char *option, const char *text, int64_t *n, struct err *err)
{
	if (text == NULL)
		return 0;
	if (opt_count(text, n, err))
		return err_wrap(err, "%s", option);
	if (*n > 0)
		return 0;
	err_set(err, ERR_USAGE, "%s 0 would drop every run", option);
	return err_hint(err, "give 1 or more, or --all if that is meant");
}

static int
check(const struct options *o, struct limits *l, struct err *err)
{
	*l = (struct limits){.keep = 0};
	if (!o->keep && !o->older_than && !o->broken && !o->all)
		return err_set(err, ERR_USAGE,
			       "history prune: what is to go? Give --keep, "
			       "--older-than, --broken or --all");
	if (o->all && (o->keep || o->older_than))
		return err_set(err, ERR_USAGE,
			       "--all drops every run: leave --keep and "
			       "--older-than away");
	if (number_of("--keep", o->keep, &l->keep, err) ||
	    number_of("--older-than", o->older_than, &l->days, err))
		return -1;
	if (l->days > DAYS_MAX)
		return err_set(err, ERR_USAGE,
			       "--older-than %lld is more than %d days",
			       (long long)l->days, DAYS_MAX);
	return 0;
}

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

/* All but the newest of each key; what tells no key is a group of its own. */
static int
drop_many(struct history_store *s, int64_t keep, struct history_ids *drop,
	  struct err *err)
{
	struct records_keys k;
	int64_t *kept;

	if (records_keys_read(&s->records, 0, &k, s->dl, err))
		return -1;
	kept = mem_array(k.count + 1, sizeof(*kept));
	for (size_t i = k.ids.count; i > 0; i--) {
		const struct records_key *x = records_keys_of(&k, i - 1);
		size_t group = x ? (size_t)(x - k.item) : k.count;

		if (kept[group]++ >= keep)
			history_ids_push(drop, k.ids.item[i - 1]);
	}
	free(kept);
	records_keys_done(&k);
	return 0;
}

/* Those to drop, of all. */
static int
choose(const struct options *o, const struct limits *l, struct history_store *s,
       struct history_ids *drop, struct err *err)
{
	int64_t oldest = wall_now_s() - l->days * DAY_S;
	struct history_ids all;
	int rc = 0;

	if (l->keep && drop_many(s, l->keep, drop, err))
		return -1;
	if (history_list(s->records.history, 0, &all, s->dl, err))
		return -1;
	for (size_t i = 0; i < all.count; i++) {
		if (o->all || (l->days && time_of(all.item[i]) < oldest))
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
prune(const struct options *o, const struct limits *l, struct history_store *s,
      struct err *err)
{
	struct history_ids drop = {.item = NULL};
	size_t files = 0;
	int rc = choose(o, l, s, &drop, err);

	if (rc == 0 && !o->dry_run)
		rc = history_remove(s->records.history, drop.item, drop.count,
				    s->dl, err);
	if (rc == 0 && !o->dry_run)
		rc = history_tidy(s->records.history, &files, s->dl, err);
	if (rc == 0)
		printf("%s %zu run%s\n", o->dry_run ? "would drop" : "dropped",
		       drop.count, drop.count == 1 ? "" : "s");
	if (files)
		printf("removed %zu half-written file%s of a writer that was "
		       "killed\n",
		       files, files == 1 ? "" : "s");
	history_ids_done(&drop);
	return rc ? -1 : CMD_OK;
}

static int
run(struct cmd_context *ctx, struct err *err)
{
	const struct options *o = ctx->options;
	struct history_store s;
	struct limits l;
	int rc;

	if (ctx->args.count)
		return err_set(err, ERR_USAGE, "'%s' is not expected",
			       ctx->args.item[0]);
	if (check(o, &l, err) ||
	    history_store_open(&s, o->history, ctx->cancel, err))
		return -1;
	rc = prune(o, &l, &s, err);
	history_store_done(&s);
	return rc;
}

const struct command history_prune_command = {
	.name = "history prune",
	.summary = "Drop old runs from the history",
	.usage =
		"[OPTION]... (--keep N | --older-than DAYS | --broken | --all)",
	.details = "What any of the options says goes: with --keep 100 and "
		   "--older-than 365 all but the newest 100 of each title, "
		   "phone and so on go, and of those what is older than a "
		   "year. Half a record that a killed writer left goes with "
		   "any of them, an hour later.\n\nComparisons look at the "
		   "newest 180 runs of a key; the dashboard draws 1,200 of "
		   "the one that ran last.",
	.options = options,
	.options_size = sizeof(struct options),
	.run = run,
};
