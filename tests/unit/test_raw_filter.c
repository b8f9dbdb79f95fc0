#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "raw_bytes.h"
#include "unity/raw_filter.h"
#include "unity/raw_list.h"

#include "check.h"

enum { GC = 1, WORK = 2, WAIT = 3 };
enum { MS = 1000000 };

static char dir[] = "/tmp/raw-filter-XXXXXX";
static char warnings[4096];

static void
remove_dir(void)
{
	struct err err = ERR_INIT;

	(void)file_remove_tree(dir, &err); /* nobody looks at it any more */
}

static char *
in_dir(const char *name)
{
	if (strstr(dir, "XXXXXX")) {
		CHECK(mkdtemp(dir));
		(void)atexit(remove_dir);
	}
	return file_join(dir, name);
}

static void
put_file(const char *name, const char *data, size_t len)
{
	AUTO_FREE char *path = in_dir(name);
	struct err err = ERR_INIT;

	CHECK(file_write_raw(path, data, len, &err) == 0);
}

static void
get_file(const char *name, struct buf *b)
{
	AUTO_FREE char *path = in_dir(name);
	struct err err = ERR_INIT;

	buf_clear(b);
	CHECK(file_read(path, b, &err) == 0);
}

static void
put_definitions(struct raw_bytes *r)
{
	raw_marker(r, GC, 17, "GC.Alloc");
	raw_marker(r, WORK, 1, "Work");
	raw_marker(r, WAIT, 18, "WaitForTargetFPS");
	raw_block_end(r, 0);
	raw_thread(r, RAW_MAIN, false, "Main Thread");
	raw_thread(r, RAW_RENDER, false, "Render Thread");
	raw_thread(r, RAW_LOADER, true, "Loading");
	raw_block_end(r, 0);
}

/* What a thread does in a frame. */
static void
put_work(struct raw_bytes *r, uint64_t thread, uint64_t time, uint32_t gc)
{
	raw_sample(r, 36, WORK, time);
	if (gc)
		raw_alloc(r, GC, time + 1, gc);
	raw_sample(r, 37, WORK, time + 2 * MS);
	raw_block_end(r, thread);
}

/*
 * Frames 0 to 9 of 10 ms from 100 ms on, but 3 of 400 ms; 6 allocates 3 MB on
 * the render thread, whose blocks come a frame late.
 */
static void
put_frames(struct raw_bytes *r)
{
	uint64_t time = 100 * MS;

	for (uint32_t i = 0; i < 10; i++) {
		uint64_t last = i == 4 ? time - 400 * MS : time - 10 * MS;

		raw_frame(r, RAW_MAIN, i, time);
		if (i > 0) {
			raw_frame(r, RAW_RENDER, i - 1, last + 1);
			put_work(r, RAW_RENDER, last + 1,
				 i - 1 == 6 ? 3000000 : 0);
		}
		put_work(r, RAW_MAIN, time, 100);
		if (i % 4 == 0)
			put_work(r, RAW_LOADER, time, 0);
		time += i == 3 ? 400 * MS : 10 * MS;
	}
	raw_frame(r, RAW_MAIN, 10, time);
}

static void
put_log(uint32_t version, bool packed)
{
	struct raw_bytes r;

	raw_file(&r, version, packed);
	put_definitions(&r);
	put_frames(&r);
	put_file("in.raw", r.out.data, r.out.len);
	raw_bytes_done(&r);
}

static void
on_warning(const char *text)
{
	size_t len = strlen(warnings);

	(void)snprintf(warnings + len, sizeof(warnings) - len, "%s\n", text);
}

static int
filter(const char *in, const char *out, struct raw_rules rules,
       uint64_t max_output, struct raw_filter_result *result, struct err *err)
{
	AUTO_FREE char *from = in_dir(in), *to = in_dir(out);
	AUTO_FREE char *summary = mem_fmt("%s.json", to);
	const char *paths[] = {from};
	struct raw_filter_spec spec = {
		.src = {.paths = paths, .count = 1},
		.rules = rules,
		.out = to,
		.summary = summary,
		.max_output = max_output,
	};
	struct raw_filter_result ignored;

	warnings[0] = '\0';
	return raw_filter_run(&spec, NULL, on_warning,
			      result ? result : &ignored, err);
}

static void
must_filter(const char *in, const char *out, struct raw_rules rules)
{
	struct err err = ERR_INIT;

	CHECK(filter(in, out, rules, 0, NULL, &err) == 0);
	CHECK_STR(err.msg, "");
}

