#include "tests/detect/noise.h"

#include <math.h>

const char *const noise_names[NOISE_KINDS] = {
	"plain", "AR(0.5)", "hot days", "weekday", "bimodal", "missing days"};

void
noise_seed(struct noise *r, uint64_t seed)
{
	*r = (struct noise){.state = seed};
}

/* Vigna's splitmix64. */
static uint64_t
next(struct noise *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

double
noise_unit(struct noise *r)
{
	return (double)(next(r) >> 11) / 9007199254740992.0;
}

size_t
noise_below(struct noise *r, size_t n)
{
	return (size_t)(noise_unit(r) * (double)n);
}

double
noise_normal(struct noise *r)
{
	double u, v, s;

	if (r->has_spare) {
		r->has_spare = 0;
		return r->spare;
	}
	do {
		u = 2 * noise_unit(r) - 1;
		v = 2 * noise_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	s = sqrt(-2 * log(s) / s);
	r->spare = v * s;
	r->has_spare = 1;
	return u * s;
}

size_t
noise_make(struct noise *r, enum noise_kind kind, double cv, size_t n,
	   size_t at, double size, double *out, size_t *step)
{
	double memory = 0;
	size_t count = 0;

	*step = 0;
	for (size_t day = 0; day < n; day++) {
		double x = noise_normal(r) * cv, chance = noise_unit(r);

		if (kind == NOISE_AR)
			x = memory = memory / 2 + x * sqrt(0.75);
		else if (kind == NOISE_HOT)
			x += chance < 0.1 ? 0.06 : 0;
		else if (kind == NOISE_WEEKDAY)
			x += day % 7 == 0 ? 0.04 : 0;
		else if (kind == NOISE_BIMODAL)
			x = x / 2 + (chance < 0.5 ? cv : -cv);
		else if (kind == NOISE_MISSING && chance < 0.2)
			continue;
		if (day < at)
			*step = count + 1;
		out[count++] = 100 * (1 + x) * (day < at ? 1 : 1 + size);
	}
	return count;
}
