#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixtures/unity_raw.h"
#include "tests/unit/raw_shapes.h"
#include "unity/raw_filter.h"

/*
 * Raw logs of all shapes from the tests' own writer, through the library and
 * some through the program: what comes out is held against what was put in.
 */
static const struct raw_rules everything = {.by_time = true};
static const struct raw_rules either = {.by_time = true,
					.time_ns = SLOW_NS,
					.by_gc = true,
					.gc_bytes = MUCH_BYTES};

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
is_repeated(const struct raw_blocks *l, const struct found_block *b)
{
	for (const struct found_block *k = l->block; b->defines && k < b; k++)
		if (k->segment < b->segment && raw_blocks_same(k, b))
			return true;
	return false;
}

static bool
all_there(const struct log *l, const struct raw_blocks *out)
{
	size_t at = 0;

	for (size_t i = 0; i < l->blocks.count; i++) {
		const struct found_block *b = &l->blocks.block[i];

		if (is_repeated(&l->blocks, b))
			continue;
		if (at == out->count || !raw_blocks_same(b, &out->block[at++]))
			return false;
	}
	return at == out->count && raw_blocks_whole(out);
}

/* All segments of the log, or the file `in`. */
static bool
filter(const struct log *l, const char *in, const char *out,
       const struct raw_rules *rules)
{
	AUTO_FREE char *summary = mem_fmt("%s.json", out);
	struct raw_filter_spec spec = {
		.src = {.paths = in ? &in : (const char *const *)l->in,
			.count = in ? 1 : l->segments},
		.rules = *rules,
		.out = out,
		.summary = summary};
	struct raw_filter_result result;
	struct err err = ERR_INIT;

	if (raw_filter_run(&spec, NULL, NULL, &result, &err) == 0)
		return true;
	printf("# %s\n", err.msg);
	return false;
}

