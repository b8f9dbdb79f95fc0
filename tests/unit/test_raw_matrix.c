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

/*
 * Raw logs of all shapes from the tests' own writer, through the program:
 * what comes out is held against what was put in.
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
};

struct log {
	struct unity_raw_shape s;
	unsigned segments;
	char *in[SEGMENTS_MAX];
	struct buf bytes[SEGMENTS_MAX];
	struct raw_blocks blocks;
	bool kept[FRAMES]; /* with the thresholds above */
};

static char *
here(const char *name)
{
	return file_join(getenv("TMPDIR"), name);
}

/* The n-th shape of the matrix; false: there are no more. */
static bool
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

static uint64_t
frame_ns(const struct log *l, uint32_t n)
{
	struct unity_raw_frame f = unity_raw_frame(&l->s, n);

	return unity_raw_ns(&l->s, f.at_ticks + f.ticks) -
	       unity_raw_ns(&l->s, f.at_ticks);
}

static bool
log_write(struct log *l)
{
	uint32_t each = (FRAMES + l->segments - 1) / l->segments;
	struct err err = ERR_INIT;

	for (uint32_t n = 0; n < FRAMES; n++)
		l->kept[n] = frame_ns(l, n) >= SLOW_NS ||
			     unity_raw_frame(&l->s, n).gc_bytes >= MUCH_BYTES;
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

static void
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
static bool
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

static bool
is_kept(const struct log *l, int64_t n)
{
	return n >= 0 && n < FRAMES && l->kept[n];
}

/*
 * A listed frame is frame n of the writer.  Up to the first allocation it
 * can't be told whether there are any; *told: there are.
 */
static bool
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
	good = good && gc == (*told ? (int64_t)f.gc_bytes : -1) &&
	       (*told || f.gc_bytes == 0);
	if (!good) {
		AUTO_FREE char *text = json_text(v);

		printf("# %s, not frame %u of %.6f ms, %llu bytes\n", text,
		       f.index, ms, (unsigned long long)f.gc_bytes);
	}
	return good;
}

/* `file` lists all frames, or the kept ones only. */
static bool
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

/* Runs a property over the matrix up to the first that does not hold. */
static void
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

static bool
listed(struct log *l)
{
	AUTO_FREE char *out = here("frames.json");

	return patrol(l, out, (const char *[]){"frames", "--json", NULL}) &&
	       frames_agree(l, out, true);
}

static void
frames_are_what_was_put_in(void)
{
	each(listed, SOME * ALL);
}

static bool
read_blocks(const char *path, struct buf *b, struct raw_blocks *l)
{
	struct err err = ERR_INIT;

	buf_init(b, 64 << 20);
	return file_read(path, b, &err) == 0 && raw_blocks_add(l, b, 0);
}

/* A definition that stood in an earlier segment, byte for byte. */
static bool
is_repeated(const struct raw_blocks *l, const struct raw_block *b)
{
	for (const struct raw_block *k = l->block; b->defines && k < b; k++)
		if (k->segment < b->segment && raw_blocks_same(k, b))
			return true;
	return false;
}

static bool
all_there(const struct log *l, const struct raw_blocks *out)
{
	size_t at = 0;

	for (size_t i = 0; i < l->blocks.count; i++) {
		const struct raw_block *b = &l->blocks.block[i];

		if (is_repeated(&l->blocks, b))
			continue;
		if (at == out->count || !raw_blocks_same(b, &out->block[at++]))
			return false;
	}
	return at == out->count && raw_blocks_whole(out);
}

static bool
all_kept(struct log *l)
{
	AUTO_FREE char *out = here("all.raw");
	AUTO_FREE char *said = here("said");
	struct raw_blocks blocks = {0};
	struct buf bytes;
	bool good = patrol(l, said,
			   (const char *[]){"filter", "-q", "-o", out,
					    "--frame-time", "0ms", NULL});

	good = read_blocks(out, &bytes, &blocks) && good &&
	       all_there(l, &blocks);
	if (good && l->segments == 1)
		good = bytes.len == l->bytes[0].len &&
		       memcmp(bytes.data, l->bytes[0].data, bytes.len) == 0;
	buf_done(&bytes);
	free(blocks.block);
	return good;
}

static void
keeping_all_reproduces_the_blocks(void)
{
	each(all_kept, SOME * ALL);
}

