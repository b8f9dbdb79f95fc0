#include "run/capture.h"

#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "raw_bytes.h"
#include "run/measure.h"

#include "check.h"

enum { MS = 1000000, PLAIN = 15, DISTURBED = 60, NEAR = 2 };

static char dir[] = "/tmp/patrol-capture-XXXXXX";

/* Frames of 100 ms, and behind them as many of 200 ms that have marks. */
static void
write_recording(const char *path, long long *bytes)
{
	AUTO_FREE char *beside = mem_fmt("%s.json", path);
	AUTO_FREE char *summary = NULL;
	struct err err = ERR_INIT;
	struct raw_bytes r;
	uint64_t time = 0;

	raw_file(&r, 0x20220328, false);
	raw_thread(&r, RAW_MAIN, false, "Main Thread");
	raw_block_end(&r, 0);
	for (unsigned i = 0; i <= PLAIN + DISTURBED; i++) {
		raw_frame(&r, RAW_MAIN, i, time);
		time += (i < PLAIN ? 100 : 200) * (uint64_t)MS;
	}
	*bytes = (long long)r.out.len;
	CHECK(file_write_raw(path, r.out.data, r.out.len, &err) == 0);
	raw_bytes_done(&r);
	summary = mem_fmt("{\"frames\": [], \"summary\": {\"frames\": %d, "
			  "\"bytes_out\": %lld, \"gc_source\": \"samples\"}}",
			  PLAIN + DISTURBED, *bytes);
	CHECK(file_write_raw(beside, summary, strlen(summary), &err) == 0);
}

/* One for each run of frames that it is near to. */
static void
put_marks(struct result *res)
{
	cJSON *marks = result_array(res, "marks");

	for (int i = PLAIN + NEAR; i < PLAIN + DISTURBED; i += 2 * NEAR + 1) {
		cJSON *mark = json_obj();

		json_set_str(mark, "kind", "screenshot");
		json_set_int(mark, "frame", i);
		json_set_int(mark, "at_ms", 1);
		json_push(marks, mark);
	}
}

static void
disturbed_frames_push_no_other_out(void)
{
	struct run_config cfg = {.out = dir};
	struct run r = {.cfg = &cfg};
	struct measure m = {.capture = NULL};
	struct capture_recording one = {.number = 1,
					.state = CAPTURE_DONE,
					.file = (char[]){"patrol-1.raw"}};
	struct capture_recording *list[] = {&one};
	struct capture all = {
		.filter = PLAN_FILTER_HOST, .list = list, .count = 1};
	AUTO_FREE char *path = NULL;
	struct err err = ERR_INIT;
	const cJSON *spikes, *spike;
	long long bytes;
	int clean = 0, place = 0;

	REQUIRE(mkdtemp(dir));
	path = file_join(dir, one.file);
	write_recording(path, &bytes);
	result_init(&r.res, "patrol", "x");
	put_marks(&r.res);
	r.measure = &m;
	m.capture = &all;
	capture_result_fill(&r, &all, false);
	CHECK_STR(json_str(r.res.json, "captures.profiler.status", ""),
		  "pulled");
	CHECK(json_int(r.res.json, "captures.profiler.size_bytes", 0) == bytes);
	spikes = json_get(r.res.json, "captures.profiler.spikes");
	CHECK(cJSON_GetArraySize(spikes) == 40);
	cJSON_ArrayForEach(spike, spikes)
	{
		bool is = json_str(spike, "disturbed_by", NULL) == NULL;

		/* These are the worst, whatever the others took. */
		CHECK(is == (place++ < PLAIN));
		clean += is;
	}
	CHECK(clean == PLAIN);
	result_done(&r.res);
	CHECK(file_remove_tree(dir, &err) == 0);
}

CHECK_MAIN(CHECK_CASE("frames that patrol disturbed push no other out",
		      disturbed_frames_push_no_other_out), )
