#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/positions.h"
#include "unity/snapshot_parts.h"

enum {
	BATCH = 8192,
	TYPES = 1 << 20, /* that are counted */
	ROWS = 4096,	 /* that are named, the largest */
	NAME_BYTES = 200,
};

static const char others[] = "(others)";

/* Count and bytes of things of one name. */
struct tally {
	char *name;
	uint64_t id; /* of a type */
	uint64_t count, bytes;
};

struct tallies {
	struct tally *item;
	size_t count, room;
};

static void
tallies_done(struct tallies *t)
{
	for (size_t i = 0; i < t->count; i++)
		free(t->item[i].name);
	free(t->item);
	t->item = NULL;
	t->count = t->room = 0;
}

static int
by_bytes(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static cJSON *
tallies_json(const struct tallies *t)
{
	cJSON *list = json_arr();

	for (size_t i = 0; i < t->count; i++) {
		cJSON *o = json_obj();

		json_set_str(o, "name", t->item[i].name);
		snapshot_facts_set_u64(o, "count", t->item[i].count);
		snapshot_facts_set_u64(o, "bytes", t->item[i].bytes);
		json_push(list, o);
	}
	return list;
}

/* Keeps the largest, and one row for the rest. */
static void
tallies_cut(struct tallies *t, size_t keep)
{
	struct tally rest = {.name = NULL};

	if (t->count)
		qsort(t->item, t->count, sizeof(*t->item), by_bytes);
	if (t->count <= keep)
		return;
	for (size_t i = keep; i < t->count; i++) {
		rest.count += t->item[i].count;
		rest.bytes += t->item[i].bytes;
		free(t->item[i].name);
	}
	rest.name = mem_strdup(others);
	t->count = keep;
	MEM_GROW(t->item, t->count, t->room);
	t->item[t->count++] = rest;
}

/* The sum of an array of numbers, and how many there are. */
static int
sum(const struct snapshot *s, enum snapshot_entry entry, uint64_t *total,
    struct err *err)
{
	AUTO_FREE uint64_t *batch = mem_array(BATCH, sizeof(*batch));
	struct snapshot_cursor k;
	size_t got;

	*total = 0;
	if (s->chapter[entry].count == 0)
		return 0;
	snapshot_cursor_init(&k, s, entry);
	do {
		if (snapshot_cursor_numbers(&k, batch, BATCH, &got, err)) {
			snapshot_cursor_done(&k);
			return err_wrap(err, "entry %d", (int)entry);
		}
		for (size_t i = 0; i < got; i++)
			*total += batch[i];
	} while (got);
	snapshot_cursor_done(&k);
	return 0;
}

/* One array of keys beside one of sizes, in step. */
static int
each_pair(const struct snapshot *s, enum snapshot_entry key,
	  enum snapshot_entry size,
	  void (*use)(void *arg, uint64_t key, uint64_t size), void *arg,
	  struct err *err)
{
	AUTO_FREE uint64_t *keys = mem_array(BATCH, sizeof(*keys));
	AUTO_FREE uint64_t *sizes = mem_array(BATCH, sizeof(*sizes));
	struct snapshot_cursor a, b;
	size_t got = 0, same = 0;
	int rc = 0;

	if (!s->chapter[key].count || !s->chapter[size].count)
		return 0;
	snapshot_cursor_init(&a, s, key);
	snapshot_cursor_init(&b, s, size);
	do {
		rc = snapshot_cursor_numbers(&a, keys, BATCH, &got, err);
		if (rc == 0)
			rc = snapshot_cursor_numbers(&b, sizes, BATCH, &same,
						     err);
		for (size_t i = 0; rc == 0 && i < got && i < same; i++)
			use(arg, keys[i], sizes[i]);
	} while (rc == 0 && got && same);
	snapshot_cursor_done(&a);
	snapshot_cursor_done(&b);
	return rc ? err_wrap(err, "entries %d and %d", (int)key, (int)size) : 0;
}

/* Tallies by number, which are named afterwards. */
struct numbered {
	struct tallies t;
	uint64_t limit;
	struct tally rest; /* of numbers past the limit */
};

static void
count_numbered(void *arg, uint64_t key, uint64_t size)
{
	struct numbered *n = arg;
	struct tally *t = key < n->limit ? &n->t.item[key] : &n->rest;

	t->count++;
	t->bytes += size;
}

static int
name_types(const struct snapshot *s, struct tallies *t, struct err *err)
{
	uint64_t types = s->chapter[SNAPSHOT_TYPE_NAME].count;
	/* Which row wants the name of a type. */
	AUTO_FREE uint32_t *wanted = mem_array(TYPES, sizeof(*wanted));
	struct snapshot_cursor k;
	char name[NAME_BYTES];
	uint64_t len;
	int rc = 0;

	for (size_t i = 0; i < t->count; i++)
		if (!t->item[i].name)
			wanted[t->item[i].id] = (uint32_t)i + 1;
	snapshot_cursor_init(&k, s, SNAPSHOT_TYPE_NAME);
	for (uint64_t i = 0; i < types && i < TYPES && rc == 0; i++) {
		rc = snapshot_cursor_string(
			&k, name, wanted[i] ? sizeof(name) : 0, &len, err);
		if (rc == 0 && wanted[i])
			t->item[wanted[i] - 1].name = mem_strdup(name);
	}
	snapshot_cursor_done(&k);
	return rc ? err_wrap(err, "the types' names") : 0;
}

static int
sum_types(const struct snapshot *s, cJSON *o, struct err *err)
{
	struct numbered n = {.limit = s->chapter[SNAPSHOT_TYPE_NAME].count};
	size_t kept = 0;
	int rc;

	if (n.limit > TYPES)
		n.limit = TYPES;
	n.t.room = n.t.count = (size_t)n.limit;
	n.t.item = mem_array(n.t.room + 1, sizeof(*n.t.item));
	rc = each_pair(s, SNAPSHOT_OBJECT_TYPE, SNAPSHOT_OBJECT_SIZE,
		       count_numbered, &n, err);
	for (size_t i = 0; i < n.t.count; i++) {
		n.t.item[i].id = i;
		if (n.t.item[i].count)
			n.t.item[kept++] = n.t.item[i];
	}
	n.t.count = kept;
	if (n.rest.count) {
		n.rest.name = mem_strdup(others);
		MEM_GROW(n.t.item, n.t.count, n.t.room);
		n.t.item[n.t.count++] = n.rest;
	}
	tallies_cut(&n.t, ROWS);
	if (rc == 0)
		rc = name_types(s, &n.t, err);
	if (rc == 0)
		json_set(o, "types", tallies_json(&n.t));
	tallies_done(&n.t);
	return rc;
}

/* Tallies by name as they come. */
struct named {
	struct tallies t;
	struct positions by_name;
};

static void
count_named(struct named *n, const char *name, uint64_t count, uint64_t bytes)
{
	uint64_t h = positions_hash(POSITIONS_HASH, name, strlen(name));
	struct tally *t;
	size_t at, is;

	for (is = positions_first(&n->by_name, h, &at); is != POSITIONS_NONE;
	     is = positions_next(&n->by_name, h, &at))
		if (n->t.item && strcmp(n->t.item[is].name, name) == 0)
			break;
	if (is == POSITIONS_NONE && n->t.count >= ROWS &&
	    strcmp(name, others) != 0) {
		count_named(n, others, count, bytes);
		return;
	}
	if (is == POSITIONS_NONE) {
		is = n->t.count;
		positions_add(&n->by_name, h, is);
		MEM_GROW(n->t.item, n->t.count, n->t.room);
		n->t.item[n->t.count++] =
			(struct tally){.name = mem_strdup(name), .id = is};
	}
	t = &n->t.item[is];
	t->count += count;
	t->bytes += bytes;
}

static int
sum_named(const struct snapshot *s, enum snapshot_entry names,
	  enum snapshot_entry sizes, const char *key, cJSON *o, struct err *err)
{
	struct named n = {.t.count = 0};
	struct snapshot_cursor a, b;
	uint64_t rows = s->chapter[names].count, len, bytes;
	char name[NAME_BYTES];
	int rc = 0;

	if (rows > s->chapter[sizes].count)
		rows = s->chapter[sizes].count;
	snapshot_cursor_init(&a, s, names);
	snapshot_cursor_init(&b, s, sizes);
	for (uint64_t i = 0; i < rows && rc == 0; i++) {
		rc = snapshot_cursor_string(&a, name, sizeof(name), &len, err);
		if (rc == 0)
			rc = snapshot_cursor_number(&b, &bytes, err);
		if (rc == 0)
			count_named(&n, name, 1, bytes);
	}
	snapshot_cursor_done(&a);
	snapshot_cursor_done(&b);
	tallies_cut(&n.t, ROWS);
	if (rc == 0)
		json_set(o, key, tallies_json(&n.t));
	tallies_done(&n.t);
	positions_done(&n.by_name);
	return rc ? err_wrap(err, "%s", key) : 0;
}

enum { REGION_TYPES = 4 };
static const char *const region_type[REGION_TYPES + 1] = {
	"private", "mapped", "shared", "device", "other"};

struct regions {
	uint64_t count[REGION_TYPES + 1], bytes[REGION_TYPES + 1];
};

static void
count_region(void *arg, uint64_t key, uint64_t size)
{
	struct regions *r = arg;
	size_t i = key < REGION_TYPES ? (size_t)key : REGION_TYPES;

	r->count[i]++;
	r->bytes[i] += size;
}

static int
sum_regions(const struct snapshot *s, cJSON *o, struct err *err)
{
	struct regions committed = {{0}, {0}}, resident = {{0}, {0}};
	cJSON *list;

	if (each_pair(s, SNAPSHOT_REGION_TYPE, SNAPSHOT_REGION_SIZE,
		      count_region, &committed, err) ||
	    each_pair(s, SNAPSHOT_REGION_TYPE, SNAPSHOT_REGION_RESIDENT,
		      count_region, &resident, err))
		return -1;
	list = json_arr();
	for (size_t i = 0; i <= REGION_TYPES; i++) {
		cJSON *row;

		if (!committed.count[i])
			continue;
		row = json_obj();
		json_set_str(row, "name", region_type[i]);
		snapshot_facts_set_u64(row, "count", committed.count[i]);
		snapshot_facts_set_u64(row, "committed_bytes",
				       committed.bytes[i]);
		snapshot_facts_set_u64(row, "resident_bytes",
				       resident.bytes[i]);
		json_push(list, row);
	}
	json_set(o, "regions", list);
	return 0;
}

/* Heap sections by their length; the top bit of the start says the VM's. */
static int
sum_heap(const struct snapshot *s, cJSON *totals, struct err *err)
{
	uint64_t rows = s->chapter[SNAPSHOT_HEAP_BYTES].count;
	uint64_t gc = 0, vm = 0, start, len;
	struct snapshot_cursor a, b;
	int rc = 0;

	if (rows > s->chapter[SNAPSHOT_HEAP_START].count)
		rows = s->chapter[SNAPSHOT_HEAP_START].count;
	snapshot_cursor_init(&a, s, SNAPSHOT_HEAP_START);
	snapshot_cursor_init(&b, s, SNAPSHOT_HEAP_BYTES);
	for (uint64_t i = 0; i < rows && rc == 0; i++) {
		rc = snapshot_cursor_number(&a, &start, err);
		if (rc == 0)
			rc = snapshot_cursor_string(&b, NULL, 0, &len, err);
		if (rc == 0 && s->version >= 12 && start >> 63)
			vm += len;
		else if (rc == 0)
			gc += len;
	}
	snapshot_cursor_done(&a);
	snapshot_cursor_done(&b);
	snapshot_facts_set_u64(totals, "managed_heap_bytes", gc);
	snapshot_facts_set_u64(totals, "managed_vm_bytes", vm);
	return rc ? err_wrap(err, "the managed heap") : 0;
}

static int
sum_totals(const struct snapshot *s, cJSON *o, struct err *err)
{
	static const struct {
		enum snapshot_entry entry;
		const char *bytes, *count;
	} total[] = {
		{SNAPSHOT_REGION_SIZE, "committed_bytes", NULL},
		{SNAPSHOT_REGION_RESIDENT, "resident_bytes", NULL},
		{SNAPSHOT_OBJECT_SIZE, "native_object_bytes", "native_objects"},
		{SNAPSHOT_ALLOCATION_SIZE, "native_allocation_bytes",
		 "native_allocations"},
		{SNAPSHOT_ROOT_SIZE, "root_bytes", NULL},
		{SNAPSHOT_GRAPHICS_SIZE, "graphics_bytes", NULL},
		{SNAPSHOT_ALLOCATOR_USED, "allocators_used_bytes", NULL},
		{SNAPSHOT_ALLOCATOR_RESERVED, "allocators_reserved_bytes",
		 NULL},
	};
	cJSON *totals = json_obj();

	json_set(o, "totals", totals);
	for (size_t i = 0; i < sizeof(total) / sizeof(*total); i++) {
		uint64_t bytes, count = s->chapter[total[i].entry].count;

		if (sum(s, total[i].entry, &bytes, err))
			return -1;
		if (count)
			snapshot_facts_set_u64(totals, total[i].bytes, bytes);
		else
			json_set_str(totals, total[i].bytes, NULL);
		if (total[i].count)
			snapshot_facts_set_u64(totals, total[i].count, count);
	}
	return sum_heap(s, totals, err);
}

int
snapshot_summary(const struct snapshot *s, cJSON **out, struct err *err)
{
	AUTO_JSON cJSON *o = json_obj();

	json_set_str(o, "file", s->name);
	snapshot_facts_set_u64(o, "size_bytes", s->bytes);
	json_set_int(o, "version", s->version);
	if (snapshot_facts_date(s, o, err) ||
	    snapshot_facts_target(s, o, err) || sum_totals(s, o, err) ||
	    snapshot_facts_stats(s, o, err) || sum_regions(s, o, err) ||
	    sum_types(s, o, err) ||
	    sum_named(s, SNAPSHOT_ROOT_AREA, SNAPSHOT_ROOT_SIZE, "areas", o,
		      err) ||
	    sum_named(s, SNAPSHOT_ALLOCATOR_NAME, SNAPSHOT_ALLOCATOR_USED,
		      "allocators", o, err))
		return err_wrap(err, "%s", s->name);
	*out = o;
	o = NULL;
	return 0;
}
