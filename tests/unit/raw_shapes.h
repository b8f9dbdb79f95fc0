#ifndef RAW_SHAPES_H
#define RAW_SHAPES_H

#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "fixtures/unity_raw.h"
#include "tests/unit/check.h"
#include "tests/unit/raw_blocks.h"
#include "unity/raw_list.h"

/*
 * Recordings of all shapes of the tests' own writer, and whether lists of
 * frames say what was put in.
 */
enum {
	FRAMES = 24,
	SEGMENTS_MAX = 3,
	SLOW_NS = 300000000,
	MUCH_BYTES = 2000000,
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	ALL = 11, /* not each of them, for the time */
#else
	ALL = 1,
#endif
	SOME = 5, /* each value of each dimension is among these */
	FEW = 31, /* likewise, for what waits for files to grow */
};

struct log {
	struct unity_raw_shape s;
	unsigned segments;
	char *in[SEGMENTS_MAX];
	struct buf bytes[SEGMENTS_MAX];
	struct raw_blocks blocks;
	uint64_t gc[FRAMES];
	bool kept[FRAMES]; /* with the thresholds above */
	bool indices_stay; /* --gaps keep */
};

static inline char *
here(const char *name)
{
	return file_join(getenv("TMPDIR"), name);
}

/* The n-th shape of the matrix; false: there are no more. */
static inline bool
shape_of(struct log *l, unsigned n)
{
	static const uint32_t version[] = {0x20171110, 0x20180123, 0x20181101,
					   0x20180306, 0x20191122, 0x20210412,
					   0x20210919, 0x20220328, 0x20260108};
	enum { VERSIONS = sizeof(version) / sizeof(version[0]) };

	*l = (struct log){.segments = n / 2 % 2 ? SEGMENTS_MAX : 1};
	l->s = (struct unity_raw_shape){
		.version = version[n / 48 % VERSIONS],
		.packed = n % 2,
		.split = n / 4 % 2,
		.threads = n / 8 % 2 ? 4 : 1,
		.gc = (enum unity_raw_gc)(n / 16 % 3),
		.lag = n % 5 < 2,
		.samples = 12 + n % 7,
		.block_bytes = n % 3 ? 300 : 12 << 10,
		.frames = FRAMES,
		.first_index = n % 4 ? 1000 + n : 0,
		.numerator = n % 3 == 1 ? 1000 : 1,
		.denominator = n % 3 == 1 ? 24 : 1,
		.seed = n,
	};
	return n < 48 * VERSIONS;
}

static inline uint64_t
frame_ns(const struct log *l, uint32_t n)
{
	struct unity_raw_frame f = unity_raw_frame(&l->s, n);

	return unity_raw_ns(&l->s, f.at_ticks + f.ticks) -
	       unity_raw_ns(&l->s, f.at_ticks);
}

static inline void
set_gc(struct log *l, uint32_t n, uint64_t bytes)
{
	l->gc[n] = bytes;
	l->kept[n] = frame_ns(l, n) >= SLOW_NS || bytes >= MUCH_BYTES;
}

static inline bool
log_write(struct log *l)
{
	uint32_t each = (FRAMES + l->segments - 1) / l->segments;
	struct err err = ERR_INIT;

	for (uint32_t n = 0; n < FRAMES; n++)
		set_gc(l, n, unity_raw_frame(&l->s, n).gc_bytes);
	for (unsigned i = 0; i < l->segments; i++) {
		AUTO_FREE char *name = mem_fmt("in-%u.raw", i);
		struct unity_raw_part part = {
			i * each,
			i + 1 == l->segments ? FRAMES : (i + 1) * each,
			i + 1 == l->segments};

		l->in[i] = here(name);
		buf_init(&l->bytes[i], 64 << 20);
		if (unity_raw_write(l->in[i], &l->s, part, NULL, &err) ||
		    file_read(l->in[i], &l->bytes[i], &err) ||
		    !raw_blocks_add(&l->blocks, &l->bytes[i], i)) {
			printf("# %s: %s\n", l->in[i], err.msg);
			return false;
		}
	}
	return true;
}

static inline void
log_done(struct log *l)
{
	for (unsigned i = 0; i < l->segments; i++) {
		free(l->in[i]);
		if (l->bytes[i].data)
			buf_done(&l->bytes[i]);
	}
	free(l->blocks.block);
}

