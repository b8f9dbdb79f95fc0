#include "repo/repo.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "repo/repo_child.h"
#include "transport/proc.h"

enum { MAX_ANSWER = 4 << 20 };

/* `base` is NULL: only the head. */
static int
ask(const char *dir, const char *base, const char *head, cJSON **out,
    struct deadline dl, struct err *err)
{
	const char *argv[] = {
		"/proc/self/exe", REPO_CHILD, dir, base, head, NULL};
	const struct proc_spec spec = {.argv = argv, .out_fd = -1};
	AUTO_BUF struct buf text = BUF_INIT_MAX(MAX_ANSWER);
	int status; /* its answer says it all */

	if (proc_capture(&spec, &text, &status, dl, err))
		return err_wrap(err, "read the git checkout '%s'", dir);
	if (json_parse(text.data, text.len, "libgit2's child", out, err)) {
		err->code = ERR_NOTFOUND;
		return err_hint(err, "the checkout '%s' is damaged", dir);
	}
	if (json_get(*out, "error")) {
		err_set(err, ERR_NOTFOUND, "'%s': %s: %s", dir,
			json_str(*out, "what", ""),
			json_str(*out, "error", ""));
		cJSON_Delete(*out);
		*out = NULL;
		return -1;
	}
	return 0;
}

static void
take_commit(const cJSON *json, struct repo_commit *c)
{
	c->sha = mem_strdup(json_str(json, "sha", ""));
	c->subject = mem_strdup(json_str(json, "subject", ""));
	c->author = mem_strdup(json_str(json, "author", ""));
	c->time_s = json_int(json, "time", 0);
}

static void
commit_done(struct repo_commit *c)
{
	free(c->sha);
	free(c->subject);
	free(c->author);
}

int
repo_head(const char *dir, struct repo_head *out, struct deadline dl,
	  struct err *err)
{
	AUTO_JSON cJSON *json = NULL;

	if (ask(dir, NULL, NULL, &json, dl, err))
		return -1;
	memset(out, 0, sizeof(*out));
	take_commit(json_get(json, "commit"), &out->commit);
	out->branch = mem_strdup(json_str(json, "branch", NULL));
	out->shallow = json_bool(json, "shallow", false);
	return 0;
}

void
repo_head_done(struct repo_head *h)
{
	commit_done(&h->commit);
	free(h->branch);
	memset(h, 0, sizeof(*h));
}

int
repo_range(const char *dir, const char *base, const char *head,
	   struct repo_range *out, struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *json = NULL;
	const cJSON *one;

	if (ask(dir, base, head, &json, dl, err))
		return -1;
	memset(out, 0, sizeof(*out));
	cJSON_ArrayForEach(one, json_get(json, "commits"))
	{
		MEM_GROW(out->item, out->count, out->room);
		take_commit(one, &out->item[out->count++]);
	}
	if (json_bool(json, "no_base", false))
		out->cause = "the older commit is not in this checkout "
			     "(a shallow one?)";
	else if (json_bool(json, "cut", false))
		out->cause = "this checkout is shallow";
	else if (json_bool(json, "too_long", false))
		out->cause = "too many commits";
	out->complete = out->cause == NULL;
	return 0;
}

void
repo_range_done(struct repo_range *r)
{
	for (size_t i = 0; i < r->count; i++)
		commit_done(&r->item[i]);
	free(r->item);
	memset(r, 0, sizeof(*r));
}
