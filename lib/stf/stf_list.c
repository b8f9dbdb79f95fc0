#include "stf/stf_list.h"

#include <string.h>

#include "base/mem.h"

static bool
is_listed(const struct stf_devices *list, size_t count, const char *serial)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list->item[i].serial, serial) == 0)
			return true;
	return false;
}

void
stf_list_add_booked(struct stf *stf, struct stf_devices *list,
		    struct deadline dl)
{
	struct err ignored = ERR_INIT; /* older farms have no such list */
	struct stf_devices more;
	size_t known = list->count;

	if (stf_devices(stf, STF_TARGET_BOOKABLE, &more, dl, &ignored))
		return;
	for (size_t i = 0; i < more.count; i++) {
		struct stf_device *d = &more.item[i];

		if (is_listed(list, known, d->serial))
			continue;
		MEM_GROW(list->item, list->count, list->room);
		d->elsewhere = true;
		list->item[list->count++] = *d;
		memset(d, 0, sizeof(*d));
	}
	stf_devices_done(&more);
}
