#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/unity_raw.h"

/*
 * make_raw OUT.raw BYTES [none|samples|counter]: a raw log of Unity 6000.0 of
 * about so many bytes, 8 threads, blocks of 12 KiB, for measurements by hand.
 * Prints its frames: index, nanoseconds from begin to begin, bytes allocated.
 */
enum { THREADS = 8, SAMPLES = 1900, SAMPLE_BYTES = 42 };

static int
usage(void)
{
	fputs("usage: make_raw OUT.raw BYTES [none|samples|counter]\n", stderr);
	return 2;
}

int
main(int argc, char **argv)
{
	static const char *const gc[UNITY_RAW_GC_KINDS] = {"none", "samples",
							   "counter"};
	struct unity_raw_shape s = {
		.version = 0x20220328,
		.threads = THREADS,
		.samples = SAMPLES,
		.block_bytes = 12 << 10,
		.gc = UNITY_RAW_GC_SAMPLES,
		.numerator = 1,
		.denominator = 1,
		.seed = 1,
	};
	struct err err = ERR_INIT;
	uint64_t at, next;

	if (argc < 3 || argc > 4)
		return usage();
	s.frames = (uint32_t)(strtoull(argv[2], NULL, 10) /
			      (THREADS * SAMPLES * SAMPLE_BYTES)) +
		   1;
	for (int i = 0; argc == 4 && i < UNITY_RAW_GC_KINDS; i++)
		if (strcmp(argv[3], gc[i]) == 0)
			s.gc = (enum unity_raw_gc)i;
	if (unity_raw_write(argv[1], &s,
			    (struct unity_raw_part){0, s.frames, true}, NULL,
			    &err)) {
		fprintf(stderr, "make_raw: %s\n", err.msg);
		return 1;
	}
	at = unity_raw_frame(&s, 0).at_ticks;
	for (uint32_t n = 0; n < s.frames; n++, at = next) {
		struct unity_raw_frame f = unity_raw_frame(&s, n);

		next = f.at_ticks + f.ticks;
		printf("%u %llu %llu\n", f.index,
		       (unsigned long long)(next - at),
		       (unsigned long long)f.gc_bytes);
	}
	return 0;
}
