#ifndef LEVEL_H
#define LEVEL_H

#include <stddef.h>

/*
 * The level of a stretch of runs and how much one run strays from it, by order
 * statistics: one wild run moves neither.
 *
 * A stretch is at most LEVEL_MAX values, none of them NaN; more are not looked
 * at.  Nothing here fails.
 */
enum { LEVEL_MAX = 64 };

double level_median(const double *v, size_t n); /* n > 0 */
/* The same in steps: s[0..n) is sorted, and x goes to its place in it. */
void level_put(double *s, size_t n, double x);
double level_middle(const double *s, size_t n);
/*
 * The medians of a stretch that moves on: what is asked for next costs only
 * what came and went.  v[from..to), from < to, of one `v`; begin with zeros.
 */
struct level_window {
	size_t from, to;
	double s[LEVEL_MAX]; /* v[from..to), sorted */
};
double level_window_median(struct level_window *w, const double *v, size_t from,
			   size_t to);
/* 1.4826 x the median distance from `median`: one sigma of normal noise. */
double level_mad(const double *v, size_t n, double median);
/*
 * The larger of level_mad() and the spread between the 10th and 90th
 * percentile, as one sigma: noise with two humps has a small MAD.
 */
double level_noise(const double *v, size_t n, double median);
/*
 * The correlation of neighbours, 0 to 0.8: what is negative is none.  Lowered
 * by what chance makes of it in so few runs.
 */
double level_memory(const double *v, size_t n, double median, double noise);
/*
 * How many times larger the variance of a mean of `n` runs is for their
 * `memory`, an autoregression of first order.
 */
double level_widening(double memory, size_t n);
/* Of all pairs, the share in which b's is the larger; ties are half. */
double level_dominance(const double *a, size_t an, const double *b, size_t bn);
/* The smallest and largest median of `width` neighbours; width <= n. */
void level_medians(const double *v, size_t n, size_t width, double *least,
		   double *most);

#endif
