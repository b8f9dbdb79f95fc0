#include "github/github_artifact.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/mem.h"

void
github_artifact_done(struct github_artifact *a)
{
	free(a->id);
	free(a->name);
	free(a->digest);
	free(a->created_at);
	free(a->expires_at);
	free(a->run_id);
	memset(a, 0, sizeof(*a));
}

void
github_artifact_list_done(struct github_artifacts *l)
{
	for (size_t i = 0; i < l->count; i++)
		github_artifact_done(&l->item[i]);
	free(l->item);
	memset(l, 0, sizeof(*l));
}

/* "sha256:HEX" as 64 lower-case digits; NULL for what else there may be. */
static char *
digest_of(const char *text)
{
	char *hex;

	if (!text || strncasecmp(text, "sha256:", 7) != 0)
		return NULL;
	text += 7;
	if (strlen(text) != 64 || strspn(text, "0123456789abcdefABCDEF") != 64)
		return NULL;
	hex = mem_strdup(text);
	for (char *p = hex; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return hex;
}

/* Two repositories that are both known and differ. */
static bool
is_foreign(const cJSON *one)
{
	int64_t own = json_int(one, "workflow_run.repository_id", -1);
	int64_t head = json_int(one, "workflow_run.head_repository_id", -1);

	return own >= 0 && head >= 0 && own != head;
}

int
github_artifact_parse(const cJSON *page, struct github_artifacts *l,
		      struct err *err)
{
	const cJSON *list = json_get(page, "artifacts"), *one;

	if (!cJSON_IsArray(list))
		return err_set(err, ERR_PROTO,
			       "GitHub's answer has no list 'artifacts'");
	cJSON_ArrayForEach(one, list)
	{
		const char *name = json_str(one, "name", NULL);
		char *id = json_id(one, "id");

		if (!name || !id || id[strspn(id, "0123456789")]) {
			free(id);
			return err_set(err, ERR_PROTO,
				       "an artifact has no name or no id");
		}
		MEM_GROW(l->item, l->count, l->room);
		l->item[l->count++] = (struct github_artifact){
			.id = id,
			.name = mem_strdup(name),
			.digest = digest_of(json_str(one, "digest", NULL)),
			.created_at =
				mem_strdup(json_str(one, "created_at", NULL)),
			.expires_at =
				mem_strdup(json_str(one, "expires_at", NULL)),
			.run_id = json_id(one, "workflow_run.id"),
			.foreign = is_foreign(one),
			.expired = json_bool(one, "expired", false),
			.size_bytes = json_int(one, "size_in_bytes", -1),
		};
	}
	return 0;
}

static bool
is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static bool
fits(const struct github_artifact *a, const char *pattern)
{
	return !pattern || strcmp(a->name, pattern) == 0 ||
	       (is_glob(pattern) && fnmatch(pattern, a->name, 0) == 0);
}

/* A later attempt of the run may have made the same artifact again. */
static bool
newer(const struct github_artifact *a, const struct github_artifact *b)
{
	int order = strcmp(a->created_at ? a->created_at : "",
			   b->created_at ? b->created_at : "");

	if (a->expired != b->expired)
		return b->expired;
	if (order == 0 && strlen(a->id) != strlen(b->id))
		return strlen(a->id) > strlen(b->id);
	return order ? order > 0 : strcmp(a->id, b->id) > 0;
}

static void
add_names(struct buf *b, const struct github_artifacts *l, const char *pattern)
{
	const char *sep = "";

	for (size_t i = 0; i < l->count; i++) {
		if (!fits(&l->item[i], pattern))
			continue;
		if (b->len > 300) {
			buf_str(b, ", ...");
			return;
		}
		buf_str(b, sep);
		buf_chr(b, '\'');
		buf_escaped(b, l->item[i].name, strnlen(l->item[i].name, 100));
		buf_chr(b, '\'');
		sep = ", ";
	}
}

static int
none_fits(const struct github_artifacts *l, const char *pattern,
	  struct err *err)
{
	AUTO_BUF struct buf names = BUF_INIT_MAX(600);

	add_names(&names, l, NULL);
	if (l->count == 0)
		err_set(err, ERR_NOTFOUND, "the run has no artifact");
	else
		err_set(err, ERR_NOTFOUND,
			"no artifact of the run is called '%s'; it has %s",
			pattern, names.data);
	(void)err_reason(err, "no_artifact");
	return err_hint(err, l->count ? "set artifact.name in the plan"
				      : "did the build upload one?");
}

int
github_artifact_choose(const struct github_artifacts *l, const char *pattern,
		       size_t *index, struct err *err)
{
	AUTO_BUF struct buf names = BUF_INIT_MAX(600);
	const struct github_artifact *best = NULL;
	bool several = false;

	for (size_t i = 0; i < l->count; i++) {
		const struct github_artifact *a = &l->item[i];

		if (!fits(a, pattern))
			continue;
		if (best && strcmp(best->name, a->name) != 0)
			several = true;
		if (!best || newer(a, best))
			best = a;
	}
	if (!best)
		return none_fits(l, pattern, err);
	if (several) {
		add_names(&names, l, pattern);
		err_set(err, ERR_INPUT, "several artifacts fit: %s",
			names.data);
		(void)err_reason(err, "several_artifacts");
		return err_hint(err, "set artifact.name in the plan to one");
	}
	if (best->expired) {
		err_set(err, ERR_NOTFOUND,
			"artifact '%s' expired on %s and GitHub has "
			"deleted it",
			best->name,
			best->expires_at ? best->expires_at : "some day");
		(void)err_reason(err, "artifact_expired");
		return err_hint(err, "build again, or raise retention-days");
	}
	*index = (size_t)(best - l->item);
	return 0;
}

int
github_artifact_list(struct github *g, const char *run_id, const char *name,
		     struct github_artifacts *l, struct deadline dl,
		     struct err *err)
{
	AUTO_BUF struct buf path = BUF_INIT_MAX(4096);
	char *at;
	int rc = 0;

	buf_fmt(&path, "/repos/%s/actions/%s%s%sartifacts?per_page=100",
		g->repository, run_id ? "runs/" : "", run_id ? run_id : "",
		run_id ? "/" : "");
	if (name) {
		buf_str(&path, "&name=");
		buf_url(&path, name);
	}
	at = buf_take(&path);
	for (int page = 0; at && rc == 0; page++) {
		AUTO_JSON cJSON *json = NULL;
		char *next = NULL;

		rc = page == GITHUB_MAX_PAGES
			     ? err_set(err, ERR_PROTO,
				       "the list of artifacts has no end")
			     : github_get(g, at, &json, &next, dl, err);
		if (rc == 0)
			rc = github_artifact_parse(json, l, err);
		free(at);
		at = next;
		if (run_id == NULL)
			break; /* a repository has them without end */
	}
	free(at);
	return rc;
}

int
github_artifact_find(struct github *g, const char *run_id, const char *pattern,
		     struct github_artifact *out, struct deadline dl,
		     struct err *err)
{
	struct github_artifacts l = {.item = NULL};
	bool exact = pattern && !is_glob(pattern);
	size_t index = 0;
	int rc;

	rc = github_artifact_list(g, run_id, exact ? pattern : NULL, &l, dl,
				  err);
	/* For the message: which ones are there? */
	if (rc == 0 && exact && l.count == 0)
		rc = github_artifact_list(g, run_id, NULL, &l, dl, err);
	if (rc == 0)
		rc = github_artifact_choose(&l, pattern, &index, err);
	if (rc == 0 && index < l.count && l.item) {
		*out = l.item[index];
		memset(&l.item[index], 0, sizeof(*out));
	}
	github_artifact_list_done(&l);
	return rc;
}

void
github_artifact_file_done(struct github_artifact_file *f)
{
	free(f->content_type);
	memset(f, 0, sizeof(*f));
}