static bool
same(const char *a, const char *b)
{
	AUTO_BUF struct buf x = BUF_INIT, y = BUF_INIT;

	get_file(a, &x);
	get_file(b, &y);
	return x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
}

static const struct raw_rules all = {.by_time = true};
static const struct raw_rules slow = {.by_time = true, .time_ns = 300 * MS};
static const struct raw_rules either = {.by_time = true,
					.time_ns = 300 * MS,
					.by_gc = true,
					.gc_bytes = 2000000};

/* "original:index:ms:gc ..." of the summary. */
static char *
kept(const char *out)
{
	AUTO_FREE char *path = in_dir(out);
	AUTO_FREE char *summary = mem_fmt("%s.json", path);
	AUTO_JSON cJSON *v = NULL;
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	const cJSON *f;

	CHECK(json_read_file(summary, 1 << 20, &v, &err) == 0);
	cJSON_ArrayForEach(f, json_get(v, "frames"))
	{
		buf_fmt(&b, "%s%d:%d:%d:%d", b.len ? " " : "",
			(int)json_int(f, "original_index", -1),
			(int)json_int(f, "index", -1),
			(int)json_num(f, "ms", -1),
			(int)json_int(f, "gc_bytes", -1));
	}
	return buf_take(&b);
}

static const uint32_t versions[] = {0x20171110, 0x20180123, 0x20191122,
				    0x20210412, 0x20220328, 0x20260108};

static void
keeping_all_changes_no_byte(void)
{
	for (unsigned i = 0; i < 12; i++) {
		put_log(versions[i / 2], i & 1);
		must_filter("in.raw", "out.raw", all);
		CHECK(same("in.raw", "out.raw"));
		CHECK_STR(warnings, "");
	}
}

static void
a_frame_is_kept_for_its_time_or_its_allocations(void)
{
	for (unsigned i = 0; i < 12; i++) {
		AUTO_FREE char *a = NULL, *b = NULL;

		put_log(versions[i / 2], i & 1);
		must_filter("in.raw", "out.raw", slow);
		a = kept("out.raw");
		CHECK_STR(a, "3:0:400:-1");
		must_filter("in.raw", "out.raw", either);
		b = kept("out.raw");
		CHECK_STR(b, "3:0:400:100 6:1:10:3000100");
	}
}

static void
filtering_twice_is_filtering_once(void)
{
	for (unsigned i = 0; i < 4; i++) {
		struct raw_rules rules = either;

		rules.keep_indices = i & 1;
		rules.around = i / 2;
		put_log(0x20220328, false);
		must_filter("in.raw", "once.raw", rules);
		must_filter("once.raw", "twice.raw", rules);
		CHECK(same("once.raw", "twice.raw"));
		CHECK(!same("in.raw", "once.raw"));
	}
}

static void
neighbours_are_kept_on_both_sides(void)
{
	struct raw_rules rules = slow;
	AUTO_FREE char *text = NULL;

	rules.around = 2;
	put_log(0x20220328, false);
	must_filter("in.raw", "out.raw", rules);
	text = kept("out.raw");
	CHECK_STR(text, "1:0:10:-1 2:1:10:-1 3:2:400:-1 4:3:10:-1 5:4:10:-1");
}

/* Each thread's indices, and the frames' of the main thread. */
static void
check_whole(const struct buf *b, size_t head, struct buf *frames)
{
	uint32_t next[4] = {0};
	bool begun[4] = {0};
	const uint8_t *p = (const uint8_t *)b->data;
	size_t at = head;

	while (at < b->len) {
		uint64_t id = raw_u64(p + at + 8);
		unsigned t =
			id == UINT64_MAX ? 0 : (unsigned)(id - RAW_MAIN) + 1;
		uint32_t len = raw_u32(p + at + 16);

		CHECK(raw_u32(p + at) == 0xB10C7EAD);
		CHECK(!begun[t] || raw_u32(p + at + 4) == next[t]);
		next[t] = raw_u32(p + at + 4) + 1;
		begun[t] = true;
		CHECK(raw_u32(p + at + 20 + len) == next[t]);
		if (raw_u16(p + at + 20) == 34)
			buf_fmt(frames, "%c%u ", t == 1 ? 'm' : 'r',
				raw_u32(p + at + 24));
		at += len + 28;
	}
	CHECK(at == b->len);
}

static void
indices_are_whole_and_no_frame_swallows_a_gap(void)
{
	struct raw_rules rules = either;

	put_log(0x20220328, false);
	for (int keep = 0; keep < 2; keep++) {
		AUTO_BUF struct buf b = BUF_INIT, frames = BUF_INIT;

		rules.keep_indices = keep;
		must_filter("in.raw", "out.raw", rules);
		get_file("out.raw", &b);
		check_whole(&b, 56, &frames);
		/* The begin that ends the first has the second's index. */
		CHECK_STR(frames.data,
			  keep ? "m3 m4 r3 m6 m7 r6 " : "m0 m1 r0 m1 m2 r1 ");
	}
}

