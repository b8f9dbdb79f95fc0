#include "unity/raw_fifo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "unity/raw_spool.h"

enum { FIRST = 32 }; /* doubled up to RAW_FIFO_PART */
enum way { FROM_FILE, TO_FILE };

void
raw_fifo_init(struct raw_fifo *f, size_t record)
{
	*f = (struct raw_fifo){.record = record, .file = -1};
}

void
raw_fifo_done(struct raw_fifo *f)
{
	free(f->head);
	free(f->tail);
	if (f->file >= 0)
		close(f->file);
	*f = (struct raw_fifo){.file = -1};
}

/* A part of the queue to or from its place in the file. */
static int
move_part(struct raw_fifo *f, uint64_t part, uint8_t *p, enum way way,
	  struct err *err)
{
	size_t size = RAW_FIFO_PART * f->record, done = 0;

	while (done < size) {
		off_t at = (off_t)(part * size + done);
		ssize_t n = way == TO_FILE
				    ? pwrite(f->file, p + done, size - done, at)
				    : pread(f->file, p + done, size - done, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(err, "use a temporary file (TMPDIR)");
		done += (size_t)n;
	}
	return 0;
}

static void
make_room(struct raw_fifo *f, uint8_t **part, size_t *room, size_t want)
{
	if (*room >= want)
		return;
	*part = mem_resize(*part, want, f->record);
	*room = want;
}

static void
swap(struct raw_fifo *f)
{
	uint8_t *p = f->head;
	size_t room = f->head_room;

	f->head_room = f->tail_room;
	f->tail_room = room;
	f->head = f->tail;
	f->tail = p;
	f->head_at = 0;
	f->head_count = f->tail_count;
	f->tail_count = 0;
}

static int
spill(struct raw_fifo *f, struct err *err)
{
	if (f->file < 0)
		f->file = raw_spool_temp(err);
	if (f->file < 0 || move_part(f, f->file_count, f->tail, TO_FILE, err))
		return -1;
	f->file_count++;
	f->tail_count = 0;
	return 0;
}

int
raw_fifo_push(struct raw_fifo *f, const void *record, struct err *err)
{
	if (f->tail_count == RAW_FIFO_PART) {
		if (f->head_at == f->head_count && f->file_at == f->file_count)
			swap(f);
		else if (spill(f, err))
			return -1;
	}
	if (f->tail_count == f->tail_room)
		make_room(f, &f->tail, &f->tail_room,
			  f->tail_room ? f->tail_room * 2 : FIRST);
	memcpy(f->tail + f->tail_count++ * f->record, record, f->record);
	return 0;
}

int
raw_fifo_first(struct raw_fifo *f, void **record, struct err *err)
{
	*record = NULL;
	if (f->head_at == f->head_count && f->file_at < f->file_count) {
		make_room(f, &f->head, &f->head_room, RAW_FIFO_PART);
		if (move_part(f, f->file_at, f->head, FROM_FILE, err))
			return -1;
		f->head_at = 0;
		f->head_count = RAW_FIFO_PART;
		/* From the begin again when nothing is left in it. */
		if (++f->file_at == f->file_count)
			f->file_at = f->file_count = 0;
	}
	if (f->head_at == f->head_count && f->tail_count)
		swap(f);
	if (f->head_at < f->head_count)
		*record = f->head + f->head_at * f->record;
	return 0;
}

void
raw_fifo_drop(struct raw_fifo *f)
{
	f->head_at++;
}
