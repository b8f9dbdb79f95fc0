#include "run/capture_place.h"

#include "base/mem.h"
#include "check.h"

/*
 * A log whose clock stands at 90 s when the run is 1 s old: a frame each
 * 20 ms from index 100 on, four in a column.
 */
static cJSON *
trend(void)
{
	cJSON *all = json_arr();

	for (int i = 0; i < 100; i++) {
		cJSON *c = json_arr();

		json_push(c, cJSON_CreateNumber(90e9 + i * 80e6));
		json_push(c, cJSON_CreateNumber(100 + 4 * i));
		json_push(c, cJSON_CreateNumber(4));
		json_push(c, cJSON_CreateNumber(20));
		json_push(c, cJSON_CreateNumber(0));
		json_push(all, c);
	}
	return all;
}

static void
mark(cJSON *result, const char *kind, int frame, int at_ms)
{
	cJSON *m = json_obj();

	json_set_str(m, "kind", kind);
	json_set(m, "frame",
		 frame ? cJSON_CreateNumber(frame) : cJSON_CreateNull());
	json_set_int(m, "at_ms", at_ms);
	json_push(cJSON_GetObjectItemCaseSensitive(result, "marks"), m);
}

static cJSON *
a_result(void)
{
	static const char text[] =
		"{\"marks\": [], \"transitions\": ["
		"{\"from\": \"title\", \"to\": \"home\", \"at_ms\": 2000, "
		"\"ms\": 500},"
		"{\"from\": \"home\", \"to\": \"shop\", \"landed\": \"news\", "
		"\"at_ms\": 4000, \"ms\": 500}],"
		"\"screens\": [{\"name\": \"title\"},"
		"{\"name\": \"home\", \"screenshot\": \"screens/2.png\"}]}";
	struct err err = ERR_INIT;
	cJSON *v = NULL;

	if (json_parse(text, sizeof(text) - 1, "result", &v, &err))
		printf("# %s\n", err.msg);
	return v;
}

/* A frame at this time of the run. */
static cJSON *
placed(const struct capture_place *p, double at_ms, int index)
{
	double start = p->offset_ns + at_ms * 1e6;
	cJSON *o = json_obj();

	json_set_int(o, "frame", index);
	capture_place_frame(p, start, start + 300e6, o);
	return o;
}

static void
marks_tell_the_clock(void)
{
	AUTO_JSON cJSON *r = a_result();
	AUTO_JSON cJSON *t = trend();
	struct capture_place p;

	mark(r, "screenshot", 150, 2000); /* answered at once */
	mark(r, "screenshot", 202, 3200); /* and 160 ms late */
	mark(r, "screenshot", 90, 0);	  /* of another process */
	capture_place_init(&p, r, 0, 500, 9000, t);
	CHECK(capture_place_at_ms(&p, 90e9) == 1000);
	CHECK(capture_place_at_ms(&p, 91e9) == 2000);
}

static void
without_marks_it_began_with_the_recording(void)
{
	AUTO_JSON cJSON *r = a_result();
	AUTO_JSON cJSON *t = trend();
	struct capture_place p;

	capture_place_init(&p, r, 0, 700, 9000, t);
	CHECK(capture_place_at_ms(&p, 90e9) == 700);
	capture_place_init(&p, r, 0, 700, 9000, NULL);
	CHECK(capture_place_at_ms(&p, 90e9) == 90000);
}

static void
a_frame_has_its_transition_or_screen(void)
{
	AUTO_JSON cJSON *r = a_result();
	AUTO_JSON cJSON *t = trend();
	struct capture_place p;

	capture_place_init(&p, r, 0, 1000, 9000, t);
	AUTO_JSON cJSON *early = placed(&p, 1200, 110);
	AUTO_JSON cJSON *way = placed(&p, 2100, 155);
	AUTO_JSON cJSON *stay = placed(&p, 3000, 200);
	AUTO_JSON cJSON *other = placed(&p, 4100, 255);
	CHECK_STR(json_str(early, "screen", NULL), "title");
	CHECK_STR(json_str(way, "from", NULL), "title");
	CHECK_STR(json_str(way, "screen", NULL), "home");
	CHECK_STR(json_str(way, "screenshot", NULL), "screens/2.png");
	CHECK(json_str(stay, "from", NULL) == NULL);
	CHECK_STR(json_str(stay, "screen", NULL), "home");
	CHECK_STR(json_str(other, "screen", NULL), "news");
}

static void
what_patrol_did_is_told(void)
{
	AUTO_JSON cJSON *r = a_result();
	AUTO_JSON cJSON *t = trend();
	struct capture_place p;

	mark(r, "snapshot", 150, 2000);
	mark(r, "segment", 0, 3250);
	capture_place_init(&p, r, 0, 1000, 9000, t);
	AUTO_JSON cJSON *copied = placed(&p, 1700, 149);
	AUTO_JSON cJSON *next = placed(&p, 2010, 156);
	AUTO_JSON cJSON *file = placed(&p, 3000, 230);
	AUTO_JSON cJSON *later = placed(&p, 3300, 240);
	CHECK_STR(json_str(copied, "disturbed_by", NULL), "snapshot");
	CHECK(json_str(next, "disturbed_by", NULL) == NULL);
	CHECK_STR(json_str(file, "disturbed_by", NULL), "segment");
	CHECK(json_str(later, "disturbed_by", NULL) == NULL);
	/* Marks of the process before are none of this one's. */
	capture_place_init(&p, r, 2, 1000, 9000, t);
	AUTO_JSON cJSON *other = placed(&p, 1700, 149);
	CHECK(json_str(other, "disturbed_by", NULL) == NULL);
}

CHECK_MAIN(CHECK_CASE("marks tell the log's clock, the soonest answer best",
		      marks_tell_the_clock),
	   CHECK_CASE("without marks it began with the recording",
		      without_marks_it_began_with_the_recording),
	   CHECK_CASE("a frame has its transition or its screen",
		      a_frame_has_its_transition_or_screen),
	   CHECK_CASE("what patrol did itself is told",
		      what_patrol_did_is_told), )
