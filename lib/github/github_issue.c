#include "github/github_issue.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/present.h"

/* Bodies of 65,536 characters must fit into GITHUB_MAX_BODY. */
enum { PER_PAGE = 50, LABELS_MAX = 100 };

/* --- what came ----------------------------------------------------------- */

int
github_issue_parse(const cJSON *json, struct github_issue *out, struct err *err)
{
	static const char what[] = "GitHub's issue";
	const cJSON *label;

	memset(out, 0, sizeof(*out));
	if (json_need_int(json, "number", what, &out->number, err))
		return -1;
	if (out->number <= 0)
		return err_set(err, ERR_PROTO, "%s: 'number' is not one", what);
	out->url = mem_strdup(json_str(json, "html_url", ""));
	out->title = mem_strdup(json_str(json, "title", ""));
	out->body = mem_strdup(json_str(json, "body", ""));
	out->open = strcmp(json_str(json, "state", "open"), "open") == 0;
	out->not_planned =
		!out->open &&
		strcmp(json_str(json, "state_reason", ""), "not_planned") == 0;
	out->is_pull = cJSON_IsObject(json_get(json, "pull_request"));
	out->label = mem_array(LABELS_MAX, sizeof(*out->label));
	cJSON_ArrayForEach(label, json_get(json, "labels"))
	{
		/* GitHub may send a name alone. */
		const char *name = cJSON_IsString(label)
					   ? label->valuestring
					   : json_str(label, "name", NULL);

		if (name && out->labels < LABELS_MAX)
			out->label[out->labels++] = mem_strdup(name);
	}
	return 0;
}

bool
github_issue_has_label(const struct github_issue *i, const char *name)
{
	for (size_t k = 0; k < i->labels; k++) {
		/* As GitHub compares them. */
		if (strcasecmp(i->label[k], name) == 0)
			return true;
	}
	return false;
}

void
github_issue_done(struct github_issue *i)
{
	for (size_t k = 0; k < i->labels; k++)
		free(i->label[k]);
	free(i->label);
	free(i->url);
	free(i->title);
	free(i->body);
	memset(i, 0, sizeof(*i));
}

void
github_issue_comment_done(struct github_issue_comment *c)
{
	free(c->body);
	free(c->url);
	memset(c, 0, sizeof(*c));
}

/* --- asking -------------------------------------------------------------- */

/* The list of issues is gone when the repository has none. */
static int
because(const struct github *g, const char *tail, struct err *err)
{
	if (g->status == 410 && strncmp(tail, "/issues/", 8) != 0)
		(void)err_reason(err, "issues_disabled");
	return -1;
}

static const char needs[] = "issues: write";

static int
tell(struct github *g, const char *method, const char *tail, const cJSON *body,
     cJSON **out, struct deadline dl, struct err *err)
{
	if (github_tell(g, needs, method, tail, body, out, dl, err))
		return because(g, tail, err);
	return 0;
}

/* One page's items; 1: enough. */
typedef int see_page(void *ctx, const cJSON *item, struct err *err);

static int
pages(struct github *g, const char *tail, see_page *see, void *ctx,
      struct deadline dl, struct err *err)
{
	AUTO_FREE char *at = github_path(g, tail);

	for (int page = 0; at && page < GITHUB_ISSUE_PAGES_MAX; page++) {
		AUTO_JSON cJSON *json = NULL;
		const cJSON *item;
		char *next = NULL;
		int rc;

		if (github_ask(g, needs, at, &json, &next, dl, err))
			return because(g, tail, err);
		free(at);
		at = next;
		if (!cJSON_IsArray(json))
			return err_set(err, ERR_PROTO,
				       "GitHub '%s': no list came", tail);
		cJSON_ArrayForEach(item, json)
		{
			rc = see(ctx, item, err);
			if (rc)
				return rc > 0 ? 0 : -1;
		}
	}
	return 0;
}

struct list {
	github_issue_see *see;
	github_issue_see_comment *see_comment;
	void *arg;
};

static int
list_issue(void *ctx, const cJSON *item, struct err *err)
{
	const struct list *l = ctx;
	struct github_issue i;
	int rc = github_issue_parse(item, &i, err);

	if (rc == 0 && !i.is_pull)
		rc = l->see(l->arg, &i, err);
	github_issue_done(&i);
	return rc;
}

static int
list_comment(void *ctx, const cJSON *item, struct err *err)
{
	const struct list *l = ctx;
	struct github_issue_comment c = {
		.body = mem_strdup(json_str(item, "body", "")),
		.url = mem_strdup(json_str(item, "html_url", "")),
	};
	int rc = l->see_comment(l->arg, &c, err);

	github_issue_comment_done(&c);
	return rc;
}

int
github_issue_list(struct github *g, const char *label, const char *state,
		  github_issue_see *see, void *arg, struct deadline dl,
		  struct err *err)
{
	struct list l = {.see = see, .arg = arg};
	AUTO_BUF struct buf tail = BUF_INIT_MAX(1024);

	buf_fmt(&tail, "/issues?state=%s", state);
	if (label) {
		buf_str(&tail, "&labels=");
		buf_url(&tail, label);
	}
	buf_fmt(&tail, "&sort=created&direction=desc&per_page=%d", PER_PAGE);
	return pages(g, tail.data, list_issue, &l, dl, err);
}

int
github_issue_comments(struct github *g, int64_t number,
		      github_issue_see_comment *see, void *arg,
		      struct deadline dl, struct err *err)
{
	struct list l = {.see_comment = see, .arg = arg};
	AUTO_FREE char *tail = mem_fmt(
		"/issues/%" PRId64 "/comments?per_page=%d", number, PER_PAGE);

