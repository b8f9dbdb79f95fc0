#include "tests/detect/planted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/detect/noise.h"

/*
 * Pettitt's test (Applied Statistics 28, 1979): the largest difference of
 * ranks before and after any run, and how likely it is by chance.
 */
static bool
has_change(const double *v, size_t n)
{
	double most = 0, u = 0;

	for (size_t t = 0; t + 1 < n; t++) {
		for (size_t k = 0; k < n; k++)
			u += v[t] > v[k] ? 1 : v[t] < v[k] ? -1 : 0;
		most = fmax(most, fabs(u));
	}
	return 2 * exp(-6 * most * most /
		       ((double)n * (double)n * (double)(n + 1))) <
	       0.01;
}

static void
add(struct planted_sources *out, const struct series *s, size_t from, size_t to)
{
	for (; from + PLANTED_RUNS <= to; from += PLANTED_RUNS / 2) {
		if (has_change(s->value + from, PLANTED_RUNS))
			continue;
		MEM_GROW(out->item, out->count, out->room);
		out->item[out->count++] = (struct planted_source){
			.name = s->name,
			.value = s->value + from,
			.count = PLANTED_RUNS,
		};
	}
}

/* The first value that is of point `point` of the file or later. */
static size_t
value_at(const struct series *s, size_t point)
{
	size_t i = 0;

	while (i < s->count && s->point[i] < point)
		i++;
	return i;
}

void
planted_find(const struct labelled *all, size_t count,
	     struct planted_sources *out)
{
	*out = (struct planted_sources){0};
	for (size_t i = 0; i < count; i++) {
		const struct labelled *l = &all[i];
		size_t from = 0;

		if (l->group != LABELLED_HISTORY &&
		    l->group != LABELLED_MOZILLA)
			continue;
		for (size_t t = 0; t <= l->truth_count; t++) {
			size_t to = t < l->truth_count
					    ? value_at(&l->series, l->truth[t])
					    : l->series.count;

			add(out, &l->series, from, to);
			from = to;
		}
	}
}

void
planted_done(struct planted_sources *s)
{
	free(s->item);
	*s = (struct planted_sources){0};
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median_of(const double *v, size_t n)
{
	AUTO_FREE double *s = mem_array(n, sizeof(*s));

	memcpy(s, v, n * sizeof(*s));
	qsort(s, n, sizeof(*s), by_value);
	return n & 1 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

/* Scaled to a median of 1000; the noise as a share of it. */
static double
take(struct planted *p, const struct planted_source *from)
{
	double middle = median_of(from->value, from->count);
	double away[PLANTED_RUNS];

	for (size_t i = 0; i < PLANTED_RUNS; i++) {
		p->value[i] = 1000 * from->value[i] / middle;
		away[i] = fabs(p->value[i] - 1000);
	}
	return fmax(1.4826 * median_of(away, PLANTED_RUNS) / 1000, 1e-9);
}

static void
plant(struct planted *p, enum planted_kind kind, struct noise *r, double noise)
{
	static const double sizes[] = {0.05, 0.10, 0.20};
	static const double rates[] = {0.002, 0.003, 0.005};
	double rate = rates[noise_below(r, 3)];

	p->kind = kind;
	p->at = kind == PLANTED_STEP ? 40 + noise_below(r, 56)
				     : PLANTED_CREEP_AT;
	p->size = kind == PLANTED_STEP	  ? sizes[noise_below(r, 3)]
		  : kind == PLANTED_CREEP ? rate * PLANTED_CREEP_RUNS
					  : 0;
	p->to_noise = p->size / noise;
	for (size_t i = p->at; i < PLANTED_RUNS; i++) {
		double part = 1;

		if (kind == PLANTED_CREEP)
			part = fmin((double)(i - p->at) / PLANTED_CREEP_RUNS,
				    1);
		p->value[i] *= 1 + p->size * part;
	}
}

/* Each history as often as another, however long it is. */
static const struct planted_source *
draw(const struct planted_sources *s, struct noise *r)
{
	const char *name;
	size_t names = 0, of_it = 0, wanted;

	for (size_t i = 0; i < s->count; i++)
		names += i == 0 || s->item[i].name != s->item[i - 1].name;
	wanted = noise_below(r, names);
	for (size_t i = 0;; i++) {
		if (i > 0 && s->item[i].name == s->item[i - 1].name)
			continue;
		if (wanted-- == 0) {
			name = s->item[i].name;
			while (i + of_it < s->count &&
			       s->item[i + of_it].name == name)
				of_it++;
			return &s->item[i + noise_below(r, of_it)];
		}
	}
}

struct planted *
planted_make(const struct planted_sources *s, uint64_t seed, size_t count)
{
	static const enum planted_kind kinds[] = {PLANTED_CONTROL, PLANTED_STEP,
						  PLANTED_STEP, PLANTED_CREEP};
	struct planted *all = mem_array(count, sizeof(*all));
	struct noise r;

	noise_seed(&r, seed);
	for (size_t i = 0; i < count; i++)
		plant(&all[i], kinds[i % 4], &r, take(&all[i], draw(s, &r)));
	return all;
}
