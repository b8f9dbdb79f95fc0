#include "followup/past.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apk/apk_zip.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/wall.h"
#include "github/github_artifact.h"

void
past_item_done(struct past_item *it)
{
	cJSON_Delete(it->result);
	free(it->where);
	*it = (struct past_item){.result = NULL};
}

void
past_done(struct past *p)
{
	for (size_t i = 0; i < p->count; i++)
		past_item_done(&p->item[i]);
	free(p->item);
	*p = (struct past){.why = ERR_INIT};
}

static int
newest_first(const void *a, const void *b)
{
	const struct past_item *x = a, *y = b;

	if (x->at_s != y->at_s)
		return x->at_s > y->at_s ? -1 : 1;
	return strcmp(x->where, y->where);
}

static void
unread(struct past *p, int64_t at_s, const char *where, struct err *err)
{
	if (p->unread++ == 0 || at_s > p->unread_at_s) {
		p->unread_at_s = at_s;
		p->why = *err;
		err_wrap(&p->why, "%s", where);
	}
	err_clear(err);
}

/* Takes `result`.  `latest_s`: it cannot be younger, whatever it says. */
static int
add(struct past *p, cJSON *result, const char *where, int64_t latest_s,
    struct err *err)
{
	const char *end = json_str(result, "ended_at", NULL);
	struct past_item item = {.result = result};
	int64_t at_s;

	if (!cJSON_IsObject(result) || !wall_parse(end, &at_s)) {
		cJSON_Delete(result);
		return err_set(err, ERR_PROTO,
			       "it is no result.json: 'ended_at' is missing");
	}
	if (strcmp(json_str(result, "kind", ""), "run") != 0) {
		cJSON_Delete(result);
		return 0; /* a try is no patrol */
	}
	item.where = mem_strdup(where);
	item.at_s = at_s < latest_s ? at_s : latest_s;
	if (p->look && !p->look(p->look_arg, &item)) {
		past_item_done(&item);
		return 0;
	}
	MEM_GROW(p->item, p->count, p->room);
	p->item[p->count++] = item;
	return 0;
}

/* --- a folder ------------------------------------------------------------ */

static void
add_file(struct past *p, const char *path, int64_t changed_s)
{
	struct err err = ERR_INIT;
	cJSON *result = NULL;

	if (json_read_file(path, PAST_RESULT_MAX, &result, &err) ||
	    add(p, result, path, INT64_MAX, &err))
		unread(p, changed_s, path, &err);
}

static int look_in(struct past *p, const char *dir, int depth, struct err *err);

/* Links are not followed: they may lead in circles. */
static int
look_at(struct past *p, const char *dir, const char *name, int depth,
	struct err *err)
{
	AUTO_FREE char *path = file_join(dir, name);
	struct stat st;

	if (lstat(path, &st))
		return 0; /* gone in between */
	if (S_ISREG(st.st_mode) && strcmp(name, "result.json") == 0) {
		if (p->files++ >= PAST_FILES_MAX) {
			err_set(err, ERR_INPUT, "'%s' has more than %d results",
				dir, PAST_FILES_MAX);
			return err_hint(err, "name a folder of fewer days");
		}
		add_file(p, path, st.st_mtime);
	} else if (S_ISDIR(st.st_mode) && depth < PAST_DEPTH_MAX) {
		return look_in(p, path, depth + 1, err);
	}
	return 0;
}

static int
look_in(struct past *p, const char *dir, int depth, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int rc = 0;

	if (d == NULL)
		return err_sys(err, "open '%s'", dir);
	while (rc == 0 && (e = readdir(d))) {
		/* Hidden ones too: of work in progress. */
		if (e->d_name[0] != '.')
			rc = look_at(p, dir, e->d_name, depth, err);
	}
	closedir(d);
	return rc;
}

int
past_folder(const char *dir, past_look *look, void *arg, struct past *out,
	    struct err *err)
{
	struct stat st;
	bool there = stat(dir, &st) == 0;

	*out = (struct past){.why = ERR_INIT, .look = look, .look_arg = arg};
	if (!there && errno != ENOENT && errno != ENOTDIR)
		return err_sys(err, "look into '%s'", dir);
	if (!there || !S_ISDIR(st.st_mode)) {
		err_set(err, ERR_NOTFOUND, "there is no folder '%s'", dir);
		return err_hint(err, "name the folder that has the patrols' "
				     "output folders in it");
	}
	if (look_in(out, dir, 0, err)) {
		past_done(out);
		return -1;
	}
	if (out->count)
		qsort(out->item, out->count, sizeof(*out->item), newest_first);
	return 0;
}

/* --- GitHub -------------------------------------------------------------- */