/* Runs the program beside this test; what it says goes to `out`. */
static inline bool
patrol(const struct log *l, const char *out, const char *const *args)
{
	posix_spawn_file_actions_t files;
	const char *argv[24] = {"patrol"};
	char self[PATH_MAX] = "";
	size_t n = 1;
	int status = -1;
	pid_t pid;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return false;
	/* build/MODE/tests/unit/test_x */
	for (int i = 0; i < 3; i++)
		*strrchr(self, '/') = '\0';
	{
		AUTO_FREE char *program = file_join(self, "patrol");

		for (; *args; args++)
			argv[n++] = *args;
		for (unsigned i = 0; l && i < l->segments; i++)
			argv[n++] = l->in[i];
		posix_spawn_file_actions_init(&files);
		posix_spawn_file_actions_addopen(
			&files, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		posix_spawn_file_actions_adddup2(&files, 1, 2);
		if (posix_spawn(&pid, program, &files, NULL, (char **)argv,
				environ) == 0)
			(void)waitpid(pid, &status, 0); /* status says it */
		posix_spawn_file_actions_destroy(&files);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static inline bool
is_kept(const struct log *l, int64_t n)
{
	return n >= 0 && n < FRAMES && l->kept[n];
}

/*
 * A listed frame is frame n of the writer.  Up to the first allocation it
 * can't be told whether there are any; *told: there are.
 */
static inline bool
frame_agrees(const struct log *l, uint32_t n, const cJSON *v, bool *told)
{
	struct unity_raw_frame f = unity_raw_frame(&l->s, n);
	int64_t start = (int64_t)unity_raw_ns(&l->s, f.at_ticks);
	double ms = (double)frame_ns(l, n) / 1e6;
	int64_t gc = json_int(v, "gc_bytes", -1);
	bool good = json_int(v, "original_index", -1) == f.index &&
		    json_int(v, "start_ns", -1) == start &&
		    json_num(v, "ms", -1) > ms - 2e-6 &&
		    json_num(v, "ms", -1) < ms + 2e-6;

	*told = *told || gc >= 0;
	good = good && gc == (*told ? (int64_t)l->gc[n] : -1) &&
	       (*told || l->gc[n] == 0);
	if (!good) {
		AUTO_FREE char *text = json_text(v);

		printf("# %s, not frame %u of %.6f ms, %llu bytes\n", text,
		       f.index, ms, (unsigned long long)l->gc[n]);
	}
	return good;
}

/* `file` lists all frames, or the kept ones only. */
static inline bool
frames_agree(const struct log *l, const char *file, bool all)
{
	struct err err = ERR_INIT;
	AUTO_JSON cJSON *v = NULL;
	const cJSON *row;
	bool told = false;
	uint32_t n = 0;

	if (json_read_file(file, 16 << 20, &v, &err))
		return false;
	cJSON_ArrayForEach(row, json_get(v, "frames"))
	{
		while (n < FRAMES && !all && !is_kept(l, n))
			n++;
		if (n >= FRAMES || !frame_agrees(l, n++, row, &told))
			return false;
	}
	while (n < FRAMES && !all && !is_kept(l, n))
		n++;
	return n == FRAMES;
}

/* The begin that ends one kept frame and is just before the next one. */
static inline bool
is_gap(const struct log *l, uint32_t index)
{
	int64_t n = (int64_t)index - l->s.first_index;

	return !is_kept(l, n) && is_kept(l, n - 1) && is_kept(l, n + 1);
}

static inline bool
row_agrees(const struct log *l, uint32_t n, const struct raw_row *row)
{
	struct unity_raw_frame f = unity_raw_frame(&l->s, n);

	return row->ns == frame_ns(l, n) &&
	       row->start_ns == unity_raw_ns(&l->s, f.at_ticks) &&
	       (!l->indices_stay || row->index == f.index) &&
	       (row->has_gc ? row->gc_bytes == f.gc_bytes : f.gc_bytes == 0);
}

/* The same of a recording's own frames, which the library lists. */
static inline bool
rows_agree(const struct log *l, const char *path)
{
	struct raw_list_spec spec = {.paths = &path, .count = 1};
	struct raw_list list;
	struct err err = ERR_INIT;
	bool good = raw_list_read(&list, &spec, NULL, &err) == 0;
	uint32_t n = 0;

	for (size_t i = 0; good && i < list.count; i++) {
		const struct raw_row *row = &list.row[i];

		if (l->indices_stay && is_gap(l, row->index))
			continue;
		while (n < FRAMES && !l->kept[n])
			n++;
		good = n < FRAMES && row_agrees(l, n, row) &&
		       (l->indices_stay || row->index == l->s.first_index + i);
		n++;
	}
	while (n < FRAMES && !l->kept[n])
		n++;
	if (!good || n < FRAMES)
		printf("# row of frame %u: %s\n", n, err.msg);
	raw_list_done(&list);
	return good && n == FRAMES;
}

/* Runs a property over the matrix up to the first that does not hold. */
static inline void
each(bool (*holds)(struct log *l), unsigned step)
{
	unsigned done = 0;

	for (unsigned n = 0;; n += step) {
		struct log l;
		bool good;

		if (!shape_of(&l, n))
			break;
		good = log_write(&l) && holds(&l);
		if (!good)
			printf("# shape %u: version %x %s, split %d, threads "
			       "%u, lag %d, segments %u, gc %d\n",
			       n, l.s.version,
			       l.s.packed ? "packed" : "aligned", l.s.split,
			       l.s.threads, l.s.lag, l.segments, l.s.gc);
		log_done(&l);
		REQUIRE(good);
		done++;
	}
	CHECK(done == (432 + step - 1) / step);
}

#endif
