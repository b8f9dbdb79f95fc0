#include "unity/snapshot.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixtures/unity_snap.h"
#include "tests/unit/check.h"
#include "tests/unit/snap_made.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { PEAK_KNOWN = 0 };
#else
enum { PEAK_KNOWN = 1 };
#endif

enum { PEAK_KIB = 64 << 10 };

/* The summary of what `m` and this shape are as a file; NULL on failure. */
static cJSON *
summed(const struct made *m, const struct unity_box_shape *shape)
{
	struct err err = ERR_INIT;
	struct snapshot *s = mem_alloc(sizeof(*s));
	cJSON *sum = NULL;

	if (unity_snap_write(m->path, &m->s, shape, NULL, &err) == 0 &&
	    snapshot_open(s, m->path, &err) == 0) {
		(void)snapshot_summary(s, &sum, &err); /* said below */
		snapshot_done(s);
	}
	if (!sum)
		printf("# %s\n", err.msg);
	free(s);
	return sum;
}

static bool
number_is(const cJSON *o, const char *key, uint64_t want)
{
	const cJSON *v = json_get(o, key);

	if (cJSON_IsNumber(v) && json_int(o, key, -1) == (int64_t)want)
		return true;
	printf("# %s: %.0f, not %llu\n", key, v ? v->valuedouble : -1,
	       (unsigned long long)want);
	return false;
}

static bool
unknown(const cJSON *o, const char *key)
{
	return !json_get(o, key) || cJSON_IsNull(json_get(o, key));
}

/* The row of this name in a list of the summary; NULL: none. */
static const cJSON *
row(const cJSON *sum, const char *list, const char *name)
{
	const cJSON *v;

	cJSON_ArrayForEach(
		v, json_get(sum, list)) if (strcmp(json_str(v, "name", "?"),
						   name) == 0) return v;
	return NULL;
}

static bool
types_agree(const struct made *m, const cJSON *sum)
{
	uint64_t all = 0;

	for (int t = 0; t < MADE_TYPES; t++) {
		const cJSON *r = row(sum, "types", made_types[t].name);
		uint64_t count = 0, bytes = 0;

		for (size_t i = 0; i < MADE_OBJECTS; i++)
			if (m->object[i].type == t) {
				bytes += m->object[i].size;
				count++;
			}
		all += bytes;
		if (!r || !number_is(r, "count", count) ||
		    !number_is(r, "bytes", bytes))
			return false;
	}
	return json_count(sum, "types") == MADE_TYPES &&
	       number_is(sum, "totals.native_objects", MADE_OBJECTS) &&
	       number_is(sum, "totals.native_object_bytes", all);
}

static bool
areas_agree(const struct made *m, const cJSON *sum)
{
	uint64_t all = 0;
	size_t seen = 0;

	for (int a = 0; a < MADE_AREAS; a++) {
		const cJSON *r = row(sum, "areas", made_areas[a]);
		uint64_t count = 0, bytes = 0;

		for (size_t i = 0; i < MADE_ROOTS; i++)
			if (m->root[i].area == made_areas[a]) {
				bytes += m->root[i].size;
				count++;
			}
		all += bytes;
		seen += count > 0;
		if (count && (!r || !number_is(r, "count", count) ||
			      !number_is(r, "bytes", bytes)))
			return false;
	}
	return json_count(sum, "areas") == seen &&
	       number_is(sum, "totals.root_bytes", all);
}

static bool
heaps_agree(const struct made *m, const cJSON *sum)
{
	uint64_t gc = 0, vm = 0, native = 0;

	for (size_t i = 0; i < MADE_HEAPS; i++)
		if (m->heap[i].vm && m->s.version >= 12)
			vm += m->heap[i].size;
		else
			gc += m->heap[i].size;
	for (size_t i = 0; i < MADE_ALLOCATIONS; i++)
		native += m->allocation[i];
	if (m->s.version >= 12 &&
	    !number_is(sum, "totals.managed_vm_bytes", vm))
		return false;
	return number_is(sum, "totals.managed_heap_bytes", gc) &&
	       number_is(sum, "totals.native_allocation_bytes", native);
}