/* Cut anywhere, what is whole is there, and the rest is told. */
static void
a_truncated_log_is_cut_at_its_last_whole_block(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	put_log(0x20220328, false);
	get_file("in.raw", &b);
	for (size_t len = 57; len < b.len; len += 13) {
		AUTO_BUF struct buf out = BUF_INIT, frames = BUF_INIT;

		put_file("cut.raw", b.data, len);
		must_filter("cut.raw", "out.raw", all);
		get_file("out.raw", &out);
		CHECK(out.len <= len && memcmp(out.data, b.data, out.len) == 0);
		check_whole(&out, 56, &frames);
		CHECK(out.len == len || strstr(warnings, "cut at byte"));
	}
}

static void
the_limit_is_never_passed(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	put_log(0x20220328, false);
	get_file("in.raw", &b);
	for (uint64_t max = 1; max < b.len + 100; max += 97) {
		AUTO_BUF struct buf out = BUF_INIT;
		struct raw_filter_result result;
		struct err err = ERR_INIT;

		CHECK(filter("in.raw", "out.raw", either, max, &result, &err) ==
		      0);
		get_file("out.raw", &out);
		CHECK(out.len <= max || out.len == 56);
		CHECK(result.full ==
		      (strstr(warnings, "--max-output") != NULL));
		CHECK(result.full || result.kept == 2);
	}
}

static void
allocations_that_nobody_recorded_are_told_loudly(void)
{
	struct raw_rules rules = either;
	struct raw_bytes r;

	raw_file(&r, 0x20220328, false);
	put_definitions(&r);
	raw_frame(&r, RAW_MAIN, 0, 0);
	put_work(&r, RAW_MAIN, 0, 0);
	raw_frame(&r, RAW_MAIN, 1, 500 * MS);
	put_file("in.raw", r.out.data, r.out.len);
	raw_bytes_done(&r);
	must_filter("in.raw", "out.raw", rules);
	CHECK_HAS(warnings, "time alone decided");
}

static void
the_apps_own_counter_is_taken(void)
{
	static const char counter[] = "ticks bytes\n# no value\n"
				      "100000005 1\n110000000,7\n"
				      "119999999;3000000\nx 5\n530000000 9";
	AUTO_FREE char *path = in_dir("gc.txt");
	AUTO_FREE char *text = NULL;
	struct raw_rules rules = either;

	put_log(0x20220328, false);
	put_file("gc.txt", counter, sizeof(counter) - 1);
	rules.gc_file = path;
	must_filter("in.raw", "out.raw", rules);
	text = kept("out.raw");
	/* The samples of a frame without a value are taken all the same. */
	CHECK_STR(text, "1:0:10:3000007 3:1:400:100 6:2:10:3000100");
	CHECK_HAS(warnings, "1 lines");
}

static void
waits_for_the_display_are_no_busy_time(void)
{
	struct raw_rules rules = slow;
	AUTO_FREE char *text = NULL;
	struct raw_bytes r;

	raw_file(&r, 0x20220328, false);
	put_definitions(&r);
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t time = i * 400ULL * MS;

		raw_frame(&r, RAW_MAIN, i, time);
		if (i == 0) {
			raw_sample(&r, 36, WAIT, time + MS);
			raw_sample(&r, 37, WAIT, time + 350ULL * MS);
			raw_block_end(&r, RAW_MAIN);
		}
	}
	put_file("in.raw", r.out.data, r.out.len);
	raw_bytes_done(&r);
	rules.busy = true;
	must_filter("in.raw", "out.raw", rules);
	text = kept("out.raw");
	CHECK_STR(text, "1:0:400:-1");
}

static void
an_excluded_thread_leaves_no_block(void)
{
	AUTO_FREE char *from = in_dir("in.raw"), *to = in_dir("out.raw");
	const char *paths[] = {from}, *omit[] = {"Render Thread"};
	struct raw_filter_spec spec = {.src = {.paths = paths, .count = 1},
				       .rules = all,
				       .out = to,
				       .omit = omit,
				       .omits = 1};
	AUTO_BUF struct buf b = BUF_INIT, frames = BUF_INIT;
	struct raw_filter_result result;
	struct err err = ERR_INIT;

	put_log(0x20220328, false);
	CHECK(raw_filter_run(&spec, NULL, NULL, &result, &err) == 0);
	get_file("out.raw", &b);
	check_whole(&b, 56, &frames);
	CHECK(strchr(frames.data, 'r') == NULL);
}

