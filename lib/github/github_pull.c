#include "github/github_pull.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"

enum {
	UNKNOWN_TRIES = 6, /* GitHub finds out beside the request */
	UNKNOWN_WAIT_MS = 2000,
	MAX_WORDS = 300,
};

void
github_pull_done(struct github_pull *p)
{
	free(p->id);
	free(p->url);
	free(p->head_sha);
	memset(p, 0, sizeof(*p));
}

int
github_pull_parse(const cJSON *json, struct github_pull *out, struct err *err)
{
	static const char what[] = "GitHub's pull request";
	const char *id;
	int64_t number;

	if (json_need_int(json, "number", what, &number, err) ||
	    json_need_str(json, "node_id", what, &id, err))
		return -1;
	if (number <= 0)
		return err_set(err, ERR_PROTO, "%s: 'number' is not one", what);
	*out = (struct github_pull){
		.number = number,
		.id = mem_strdup(id),
		.url = mem_strdup(json_str(json, "html_url", "")),
		.head_sha = mem_strdup(json_str(json, "head.sha", "")),
		.conflicts = strcmp(json_str(json, "mergeable_state", ""),
				    "dirty") == 0,
	};
	return 0;
}

/* --- REST ---------------------------------------------------------------- */

static const char needs[] = "pull-requests: write";

static int
ask(struct github *g, const char *tail, cJSON **out, struct deadline dl,
    struct err *err)
{
	AUTO_FREE char *path = github_path(g, tail);

	return github_ask(g, needs, path, out, NULL, dl, err);
}

/* The list tells nothing of conflicts. */
static int
get(struct github *g, int64_t number, struct github_pull *out,
    struct deadline dl, struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/pulls/%" PRId64, number);
	AUTO_JSON cJSON *json = NULL;

	if (ask(g, tail, &json, dl, err))
		return -1;
	return github_pull_parse(json, out, err);
}

int
github_pull_find(struct github *g, const char *branch, const char *base,
		 struct github_pull *out, struct deadline dl, struct err *err)
{
	const char *slash = strchr(g->repository, '/');
	AUTO_FREE char *head = mem_fmt("%.*s:%s", (int)(slash - g->repository),
				       g->repository, branch);
	AUTO_BUF struct buf tail = BUF_INIT;
	AUTO_JSON cJSON *list = NULL;
	struct github_pull first = {.number = 0};

	memset(out, 0, sizeof(*out));
	buf_str(&tail, "/pulls?state=open&per_page=1&head=");
	buf_url(&tail, head);
	buf_str(&tail, "&base=");
	buf_url(&tail, base);
	if (ask(g, tail.data, &list, dl, err))
		return -1;
	if (!cJSON_IsArray(list))
		return err_set(err, ERR_PROTO, "GitHub '/pulls': no list came");
	if (cJSON_GetArraySize(list) == 0)
		return 0;
	if (github_pull_parse(cJSON_GetArrayItem(list, 0), &first, err))
		return -1;
	if (get(g, first.number, out, dl, err)) {
		github_pull_done(&first);
		return -1;
	}
	github_pull_done(&first);
	return 0;
}

int
github_pull_open(struct github *g, const char *branch, const char *base,
		 const struct github_pull_text *text, struct github_pull *out,
		 struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *body = json_obj();
	AUTO_JSON cJSON *json = NULL;

	json_set_str(body, "title", text->title);
	json_set_str(body, "head", branch);
	json_set_str(body, "base", base);
	json_set_str(body, "body", text->body);
	if (github_tell(g, needs, "POST", "/pulls", body, &json, dl, err)) {
		if (g->status == 403)
			err_hint(err, "and allow it in the repository's "
				      "settings: Actions, General, 'Allow "
				      "GitHub Actions to create and approve "
				      "pull requests'");
		return -1;
	}
	return github_pull_parse(json, out, err);
}

int
github_pull_update(struct github *g, int64_t number,
		   const struct github_pull_text *text, struct deadline dl,
		   struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/pulls/%" PRId64, number);
	AUTO_JSON cJSON *body = json_obj();

	json_set_str(body, "title", text->title);
	json_set_str(body, "body", text->body);
	return github_tell(g, needs, "PATCH", tail, body, NULL, dl, err);
}

/* --- merging ------------------------------------------------------------- */

/* Of the three ways, the first that the repository allows. */
static const struct way {
	const char *setting, *rest, *graphql;
} ways[] = {
	{"allow_squash_merge", "squash", "SQUASH"},
	{"allow_merge_commit", "merge", "MERGE"},
	{"allow_rebase_merge", "rebase", "REBASE"},
};

