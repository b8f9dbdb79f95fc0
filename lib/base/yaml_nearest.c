#include <stdint.h>
#include <string.h>

#include "base/yaml.h"

enum { MAX_WORD = 64 }; /* longer words have no near ones */

static unsigned char
lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

/* Edits between two words, a swap of neighbours counting as one. */
static size_t
distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t row[3][MAX_WORD + 1];
	size_t *before = row[0], *last = row[1], *now = row[2];

	for (size_t j = 0; j <= m; j++)
		last[j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *spare = before;

		now[0] = i;
		for (size_t j = 1; j <= m; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);
			size_t d = last[j - 1] + !same;

			if (last[j] + 1 < d)
				d = last[j] + 1;
			if (now[j - 1] + 1 < d)
				d = now[j - 1] + 1;
			if (i > 1 && j > 1 &&
			    lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]) &&
			    before[j - 2] + 1 < d)
				d = before[j - 2] + 1;
			now[j] = d;
		}
		before = last;
		last = now;
		now = spare;
	}
	return last[m];
}

const char *
yaml_nearest(const char *word, const char *const *candidates, size_t count)
{
	size_t len = strlen(word), best = SIZE_MAX;
	const char *near = NULL;

	if (len == 0 || len > MAX_WORD)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t m = strlen(candidates[i]), d;
		size_t longer = m > len ? m : len;

		if (m == 0 || m > MAX_WORD)
			continue;
		d = distance(word, len, candidates[i], m);
		if (d < best && d <= (longer + 2) / 3) {
			best = d;
			near = candidates[i];
		}
	}
	return near;
}
