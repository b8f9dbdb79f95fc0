#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "history/clickhouse.h"
#include "history/clickhouse_metrics.h"
#include "history/history_backend.h"

/*
 * clickhouse:URL.  A record is a row of patrol_records, and its values are rows
 * of patrol_metrics for people's own queries: nothing here reads them.
 *
 * Values are inserted first: a record that is there has all of them.  To do
 * that again puts the same rows in again, which the engine drops when it
 * merges; until then one asks with FINAL.  No partitions: a month of runs is
 * tiny, and an INSERT may touch 100 at most.
 */
#define RECORDS "patrol_records"
#define METRICS "patrol_metrics"

enum {
	BATCH = 2000, /* ids in a statement, which has 256 KiB at most */
	BATCH_BYTES = 1 << 20, /* of records in one, or a single larger one */
	RECORDS_MAX = 8 * HISTORY_RECORD_MAX, /* each byte escaped */
	METRICS_MAX = 256 << 20,
	TRIES = 3,
	TRY_AGAIN_MS = 500,
	LOOK_AGAIN_MS = 100,
};

/* 2105-12-31, near the end of DateTime. */
#define AT_MAX INT64_C(4291660800)

static int
check(const char *rest, struct err *err)
{
	return clickhouse_check(rest, err);
}

static void *
open_store(const char *rest, const struct history_access *access)
{
	struct clickhouse *c = mem_alloc(sizeof(*c));

	clickhouse_init(c, rest, access->clickhouse_user,
			access->clickhouse_password);
	return c;
}

static void
close_store(void *self)
{
	clickhouse_done(self);
	free(self);
}

/* A store that is not there yet is empty. */
static int
none_if_missing(const struct clickhouse *c, struct err *err)
{
	if (!clickhouse_missing(c))
		return -1;
	err_clear(err);
	return 0;
}

/* "SELECT DISTINCT id, '' AS text FROM `DATABASE`.TABLE" */
static void
select_ids(struct buf *sql, const struct clickhouse *c, const char *table)
{
	buf_fmt(sql, "SELECT DISTINCT id, '' AS text FROM `%s`.%s", c->database,
		table);
}

/* " WHERE id IN ('...', ...)": their form has been checked. */
static void
where_in(struct buf *sql, const struct history_ids *ids)
{
	for (size_t i = 0; i < ids->count; i++)
		buf_fmt(sql, "%s'%s'", i ? "," : " WHERE id IN (",
			ids->item[i]);
	buf_chr(sql, ')');
}

/* --- list ---------------------------------------------------------------- */

static int
see_id(void *arg, const char *id, const char *text, size_t len, struct err *err)
{
	struct history_ids *out = arg;
	int64_t at_s;

	(void)text;
	(void)len;
	if (out->count >= HISTORY_IDS_MAX) {
		err_set(err, ERR_INPUT, "it has more than %d records",
			HISTORY_IDS_MAX);
		return err_hint(err, "`patrol history prune` makes it smaller");
	}
	if (history_id_parse(id, &at_s))
		history_ids_push(out, id);
	return 0;
}

static int
list(void *self, size_t most, struct history_ids *out, struct deadline dl,
     struct err *err)
{
	struct clickhouse *c = self;
	AUTO_BUF struct buf sql = BUF_INIT;

	select_ids(&sql, c, RECORDS);
	/* The form of ours: others' rows do not count as newest. */
	buf_fmt(&sql,
		" WHERE match(id, '^[0-9]{8}T[0-9]{6}Z-[0-9A-Za-z._-]+$')"
		" ORDER BY id DESC LIMIT %zu",
		most ? most : (size_t)HISTORY_IDS_MAX + 1);
	if (clickhouse_select(c, sql.data, see_id, out, dl, err))
		return none_if_missing(c, err);
	return 0;
}

/* --- read ---------------------------------------------------------------- */

/* Of a range of ids, those that are asked for; each once. */
struct reading {
	char *const *id;
	size_t count, next;
	history_see *see;
	void *arg;
};

static int
see_record(void *arg, const char *id, const char *text, size_t len,
	   struct err *err)
{
	struct reading *r = arg;

	while (r->next < r->count && strcmp(r->id[r->next], id) < 0)
		r->next++;
	if (r->next >= r->count || strcmp(r->id[r->next], id) != 0)
		return 0;
	r->next++;
	return r->see(r->arg, id, text, len, err);
}

/* How many of them ascend, from the first on. */
static size_t
ascending(char *const *id, size_t count)
{
	size_t n = 1;

	while (n < count && strcmp(id[n - 1], id[n]) < 0)
		n++;
	return n;
}

/*
 * One query for each run of ascending ids: a caller who wants what list() gave
 * has one.  By its ends, since a list of all ids may be too long for a query.
 */
