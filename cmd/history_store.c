#include "cmd/history_store.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"

enum { RESULT_MAX = 64 << 20 };

int
history_store_open(struct history_store *s, const char *store,
		   const struct cancel *cancel, struct err *err)
{
	if (settings_load(&s->set, err))
		return -1;
	settings_override(&s->set, "PATROL_HISTORY", store, SETTINGS_OPTION);
	s->dl = deadline_in(cancel, s->set.budget.history_ms);
	if (records_open(&s->records, &s->set, err) == 0)
		return 0;
	settings_done(&s->set);
	return -1;
}

void
history_store_done(struct history_store *s)
{
	records_done(&s->records);
	settings_done(&s->set);
}

void
history_store_warn(const struct history_store *s)
{
	if (s->records.left_out)
		log_warn("%zu of the records can't be used, the first: %s",
			 s->records.left_out, s->records.why.msg);
}

int
history_store_keys(struct history_store *s, const struct records_want *want,
		   struct records_keys *out, struct err *err)
{
	if (records_keys_read(&s->records, RECORDS_KEYS_IDS, out, s->dl, err))
		return -1;
	if (records_keys_narrow(&s->records, out, want, s->dl, err) == 0)
		return 0;
	records_keys_done(out);
	return -1;
}

int
history_store_result(const char *path, cJSON **out, struct err *err)
{
	struct stat st;
	bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	AUTO_FREE char *file =
		folder ? file_join(path, "result.json") : mem_strdup(path);
	const char *end;

	if (json_read_file(file, RESULT_MAX, out, err))
		return err_hint(err, "name a run's output folder, or its "
				     "result.json");
	end = json_str(*out, "ended_at", NULL);
	if (end && strcmp(json_str(*out, "kind", ""), "run") == 0)
		return 0;
	cJSON_Delete(*out);
	*out = NULL;
	return err_set(err, ERR_INPUT,
		       "'%s' is no result.json of a run that has ended", file);
}
