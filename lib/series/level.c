#include "series/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a correlation that is not there, in some thirty runs. */
#define CHANCE	    0.08
#define MEMORY_MOST 0.8

static size_t
sorted(const double *v, size_t n, double out[LEVEL_MAX])
{
	size_t count = n < LEVEL_MAX ? n : LEVEL_MAX;

	for (size_t i = 0; i < count; i++) {
		size_t at = i;

		for (; at > 0 && out[at - 1] > v[i]; at--)
			out[at] = out[at - 1];
		out[at] = v[i];
	}
	return count;
}

static double
middle(const double *sorted_v, size_t n)
{
	if (n == 0)
		return 0;
	return n & 1 ? sorted_v[n / 2]
		     : (sorted_v[n / 2 - 1] + sorted_v[n / 2]) / 2;
}

double
level_median(const double *v, size_t n)
{
	double s[LEVEL_MAX];

	n = sorted(v, n, s);
	return middle(s, n);
}

double
level_mad(const double *v, size_t n, double median)
{
	double away[LEVEL_MAX], s[LEVEL_MAX];

	if (n > LEVEL_MAX)
		n = LEVEL_MAX;
	for (size_t i = 0; i < n; i++)
		away[i] = fabs(v[i] - median);
	n = sorted(away, n, s);
	return 1.4826 * middle(s, n);
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
	double mad = level_mad(v, n, median), s[LEVEL_MAX], spread;

	n = sorted(v, n, s);
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

void
level_medians(const double *v, size_t n, size_t width, double *least,
	      double *most)
{
	*least = *most = level_median(v, width);
	for (size_t i = 1; i + width <= n; i++) {
		double m = level_median(v + i, width);

		if (m < *least)
			*least = m;
		if (m > *most)
			*most = m;
	}
}
