#include "unity/raw_trend.h"

#include <string.h>

typedef unsigned long long ull;

/* Parts of a doubling: bins are 1.6 % wide, and 0.8 % is the most they err. */
enum { PARTS_LOG = 6, PARTS = 1 << PARTS_LOG };

static const uint64_t edges[] = {16670000, 33300000, 50000000};
/* 1.5 times the frame of 60 a second. */
static const uint64_t LONG_NS = 25000000;

static size_t
bin_of(uint64_t ns)
{
	unsigned log;
	size_t bin;

	if (ns < PARTS)
		return (size_t)ns;
	log = 63U - (unsigned)__builtin_clzll(ns);
	bin = ((size_t)(log - PARTS_LOG + 1) << PARTS_LOG) +
	      (size_t)((ns >> (log - PARTS_LOG)) - PARTS);
	return bin < RAW_TREND_BINS ? bin : RAW_TREND_BINS - 1;
}

/* The middle of a bin. */
static uint64_t
ns_of(size_t bin)
{
	size_t log = bin >> PARTS_LOG;
	uint64_t part = bin & (PARTS - 1);

	if (log == 0)
		return part;
	return ((PARTS + part) << (log - 1)) + ((1ULL << (log - 1)) >> 1);
}

static void
join(struct raw_trend *t)
{
	for (size_t i = 0; i < t->columns; i += 2) {
		struct raw_trend_column c = t->column[i];
		const struct raw_trend_column *d = &t->column[i + 1];

		if (i + 1 < t->columns) {
			c.frames += d->frames;
			c.ns = d->ns > c.ns ? d->ns : c.ns;
			c.gc = d->gc > c.gc ? d->gc : c.gc;
		}
		t->column[i / 2] = c;
	}
	t->columns = (t->columns + 1) / 2;
	t->wide *= 2;
}

void
raw_trend_add(struct raw_trend *t, uint32_t index, uint64_t start_ns,
	      uint64_t ns, uint64_t gc)
{
	struct raw_trend_column *c;
	size_t edge = 0;

	if (t->wide == 0)
		t->wide = 1;
	if (t->columns == 0 || t->column[t->columns - 1].frames >= t->wide) {
		if (t->columns == RAW_TREND_COLUMNS)
			join(t);
		/* Joining an odd number leaves the last one with room. */
		if (t->columns == 0 ||
		    t->column[t->columns - 1].frames >= t->wide)
			t->column[t->columns++] = (struct raw_trend_column){
				.start_ns = start_ns, .index = index};
	}
	c = &t->column[t->columns - 1];
	c->frames++;
	c->ns = ns > c->ns ? ns : c->ns;
	c->gc = gc > c->gc ? gc : c->gc;
	while (edge < 3 && ns >= edges[edge])
		edge++;
	t->below[edge]++;
	t->bin[bin_of(ns)]++;
	t->frames++;
	t->total_ns += ns;
	t->over_ns += ns > LONG_NS ? ns : 0;
	t->max_ns = ns > t->max_ns ? ns : t->max_ns;
}

uint64_t
raw_trend_quantile(const struct raw_trend *t, double share)
{
	uint64_t want = (uint64_t)(share * (double)t->frames + 0.999999);
	uint64_t seen = 0, ns;

	if (t->frames == 0)
		return 0;
	for (size_t i = 0; i < RAW_TREND_BINS; i++) {
		seen += t->bin[i];
		if (seen < want || seen == 0)
			continue;
		ns = ns_of(i);
		return ns < t->max_ns ? ns : t->max_ns;
	}
	return t->max_ns;
}

static void
add_ms(struct buf *b, const char *name, uint64_t ns)
{
	buf_fmt(b, "\"%s\": %llu.%03llu, ", name, (ull)(ns / 1000000),
		(ull)(ns / 1000 % 1000));
}

void
raw_trend_json(const struct raw_trend *t, struct buf *out)
{
	uint64_t ppm = t->total_ns ? (uint64_t)((double)t->over_ns * 1e6 /
						(double)t->total_ns)
				   : 0;

	buf_str(out, "    \"times\": {");
	add_ms(out, "p50_ms", raw_trend_quantile(t, 0.5));
	add_ms(out, "p90_ms", raw_trend_quantile(t, 0.9));
	add_ms(out, "p95_ms", raw_trend_quantile(t, 0.95));
	add_ms(out, "p99_ms", raw_trend_quantile(t, 0.99));
	add_ms(out, "max_ms", t->max_ns);
	buf_fmt(out,
		"\"under_16_67_ms\": %llu, \"under_33_3_ms\": %llu, "
		"\"under_50_ms\": %llu, \"from_50_ms\": %llu, "
		"\"share_over_25_ms\": %llu.%06llu},\n",
		(ull)t->below[0], (ull)t->below[1], (ull)t->below[2],
		(ull)t->below[3], (ull)(ppm / 1000000), (ull)(ppm % 1000000));
	buf_str(out, "    \"trend\": [");
	for (size_t i = 0; i < t->columns; i++) {
		const struct raw_trend_column *c = &t->column[i];

		buf_fmt(out, "%s[%llu, %u, %u, %llu.%03llu, %llu]",
			i ? ", " : "", (ull)c->start_ns, c->index, c->frames,
			(ull)(c->ns / 1000000), (ull)(c->ns / 1000 % 1000),
			(ull)c->gc);
	}
	buf_str(out, "],\n");
}
