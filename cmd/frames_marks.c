#include "cmd/frames_marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { RESULT_MAX = 64 << 20 };

/* Patrol's own work shows in the frame it is marked with and the next ones. */
enum { DISTURBS = 2 };

static void
name_originals(struct frames_marks *m, const struct raw_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		m->place[i].original = (uint32_t)json_int(
			l->row[i].said, "original_index", l->row[i].index);
}

/* The row of an index of the app, or of the first one behind it. */
static size_t
row_of(const struct frames_marks *m, const struct raw_list *l, int64_t frame)
{
	size_t i = 0;

	while (i < l->count && (int64_t)m->place[i].original < frame)
		i++;
	return i;
}

static bool
disturbs(const char *kind)
{
	static const char *const kinds[] = {"snapshot", "screenshot", "restart",
					    "segment"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kind, kinds[i]) == 0)
			return true;
	}
	return false;
}

static const char *
kind_name(const cJSON *mark)
{
	const char *kind = json_str(mark, "kind", "");

	return disturbs(kind) ? kind : NULL;
}

static void
name_disturbed(struct frames_marks *m, const struct raw_list *l)
{
	const cJSON *mark;

	cJSON_ArrayForEach(mark, json_get(m->result, "marks"))
	{
		int64_t frame = json_int(mark, "frame", -1);

		if (frame < 0 || !kind_name(mark))
			continue;
		for (size_t i = row_of(m, l, frame);
		     i < l->count &&
		     (int64_t)m->place[i].original <= frame + DISTURBS;
		     i++)
			m->place[i].disturbed = kind_name(mark);
	}
}

/* ns of the log's clock when the run began, by a mark of a frame we have. */
static bool
find_offset(const struct frames_marks *m, const struct raw_list *l,
	    double *offset_ns)
{
	const cJSON *mark;

	cJSON_ArrayForEach(mark, json_get(m->result, "marks"))
	{
		int64_t frame = json_int(mark, "frame", -1);
		int64_t at_ms = json_int(mark, "at_ms", -1);
		size_t i = row_of(m, l, frame);

		if (frame < 0 || at_ms < 0 || i == l->count ||
		    m->place[i].original != (uint32_t)frame)
			continue;
		*offset_ns = (double)l->row[i].start_ns - (double)at_ms * 1e6;
		return true;
	}
	return false;
}

static const char *
screenshot_of(const struct frames_marks *m, const char *screen)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(m->result, "screens"))
	{
		if (strcmp(json_str(s, "name", ""), screen) == 0 &&
		    json_str(s, "screenshot", NULL))
			return json_str(s, "screenshot", NULL);
	}
	return NULL;
}

/* The transition that runs at that time, or the screen it led to. */
static void
place_row(const struct frames_marks *m, double at_ms, struct frames_place *p)
{
	const cJSON *t;

	cJSON_ArrayForEach(t, json_get(m->result, "transitions"))
	{
		double from = json_num(t, "at_ms", -1);
		double to = from + json_num(t, "ms", 0);

		if (from < 0 || from > at_ms)
			continue;
		p->from = at_ms <= to ? json_str(t, "from", NULL) : NULL;
		p->to = json_str(t, "landed", json_str(t, "to", NULL));
	}
	if (p->to)
		p->screenshot = screenshot_of(m, p->to);
}

/* Without a common clock: the screen of the last mark before the frame. */
static void
place_by_index(const struct frames_marks *m, struct frames_place *p)
{
	const cJSON *mark;

	cJSON_ArrayForEach(mark, json_get(m->result, "marks"))
	{
		int64_t frame = json_int(mark, "frame", -1);

		if (frame >= 0 && frame <= (int64_t)p->original)
			p->to = json_str(mark, "screen", p->to);
	}
	if (p->to)
		p->screenshot = screenshot_of(m, p->to);
}

int
frames_marks_read(struct frames_marks *m, const struct raw_list *l,
		  const char *result, struct err *err)
{
	double offset_ns = 0;

	*m = (struct frames_marks){
		.place = mem_array(l->count + 1, sizeof(*m->place))};
	name_originals(m, l);
	if (!result)
		return 0;
	if (json_read_file(result, RESULT_MAX, &m->result, err))
		return err_wrap(err, "--marks");
	name_disturbed(m, l);
	m->placed = find_offset(m, l, &offset_ns);
	for (size_t i = 0; i < l->count; i++) {
		double at = (double)l->row[i].start_ns + (double)l->row[i].ns -
			    offset_ns;

		if (m->placed)
			place_row(m, at / 1e6, &m->place[i]);
		else
			place_by_index(m, &m->place[i]);
	}
	return 0;
}

void
frames_marks_done(struct frames_marks *m)
{
	free(m->place);
	cJSON_Delete(m->result);
	*m = (struct frames_marks){0};
}
