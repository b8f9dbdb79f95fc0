#include "run/capture_place.h"

#include <string.h>

/* An answer comes so much after the frame that it is about. */
enum { LATE_MS = 100, NEAR = 2 };

/* The log's time of a frame, between the begins of columns; < 0: not in it. */
static double
time_of(const cJSON *trend, double frame)
{
	const cJSON *c, *before = NULL;

	cJSON_ArrayForEach(c, trend)
	{
		const cJSON *start = cJSON_GetArrayItem(c, 0);
		const cJSON *index = cJSON_GetArrayItem(c, 1);

		if (!cJSON_IsNumber(start) || !cJSON_IsNumber(index))
			return -1;
		if (index->valuedouble >= frame) {
			double f0, t0, wide;

			if (before == NULL || index->valuedouble == frame)
				return index->valuedouble == frame
					       ? start->valuedouble
					       : -1;
			t0 = before->child->valuedouble;
			f0 = before->child->next->valuedouble;
			wide = index->valuedouble - f0;
			return t0 + (start->valuedouble - t0) * (frame - f0) /
					    (wide > 0 ? wide : 1);
		}
		before = c;
	}
	return -1;
}

static bool
is_within(const struct capture_place *p, const cJSON *mark)
{
	int64_t at = json_int(mark, "at_ms", -1);

	return at >= p->from_ms && (p->to_ms <= 0 || at <= p->to_ms);
}

/*
 * The latest of the offsets that marks of known frames give: marks are noted
 * when the answer is here, which is always later than the frame.
 */
static bool
by_marks(struct capture_place *p, const cJSON *trend)
{
	const cJSON *mark;
	bool any = false;
	size_t n = 0;

	cJSON_ArrayForEach(mark, json_get(p->result, "marks"))
	{
		int64_t frame = json_int(mark, "frame", -1);
		double t, offset;

		if (n++ < p->mark || frame < 0 || !is_within(p, mark))
			continue;
		t = time_of(trend, (double)frame);
		if (t < 0)
			continue;
		offset = t - (double)json_int(mark, "at_ms", 0) * 1e6;
		if (!any || offset > p->offset_ns)
			p->offset_ns = offset;
		any = true;
	}
	return any;
}

void
capture_place_init(struct capture_place *p, const cJSON *result, size_t mark,
		   int64_t from_ms, int64_t to_ms, const cJSON *trend)
{
	const cJSON *first = trend ? trend->child : NULL;

	*p = (struct capture_place){.result = result,
				    .mark = mark,
				    .from_ms = from_ms,
				    .to_ms = to_ms};
	/* Else the first frame was when the recording began. */
	if (!by_marks(p, trend) && first && cJSON_IsNumber(first->child))
		p->offset_ns =
			first->child->valuedouble - (double)from_ms * 1e6;
}

int64_t
capture_place_at_ms(const struct capture_place *p, double ns)
{
	double ms = (ns - p->offset_ns) / 1e6;

	return ms > 0 ? (int64_t)ms : 0;
}

static const char *
screenshot_of(const struct capture_place *p, const char *screen)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(p->result, "screens"))
	{
		const char *file = json_str(s, "screenshot", NULL);

		if (file && strcmp(json_str(s, "name", ""), screen) == 0)
			return file;
	}
	return NULL;
}

/* The transition that ran while it did, or the screen that one led to. */
static void
place(const struct capture_place *p, int64_t start_ms, int64_t end_ms, cJSON *o)
{
	const char *from = NULL, *to = NULL;
	int64_t repeat = 0;
	const cJSON *t;

	cJSON_ArrayForEach(t, json_get(p->result, "transitions"))
	{
		int64_t at = json_int(t, "at_ms", -1);
		int64_t until = at + json_int(t, "ms", 0) + LATE_MS;

		if (at < 0 || at > end_ms)
			continue;
		from = start_ms <= until ? json_str(t, "from", NULL) : NULL;
		to = json_str(t, "landed", json_str(t, "to", NULL));
		repeat = json_int(t, "repeat", 0);
	}
	if (to == NULL) {
		const cJSON *s = json_get(p->result, "screens");

		to = s && s->child ? json_str(s->child, "name", NULL) : NULL;
	}
	if (repeat > 0)
		json_set_int(o, "repeat", repeat);
	if (from)
		json_set_str(o, "from", from);
	json_set_str(o, "screen", to);
	json_set_str(o, "screenshot", to ? screenshot_of(p, to) : NULL);
}

/* A mark's frame is where the app was when it answered. */
static bool
concerns(const cJSON *mark, int64_t index, int64_t start_ms, int64_t end_ms)
{
	int64_t frame = json_int(mark, "frame", -1);
	int64_t at = json_int(mark, "at_ms", -1);

	if (frame >= 0)
		return index >= frame - NEAR && index <= frame + NEAR;
	return at >= start_ms && at <= end_ms + LATE_MS;
}

static const char *
disturbance(const struct capture_place *p, int64_t index, int64_t start_ms,
	    int64_t end_ms)
{
	static const char *const kinds[] = {"snapshot", "screenshot", "restart",
					    "segment"};
	const cJSON *mark;
	size_t n = 0;

	cJSON_ArrayForEach(mark, json_get(p->result, "marks"))
	{
		const char *kind = json_str(mark, "kind", "");

		if (n++ < p->mark || !is_within(p, mark) ||
		    !concerns(mark, index, start_ms, end_ms))
			continue;
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
			if (strcmp(kind, kinds[i]) == 0)
				return kinds[i];
		}
	}
	return NULL;
}

void
capture_place_frame(const struct capture_place *p, double start_ns,
		    double end_ns, cJSON *o)
{
	int64_t start_ms = capture_place_at_ms(p, start_ns);
	int64_t end_ms = capture_place_at_ms(p, end_ns);
	const char *by =
		disturbance(p, json_int(o, "frame", -1), start_ms, end_ms);

	place(p, start_ms, end_ms, o);
	if (by)
		json_set_str(o, "disturbed_by", by);
}