static int
choose_way(struct github *g, const struct way **out, struct deadline dl,
	   struct err *err)
{
	AUTO_JSON cJSON *repo = NULL;

	if (ask(g, "", &repo, dl, err))
		return -1;
	*out = &ways[0];
	/* Who may not push does not see them. */
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		if (json_bool(repo, ways[i].setting, true)) {
			*out = &ways[i];
			break;
		}
	}
	return 0;
}

static char *
graphql_url(const struct github *g)
{
	static const char v3[] = "/api/v3";
	size_t len = strlen(g->api), cut = sizeof(v3) - 1;

	/* https://HOST/api/v3 has https://HOST/api/graphql beside it. */
	if (len > cut && strcmp(g->api + len - cut, v3) == 0)
		return mem_fmt("%.*s/api/graphql", (int)(len - cut), g->api);
	return mem_fmt("%s/graphql", g->api);
}

/* NULL: it was done.  Else GitHub's words, which come with status 200. */
static int
enable(struct github *g, const struct github_pull *p, const struct way *way,
       const char *head_sha, char **words, struct deadline dl, struct err *err)
{
	static const char query[] =
		"mutation($id: ID!, $method: PullRequestMergeMethod!, "
		"$head: GitObjectID) { enablePullRequestAutoMerge(input: "
		"{pullRequestId: $id, mergeMethod: $method, "
		"expectedHeadOid: $head}) { pullRequest { number } } }";
	AUTO_FREE char *url = graphql_url(g);
	AUTO_JSON cJSON *body = json_obj();
	AUTO_JSON cJSON *json = NULL;
	cJSON *vars = json_obj();
	const cJSON *errors;

	json_set_str(body, "query", query);
	json_set(body, "variables", vars);
	json_set_str(vars, "id", p->id);
	json_set_str(vars, "method", way->graphql);
	json_set_str(vars, "head", head_sha);
	if (github_send(g, "POST", url, body, &json, dl, err))
		return -1;
	errors = json_get(json, "errors");
	*words = NULL;
	if (cJSON_GetArraySize(errors) > 0) {
		const char *text = json_str(cJSON_GetArrayItem(errors, 0),
					    "message", "it gives no reason");

		*words = mem_strndup(text, MAX_WORDS);
	} else if (json_get(json,
			    "data.enablePullRequestAutoMerge.pullRequest") ==
		   NULL) {
		return err_set(err, ERR_PROTO,
			       "GitHub's GraphQL gave neither an answer nor an "
			       "error");
	}
	return 0;
}

/* GitHub has no codes for these. */
static bool
says(const char *words, const char *what)
{
	return words && strcasestr(words, what) != NULL;
}

/* Nothing is waited for: its checks have passed, or none are required. */
static bool
says_clean(const char *words)
{
	return says(words, "clean status") ||
	       says(words, "protected branch rules not configured");
}

static int
merge_now(struct github *g, const struct github_pull *p, const struct way *way,
	  const char *head_sha, enum github_pull_merging *how, char **why,
	  struct deadline dl, struct err *err)
{
	AUTO_FREE char *tail = mem_fmt("/pulls/%" PRId64 "/merge", p->number);
	AUTO_JSON cJSON *body = json_obj();

	json_set_str(body, "sha", head_sha);
	json_set_str(body, "merge_method", way->rest);
	if (github_tell(g, needs, "PUT", tail, body, NULL, dl, err) == 0) {
		*how = GITHUB_PULL_MERGED;
		return 0;
	}
	/* Not mergeable, or somebody pushed: for people to look at. */
	if (g->status != 405 && g->status != 409 && g->status != 403)
		return -1;
	*how = GITHUB_PULL_LEFT;
	*why = mem_strndup(err->msg, MAX_WORDS);
	err_clear(err);
	return 0;
}

int
github_pull_auto_merge(struct github *g, const struct github_pull *p,
		       const char *head_sha, enum github_pull_merging *how,
		       char **why, struct deadline dl, struct err *err)
{
	AUTO_FREE char *words = NULL;
	const struct way *way;

	*why = NULL;
	if (choose_way(g, &way, dl, err))
		return -1;
	for (int i = 0; i < UNKNOWN_TRIES; i++) {
		free(words);
		words = NULL;
		if (enable(g, p, way, head_sha, &words, dl, err))
			return -1;
		if (!says(words, "unknown"))
			break;
		if (deadline_pause(dl, UNKNOWN_WAIT_MS, err))
			return -1;
	}
	if (words == NULL) {
		*how = GITHUB_PULL_WAITS;
		return 0;
	}
	if (says_clean(words))
		return merge_now(g, p, way, head_sha, how, why, dl, err);
	*how = GITHUB_PULL_LEFT;
	*why = words;
	words = NULL;
	return 0;
}