/* What becomes of a block of the input. */
struct fate {
	bool kept;
	int64_t index; /* that its Frame message then has; -1: none */
};

/* `frame` is the thread's current one, from 0. */
static struct fate
fate_of(const struct log *l, const struct raw_block *b, int64_t frame,
	bool main)
{
	struct fate f = {.index = -1, .kept = is_kept(l, frame)};
	int64_t rank = l->s.first_index;

	if (b->defines)
		return (struct fate){!is_repeated(&l->blocks, b), -1};
	for (int64_t i = 0; i < frame; i++)
		rank += is_kept(l, i);
	/* The begin that ends a kept frame stays. */
	if (b->frame >= 0 && main && is_kept(l, frame - 1))
		f.kept = true;
	if (b->frame >= 0)
		f.index = rank;
	return f;
}

static bool
same_but_index(const struct raw_block *in, const struct raw_block *out,
	       int64_t index)
{
	if (index < 0)
		return raw_blocks_same(in, out);
	return in->thread == out->thread && in->len == out->len &&
	       out->frame == index && in->at == out->at;
}

/* Of one thread: its kept blocks are there in their order, and no other. */
static bool
thread_agrees(const struct log *l, const struct raw_blocks *out,
	      uint64_t thread)
{
	uint64_t main = raw_blocks_num(l->bytes[0].data + 28, 8);
	int64_t frame = -1;
	size_t at = 0;

	for (size_t i = 0; i < l->blocks.count; i++) {
		const struct raw_block *b = &l->blocks.block[i];
		struct fate f;

		if (b->thread != thread)
			continue;
		if (b->frame >= 0)
			frame = b->frame - l->s.first_index;
		f = fate_of(l, b, frame, thread == main);
		if (!f.kept)
			continue;
		while (at < out->count && out->block[at].thread != thread)
			at++;
		if (at == out->count ||
		    !same_but_index(b, &out->block[at++], f.index))
			return false;
	}
	while (at < out->count && out->block[at].thread != thread)
		at++;
	return at == out->count;
}

static bool
filter(const struct log *l, const char *in, const char *out)
{
	AUTO_FREE char *said = here("said");

	return patrol(l, said,
		      (const char *[]){"filter", "-q", "-o", out,
				       "--frame-time", "300ms", "--gc-alloc",
				       "2MB", in, NULL});
}

/* What was filtered, filtered again, is the same. */
static bool
again(const char *once)
{
	AUTO_FREE char *twice = here("twice.raw");
	AUTO_BUF struct buf a = BUF_INIT_MAX(64 << 20);
	AUTO_BUF struct buf b = BUF_INIT_MAX(64 << 20);
	struct err err = ERR_INIT;

	return filter(NULL, once, twice) && file_read(once, &a, &err) == 0 &&
	       file_read(twice, &b, &err) == 0 && a.len == b.len &&
	       memcmp(a.data, b.data, a.len) == 0;
}

static bool
some_kept(struct log *l)
{
	AUTO_FREE char *out = here("some.raw");
	AUTO_FREE char *frames = here("some.json");
	struct raw_blocks blocks = {0};
	struct buf bytes;
	bool good = filter(l, NULL, out);

	good = read_blocks(out, &bytes, &blocks) && good &&
	       raw_blocks_whole(&blocks);
	/* Each thread has a block 0. */
	for (size_t i = 0; good && i < l->blocks.count; i++)
		good = l->blocks.block[i].index > 0 ||
		       thread_agrees(l, &blocks, l->blocks.block[i].thread);
	good = good &&
	       patrol(NULL, frames,
		      (const char *[]){"frames", "--json", out, NULL}) &&
	       frames_agree(l, frames, false) && again(out);
	buf_done(&bytes);
	free(blocks.block);
	return good;
}

static void
kept_and_dropped_are_all(void)
{
	each(some_kept, ALL);
}

CHECK_MAIN(CHECK_CASE("each frame's time and allocations are what was put in",
		      frames_are_what_was_put_in),
	   CHECK_CASE("keeping every frame reproduces the input's blocks",
		      keeping_all_reproduces_the_blocks),
	   CHECK_CASE("kept and dropped are all, unchanged; filtering "
		      "twice is filtering once",
		      kept_and_dropped_are_all), )