static bool
regions_agree(const struct made *m, const cJSON *sum)
{
	static const char *const kinds[] = {"private", "mapped", "shared",
					    "device"};
	uint64_t committed = 0, resident = 0;

	if (m->s.version < 16)
		return unknown(sum, "totals.committed_bytes");
	for (int k = 0; k < 4; k++) {
		const cJSON *r = row(sum, "regions", kinds[k]);
		uint64_t c = 0, in = 0;

		for (size_t i = 0; i < MADE_REGIONS; i++)
			if (m->region[i].kind == k) {
				c += m->region[i].size;
				in += m->region[i].resident;
			}
		committed += c;
		resident += in;
		if (!r || !number_is(r, "committed_bytes", c) ||
		    !number_is(r, "resident_bytes", in))
			return false;
	}
	return number_is(sum, "totals.committed_bytes", committed) &&
	       number_is(sum, "totals.resident_bytes", resident);
}

static bool
allocators_agree(const struct made *m, const cJSON *sum)
{
	uint64_t used = 0, reserved = 0, gfx = 0;

	if (m->s.version < 14)
		return unknown(sum, "totals.graphics_bytes") &&
		       unknown(sum, "totals.allocators_used_bytes");
	for (size_t i = 0; i < MADE_GFX; i++)
		gfx += m->gfx[i].size;
	for (size_t i = 0; i < MADE_ALLOCATORS; i++) {
		const struct unity_snap_allocator *a = &made_allocators[i];
		const cJSON *r = row(sum, "allocators", a->name);

		used += a->used;
		reserved += a->reserved;
		if (!r || !number_is(r, "bytes", a->used))
			return false;
	}
	return number_is(sum, "totals.graphics_bytes", gfx) &&
	       number_is(sum, "totals.allocators_used_bytes", used) &&
	       number_is(sum, "totals.allocators_reserved_bytes", reserved);
}

static bool
target_agrees(const struct made *m, const cJSON *sum)
{
	const struct unity_snap *s = &m->s;

	if (strcmp(json_str(sum, "captured_at", ""), "2026-01-01T00:00:00Z"))
		return false;
	if (s->version < 11)
		return unknown(sum, "target");
	return number_is(sum, "target.session", s->session) &&
	       number_is(sum, "target.platform", s->platform_id) &&
	       number_is(sum, "target.graphics_device", s->gfx_device) &&
	       number_is(sum, "target.physical_memory_bytes",
			 s->physical_bytes) &&
	       number_is(sum, "target.graphics_memory_bytes",
			 s->graphics_bytes) &&
	       json_num(sum, "target.seconds_since_start", 0) == s->seconds &&
	       strcmp(json_str(sum, "target.unity_version", ""), s->unity) ==
		       0 &&
	       strcmp(json_str(sum, "target.product", ""), s->product) == 0 &&
	       number_is(sum, "stats.virtual_bytes",
			 s->stat[UNITY_SNAP_VIRTUAL]) &&
	       number_is(sum, "stats.audio_bytes", s->stat[UNITY_SNAP_AUDIO]) &&
	       number_is(sum, "stats.memory_profiler_reserved_bytes",
			 s->stat[UNITY_SNAP_MEMPROF_RESERVED]);
}

static bool
agrees(const struct made *m, const cJSON *sum)
{
	return sum && number_is(sum, "version", m->s.version) &&
	       types_agree(m, sum) && areas_agree(m, sum) &&
	       heaps_agree(m, sum) && regions_agree(m, sum) &&
	       allocators_agree(m, sum) && target_agrees(m, sum);
}

static void
sums_are_what_was_put_in(void)
{
	static const uint64_t chunk[] = {8, 61, 4096, 0};
	unsigned files = 0;

	for (uint32_t version = 8; version <= 18; version++)
		for (unsigned c = 0; c < 4; c++)
			for (int order = 0; order < UNITY_BOX_ORDERS * 2;
			     order++) {
				struct unity_box_shape shape = {
					.chunk_bytes = chunk[c],
					.order = order / 2,
					.own_blocks = order % 2,
					.whole_chunks = files % 3 == 0,
				};
				struct made *m = made_new(version, ++files);
				AUTO_JSON cJSON *sum = summed(m, &shape);
				bool good = agrees(m, sum);

				made_free(m);
				if (!good)
					printf("# version %u, chunk %llu, "
					       "order %d\n",
					       version,
					       (unsigned long long)chunk[c],
					       order);
				REQUIRE(good);
			}
	CHECK(files == 11 * 4 * 6);
}