static bool
all_kept(struct log *l)
{
	AUTO_FREE char *out = here("all.raw");
	struct raw_blocks blocks = {0};
	struct buf bytes;
	bool good = filter(l, NULL, out, &everything);

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
fate_of(const struct log *l, const struct found_block *b, int64_t frame,
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
		f.index = l->indices_stay ? b->frame : rank;
	return f;
}

static bool
same_but_index(const struct found_block *in, const struct found_block *out,
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
		const struct found_block *b = &l->blocks.block[i];
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
same_bytes(const char *one, const char *other)
{
	AUTO_BUF struct buf a = BUF_INIT_MAX(64 << 20);
	AUTO_BUF struct buf b = BUF_INIT_MAX(64 << 20);
	struct err err = ERR_INIT;

	return file_read(one, &a, &err) == 0 &&
	       file_read(other, &b, &err) == 0 && a.len == b.len &&
	       memcmp(a.data, b.data, a.len) == 0;
}

/* What is kept, and what the summary says of it. */
static bool
kept_agrees(const struct log *l, const char *out)
{
	AUTO_FREE char *summary = mem_fmt("%s.json", out);
	struct raw_blocks blocks = {0};
	struct buf bytes;
	bool good =
		read_blocks(out, &bytes, &blocks) && raw_blocks_whole(&blocks);

	/* Each thread has a block 0. */
	for (size_t i = 0; good && i < l->blocks.count; i++)
		good = l->blocks.block[i].index > 0 ||
		       thread_agrees(l, &blocks, l->blocks.block[i].thread);
	buf_done(&bytes);
	free(blocks.block);
	return good && frames_agree(l, summary, false) && rows_agree(l, out);
}

static bool
some_kept(struct log *l)
{
	AUTO_FREE char *out = here("some.raw");
	AUTO_FREE char *twice = here("twice.raw");

	return filter(l, NULL, out, &either) && kept_agrees(l, out) &&
	       filter(NULL, out, twice, &either) && same_bytes(out, twice);
}

static void
kept_and_dropped_are_all(void)
{
	each(some_kept, ALL);
}

static bool
indices_stay(struct log *l)
{
	AUTO_FREE char *out = here("gaps.raw");
	AUTO_FREE char *twice = here("twice.raw");
	struct raw_rules rules = either;

	l->indices_stay = rules.keep_indices = true;
	return filter(l, NULL, out, &rules) && kept_agrees(l, out) &&
	       filter(NULL, out, twice, &rules) && same_bytes(out, twice);
}

static void
gaps_stay_where_they_were(void)
{
	each(indices_stay, ALL);
}

/* What the app counted: one frame in seven allocates, in two parts. */
static bool
put_counter(struct log *l, const char *path)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(1 << 20);
	struct err err = ERR_INIT;

	for (uint32_t n = 0; n < FRAMES; n++) {
		struct unity_raw_frame f = unity_raw_frame(&l->s, n);
		uint64_t bytes = n % 7 == 3 ? MUCH_BYTES : n * 10;

		buf_fmt(&b, "%llu %llu\n%llu,%llu\n",
			(unsigned long long)f.at_ticks,
			(unsigned long long)bytes / 2,
			(unsigned long long)(f.at_ticks + f.ticks - 1),
			(unsigned long long)(bytes - bytes / 2));
		set_gc(l, n, bytes);
	}
	return file_write_raw(path, b.data, b.len, &err) == 0;
}

static bool
counted(struct log *l)
{
	AUTO_FREE char *out = here("counted.raw");
	AUTO_FREE char *counter = here("counter");
	AUTO_FREE char *summary = mem_fmt("%s.json", out);
	struct raw_rules rules = either;

	rules.gc_file = counter;
	/* The log itself has other allocations, which count for nothing. */
	return put_counter(l, counter) && filter(l, NULL, out, &rules) &&
	       frames_agree(l, summary, false);
}

static void
the_apps_counter_decides(void)
{
	each(counted, ALL);
}

/* An app that writes its segments while they are read, and then ends. */
struct app {
	const struct log *l;
	struct cancel cancel;
};

static char *
live_name(unsigned i)
{
	AUTO_FREE char *name = mem_fmt("live/cap_%u.raw", i);

	return here(name);
}

static void *
write_live(void *arg)
{
	const struct app *app = arg;

	for (unsigned i = 0; i < app->l->segments; i++) {
		const struct buf *b = &app->l->bytes[i];
		AUTO_FREE char *path = live_name(i);
		AUTO_FD int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

		for (size_t at = 0; at < b->len; at += 997)
			if (write(fd, b->data + at,
				  b->len - at < 997 ? b->len - at : 997) < 0)
				break;
	}
	deadline_cancel_raise(&app->cancel, 1);
	return NULL;
}

static bool
followed(struct log *l)
{
	AUTO_FREE char *at_once = here("once.raw");
	AUTO_FREE char *out = here("followed.raw");
	AUTO_FREE char *live = here("live");
	const char *paths[] = {live};
	struct raw_filter_spec spec = {.src = {.paths = paths,
					       .count = 1,
					       .follow = true,
					       .consume = true},
				       .rules = either,
				       .out = out};
	struct raw_filter_result result;
	struct err err = ERR_INIT;
	struct app app = {.l = l};
	pthread_t thread;
	bool good;

	if (mkdir(live, 0700) || deadline_cancel_init(&app.cancel, &err) ||
	    pthread_create(&thread, NULL, write_live, &app))
		return false;
	good = raw_filter_run(&spec, &app.cancel, NULL, &result, &err) == 0;
	pthread_join(thread, NULL);
	deadline_cancel_done(&app.cancel);
	if (!good)
		printf("# %s\n", err.msg);
	/* All that was read is gone. */
	return good && rmdir(live) == 0 && filter(l, NULL, at_once, &either) &&
	       same_bytes(at_once, out);
}

static void
following_is_as_good_as_reading_later(void)
{
	each(followed, FEW * ALL);
}

CHECK_MAIN(CHECK_CASE("each frame's time and allocations are what was put in",
		      frames_are_what_was_put_in),
	   CHECK_CASE("keeping every frame reproduces the input's blocks",
		      keeping_all_reproduces_the_blocks),
	   CHECK_CASE("kept and dropped are all, unchanged; filtering "
		      "twice is filtering once",
		      kept_and_dropped_are_all),
	   CHECK_CASE("with --gaps keep each index stays",
		      gaps_stay_where_they_were),
	   CHECK_CASE("the app's own counter decides before the log does",
		      the_apps_counter_decides),
	   CHECK_CASE("what is followed while it grows gives the same bytes",
		      following_is_as_good_as_reading_later), )