/* Segments repeat their definitions, which are written once. */
static void
segments_become_one_file(void)
{
	AUTO_FREE char *folder = in_dir("live");
	const char *paths[] = {folder};
	AUTO_FREE char *to = in_dir("out.raw");
	AUTO_FREE char *summary = in_dir("out.json");
	AUTO_JSON cJSON *said = NULL;
	AUTO_BUF struct buf out = BUF_INIT, whole = BUF_INIT;
	struct raw_filter_spec spec = {
		.src = {.paths = paths, .count = 1, .consume = true},
		.rules = all,
		.out = to,
		.summary = summary};
	struct raw_filter_result result;
	struct err err = ERR_INIT;
	struct raw_bytes r, s;
	size_t begin;

	CHECK(mkdir(folder, 0700) == 0);
	raw_file(&r, 0x20220328, false);
	put_definitions(&r);
	begin = r.out.len;
	put_frames(&r);
	put_file("live/c_9.raw", r.out.data, r.out.len);
	buf_add(&whole, r.out.data, r.out.len);
	raw_file(&s, 0x20220328, false);
	put_definitions(&s);
	put_file("live/c_10.raw", s.out.data, s.out.len);
	CHECK(begin == s.out.len);
	CHECK(raw_filter_run(&spec, NULL, NULL, &result, &err) == 0);
	get_file("out.raw", &out);
	CHECK(out.len == whole.len &&
	      memcmp(out.data, whole.data, out.len) == 0);
	CHECK(json_read_file(summary, 1 << 20, &said, &err) == 0);
	/* All that the second one has. */
	CHECK(json_int(said, "summary.definitions_repeated", 0) ==
	      json_int(said, "summary.blocks_in", 0) -
		      json_int(said, "summary.blocks_out", 0));
	CHECK(json_int(said, "summary.definitions_repeated", 0) > 0);
	CHECK(rmdir(folder) == 0); /* both were deleted */
	raw_bytes_done(&r);
	raw_bytes_done(&s);
}

static void
a_segment_of_another_recording_is_refused(void)
{
	AUTO_FREE char *a = in_dir("a.raw"), *b = in_dir("b.raw");
	AUTO_FREE char *to = in_dir("none.raw");
	const char *paths[] = {a, b};
	struct raw_filter_spec spec = {
		.src = {.paths = paths, .count = 2}, .rules = all, .out = to};
	struct raw_filter_result result;
	struct err err = ERR_INIT;
	struct raw_bytes r;

	raw_file(&r, 0x20220328, false);
	put_file("a.raw", r.out.data, r.out.len);
	raw_bytes_done(&r);
	raw_file(&r, 0x20191122, false);
	put_file("b.raw", r.out.data, r.out.len);
	raw_bytes_done(&r);
	CHECK(raw_filter_run(&spec, NULL, NULL, &result, &err) == -1);
	CHECK_HAS(err.msg, "another recording");
	CHECK(!file_exists(to));
}

