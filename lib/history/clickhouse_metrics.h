#ifndef CLICKHOUSE_METRICS_H
#define CLICKHOUSE_METRICS_H

#include <stdint.h>

#include "base/buf.h"
#include "history/history.h"

/* The columns of the rows below, for CREATE TABLE. */
#define CLICKHOUSE_METRICS_COLUMNS                                     \
	"id String, at DateTime('UTC'), title String, run_id String, " \
	"commit String, branch String, model String, serial String, "  \
	"os String, unity String, plan String, metric String, "        \
	"subject String, unit String, value Float64, used UInt8"

/*
 * The values of a record, a line of JSON each.  `used`: is it compared?  A
 * record that can't be read has none; it is kept all the same.
 */
void clickhouse_metrics(struct buf *out, const struct history_entry *e,
			int64_t at_s);

#endif
