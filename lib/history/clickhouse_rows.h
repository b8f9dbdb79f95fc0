#ifndef CLICKHOUSE_ROWS_H
#define CLICKHOUSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "history/history.h"

/*
 * Rows of two columns in ClickHouse's TabSeparated, as their bytes arrive.  The
 * last one has to be CLICKHOUSE_ROWS_END: an answer whose status was 200 may
 * end in the middle, and in an exception's text, which can look like a row.  So
 * each row is shown when the next one is whole, and such a text never is.
 */
#define CLICKHOUSE_ROWS_END "~"

struct clickhouse_row {
	struct buf text; /* both columns, a zero byte between */
	size_t second;	 /* where the second begins; 0: not yet */
	size_t most;	 /* bytes of this column that are kept */
};

struct clickhouse_rows {
	history_see *see;
	void *see_arg;
	struct clickhouse_row now, held;
	size_t most;
	bool has_held, escaped, ended;
};

/* A second column that is longer than `most` is shown cut, one byte longer. */
void clickhouse_rows_init(struct clickhouse_rows *r, size_t most,
			  history_see *see, void *see_arg);
void clickhouse_rows_done(struct clickhouse_rows *r);
int clickhouse_rows_feed(struct clickhouse_rows *r, const char *data,
			 size_t len, struct err *err);
/* Nothing more comes: was it all? */
int clickhouse_rows_finish(struct clickhouse_rows *r, struct err *err);

/*
 * The exception that `text` tells, "Code: 60, e.displayText() =
 * DB::Exception: Table ... doesn't exist., e.what() = ...": its number and
 * its words, escaped.  0: none.
 */
int clickhouse_rows_exception(const char *text, size_t len, struct buf *words);

#endif
