#ifndef RAW_PLOT_H
#define RAW_PLOT_H

#include "base/buf.h"
#include "unity/raw_list.h"

/*
 * Frame times and allocations over the recording as one SVG element, up to
 * 1,200 columns wide: each shows the worst of its frames.
 */
void raw_plot_svg(const struct raw_list *l, uint64_t target_ns,
		  struct buf *out);

#endif
