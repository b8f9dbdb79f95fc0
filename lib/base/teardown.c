#include "base/teardown.h"

#include <stdbool.h>
#include <string.h>

void
teardown_init(struct teardown *td, const struct cancel *cancel)
{
	*td = (struct teardown){.cancel = cancel};
}

static bool
find(const struct teardown *td, const char *name, const void *arg, size_t *at)
{
	for (size_t i = td->count; i-- > 0;) {
		if (td->step[i].arg == arg &&
		    strcmp(td->step[i].name, name) == 0) {
			*at = i;
			return true;
		}
	}
	return false;
}

int
teardown_push(struct teardown *td, const char *name, teardown_fn fn, void *arg,
	      int64_t budget_ms, struct err *err)
{
	size_t at;

	if (find(td, name, arg, &at))
		return 0;
	if (td->count == TEARDOWN_MAX)
		return err_set(err, ERR_USAGE,
			       "'%s': more than %d things to undo", name,
			       TEARDOWN_MAX);
	if (budget_ms > TEARDOWN_TOTAL_MS - td->total_ms)
		return err_set(err, ERR_USAGE,
			       "'%s': %lld ms to undo it do not fit: %lld of "
			       "%d ms are taken",
			       name, (long long)budget_ms,
			       (long long)td->total_ms, TEARDOWN_TOTAL_MS);
	td->step[td->count++] = (struct teardown_step){
		.name = name,
		.fn = fn,
		.arg = arg,
		.budget_ms = budget_ms,
	};
	td->total_ms += budget_ms;
	return 0;
}

static struct teardown_step
take(struct teardown *td, size_t at)
{
	struct teardown_step step = td->step[at];

	td->count--;
	memmove(&td->step[at], &td->step[at + 1],
		(td->count - at) * sizeof(td->step[0]));
	td->total_ms -= step.budget_ms;
	return step;
}

int
teardown_now(struct teardown *td, const char *name, const void *arg,
	     struct err *err)
{
	struct teardown_step step;
	size_t at;

	if (!find(td, name, arg, &at))
		return 0;
	step = take(td, at);
	return step.fn(step.arg, deadline_grace(td->cancel, step.budget_ms),
		       err);
}

void
teardown_forget(struct teardown *td, const char *name, const void *arg)
{
	size_t at;

	if (find(td, name, arg, &at))
		(void)take(td, at); /* undone already */
}

size_t
teardown_run(struct teardown *td,
	     void (*report)(void *arg, const char *name, const struct err *err),
	     void *arg)
{
	size_t failed = 0;

	while (td->count > 0) {
		struct teardown_step step = take(td, td->count - 1);
		struct deadline dl = deadline_grace(td->cancel, step.budget_ms);
		struct err err = ERR_INIT;

		if (step.fn(step.arg, dl, &err))
			failed++;
		if (report)
			report(arg, step.name, &err);
	}
	return failed;
}
