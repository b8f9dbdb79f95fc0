#include "series/level.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of a correlation that is not there, in some thirty runs. */
#define CHANCE	    0.08
#define MEMORY_MOST 0.8

void
level_put(double *s, size_t n, double x)
{
	for (; n > 0 && s[n - 1] > x; n--)
		s[n] = s[n - 1];
	s[n] = x;
}

static size_t
sorted(const double *v, size_t n, double out[LEVEL_MAX])
{
	size_t count = n < LEVEL_MAX ? n : LEVEL_MAX;

	for (size_t i = 0; i < count; i++)
		level_put(out, i, v[i]);
	return count;
}

double
level_middle(const double *s, size_t n)
{
	if (n == 0)
		return 0;
	return n & 1 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

double
level_median(const double *v, size_t n)
{
	double s[LEVEL_MAX];

	n = sorted(v, n, s);
	return level_middle(s, n);
}

/*
 * The middle of the distances from `median`: they grow to both sides of it, so
 * that the nearer one of two is the next.
 */
static double
mad_of(const double *s, size_t n, double median)
{
	size_t left = 0, right;
	double last = 0, before = 0;

	while (left < n && s[left] <= median)
		left++;
	right = left;
	for (size_t i = 0; i <= n / 2 && i < n; i++) {
		bool down =
			left > 0 && (right == n ||
				     median - s[left - 1] <= s[right] - median);

		before = last;
		last = fabs((down ? s[--left] : s[right++]) - median);
	}
	return 1.4826 * (n & 1 ? last : (before + last) / 2);
}

double
level_mad(const double *v, size_t n, double median)
{
	double s[LEVEL_MAX];

	n = sorted(v, n, s);
	return mad_of(s, n, median);
}

static double
within(double x, double most)
{
	return x > most ? most : x < -most ? -most : x;
}

/* The standard deviation from `median`, what is further counting as `most`. */
static double
clipped(const double *v, size_t n, double median, double most)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		double x = within(v[i] - median, most);

		sum += x * x;
	}
	return sqrt(sum / (double)n);
}

double
level_noise(const double *v, size_t n, double median)
{
	double s[LEVEL_MAX], mad, spread;

	if (n == 0)
		return 0;
	n = sorted(v, n, s);
	mad = mad_of(s, n, median);
	if (n < 10)
		return mad;
	/* 2.563 sigma lie between the two in normal noise. */
	spread = (s[(size_t)ceil(0.9 * (double)(n - 1))] -
		  s[(size_t)(0.1 * (double)(n - 1))]) /
		 2.563;
	if (spread < mad)
		spread = mad;
	/* Two humps of the same weight make both of them too large. */
	return fmin(spread, clipped(v, n, median, 3 * spread));
}

double
level_memory(const double *v, size_t n, double median, double noise)
{
	double sum = 0, pairs = 0, before = 0, r;

	for (size_t i = 0; i < n && i < LEVEL_MAX; i++) {
		double x = within(v[i] - median, 3 * noise);

		sum += x * x;
		pairs += i > 0 ? x * before : 0;
		before = x;
	}
	r = sum > 0 ? pairs / sum - CHANCE : 0;
	r = r < 0 ? 0 : within(r, MEMORY_MOST);
	return r;
}

double
level_widening(double memory, size_t n)
{
	double sum = 1, power = 1;

	for (size_t i = 1; i < n; i++) {
		power *= memory;
		sum += 2 * (1 - (double)i / (double)n) * power;
	}
	return sum;
}

double
level_dominance(const double *a, size_t an, const double *b, size_t bn)
{
	double wins = 0;

	for (size_t i = 0; i < an; i++) {
		for (size_t k = 0; k < bn; k++)
			wins += b[k] > a[i] ? 1 : b[k] < a[i] ? 0 : 0.5;
	}
	return an && bn ? wins / ((double)an * (double)bn) : 0.5;
}

/* --- a stretch that moves ------------------------------------------------ */

/* Where `x` is, or goes: the first that is not smaller. */
static size_t
place_of(const struct level_window *w, double x)
{
	size_t from = 0, to = w->to - w->from;

	while (from < to) {
		size_t half = (from + to) / 2;

		if (w->s[half] < x)
			from = half + 1;
		else
			to = half;
	}
	return from;
}

static void
take_last(struct level_window *w, const double *v)
{
	double x = v[w->to];
	size_t at = place_of(w, x);

	memmove(w->s + at + 1, w->s + at,
		(w->to - w->from - at) * sizeof(*w->s));
	w->s[at] = x;
	w->to++;
}

static void
drop_first(struct level_window *w, const double *v)
{
	size_t at = place_of(w, v[w->from]);

	w->from++;
	memmove(w->s + at, w->s + at + 1,
		(w->to - w->from - at) * sizeof(*w->s));
}

double
level_window_median(struct level_window *w, const double *v, size_t from,
		    size_t to)
{
	if (to - from > LEVEL_MAX)
		to = from + LEVEL_MAX;
	if (from < w->from || to < w->to || from >= w->to)
		*w = (struct level_window){.from = from, .to = from};
	while (w->to < to) {
		if (w->to - w->from == LEVEL_MAX)
			drop_first(w, v);
		take_last(w, v);
	}
	while (w->from < from)
		drop_first(w, v);
	return level_middle(w->s, to - from);
}

void
level_medians(const double *v, size_t n, size_t width, double *least,
	      double *most)
{
	struct level_window w = {.from = 0};

	*least = *most = level_window_median(&w, v, 0, width);
	for (size_t i = 1; i + width <= n; i++) {
		double m = level_window_median(&w, v, i, i + width);

		if (m < *least)
			*least = m;
		if (m > *most)
			*most = m;
	}
}
