#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/positions.h"
#include "unity/snapshot_parts.h"

enum {
	BATCH = 8192,
	TEXTS = 1024,
	TYPES = 1 << 20, /* that are counted */
	ROWS = 4096,	 /* that are named, the largest */
	NAME_BYTES = 200,
	RECENT = 256, /* names that are found without the table */
	SUMS = 128,   /* entries; more than a summary looks at */
};

static const char others[] = "(others)";

/* Count and bytes of things of one name. */
struct tally {
	char *name;
	size_t len;  /* where it was looked up by name */
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

/* What arrays add up to, so that none is read twice. */
struct sums {
	bool known[SUMS];
	uint64_t total[SUMS];
};

/* Four at a time: compilers don't at -O2. */
static uint64_t
sum_of(const uint64_t *n, size_t count)
{
	uint64_t a = 0, b = 0, c = 0, d = 0;
	size_t i;

	for (i = 0; i + 4 <= count; i += 4) {
		a += n[i];
		b += n[i + 1];
		c += n[i + 2];
		d += n[i + 3];
	}
	for (; i < count; i++)
		a += n[i];
	return a + b + c + d;
}

/* The sum of an array of numbers. */
static int
sum(const struct snapshot *s, const struct sums *sums,
    enum snapshot_entry entry, uint64_t *total, struct err *err)
{
	AUTO_FREE uint64_t *batch = mem_array(BATCH, sizeof(*batch));
	struct snapshot_cursor k;
	uint64_t more = 0;
	size_t got;

	*total = sums->known[entry] ? sums->total[entry] : 0;
	if (s->chapter[entry].count == 0 || sums->known[entry])
		return 0;
	snapshot_cursor_init(&k, s, entry);
	do {
		if (snapshot_cursor_numbers(&k, batch, BATCH, &got, err)) {
			snapshot_cursor_done(&k);
			return err_wrap(err, "entry %d", (int)entry);
		}
		more += sum_of(batch, got);
	} while (got);
	snapshot_cursor_done(&k);
	*total = more;
	return 0;
}

/* One array of keys beside one of sizes, in step. */
static int
each_pair(const struct snapshot *s, enum snapshot_entry key,
	  enum snapshot_entry size,
	  void (*use)(void *arg, uint64_t key, uint64_t size), void *arg,
	  struct sums *sums, struct err *err)
{
	AUTO_FREE uint64_t *keys = mem_array(BATCH, sizeof(*keys));
	AUTO_FREE uint64_t *sizes = mem_array(BATCH, sizeof(*sizes));
	struct snapshot_cursor a, b;
	size_t got = 0, same = 0;
	uint64_t total = 0;
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
		for (size_t i = 0; rc == 0 && i < got && i < same; i++) {
			use(arg, keys[i], sizes[i]);
			total += sizes[i];
		}
	} while (rc == 0 && got && same);
	snapshot_cursor_done(&a);
	snapshot_cursor_done(&b);
	sums->total[size] = total;
	sums->known[size] = s->chapter[key].count == s->chapter[size].count;
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
	/* Which row wants the name of a type. */
	AUTO_FREE uint32_t *wanted = mem_array(TYPES, sizeof(*wanted));
	struct snapshot_cursor k;
	AUTO_FREE struct snapshot_text *text = mem_array(TEXTS, sizeof(*text));
	uint64_t row = 0;
	size_t got;
	int rc = 0;

	for (size_t i = 0; i < t->count; i++)
		if (!t->item[i].name)
			wanted[t->item[i].id] = (uint32_t)i + 1;
	snapshot_cursor_init(&k, s, SNAPSHOT_TYPE_NAME);
	do {
		rc = snapshot_cursor_texts(&k, NAME_BYTES, text, TEXTS, &got,
					   err);
		for (size_t i = 0; i < got && row < TYPES; i++, row++)
			if (wanted[row])
				t->item[wanted[row] - 1].name =
					mem_strndup(text[i].text, text[i].len);
	} while (rc == 0 && got);
	snapshot_cursor_done(&k);
	return rc ? err_wrap(err, "the types' names") : 0;
}

static int
sum_types(const struct snapshot *s, cJSON *o, struct sums *sums,
	  struct err *err)
{
	struct numbered n = {.limit = s->chapter[SNAPSHOT_TYPE_NAME].count};
	size_t kept = 0;
	int rc;

	if (n.limit > TYPES)
		n.limit = TYPES;
	n.t.room = n.t.count = (size_t)n.limit;
	n.t.item = mem_array(n.t.room + 1, sizeof(*n.t.item));
	rc = each_pair(s, SNAPSHOT_OBJECT_TYPE, SNAPSHOT_OBJECT_SIZE,
		       count_numbered, &n, sums, err);
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
	size_t recent_1[RECENT]; /* positions + 1, by how a name ends */
};

/* Many rows have few names, and these are mostly told apart by their ends. */
static size_t *
recent(struct named *n, const char *name, size_t len)
{
	size_t few = len < sizeof(uint64_t) ? len : sizeof(uint64_t);
	uint64_t end = len;

	memcpy(&end, name + len - few, few);
	return &n->recent_1[end * 0x9e3779b97f4a7c15u >> 56];
}

