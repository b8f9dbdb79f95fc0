#ifndef PAIR_MAP_H
#define PAIR_MAP_H

#include <stddef.h>

/*
 * Numbers by two names, a metric and a subject: what is asked for costs the
 * same, however many there are.  The names are borrowed.
 */
struct pair_map {
	struct pair_slot {
		const char *a, *b; /* a NULL: free */
		size_t value;
	} * slot;
	size_t slots, count;
};

/*
 * The place of the number of (a, b), which is 0 when it is new.  It moves with
 * the next call.
 */
size_t *pair_map_at(struct pair_map *m, const char *a, const char *b);
void pair_map_done(struct pair_map *m);

#endif