/* A file of several MiB whose reader is told to stop at its end. */
static void
what_was_read_of_a_growing_file_is_given_back(void)
{
	AUTO_FREE char *from = in_dir("grows.raw"), *to = in_dir("few.raw");
	const char *paths[] = {from};
	struct raw_filter_spec spec = {.src = {.paths = paths,
					       .count = 1,
					       .follow = true,
					       .consume = true},
				       .rules = slow,
				       .out = to};
	struct raw_filter_result result;
	struct err err = ERR_INIT;
	struct cancel stop;
	struct raw_bytes r;
	struct stat before, after;
	int fd, can;

	raw_file(&r, 0x20220328, false);
	r.out.limit = 64 << 20;
	put_definitions(&r);
	for (uint32_t i = 0; i < 200; i++) {
		raw_frame(&r, RAW_MAIN, i, i * 10ULL * MS);
		for (int k = 0; k < 1500; k++)
			raw_sample(&r, 38, WORK, i * 10ULL * MS);
		raw_block_end(&r, RAW_MAIN);
	}
	put_file("grows.raw", r.out.data, r.out.len);
	raw_bytes_done(&r);
	fd = open(from, O_RDWR | O_CLOEXEC);
	REQUIRE(fd >= 0 && fstat(fd, &before) == 0);
	CHECK(deadline_cancel_init(&stop, &err) == 0);
	deadline_cancel_raise(&stop, 1);
	CHECK(raw_filter_run(&spec, &stop, NULL, &result, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK(!file_exists(from) && result.frames == 199);
	/* Its name is gone, and what is left of it is a MiB and a bit. */
	CHECK(fstat(fd, &after) == 0 && after.st_size == before.st_size);
	can = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
			4096) == 0;
	CHECK(!can || after.st_blocks * 512 < 3 << 20);
	close(fd);
	deadline_cancel_done(&stop);
}

/* Through a pipe the same bytes come out. */
static void
a_pipe_is_as_good_as_a_file(void)
{
	AUTO_FREE char *from = in_dir("in.raw"), *fifo = in_dir("fifo");
	AUTO_FREE char *to = in_dir("piped.raw");
	const char *paths[] = {fifo};
	struct raw_filter_spec spec = {.src = {.paths = paths, .count = 1},
				       .rules = either,
				       .out = to};
	struct raw_filter_result result;
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	pid_t child;

	put_log(0x20220328, true);
	must_filter("in.raw", "out.raw", either);
	get_file("in.raw", &b);
	CHECK(mkfifo(fifo, 0600) == 0);
	child = fork();
	if (child == 0) {
		int fd = open(fifo, O_WRONLY);

		for (size_t i = 0; i < b.len; i++)
			if (write(fd, b.data + i, 1) != 1)
				_exit(1);
		_exit(0);
	}
	CHECK(raw_filter_run(&spec, NULL, NULL, &result, &err) == 0);
	CHECK(same("out.raw", "piped.raw"));
}

static void
frames_say_the_same_before_and_after(void)
{
	AUTO_FREE char *before = in_dir("in.raw"), *after = in_dir("out.raw");
	const char *in[] = {before}, *out[] = {after};
	struct raw_list_spec spec = {.paths = in, .count = 1, .markers = true};
	struct raw_list a, b;
	struct err err = ERR_INIT;

	put_log(0x20220328, false);
	must_filter("in.raw", "out.raw", either);
	CHECK(raw_list_read(&a, &spec, NULL, &err) == 0);
	spec.paths = out;
	CHECK(raw_list_read(&b, &spec, NULL, &err) == 0);
	CHECK(a.count == 10 && b.count == 2);
	for (size_t i = 0; i < b.count; i++) {
		const struct raw_row *x = &a.row[i ? 6 : 3], *y = &b.row[i];
		size_t n = 0, m = 0;

		CHECK(x->start_ns == y->start_ns && x->ns == y->ns);
		CHECK(x->gc_bytes == y->gc_bytes && x->threads == y->threads);
		CHECK(raw_self_of(&a.self, x->ordinal, &n)->self == 2 * MS);
		CHECK(raw_self_of(&b.self, y->ordinal, &m)->self == 2 * MS);
		CHECK(n == 2 && m == 2);
	}
	raw_list_done(&a);
	raw_list_done(&b);
}

CHECK_MAIN(

	CHECK_CASE("keeping all changes no byte", keeping_all_changes_no_byte),
	CHECK_CASE("a frame is kept for its time or its allocations",
		   a_frame_is_kept_for_its_time_or_its_allocations),
	CHECK_CASE("filtering twice is filtering once",
		   filtering_twice_is_filtering_once),
	CHECK_CASE("neighbours are kept on both sides",
		   neighbours_are_kept_on_both_sides),
	CHECK_CASE("indices are whole and no frame swallows a gap",
		   indices_are_whole_and_no_frame_swallows_a_gap),
	CHECK_CASE("a truncated log is cut at its last whole block",
		   a_truncated_log_is_cut_at_its_last_whole_block),
	CHECK_CASE("the limit is never passed", the_limit_is_never_passed),
	CHECK_CASE("allocations that nobody recorded are told",
		   allocations_that_nobody_recorded_are_told_loudly),
	CHECK_CASE("the app's own counter is taken",
		   the_apps_own_counter_is_taken),
	CHECK_CASE("waits for the display are no busy time",
		   waits_for_the_display_are_no_busy_time),
	CHECK_CASE("an excluded thread leaves no block",
		   an_excluded_thread_leaves_no_block),
	CHECK_CASE("segments become one file", segments_become_one_file),
	CHECK_CASE("a segment of another recording is refused",
		   a_segment_of_another_recording_is_refused),
	CHECK_CASE("what was read of a growing file is given back",
		   what_was_read_of_a_growing_file_is_given_back),
	CHECK_CASE("a pipe is as good as a file", a_pipe_is_as_good_as_a_file),
	CHECK_CASE("frames say the same before and after",
		   frames_say_the_same_before_and_after), )