static void
directories_may_be_longer_and_shorter(void)
{
	static const uint32_t entries[] = {128, 1024, 4000, 61};

	for (unsigned i = 0; i < 4; i++) {
		struct unity_box_shape shape = {.entries = entries[i]};
		struct made *m = made_new(17, i + 1);
		AUTO_JSON cJSON *sum = summed(m, &shape);

		CHECK(sum && types_agree(m, sum) && areas_agree(m, sum));
		CHECK(unknown(sum, "totals.committed_bytes") ==
		      (entries[i] < 85));
		made_free(m);
	}
}

static void
growth_is_told_by_type_and_area(void)
{
	struct made *m = made_new(17, 99);
	AUTO_JSON cJSON *before = summed(m, NULL);
	AUTO_JSON cJSON *after = NULL;
	AUTO_JSON cJSON *grown = NULL;
	const cJSON *first;

	m->object[0].type = m->object[1].type = 2;
	m->object[0].size += 1ULL << 40;
	for (size_t i = 0; i < MADE_ROOTS; i++)
		m->root[i].area = made_areas[3];
	after = summed(m, NULL);
	REQUIRE(before && after);
	grown = snapshot_compare(before, after);
	first = cJSON_GetArrayItem(json_get(grown, "types"), 0);
	CHECK_STR(json_str(first, "name", NULL), "Mesh");
	first = cJSON_GetArrayItem(json_get(grown, "areas"), 0);
	CHECK_STR(json_str(first, "name", NULL), "Audio");
	made_free(m);
}

static bool
sums_up(const struct made *m, uint64_t heap, uint32_t objects)
{
	struct err err = ERR_INIT;
	struct snapshot *s = mem_alloc(sizeof(*s));
	cJSON *sum = NULL;
	bool ok = snapshot_open(s, m->path, &err) == 0;

	if (ok) {
		ok = snapshot_summary(s, &sum, &err) == 0 &&
		     number_is(sum, "totals.managed_heap_bytes", heap) &&
		     number_is(sum, "totals.native_objects", objects);
		snapshot_done(s);
	}
	cJSON_Delete(sum);
	free(s);
	return ok;
}

/* In a process of its own, whose peak is then known. */
static void
read_alone(const struct made *m, uint64_t heap, uint32_t objects)
{
	struct rusage used;
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!sums_up(m, heap, objects));
	REQUIRE(pid > 0 && wait4(pid, &status, 0, &used) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(!PEAK_KNOWN || used.ru_maxrss <= PEAK_KIB);
	printf("# peak %ld KiB\n", used.ru_maxrss);
}

static void
four_gigabytes_take_little_memory(void)
{
	static const struct unity_snap_heap heap[] = {
		{0x1000, 4096, false}, {0x100000, 4ULL << 30, false}};
	struct made *m = made_new(17, 7);
	struct err err = ERR_INIT;
	int rc;

	m->s.heap = heap;
	m->s.heaps = 2;
	m->s.objects = 0;
	m->s.zero_objects = 4 << 20;
	rc = unity_snap_write(m->path, &m->s, NULL, NULL, &err);
	CHECK(rc == 0);
	/* It takes memory itself, and a child ends with all that is ours. */
	if (RUNNING_ON_VALGRIND)
		CHECK(rc == 0 && sums_up(m, (4ULL << 30) + 4096, 4 << 20));
	else if (rc == 0)
		read_alone(m, (4ULL << 30) + 4096, 4 << 20);
	made_free(m);
}

/* Rows that only a careless eye takes for one another, or leaves out. */
static void
rows_are_told_apart(void)
{
	static const struct unity_box_shape shape = {.chunk_bytes = 512};
	/* As long, with the same end, in turn. */
	static const struct unity_snap_root root[] = {
		{0, "A long name of an area", "", 1},
		{1, "B long name of an area", "", 10},
		{2, "A long name of an area", "", 100},
		{3, "B long name of an area", "", 1000}};
	static const struct unity_snap_region region[] = {
		{0x1000, 5, 1, 0, "a"},
		{0x2000, 50, 10, 3, "b"},
		{0x3000, 500, 100, 4, "c"},
		{0x4000, 5000, 1000, 77, "d"}};
	struct made *m = made_new(16, 7);
	AUTO_JSON cJSON *sum = NULL;

	m->s.root = root;
	m->s.region = region;
	m->s.roots = m->s.regions = 4;
	m->s.product = "A product of more than sixteen bytes";
	sum = summed(m, &shape);
	REQUIRE(sum);
	CHECK(json_count(sum, "areas") == 2);
	CHECK(number_is(row(sum, "areas", root[0].area), "bytes", 101));
	CHECK(number_is(row(sum, "areas", root[1].area), "bytes", 1010));
	CHECK(json_count(sum, "regions") == 3);
	CHECK(number_is(row(sum, "regions", "private"), "committed_bytes", 5));
	CHECK(number_is(row(sum, "regions", "device"), "resident_bytes", 10));
	CHECK(number_is(row(sum, "regions", "other"), "committed_bytes", 5500));
	CHECK(number_is(row(sum, "regions", "other"), "count", 2));
	CHECK_STR(json_str(sum, "target.product", ""), m->s.product);
	made_free(m);
}

