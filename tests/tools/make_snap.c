#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "fixtures/unity_snap.h"

/*
 * make_snap OUT.snap OUT.need: a memory snapshot of 4 GiB in which what sums
 * are made of is really there, and the managed heap, whose bytes nobody sums
 * up, is a hole.  OUT.need gets just the bytes of those entries that a summary
 * has to read, one behind the other.
 */
enum {
	OBJECTS = 1 << 20,
	ALLOCATIONS = 24 << 20,
	ROOTS = 1 << 19,
	TYPES = 300,
	AREAS = 24,
};
static const uint64_t FILE_BYTES = 4ULL << 30;

struct content {
	struct unity_snap_type type[TYPES];
	char name[TYPES][24], area[AREAS][24];
	struct unity_snap_object object[OBJECTS];
	struct unity_snap_root root[ROOTS];
	uint64_t allocation[ALLOCATIONS];
	uint64_t state;
};

/* The same numbers on each machine. */
static uint64_t
dice(struct content *c, uint64_t sides)
{
	c->state = c->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (c->state >> 33) % sides;
}

static void
fill(struct content *c)
{
	for (int i = 0; i < TYPES; i++) {
		(void)snprintf(c->name[i], sizeof(c->name[i]), "Type%d", i);
		c->type[i] = (struct unity_snap_type){c->name[i], i ? 0 : -1};
	}
	for (int i = 0; i < AREAS; i++)
		(void)snprintf(c->area[i], sizeof(c->area[i]), "Area of %d", i);
	for (size_t i = 0; i < OBJECTS; i++)
		c->object[i] = (struct unity_snap_object){
			.type = (int32_t)dice(c, TYPES),
			.id = 1000 + 2 * (int64_t)i,
			.name = "thing",
			.address = 0x7400000000 + i * 256,
			.size = 64 + dice(c, 4096),
			.root = 1 + (int64_t)dice(c, ROOTS),
		};
	for (size_t i = 0; i < ROOTS; i++)
		c->root[i] = (struct unity_snap_root){
			.id = 1 + (int64_t)i,
			.area = c->area[dice(c, AREAS)],
			.name = "root",
			.size = dice(c, 1 << 16),
		};
	for (size_t i = 0; i < ALLOCATIONS; i++)
		c->allocation[i] = 16 + dice(c, 2048);
}

static int
write_need(const struct unity_box *box, const char *path, struct err *err)
{
	/* Sizes, types, areas, allocators, regions. */
	static const int whole[] = {1,	5,  7,	13, 18, 36, 38, 43, 59,
				    60, 71, 73, 75, 76, 84, 85, 86};
	AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		const struct buf *b = &box->entry[whole[i]].bytes;

		if (file_write_all(fd, b->data, b->len, path, err))
			return -1;
	}
	/* Of each array of texts where these end: whether it is whole. */
	for (size_t i = 0; i < UNITY_BOX_ENTRIES; i++) {
		const struct buf *b = &box->entry[i].ends;

		if (file_write_all(fd, b->data, b->len, path, err))
			return -1;
	}
	return 0;
}

static int
make(struct content *c, struct unity_box *box, char **argv, struct err *err)
{
	static const struct unity_box_shape shape = {
		.order = UNITY_BOX_INTERLEAVED};
	struct unity_snap_heap heap[] = {{0x7200000000, 4096, false},
					 {0x7300000000, 0, false}};
	struct unity_snap s = {
		.version = 17,
		.unity = "6000.0.40f1",
		.product = "Large",
		.type = c->type,
		.types = TYPES,
		.object = c->object,
		.objects = OBJECTS,
		.root = c->root,
		.roots = ROOTS,
		.heap = heap,
		.heaps = 2,
		.allocation = c->allocation,
		.allocations = ALLOCATIONS,
	};

	/* All else takes about so much for each of them. */
	heap[1].size = FILE_BYTES - OBJECTS * 65ULL - ROOTS * 50ULL -
		       ALLOCATIONS * 44ULL;
	unity_snap_fill(box, &s);
	if (write_need(box, argv[2], err))
		return -1;
	return unity_box_write(box, argv[1], unity_snap_entries(17), &shape,
			       NULL, err);
}

int
main(int argc, char **argv)
{
	struct content *c;
	struct unity_box *box;
	struct err err = ERR_INIT;
	int rc;

	if (argc != 3) {
		fputs("usage: make_snap OUT.snap OUT.need\n", stderr);
		return 2;
	}
	c = mem_alloc(sizeof(*c));
	box = mem_alloc(sizeof(*box));
	unity_box_init(box);
	fill(c);
	rc = make(c, box, argv, &err);
	if (rc)
		fprintf(stderr, "make_snap: %s\n", err.msg);
	unity_box_done(box);
	free(box);
	free(c);
	return rc ? 1 : 0;
}
