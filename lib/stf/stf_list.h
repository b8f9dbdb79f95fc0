#ifndef STF_LIST_H
#define STF_LIST_H

#include "base/deadline.h"
#include "stf/stf.h"

/*
 * Add to `list` the phones that are booked by others: only the farm's second
 * list has them.  They are marked `elsewhere`.  A farm without that list adds
 * nothing.
 */
void stf_list_add_booked(struct stf *stf, struct stf_devices *list,
			 struct deadline dl);

#endif