static bool
is_named(const struct tally *t, const char *name, size_t len)
{
	return t->len == len && memcmp(t->name, name, len) == 0;
}

/* The place of a name, made when there is room; else that of the others. */
static size_t
place_of(struct named *n, const char *name, size_t len)
{
	static const size_t others_len = sizeof(others) - 1;
	uint64_t h = positions_hash(POSITIONS_HASH, name, len);
	size_t at, is;
	char *copy;

	for (is = positions_first(&n->by_name, h, &at); is != POSITIONS_NONE;
	     is = positions_next(&n->by_name, h, &at))
		if (n->t.item && is_named(&n->t.item[is], name, len))
			return is;
	if (n->t.count >= ROWS &&
	    (len != others_len || memcmp(name, others, len) != 0))
		return place_of(n, others, others_len);
	/* A name may hold a NUL, and is all of its bytes. */
	copy = mem_alloc(len + 1);
	memcpy(copy, name, len);
	is = n->t.count;
	positions_add(&n->by_name, h, is);
	MEM_GROW(n->t.item, n->t.count, n->t.room);
	n->t.item[n->t.count++] =
		(struct tally){.name = copy, .len = len, .id = is};
	return is;
}

static void
count_named(struct named *n, const struct snapshot_text *name, uint64_t bytes)
{
	size_t *last_1 = recent(n, name->text, name->len);
	struct tally *t;

	if (!*last_1 ||
	    !is_named(&n->t.item[*last_1 - 1], name->text, name->len))
		*last_1 = place_of(n, name->text, name->len) + 1;
	t = &n->t.item[*last_1 - 1];
	t->count++;
	t->bytes += bytes;
}

static int
sum_named(const struct snapshot *s, enum snapshot_entry names,
	  enum snapshot_entry sizes, const char *key, cJSON *o,
	  struct sums *sums, struct err *err)
{
	AUTO_FREE struct snapshot_text *text = mem_array(TEXTS, sizeof(*text));
	AUTO_FREE uint64_t *bytes = mem_array(TEXTS, sizeof(*bytes));
	struct named n = {.t.count = 0};
	struct snapshot_cursor a, b;
	uint64_t total = 0;
	size_t got = 0, same = 0;
	int rc = 0;

	snapshot_cursor_init(&a, s, names);
	snapshot_cursor_init(&b, s, sizes);
	if (s->chapter[names].count && s->chapter[sizes].count)
		do {
			rc = snapshot_cursor_texts(&a, NAME_BYTES, text, TEXTS,
						   &got, err);
			if (rc == 0 && got)
				rc = snapshot_cursor_numbers(&b, bytes, got,
							     &same, err);
			for (size_t i = 0; rc == 0 && i < got && i < same;
			     i++) {
				count_named(&n, &text[i], bytes[i]);
				total += bytes[i];
			}
		} while (rc == 0 && got && same);
	sums->total[sizes] = total;
	sums->known[sizes] = s->chapter[names].count == s->chapter[sizes].count;
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
sum_regions(const struct snapshot *s, cJSON *o, struct sums *sums,
	    struct err *err)
{
	struct regions committed = {{0}, {0}}, resident = {{0}, {0}};
	cJSON *list;

	if (each_pair(s, SNAPSHOT_REGION_TYPE, SNAPSHOT_REGION_SIZE,
		      count_region, &committed, sums, err) ||
	    each_pair(s, SNAPSHOT_REGION_TYPE, SNAPSHOT_REGION_RESIDENT,
		      count_region, &resident, sums, err))
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
			rc = snapshot_cursor_length(&b, &len, err);
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
sum_totals(const struct snapshot *s, const struct sums *sums, cJSON *totals,
	   struct err *err)
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

	for (size_t i = 0; i < sizeof(total) / sizeof(*total); i++) {
		uint64_t bytes, count = s->chapter[total[i].entry].count;

		if (sum(s, sums, total[i].entry, &bytes, err))
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
	struct sums sums = {.known = {false}};
	cJSON *totals = json_obj();

	json_set_str(o, "file", s->name);
	snapshot_facts_set_u64(o, "size_bytes", s->bytes);
	json_set_int(o, "version", s->version);
	json_set(o, "totals", totals);
	if (snapshot_facts_date(s, o, err) ||
	    snapshot_facts_target(s, o, err) ||
	    snapshot_facts_stats(s, o, err) || sum_regions(s, o, &sums, err) ||
	    sum_types(s, o, &sums, err) ||
	    sum_named(s, SNAPSHOT_ROOT_AREA, SNAPSHOT_ROOT_SIZE, "areas", o,
		      &sums, err) ||
	    sum_named(s, SNAPSHOT_ALLOCATOR_NAME, SNAPSHOT_ALLOCATOR_USED,
		      "allocators", o, &sums, err) ||
	    sum_totals(s, &sums, totals, err))
		return err_wrap(err, "%s", s->name);
	*out = o;
	o = NULL;
	return 0;
}