static int
read_records(void *self, char *const *id, size_t count, history_see *see,
	     void *arg, struct deadline dl, struct err *err)
{
	struct clickhouse *c = self;
	struct reading r = {.see = see, .arg = arg};

	for (; count; id += r.count, count -= r.count) {
		AUTO_BUF struct buf sql = BUF_INIT;

		r.id = id;
		r.count = ascending(id, count);
		r.next = 0;
		buf_fmt(&sql,
			"SELECT id, record AS text FROM `%s`." RECORDS
			" WHERE id >= '%s' AND id <= '%s'",
			c->database, id[0], id[r.count - 1]);
		if (clickhouse_select(c, sql.data, see_record, &r, dl, err))
			return none_if_missing(c, err);
	}
	return 0;
}

/* --- add ----------------------------------------------------------------- */

static int
create_table(struct clickhouse *c, const char *table, const char *columns,
	     const char *order, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf sql = BUF_INIT;

	buf_fmt(&sql,
		"CREATE TABLE IF NOT EXISTS `%s`.%s (%s) "
		"ENGINE = ReplacingMergeTree ORDER BY %s",
		c->database, table, columns, order);
	return clickhouse_do(c, &sql, dl, err);
}

static int
create_database(struct clickhouse *c, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf sql = BUF_INIT;

	buf_fmt(&sql, "CREATE DATABASE IF NOT EXISTS `%s`", c->database);
	return clickhouse_do(c, &sql, dl, err);
}

/*
 * The records' last: where they are the other is.  The server reads a granule
 * at least, which usually has 8192 rows.
 */
static int
create_tables(struct clickhouse *c, struct deadline dl, struct err *err)
{
	if (create_table(c, METRICS, CLICKHOUSE_METRICS_COLUMNS,
			 "(metric, subject, id)", dl, err))
		return -1;
	return create_table(c, RECORDS,
			    "id String, at DateTime('UTC'), record String",
			    "id SETTINGS index_granularity = 16", dl, err);
}

/* Only what is missing: not everybody may create databases. */
static int
create(struct clickhouse *c, struct deadline dl, struct err *err)
{
	int rc = create_tables(c, dl, err);

	if (rc && c->exception == CLICKHOUSE_NO_DATABASE) {
		err_clear(err);
		rc = create_database(c, dl, err);
		if (rc == 0)
			rc = create_tables(c, dl, err);
	}
	return rc ? err_wrap(err, "make its tables") : 0;
}

/* Which of `e` are there already. */
static int
find_old(struct clickhouse *c, const struct history_entry *e, size_t count,
	 struct history_ids *old, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf sql = BUF_INIT;
	struct history_ids all = {.item = NULL};

	for (size_t i = 0; i < count; i++)
		history_ids_push(&all, e[i].id);
	select_ids(&sql, c, RECORDS);
	where_in(&sql, &all);
	history_ids_done(&all);
	return clickhouse_select(c, sql.data, see_id, old, dl, err);
}

static bool
has(const struct history_ids *ids, const char *id)
{
	for (size_t i = 0; i < ids->count; i++) {
		if (strcmp(ids->item[i], id) == 0)
			return true;
	}
	return false;
}

static void
add_row(struct buf *records, struct buf *metrics, const struct history_entry *e)
{
	AUTO_FREE char *text = mem_strndup(e->text, e->len);
	int64_t at_s = 0;

	(void)history_id_parse(e->id, &at_s); /* its form is right */
	at_s = at_s < 1 ? 1 : at_s > AT_MAX ? AT_MAX : at_s;
	buf_fmt(records, "{\"id\":\"%s\",\"at\":%lld,\"record\":", e->id,
		(long long)at_s);
	json_quote(records, text);
	buf_str(records, "}\n");
	clickhouse_metrics(metrics, e, at_s);
}

static void
begin_insert(struct buf *b, const struct clickhouse *c, const char *table)
{
	buf_fmt(b, "INSERT INTO `%s`.%s FORMAT JSONEachRow\n", c->database,
		table);
}

/*
 * Those of a batch that are not there, in a statement for each table; *fresh:
 * their number, unless an earlier try has set it.
 */
static int
add_new(struct clickhouse *c, const struct history_entry *e, size_t count,
	size_t *fresh, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf records = BUF_INIT_MAX(RECORDS_MAX);
	AUTO_BUF struct buf metrics = BUF_INIT_MAX(METRICS_MAX);
	struct history_ids seen = {.item = NULL};
	size_t before, new, no_metrics;
	int rc = find_old(c, e, count, &seen, dl, err);

	before = seen.count;
	begin_insert(&records, c, RECORDS);
	begin_insert(&metrics, c, METRICS);
	no_metrics = metrics.len;
	for (size_t i = 0; rc == 0 && i < count; i++) {
		if (has(&seen, e[i].id))
			continue;
		history_ids_push(&seen, e[i].id);
		add_row(&records, &metrics, &e[i]);
	}
	new = seen.count - before;
	history_ids_done(&seen);
	if (rc == 0 && *fresh == SIZE_MAX)
		*fresh = new;
	if (rc || new == 0)
		return rc;
	if (buf_check(&records, "what is to be inserted", err) ||
	    buf_check(&metrics, "what is to be inserted", err) ||
	    (metrics.len > no_metrics && clickhouse_do(c, &metrics, dl, err)))
		return -1;
	return clickhouse_do(c, &records, dl, err);
}

