#include "followup/growth.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/present.h"
#include "base/wall.h"
#include "followup/past.h"
#include "followup/unity_files.h"
#include "unity/snapshot.h"

/* --- which run ----------------------------------------------------------- */

struct search {
	const cJSON *now;
	int64_t began_s;       /* the run at hand */
	struct past_item best; /* the newest that fits */
	struct past_item last; /* the newest that does not */
};

static bool
has_sums(const cJSON *result)
{
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		if (json_get(s, "snapshot.totals"))
			return true;
	}
	return false;
}

static bool
same_build(const cJSON *a, const cJSON *b)
{
	AUTO_FREE char *x = json_id(a, "build.run_id");
	AUTO_FREE char *y = json_id(b, "build.run_id");

	return x && y && strcmp(x, y) == 0;
}

/* What must be the same; NULL: all is.  Else why not, to free(). */
static char *
differs(const cJSON *then, const cJSON *now)
{
	static const struct {
		const char *path, *what;
	} key[] = {
		{"plan.route_hash", "route"},
		{"device.model", "phone"},
		{"versions.unity", "Unity version"},
	};

	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++) {
		const char *a = json_str(then, key[i].path, "unknown");
		const char *b = json_str(now, key[i].path, "unknown");

		if (strcmp(a, b) != 0)
			return mem_fmt("another %s: %s then, %s now",
				       key[i].what, a, b);
	}
	return NULL;
}

static bool
newer(const struct past_item *a, const struct past_item *b)
{
	return b->result == NULL || a->at_s > b->at_s;
}

static bool
consider(void *arg, struct past_item *item)
{
	struct search *s = arg;
	AUTO_FREE char *why = NULL;
	struct past_item *slot;

	/* One that ended in this very second has ended before. */
	if (item->at_s > s->began_s || same_build(item->result, s->now) ||
	    !json_bool(item->result, "comparable", true) ||
	    !has_sums(item->result))
		return false;
	why = differs(item->result, s->now);
	slot = why ? &s->last : &s->best;
	if (!newer(item, slot))
		return false;
	past_item_done(slot);
	*slot = *item;
	*item = (struct past_item){.result = NULL};
	return false;
}

/* --- one screen ---------------------------------------------------------- */

/* The same visit of the same route. */
static const cJSON *
screen_then(const cJSON *result, const cJSON *screen)
{
	const char *name = json_str(screen, "name", "");
	int64_t visit = json_int(screen, "visit", 0);
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		if (json_int(s, "visit", 0) == visit &&
		    strcmp(json_str(s, "name", ""), name) == 0)
			return s;
	}
	return NULL;
}

/* Anew from its file, with all its rows; NULL: it is not there, or broken. */
static cJSON *
from_file(const cJSON *screen, const char *dir)
{
	const char *file = json_str(screen, "snapshot.file", NULL);
	struct err err = ERR_INIT;
	cJSON *summary;

	if (present_file(file) == NULL)
		return NULL;
	AUTO_FREE char *path = file_join(dir, file);

	return unity_files_summary(path, &summary, &err) ? NULL : summary;
}

/* Of a list that was cut: what the other one does not name is others, too. */
static cJSON *
folded(const cJSON *list, const cJSON *other)
{
	cJSON *out = json_arr(), *rest = json_obj();
	int64_t count = 0, bytes = 0;
	const cJSON *v, *o;

	cJSON_ArrayForEach(v, list)
	{
		const char *name = json_str(v, "name", "");

		cJSON_ArrayForEach(o, other)
		{
			if (strcmp(json_str(o, "name", ""), name) == 0)
				break;
		}
		if (o) {
			json_push(out, cJSON_Duplicate(v, true));
			continue;
		}
		count += json_int(v, "count", 0);
		bytes += json_int(v, "bytes", 0);
	}
	json_set_str(rest, "name", UNITY_FILES_OTHERS);
	json_set_int(rest, "count", count);
	json_set_int(rest, "bytes", bytes);
	json_push(out, rest);
	return out;
}

static cJSON *
from_result(const cJSON *screen, const cJSON *other)
{
	cJSON *o = json_obj();

	json_set(o, "totals",
		 cJSON_Duplicate(json_get(screen, "snapshot.totals"), true));
	json_set(o, "types",
		 folded(json_get(screen, "snapshot.types"),
			json_get(other, "snapshot.types")));
	json_set(o, "areas",
		 folded(json_get(screen, "snapshot.areas"),
			json_get(other, "snapshot.areas")));
	return o;
}

static void
cut(cJSON *growth, const char *key)
{
	cJSON *list = cJSON_GetObjectItemCaseSensitive(growth, key);

	while (cJSON_GetArraySize(list) > GROWTH_ROWS)
		cJSON_DeleteItemFromArray(list, GROWTH_ROWS);
}

