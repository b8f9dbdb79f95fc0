#ifndef SNAP_MADE_H
#define SNAP_MADE_H

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "fixtures/unity_snap.h"

/* Made-up memory, the same for the same seed, and what it adds up to. */
enum {
	MADE_TYPES = 7,
	MADE_OBJECTS = 150,
	MADE_ROOTS = 40,
	MADE_AREAS = 6,
	MADE_HEAPS = 9,
	MADE_REGIONS = 12,
	MADE_GFX = 21,
	MADE_ALLOCATIONS = 30,
	MADE_ALLOCATORS = 3,
};

struct made {
	struct unity_snap s;
	struct unity_snap_object object[MADE_OBJECTS];
	struct unity_snap_root root[MADE_ROOTS];
	struct unity_snap_heap heap[MADE_HEAPS];
	struct unity_snap_region region[MADE_REGIONS];
	struct unity_snap_gfx gfx[MADE_GFX];
	uint64_t allocation[MADE_ALLOCATIONS];
	char path[512];
	uint64_t state;
};

static const struct unity_snap_type made_types[MADE_TYPES] = {
	{"Object", -1},	       {"Texture2D", 0},  {"Mesh", 0},
	{"Behaviour", 0},      {"GameObject", 0}, {"", 0},
	{"Sch\xc3\xbcler", 3},
};
static const char *const made_areas[MADE_AREAS] = {
	"Assets", "Rendering", "Managers",
	"Audio",  "A \"b\"",   "SerializedFile"};
static const struct unity_snap_allocator made_allocators[MADE_ALLOCATORS] = {
	{"ALLOC_DEFAULT_MAIN", 5000000001, 6000000000, 7, 5500000000},
	{"ALLOC_TEMP", 0, 4096, 8, 4096},
	{"ALLOC_GFX", 77, 770, 9, 777},
};

static uint64_t
made_next(struct made *m)
{
	m->state = m->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return m->state >> 33;
}

static void
made_arrays(struct made *m)
{
	for (size_t i = 0; i < MADE_OBJECTS; i++)
		m->object[i] = (struct unity_snap_object){
			.type = (int32_t)(made_next(m) % MADE_TYPES),
			.id = (int64_t)i * 2 - 100,
			.name = i % 3 ? "thing" : "",
			.address = 0x7000000000 + i * 4096,
			/* Now and then beyond 32 bits. */
			.size = made_next(m) << (i % 29 ? 0 : 12),
			.root = (int64_t)(i % MADE_ROOTS),
		};
	for (size_t i = 0; i < MADE_ROOTS; i++)
		m->root[i] = (struct unity_snap_root){
			.id = (int64_t)i,
			.area = made_areas[made_next(m) % MADE_AREAS],
			.name = "of something",
			.size = made_next(m),
		};
	for (size_t i = 0; i < MADE_HEAPS; i++)
		m->heap[i] = (struct unity_snap_heap){
			.start = 0x6000000000 + i * 0x10000,
			.size = i == 4 ? 0 : made_next(m) % 3000,
			.vm = made_next(m) % 3 == 0,
		};
	for (size_t i = 0; i < MADE_REGIONS; i++)
		m->region[i] = (struct unity_snap_region){
			.address = 0x5000000000 + i * 0x10000000,
			.size = made_next(m),
			.resident = made_next(m) % 1000000,
			.kind = (uint16_t)(i % 4),
			.name = "libunity.so",
		};
	for (size_t i = 0; i < MADE_GFX; i++)
		m->gfx[i] = (struct unity_snap_gfx){
			.id = i, .size = made_next(m), .root = (int64_t)i};
	for (size_t i = 0; i < MADE_ALLOCATIONS; i++)
		m->allocation[i] = made_next(m) << (i ? 0 : 20);
}

static struct made *
made_new(uint32_t version, uint64_t seed)
{
	struct made *m = mem_alloc(sizeof(*m));

	m->state = seed;
	made_arrays(m);
	m->s = (struct unity_snap){
		.version = version,
		.at_ticks = (1767225600LL + 62135596800LL) * 10000000,
		.capture = 7,
		.description = "nightly",
		.platform = "Android",
		.session = 4000000001,
		.platform_id = 11,
		.gfx_device = 21,
		.physical_bytes = 8ULL << 30,
		.graphics_bytes = 3ULL << 30,
		.seconds = 61.5,
		.unity = "6000.0.40f1",
		.product = "Starfall",
		.type = made_types,
		.types = MADE_TYPES,
		.object = m->object,
		.objects = MADE_OBJECTS,
		.root = m->root,
		.roots = MADE_ROOTS,
		.heap = m->heap,
		.heaps = MADE_HEAPS,
		.allocator = made_allocators,
		.allocators = MADE_ALLOCATORS,
		.region = m->region,
		.regions = MADE_REGIONS,
		.gfx = m->gfx,
		.gfxs = MADE_GFX,
		.allocation = m->allocation,
		.allocations = MADE_ALLOCATIONS,
	};
	for (int i = 0; i < UNITY_SNAP_STATS; i++)
		m->s.stat[i] = made_next(m) << 5;
	(void)snprintf(m->path, sizeof(m->path), "%s/made-%llu.snap",
		       getenv("TMPDIR"), (unsigned long long)seed);
	return m;
}

static void
made_free(struct made *m)
{
	(void)remove(m->path); /* TMPDIR is the test's own */
	free(m);
}

#endif
