#include "run/run_holder.h"

#include "base/mem.h"
#include "base/wall.h"
#include "farm/phone_lock.h"
#include "stf/stf_choose.h"

void
run_holder_device(struct run *r, const struct stf_device *d)
{
	cJSON *o = result_object(&r->res, "device");

	json_set_str(o, "serial", d->serial);
	json_set_str(o, "model", d->model);
	json_set_str(o, "os", d->version);
	json_set_str(o, "abi", d->abi);
	json_set_str(o, "farm", r->set->stf_url);
}

/* The account is ours, so the farm cannot tell which of its runs has it. */
static void
say_local_holder(struct run *r, const char *serial, struct err *err)
{
	AUTO_BUF struct buf who = BUF_INIT;

	phone_lock_holder(r->set->state_dir, r->set->stf_url, serial, &who);
	if (who.len)
		(void)err_hint(err, "on this machine: %s", who.data);
}

void
run_holder_note(struct run *r, const struct stf_want *want, size_t count,
		struct err *why)
{
	struct stf_devices list;
	struct stf_choice choice;
	struct err err = ERR_INIT;

	if (stf_devices(&r->stf, STF_TARGET_USER, &list,
			run_dl(r, r->set->budget.take_ms), &err))
		return; /* the message has said it */
	stf_choose(&list, want, count, r->lease.me, &choice);
	if (choice.fit_count > 0) {
		const struct stf_device *d = choice.item[0].device;
		cJSON *held;

		run_holder_device(r, d);
		if (d->owner_email) {
			held = json_obj();
			json_set_str(held, "name",
				     d->owner_name ? d->owner_name
						   : d->owner_email);
			json_set_str(held, "since", d->usage_since);
			json_set(result_object(&r->res, "device"), "held_by",
				 held);
		}
		if (choice.item[0].state == STF_MINE)
			say_local_holder(r, d->serial, why);
	}
	stf_choose_done(&choice);
	stf_devices_done(&list);
}

/* Whoever has booked it gets it then, whatever a patrol is doing. */
void
run_holder_booking(struct run *r)
{
	const struct stf_device *d = &r->lease.device;
	const char *until = stf_device_booked_until(d);
	AUTO_BUF struct buf in = BUF_INIT;
	AUTO_BUF struct buf limit = BUF_INIT;
	AUTO_FREE char *text = NULL;
	int64_t end_s, left_ms;

	if (until == NULL || !wall_parse(until, &end_s))
		return;
	left_ms = (end_s - wall_now_s()) * 1000;
	if (left_ms >= r->plan->limits.deadline_ms)
		return;
	buf_duration(&in, left_ms > 0 ? left_ms : 0);
	buf_duration(&limit, r->plan->limits.deadline_ms);
	text = mem_fmt("the booking of '%s' ends in %s (%s), before the plan's "
		       "deadline of %s: the farm may take the phone away then",
		       d->serial, in.data, until, limit.data);
	result_warning(&r->res, "booking_ends", text);
	run_say(r, PROGRESS_WARN, "%s", text);
}
