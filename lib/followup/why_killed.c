#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "followup/why.h"
#include "report/verdict.h"

enum { EVENTS_MAX = 64 << 20 };

/* How far a run came, by its events; strings are owned. */
struct place {
	int64_t at_ms; /* of the last event; -1: there is none */
	char *stage;
	bool stage_ended;
	char *screen;
};

static void
set(char **to, const char *text)
{
	free(*to);
	*to = mem_strdup(text);
}

static void
place_done(struct place *p)
{
	free(p->stage);
	free(p->screen);
}

static void
see_event(struct place *p, const cJSON *e)
{
	const char *name = json_str(e, "event", "");

	p->at_ms = json_int(e, "t_us", 0) / 1000;
	if (strcmp(name, "stage.begin") == 0) {
		set(&p->stage, json_str(e, "stage", "?"));
		set(&p->screen, NULL);
		p->stage_ended = false;
	} else if (strcmp(name, "stage.end") == 0) {
		set(&p->stage, json_str(e, "stage", "?"));
		p->stage_ended = true;
	} else if (strcmp(name, "visit.begin") == 0) {
		set(&p->screen, json_str(e, "screen", "?"));
	}
}

/* A line that was cut by the end says nothing. */
static int
read_place(const char *dir, struct place *p, struct err *err)
{
	AUTO_FREE char *path = file_join(dir, "events.ndjson");
	AUTO_BUF struct buf text = BUF_INIT_MAX(EVENTS_MAX);
	char *line, *next;

	*p = (struct place){.at_ms = -1};
	if (file_read(path, &text, err))
		return -1;
	for (line = text.data; (next = strchr(line, '\n')); line = next + 1) {
		AUTO_JSON cJSON *e = NULL;
		struct err bad = ERR_INIT;

		if (json_parse(line, (size_t)(next - line), path, &e, &bad) ==
		    0)
			see_event(p, e);
	}
	return 0;
}

/* "after 1:09 min, in walk, at or on the way to home" */
static void
say_place(const struct place *p, struct buf *out)
{
	if (p->at_ms < 0) {
		buf_str(out, "before its first step");
		return;
	}
	buf_str(out, "after ");
	buf_duration(out, p->at_ms);
	if (p->stage)
		buf_fmt(out, ", %s %s", p->stage_ended ? "after" : "in",
			p->stage);
	if (p->screen && !p->stage_ended)
		buf_fmt(out, ", at %s or on the way there", p->screen);
}

void
why_killed_show(cJSON *evidence, const char *dir)
{
	struct err err = ERR_INIT; /* without events it stays untold */
	AUTO_BUF struct buf b = BUF_INIT;
	struct place p;

	if (read_place(dir, &p, &err) == 0 && p.at_ms >= 0) {
		say_place(&p, &b);
		why_show(evidence, "ended", b.data);
	}
	place_done(&p);
}

static void
say_hold(enum why_hold hold, const char *held, cJSON *evidence, cJSON *next)
{
	AUTO_BUF struct buf b = BUF_INIT;

	switch (hold) {
	case WHY_HOLD_SOME:
		buf_fmt(&b, "not given back yet: %s", held);
		json_push_str(next, "patrol reap");
		break;
	case WHY_HOLD_NOTHING:
		buf_str(&b, "nothing is held: it had nothing, or that was "
			    "given back");
		break;
	case WHY_HOLD_UNKNOWN:
		buf_fmt(&b, "not known whether it is back: %s", held);
		json_push_str(next, "patrol reap");
		break;
	case WHY_HOLD_LIVE:
		buf_str(&b, "in use by it");
		break;
	}
	why_show(evidence, "phone", b.data);
}

cJSON *
why_killed(const char *where, const char *dir, enum why_hold hold,
	   const char *held)
{
	cJSON *o, *evidence, *next;
	AUTO_BUF struct buf cause = BUF_INIT;
	struct err err = ERR_INIT;
	bool live = hold == WHY_HOLD_LIVE;
	struct place p;

	if (read_place(dir, &p, &err)) {
		/* Written before its first event, or not to be read. */
		if (err.code == ERR_NOTFOUND &&
		    (hold == WHY_HOLD_NOTHING || hold == WHY_HOLD_UNKNOWN)) {
			place_done(&p);
			return NULL;
		}
	}
	buf_str(&cause, live ? "the patrol still runs: "
			     : "the patrol was killed, or its machine "
			       "ended, ");
	say_place(&p, &cause);
	o = why_without_result(where, live ? "RUNNING" : "NO RESULT",
			       live ? NULL : "killed", cause.data);
	evidence = json_arr();
	next = json_arr();
	say_hold(hold, held, evidence, next);
	if (err.code != ERR_NONE && err.code != ERR_NOTFOUND)
		why_show(evidence, "file", err.msg);
	why_show_files(evidence, dir);
	json_set(o, "evidence", evidence);
	json_push_str(next, live ? "Wait until it has ended."
				 : "See who ended the job: its log, its time "
				   "limit, the machine's memory.");
	json_set(o, "next", next);
	place_done(&p);
	return o;
}