/* The 4,096 largest types have names; one that has no object is no row. */
static void
the_smallest_types_are_one_row(void)
{
	enum { ROWS = 4096, MOST = ROWS + 3 };
	static const struct unity_box_shape shape = {.chunk_bytes = 65536};
	struct unity_snap_type *type = mem_array(MOST, sizeof(*type));
	struct unity_snap_object *object = mem_array(MOST, sizeof(*object));
	char(*name)[16] = mem_array(MOST, sizeof(*name));

	for (int i = 0; i < MOST; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "T%d", i);
		type[i] = (struct unity_snap_type){name[i], -1};
		object[i] = (struct unity_snap_object){
			.type = i, .name = "", .size = 10000 - (uint64_t)i};
	}
	for (size_t used = ROWS; used <= ROWS + 2; used += 2) {
		struct made *m = made_new(17, 8);
		AUTO_JSON cJSON *sum = NULL;
		const cJSON *rest;

		m->s.type = type;
		m->s.types = MOST; /* one at least has no object */
		m->s.object = object;
		m->s.objects = used;
		sum = summed(m, &shape);
		REQUIRE(sum);
		rest = row(sum, "types", "(others)");
		CHECK((rest != NULL) == (used > ROWS));
		CHECK(json_count(sum, "types") == ROWS + (used > ROWS));
		if (rest) {
			CHECK(number_is(rest, "count", 2));
			CHECK(number_is(rest, "bytes",
					2 * 10000 - 2 * ROWS - 1));
		}
		made_free(m);
	}
	free(name);
	free(object);
	free(type);
}

/* The top bit of a section's begin says so from format 12 on. */
static void
the_vm_is_apart_from_format_12_on(void)
{
	static const struct unity_box_shape shape = {.chunk_bytes = 512};
	static const struct unity_snap_heap heap[] = {{0x1000, 100, false},
						      {0x2000, 1000, true}};

	for (uint32_t version = 11; version <= 13; version++) {
		struct made *m = made_new(version, 9);
		AUTO_JSON cJSON *sum = NULL;

		m->s.heap = heap;
		m->s.heaps = 2;
		sum = summed(m, &shape);
		REQUIRE(sum);
		CHECK(number_is(sum, "totals.managed_heap_bytes",
				version < 12 ? 1100 : 100));
		CHECK(number_is(sum, "totals.managed_vm_bytes",
				version < 12 ? 0 : 1000));
		made_free(m);
	}
}

static void
no_session_is_not_one_session(void)
{
	static const struct unity_box_shape shape = {.chunk_bytes = 512};

	for (uint32_t session = 0; session < 2; session++) {
		struct made *m = made_new(17, 10);
		AUTO_JSON cJSON *sum = NULL;
		AUTO_JSON cJSON *diff = NULL;

		m->s.session = session;
		sum = summed(m, &shape);
		REQUIRE(sum);
		diff = snapshot_compare(sum, sum);
		CHECK(json_bool(diff, "same_session", false) == (session > 0));
		CHECK(json_count(diff, "types") == 0);
		made_free(m);
	}
}

CHECK_MAIN(CHECK_CASE("sums are what was put in: formats, chunks, blocks",
		      sums_are_what_was_put_in),
	   CHECK_CASE("directories may be longer and shorter",
		      directories_may_be_longer_and_shorter),
	   CHECK_CASE("growth is told by type and by area, the largest first",
		      growth_is_told_by_type_and_area),
	   CHECK_CASE("rows are told apart", rows_are_told_apart),
	   CHECK_CASE("the smallest types are one row",
		      the_smallest_types_are_one_row),
	   CHECK_CASE("the VM's heap is apart from format 12 on",
		      the_vm_is_apart_from_format_12_on),
	   CHECK_CASE("no session is not one session",
		      no_session_is_not_one_session),
	   CHECK_CASE("a snapshot of 4 GiB takes at most 64 MiB of memory",
		      four_gigabytes_take_little_memory), )