static int
read_zip(const char *path, cJSON **result, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT_MAX(PAST_RESULT_MAX);
	struct apk_zip_entry e;
	struct apk_zip *z;
	int64_t at;
	int rc;

	if (apk_zip_open(path, &z, err))
		return -1;
	at = apk_zip_find(z, "result.json");
	if (at < 0)
		rc = err_set(err, ERR_NOTFOUND,
			     "there is no result.json in it");
	else if ((rc = apk_zip_entry(z, (size_t)at, &e, err)) == 0)
		rc = apk_zip_read(z, &e, &text, dl, err);
	apk_zip_close(z);
	if (rc)
		return -1;
	return json_parse(text.data, text.len, "result.json", result, err);
}

static int
fetch(struct github *g, const struct settings *set,
      const struct github_artifact *a, cJSON **result, struct deadline dl,
      struct err *err)
{
	AUTO_FREE char *path =
		mem_fmt("%s/past-%d.zip", set->state_dir, (int)getpid());
	struct github_artifact_file file = {.bytes = 0};
	int rc;

	if (a->size_bytes > PAST_RESULT_MAX)
		return err_set(err, ERR_INPUT,
			       "it has %lld MiB, a result has a few",
			       (long long)(a->size_bytes >> 20));
	if (file_mkdirs(set->state_dir, err))
		return -1;
	rc = github_artifact_download(g, a, path, NULL, NULL, &file, dl, err);
	github_artifact_file_done(&file);
	if (rc == 0)
		rc = read_zip(path, result, dl, err);
	(void)unlink(path); /* absent after a failed download */
	return rc;
}

/* -1: there is no use in going on. */
static int
take(struct github *g, const struct settings *set,
     const struct github_artifact *a, struct past *p, struct deadline dl,
     struct err *err)
{
	AUTO_FREE char *where = mem_fmt("run %s", a->run_id ? a->run_id : "?");
	int64_t made_s = INT64_MAX;
	cJSON *result = NULL;

	(void)wall_parse(a->created_at, &made_s); /* then its own word counts */
	if (fetch(g, set, a, &result, dl, err) == 0 &&
	    add(p, result, where, made_s, err) == 0)
		return 0;
	if (deadline_left_ms(dl) == 0 || err->code == ERR_CANCELLED ||
	    err->code == ERR_AUTH || err_is(err, "rate_limited"))
		return err_wrap(err, "%s", where);
	unread(p, made_s == INT64_MAX ? 0 : made_s, where, err);
	return 0;
}

static int
younger_first(const void *a, const void *b)
{
	const struct github_artifact *x = a, *y = b;

	return strcmp(y->created_at ? y->created_at : "",
		      x->created_at ? x->created_at : "");
}

static int
list(struct github *g, const char *report_name, const char *run_id,
     struct github_artifacts *l, struct deadline dl, struct err *err)
{
	AUTO_FREE char *name = mem_fmt("%s-result", report_name);

	*l = (struct github_artifacts){.item = NULL};
	if (github_artifact_list(g, run_id, name, l, dl, err)) {
		github_artifact_list_done(l);
		return err_wrap(err, "look for the artifact '%s'", name);
	}
	if (l->count)
		qsort(l->item, l->count, sizeof(*l->item), younger_first);
	return 0;
}

int
past_github(struct github *g, const struct settings *set,
	    const char *report_name, const char *run_id,
	    bool (*enough)(void *arg, const struct past_item *item), void *arg,
	    struct past *out, struct deadline dl, struct err *err)
{
	struct github_artifacts l;
	size_t tried = 0;
	int rc = 0;

	*out = (struct past){.why = ERR_INIT};
	if (list(g, report_name, run_id, &l, dl, err))
		return -1;
	for (size_t i = 0; i < l.count && tried < PAST_DOWNLOADS_MAX; i++) {
		size_t had = out->count;

		if (l.item[i].expired || l.item[i].foreign)
			continue;
		tried++;
		rc = take(g, set, &l.item[i], out, dl, err);
		if (rc || (enough && out->count > had &&
			   enough(arg, &out->item[had])))
			break;
	}
	github_artifact_list_done(&l);
	if (rc) {
		past_done(out);
		return -1;
	}
	if (out->count)
		qsort(out->item, out->count, sizeof(*out->item), newest_first);
	return 0;
}

bool
past_is_measured(void *arg, const struct past_item *item)
{
	(void)arg;
	return json_bool(item->result, "measured", false);
}

bool
past_is_of_build(void *run_id, const struct past_item *item)
{
	AUTO_FREE char *id = json_id(item->result, "build.run_id");

	return id && strcmp(id, run_id) == 0;
}
