#ifndef RAW_OUT_H
#define RAW_OUT_H

#include "base/file.h"
#include "unity/raw_pages.h"
#include "unity/raw_src.h"

/*
 * The filter's output: runs of the input's bytes, with single numbers of them
 * replaced.  Long runs without a change are copied by the kernel, the rest
 * goes through a buffer.
 */
struct raw_out {
	struct file_part file;
	struct raw_src *src;
	struct raw_pages buf;
	size_t len;

	/* Bytes of a segment that follow one another and are not copied yet. */
	bool has_run;
	uint32_t segment;
	uint64_t run_at, run_len;
	bool no_kernel; /* it refused once */
	bool slow;	/* no file: whoever reads it may not */

	uint64_t bytes;
};

/* One number that is replaced: where in the block, and by what. */
struct raw_patch {
	uint64_t at;
	uint32_t value;
};

/* A run that long should be flushed, so that the input can be let go of. */
enum { RAW_PATCHES = 3, RAW_OUT_RUN_MAX = 64 << 20 };

/*
 * `path` "-" is stdout, NULL nowhere.  The file gets its name by
 * raw_out_commit() only.
 */
int raw_out_open(struct raw_out *o, const char *path, struct raw_src *src,
		 struct err *err);
void raw_out_done(struct raw_out *o);

int raw_out_bytes(struct raw_out *o, const void *p, size_t len,
		  struct err *err);
/* Bytes of the input with patches, ordered by place, each within. */
int raw_out_copy(struct raw_out *o, uint32_t segment, uint64_t at, uint64_t len,
		 const struct raw_patch *patch, unsigned patches,
		 struct err *err);
/* Write what is collected; the input may be let go of then. */
int raw_out_flush(struct raw_out *o, struct err *err);
/* `sync`: it is on the disk before it has its name. */
int raw_out_commit(struct raw_out *o, bool sync, struct err *err);
/*
 * After a failure: when input was deleted already, what is written of it stays
 * under the temporary name, and `err` says so.
 */
void raw_out_rescue(struct raw_out *o, struct err *err);

#endif
