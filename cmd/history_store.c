#include "cmd/history_store.h"

#include "base/log.h"

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

int
history_store_read(struct history_store *s, size_t most, struct err *err)
{
	if (records_read(&s->records, most, s->dl, err))
		return -1;
	if (s->records.left_out)
		log_warn("%zu of the records can't be used, the first: %s",
			 s->records.left_out, s->records.why.msg);
	return 0;
}