/* Does it help to do the same again?  Nothing is added twice. */
static bool
may_pass(const struct clickhouse *c, const struct err *err)
{
	return err->code == ERR_IO && c->exception == 0;
}

static int
add_batch(struct clickhouse *c, const struct history_entry *e, size_t count,
	  size_t *added, struct deadline dl, struct err *err)
{
	size_t fresh = SIZE_MAX;
	bool created = false;

	for (int tries = 1;; tries++) {
		if (add_new(c, e, count, &fresh, dl, err) == 0) {
			*added += fresh;
			return 0;
		}
		if (clickhouse_missing(c) && !created) {
			err_clear(err);
			if (create(c, dl, err))
				return -1;
			created = true;
			continue;
		}
		if (!may_pass(c, err) || tries >= TRIES)
			return -1;
		err_clear(err);
		if (deadline_pause(dl, TRY_AGAIN_MS, err))
			return -1;
	}
}

/* So many of them go into one statement. */
static size_t
batch_of(const struct history_entry *e, size_t count)
{
	size_t n = 0, bytes = 0;

	while (n < count && n < BATCH) {
		bytes += e[n].len;
		if (n && bytes > BATCH_BYTES)
			break;
		n++;
	}
	return n;
}

static int
add(void *self, const struct history_entry *e, size_t count, size_t *added,
    struct deadline dl, struct err *err)
{
	while (count) {
		size_t n = batch_of(e, count);

		if (add_batch(self, e, n, added, dl, err))
			return -1;
		e += n;
		count -= n;
	}
	return 0;
}

/* --- remove -------------------------------------------------------------- */

/* How many of `ids` a table has. */
static int
count_in(struct clickhouse *c, const char *table, const struct history_ids *ids,
	 size_t *count, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf sql = BUF_INIT;
	struct history_ids there = {.item = NULL};
	int rc;

	select_ids(&sql, c, table);
	where_in(&sql, ids);
	rc = clickhouse_select(c, sql.data, see_id, &there, dl, err);
	*count = there.count;
	history_ids_done(&there);
	return rc ? none_if_missing(c, err) : 0;
}

static int
start_removal(struct clickhouse *c, const char *table,
	      const struct history_ids *ids, struct deadline dl,
	      struct err *err)
{
	AUTO_BUF struct buf sql = BUF_INIT;

	buf_fmt(&sql, "ALTER TABLE `%s`.%s DELETE", c->database, table);
	where_in(&sql, ids);
	if (clickhouse_do(c, &sql, dl, err) == 0)
		return 0;
	if (c->exception == CLICKHOUSE_SYNTAX)
		(void)err_hint(err, "a server older than 18.12 deletes no "
				    "rows");
	return -1;
}

/* The server deletes later, in a mutation, and a server of 2018 tells nobody. */
static int
remove_from(struct clickhouse *c, const char *table,
	    const struct history_ids *ids, struct deadline dl, struct err *err)
{
	size_t left;

	if (count_in(c, table, ids, &left, dl, err))
		return -1;
	if (left && start_removal(c, table, ids, dl, err))
		return -1;
	while (left) {
		if (deadline_pause(dl, LOOK_AGAIN_MS, err))
			return err_wrap(err,
					"the server has yet to remove %zu "
					"records, see its system.mutations",
					left);
		if (count_in(c, table, ids, &left, dl, err))
			return -1;
	}
	return 0;
}

/* The values first: what is cut in between is done again. */
static int
remove_records(void *self, char *const *id, size_t count, struct deadline dl,
	       struct err *err)
{
	while (count) {
		size_t n = count < BATCH ? count : BATCH;
		struct history_ids ids = {.item = NULL};
		int rc;

		for (size_t i = 0; i < n; i++)
			history_ids_push(&ids, id[i]);
		rc = remove_from(self, METRICS, &ids, dl, err);
		if (rc == 0)
			rc = remove_from(self, RECORDS, &ids, dl, err);
		history_ids_done(&ids);
		if (rc)
			return -1;
		id += n;
		count -= n;
	}
	return 0;
}

const struct history_backend history_clickhouse_backend = {
	.scheme = "clickhouse",
	.check = check,
	.open = open_store,
	.close = close_store,
	.list = list,
	.read = read_records,
	.add = add,
	.remove = remove_records,
};
