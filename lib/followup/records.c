#include "followup/records.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wall.h"
#include "history/history_record.h"

static const struct secret *
given(const struct secret *s, const struct secret *otherwise)
{
	return s->value ? s : otherwise;
}

int
records_open(struct records *r, const struct settings *set, struct err *err)
{
	struct history_access access = {
		.state_dir = set->state_dir,
		.remote = set->history_remote,
		.git_token = given(&set->history_token, &set->github_token),
		.ssh_key = set->ssh_key,
		.ssh_passphrase = given(&set->ssh_passphrase, NULL),
		.ssh_known_hosts = set->ssh_known_hosts,
		.clickhouse_user = set->clickhouse_user,
		.clickhouse_password = given(&set->clickhouse_password, NULL),
	};

	*r = (struct records){.why = ERR_INIT};
	if (set->history == NULL) {
		err_set(err, ERR_USAGE, "no history is set");
		return err_hint(err, "give --history, or PATROL_HISTORY: "
				     "dir:PATH, git:BRANCH or clickhouse:URL");
	}
	return history_open(&r->history, set->history, &access, err);
}

void
records_done(struct records *r)
{
	history_close(r->history);
	compare_runs_done(&r->runs);
	*r = (struct records){.why = ERR_INIT};
}

/* --- reading ------------------------------------------------------------- */

void
records_leave_out(struct records *r, struct err *err)
{
	if (r->left_out++ == 0)
		r->why = *err;
	err_clear(err);
}

void
records_leave_out_ahead(struct records *r, const char *id)
{
	struct err bad = ERR_INIT;

	err_set(&bad, ERR_INPUT,
		"%s is of a day to come: the clock of its runner was wrong",
		id);
	records_leave_out(r, &bad);
}

static void
push(struct records *r, cJSON *record)
{
	struct compare_runs *runs = &r->runs;

	MEM_GROW(runs->record, runs->count, runs->room);
	runs->record[runs->count++] = record;
}

/* What is wrong with one record is told and ends nothing. */
static int
see(void *arg, const char *id, const char *text, size_t len, struct err *err)
{
	struct records *r = arg;
	cJSON *record;

	(void)err; /* nothing here fails */
	struct err bad = ERR_INIT;

	if (history_record_parse(id, text, len, &record, &bad)) {
		records_leave_out(r, &bad);
		return 0;
	}
	if (history_record_at(record) > wall_now_s() + HISTORY_RECORD_AHEAD_S) {
		records_leave_out_ahead(r, id);
		cJSON_Delete(record);
		return 0;
	}
	push(r, record);
	return 0;
}

int
records_read_ids(struct records *r, char *const *id, size_t count,
		 struct deadline dl, struct err *err)
{
	return history_read(r->history, id, count, see, r, dl, err);
}

int
records_read(struct records *r, size_t most, struct deadline dl,
	     struct err *err)
{
	struct history_ids ids;
	int rc;

	if (history_list(r->history, most, &ids, dl, err))
		return -1;
	rc = records_read_ids(r, ids.item, ids.count, dl, err);
	history_ids_done(&ids);
	return rc;
}

bool
records_is_broken(const char *id, const char *text, size_t len)
{
	struct err err = ERR_INIT;
	cJSON *record;

	if (history_record_parse(id, text, len, &record, &err))
		return !err_is(&err, "newer_schema");
	cJSON_Delete(record);
	return false;
}

void
records_put(struct records *r, cJSON *record, size_t *at)
{
	struct compare_runs *runs = &r->runs;
	size_t i;

	for (i = runs->count; i > 0; i--) {
		if (!history_record_same_run(runs->record[i - 1], record))
			continue;
		cJSON_Delete(record);
		*at = i - 1;
		return;
	}
	push(r, record);
	for (i = runs->count - 1; i > 0; i--) {
		if (history_record_at(runs->record[i - 1]) <=
		    history_record_at(record))
			break;
		runs->record[i] = runs->record[i - 1];
	}
	runs->record[i] = record;
	*at = i;
}

/* --- adding -------------------------------------------------------------- */

int
records_add_made(struct records *r, cJSON *const *record, size_t count,
		 size_t *added, struct deadline dl, struct err *err)
{
	struct history_entry *entry = mem_array(count, sizeof(*entry));
	int rc;

	for (size_t i = 0; i < count; i++)
		history_record_entry(record[i], &entry[i]);
	rc = history_add(r->history, entry, count, added, dl, err);
	for (size_t i = 0; i < count; i++)
		history_entry_done(&entry[i]);
	free(entry);
	return rc;
}

int
records_add(struct records *r, const cJSON *const *result, size_t count,
	    size_t *added, struct deadline dl, struct err *err)
{
	cJSON **record = mem_array(count, sizeof(*record));
	int rc;

	for (size_t i = 0; i < count; i++)
		record[i] = history_record_of(result[i]);
	rc = records_add_made(r, record, count, added, dl, err);
	for (size_t i = 0; i < count; i++)
		cJSON_Delete(record[i]);
	free(record);
	return rc;
}