static cJSON *
compare(const cJSON *then, const char *then_dir, const cJSON *now,
	const char *now_dir)
{
	AUTO_JSON cJSON *a = from_file(then, then_dir);
	AUTO_JSON cJSON *b = a ? from_file(now, now_dir) : NULL;
	bool files = a && b;
	cJSON *growth;

	if (!files) {
		cJSON_Delete(a);
		a = from_result(then, now);
		b = from_result(now, then);
	}
	growth = snapshot_compare(a, b);
	json_set_str(growth, "from", files ? "files" : "results");
	cJSON_DeleteItemFromObjectCaseSensitive(growth, "before");
	cJSON_DeleteItemFromObjectCaseSensitive(growth, "after");
	cJSON_DeleteItemFromObjectCaseSensitive(growth, "same_session");
	cut(growth, "types");
	cut(growth, "areas");
	return growth;
}

/* Why the snapshots of a screen can't be compared; NULL: they can. */
static const char *
not_comparable(const cJSON *then, const cJSON *now)
{
	if (json_get(then, "snapshot.totals") == NULL)
		return "the earlier run has no snapshot of it";
	if (json_bool(now, "off_route", false))
		return "it was reached off-route";
	if (json_bool(then, "off_route", false))
		return "it was reached off-route in the earlier run";
	return NULL;
}

static void
each_screen(cJSON *result, const char *out, const struct past_item *then,
	    struct deadline dl)
{
	const char *slash = strrchr(then->where, '/');
	AUTO_FREE char *dir =
		slash ? mem_strndup(then->where, (size_t)(slash - then->where))
		      : mem_strdup(".");
	struct err over = ERR_INIT;
	const cJSON *s;

	cJSON_ArrayForEach(s, json_get(result, "screens"))
	{
		const cJSON *before = screen_then(then->result, s);
		const char *why = not_comparable(before, s);
		cJSON *growth;

		if (json_get(s, "snapshot.totals") == NULL)
			continue;
		if (!why && deadline_check(dl, &over))
			why = "there was no time left for it";
		err_clear(&over);
		if (why) {
			growth = json_obj();
			json_set_str(growth, "message", why);
		} else {
			growth = compare(before, dir, s, out);
		}
		json_set(cJSON_GetObjectItemCaseSensitive(s, "snapshot"),
			 "growth", growth);
	}
}

/* --- all of it ----------------------------------------------------------- */

static cJSON *
describe(const struct past_item *item, const char *why)
{
	AUTO_FREE char *id = NULL;
	cJSON *o = json_obj();

	json_set_bool(o, "compared", why == NULL);
	json_set_str(o, "message", why);
	if (item->result == NULL)
		return o;
	id = json_id(item->result, "build.run_id");
	json_set_str(o, "file", item->where);
	json_set_str(o, "ended_at", json_str(item->result, "ended_at", NULL));
	json_set_str(o, "run_id", id);
	json_set_str(o, "commit", json_str(item->result, "build.commit", NULL));
	return o;
}

/* Nothing fits: why not. */
static cJSON *
nothing(const struct search *s, const struct past *past, const char *folder)
{
	AUTO_FREE char *why = NULL;

	if (s->last.result)
		why = differs(s->last.result, s->now);
	else if (past->unread)
		why = mem_fmt("no earlier run with snapshots could be read in "
			      "'%s': %s",
			      folder, past->why.msg);
	else
		why = mem_fmt("'%s' has no earlier run of another build with "
			      "pulled snapshots",
			      folder);
	return describe(&s->last, why);
}

void
growth_since(cJSON *result, const char *out, const char *folder,
	     struct deadline dl)
{
	struct search s = {.now = result};
	struct past past = {.why = ERR_INIT};
	struct err err = ERR_INIT;
	cJSON *previous;

	if (!json_bool(result, "comparable", true)) {
		previous = describe(&s.best, "this run is not comparable");
	} else if (!has_sums(result)) {
		previous = describe(&s.best, "no snapshot of this run is here");
	} else if (!wall_parse(json_str(result, "started_at", NULL),
			       &s.began_s) ||
		   past_folder(folder, consider, &s, &past, &err)) {
		previous = describe(&s.best, err.msg);
	} else if (s.best.result == NULL) {
		previous = nothing(&s, &past, folder);
	} else {
		previous = describe(&s.best, NULL);
		each_screen(result, out, &s.best, dl);
	}
	json_set(result, "previous", previous);
	past_item_done(&s.best);
	past_item_done(&s.last);
	past_done(&past);
}
