#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "unity/snapshot.h"

/* One name in both. */
struct row {
	const char *name;
	int64_t count[2], bytes[2];
};

static int
by_name(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int
by_growth(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int64_t i = x->bytes[1] - x->bytes[0], j = y->bytes[1] - y->bytes[0];

	if (i != j)
		return i < j ? 1 : -1;
	return strcmp(x->name, y->name);
}

static size_t
add(struct row *row, size_t count, const cJSON *list, int side)
{
	const cJSON *v;

	cJSON_ArrayForEach(v, list)
	{
		row[count].name = json_str(v, "name", "");
		row[count].count[side] = json_int(v, "count", 0);
		row[count].bytes[side] = json_int(v, "bytes", 0);
		count++;
	}
	return count;
}

static size_t
join(struct row *row, size_t count)
{
	size_t kept = 0;

	if (count)
		qsort(row, count, sizeof(*row), by_name);
	for (size_t i = 0; i < count; i++) {
		struct row *last = kept ? &row[kept - 1] : NULL;

		if (!last || strcmp(last->name, row[i].name) != 0) {
			row[kept++] = row[i];
			continue;
		}
		for (int s = 0; s < 2; s++) {
			last->count[s] += row[i].count[s];
			last->bytes[s] += row[i].bytes[s];
		}
	}
	if (kept)
		qsort(row, kept, sizeof(*row), by_growth);
	return kept;
}

static cJSON *
compare_lists(const cJSON *a, const cJSON *b, const char *key)
{
	size_t room = json_count(a, key) + json_count(b, key), count;
	AUTO_FREE struct row *row = mem_array(room + 1, sizeof(*row));
	cJSON *list = json_arr();

	count = add(row, 0, json_get(a, key), 0);
	count = add(row, count, json_get(b, key), 1);
	count = join(row, count);
	for (size_t i = 0; i < count; i++) {
		const struct row *r = &row[i];
		cJSON *o;

		if (r->count[0] == r->count[1] && r->bytes[0] == r->bytes[1])
			continue;
		o = json_obj();
		json_set_str(o, "name", r->name);
		json_set_int(o, "count_before", r->count[0]);
		json_set_int(o, "count_after", r->count[1]);
		json_set_int(o, "bytes_before", r->bytes[0]);
		json_set_int(o, "bytes_after", r->bytes[1]);
		json_set_int(o, "bytes_grown", r->bytes[1] - r->bytes[0]);
		json_push(list, o);
	}
	return list;
}

static cJSON *
compare_totals(const cJSON *a, const cJSON *b)
{
	const cJSON *before = json_get(a, "totals"), *v;
	cJSON *list = json_arr();

	cJSON_ArrayForEach(v, json_get(b, "totals"))
	{
		int64_t x = json_int(before, v->string, -1);
		int64_t y = json_int(json_get(b, "totals"), v->string, -1);
		cJSON *o;

		if (x < 0 || y < 0)
			continue;
		o = json_obj();
		json_set_str(o, "name", v->string);
		json_set_int(o, "before", x);
		json_set_int(o, "after", y);
		json_set_int(o, "grown", y - x);
		json_push(list, o);
	}
	return list;
}

cJSON *
snapshot_compare(const cJSON *a, const cJSON *b)
{
	int64_t session = json_int(a, "target.session", 0);
	cJSON *o = json_obj();

	json_set_str(o, "before", json_str(a, "file", NULL));
	json_set_str(o, "after", json_str(b, "file", NULL));
	json_set_bool(o, "same_session",
		      session != 0 &&
			      session == json_int(b, "target.session", 0));
	json_set(o, "totals", compare_totals(a, b));
	json_set(o, "types", compare_lists(a, b, "types"));
	json_set(o, "areas", compare_lists(a, b, "areas"));
	return o;
}