	return pages(g, tail, list_comment, &l, dl, err);
}

int
github_issue_get(struct github *g, int64_t number, struct github_issue *out,
		 struct deadline dl, struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/issues/%" PRId64, number);
	AUTO_FREE char *path = github_path(g, tail);
	AUTO_JSON cJSON *json = NULL;

	if (github_ask(g, needs, path, &json, NULL, dl, err))
		return -1;
	return github_issue_parse(json, out, err);
}

/* --- telling ------------------------------------------------------------- */

static int
fits(const char *what, const char *text, size_t most, struct err *err)
{
	if (text && present_units(text) > most)
		return err_set(err, ERR_INPUT,
			       "%s has %zu characters, GitHub takes %zu", what,
			       present_units(text), most);
	return 0;
}

static int
text_json(const struct github_issue_text *t, cJSON **out, struct err *err)
{
	cJSON *o;

	if (fits("an issue's title", t->title, GITHUB_ISSUE_TITLE_MAX, err) ||
	    fits("an issue's text", t->body, GITHUB_ISSUE_BODY_MAX, err))
		return -1;
	o = json_obj();
	if (t->title)
		json_set_str(o, "title", t->title);
	if (t->body)
		json_set_str(o, "body", t->body);
	if (t->state)
		json_set_str(o, "state", t->state);
	if (t->state_reason)
		json_set_str(o, "state_reason", t->state_reason);
	if (t->label) {
		cJSON *list = json_arr();

		for (size_t i = 0; t->label[i]; i++)
			json_push_str(list, t->label[i]);
		json_set(o, "labels", list);
	}
	*out = o;
	return 0;
}

int
github_issue_create(struct github *g, const struct github_issue_text *text,
		    struct github_issue *out, struct deadline dl,
		    struct err *err)
{
	AUTO_JSON cJSON *body = NULL, *json = NULL;

	if (text_json(text, &body, err) ||
	    tell(g, "POST", "/issues", body, &json, dl, err))
		return -1;
	return github_issue_parse(json, out, err);
}

int
github_issue_edit(struct github *g, int64_t number,
		  const struct github_issue_text *text,
		  struct github_issue *out, struct deadline dl, struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/issues/%" PRId64, number);
	AUTO_JSON cJSON *body = NULL, *json = NULL;

	if (text_json(text, &body, err) ||
	    tell(g, "PATCH", tail, body, &json, dl, err))
		return -1;
	return github_issue_parse(json, out, err);
}

int
github_issue_comment(struct github *g, int64_t number, const char *body,
		     struct github_issue_comment *out, struct deadline dl,
		     struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/issues/%" PRId64 "/comments", number);
	AUTO_JSON cJSON *o = json_obj(), *json = NULL;

	if (fits("a comment", body, GITHUB_ISSUE_BODY_MAX, err))
		return -1;
	json_set_str(o, "body", body);
	if (tell(g, "POST", tail, o, &json, dl, err))
		return -1;
	*out = (struct github_issue_comment){
		.body = mem_strdup(json_str(json, "body", "")),
		.url = mem_strdup(json_str(json, "html_url", "")),
	};
	return 0;
}

/* --- labels -------------------------------------------------------------- */

static bool
label_is_there(struct github *g, const char *name, struct deadline dl,
	       struct err *err)
{
	AUTO_BUF struct buf tail = BUF_INIT_MAX(1024);
	AUTO_JSON cJSON *json = NULL;
	AUTO_FREE char *path = NULL;

	buf_str(&tail, "/labels/");
	buf_url(&tail, name);
	path = github_path(g, tail.data);
	return github_ask(g, needs, path, &json, NULL, dl, err) == 0;
}

int
github_issue_label_ensure(struct github *g,
			  const struct github_issue_label *label,
			  struct deadline dl, struct err *err)
{
	AUTO_FREE char *text =
		present_line_dup(label->text, GITHUB_ISSUE_LABEL_TEXT_MAX);
	AUTO_JSON cJSON *o = json_obj();
	struct err absent = ERR_INIT, ignored = ERR_INIT;

	if (fits("a label", label->name, GITHUB_ISSUE_LABEL_MAX, err))
		return -1;
	if (label_is_there(g, label->name, dl, &absent))
		return 0;
	if (g->status != 404) {
		*err = absent;
		return -1;
	}
	json_set_str(o, "name", label->name);
	json_set_str(o, "color", label->color);
	json_set_str(o, "description", text);
	if (tell(g, "POST", "/labels", o, NULL, dl, err) == 0)
		return 0;
	/* Another runner may have been faster. */
	if (g->status == 422 && label_is_there(g, label->name, dl, &ignored)) {
		err_clear(err);
		return 0;
	}
	return -1;
}

int
github_issue_label_add(struct github *g, int64_t number, const char *name,
		       struct deadline dl, struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/issues/%" PRId64 "/labels", number);
	AUTO_JSON cJSON *o = json_obj();
	cJSON *list = json_arr();

	json_push_str(list, name);
	json_set(o, "labels", list);
	return tell(g, "POST", tail, o, NULL, dl, err);
}

int
github_issue_label_remove(struct github *g, int64_t number, const char *name,
			  struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf tail = BUF_INIT_MAX(1024);

	buf_fmt(&tail, "/issues/%" PRId64 "/labels/", number);
	buf_url(&tail, name);
	if (tell(g, "DELETE", tail.data, NULL, NULL, dl, err) == 0)
		return 0;
	if (g->status != 404)
		return -1;
	err_clear(err);
	return 0;
}
