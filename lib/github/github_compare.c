#include "github/github_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void
add_commits(struct github_compare *c, const cJSON *json)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, json_get(json, "commits"))
	{
		const char *sha = json_str(one, "sha", NULL);
		const char *text = json_str(one, "commit.message", "");
		const char *who = json_str(one, "author.login", NULL);

		if (!sha)
			continue;
		if (!who)
			who = json_str(one, "commit.author.name", "");
		MEM_GROW(c->item, c->count, c->room);
		c->item[c->count++] = (struct github_commit){
			.sha = mem_strdup(sha),
			.subject = mem_strndup(text, strcspn(text, "\r\n")),
			.author = mem_strdup(who),
			.url = mem_strdup(json_str(one, "html_url", "")),
		};
	}
}

int
github_compare(struct github *g, const char *base, const char *head,
	       struct github_compare *out, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf path = BUF_INIT_MAX(4096);
	AUTO_FREE char *at = NULL;

	memset(out, 0, sizeof(*out));
	buf_fmt(&path, "/repos/%s/compare/", g->repository);
	buf_url(&path, base);
	buf_str(&path, "...");
	buf_url(&path, head);
	buf_str(&path, "?per_page=100");
	at = buf_take(&path);
	for (int page = 0; at && page < GITHUB_MAX_PAGES; page++) {
		AUTO_JSON cJSON *json = NULL;
		char *next = NULL;

		if (github_get(g, at, &json, &next, dl, err)) {
			github_compare_done(out);
			return -1;
		}
		if (page == 0) {
			out->status = mem_strdup(json_str(json, "status", ""));
			out->url = mem_strdup(json_str(json, "html_url", ""));
			out->total = (long)json_int(json, "total_commits", 0);
		}
		add_commits(out, json);
		free(at);
		at = next;
	}
	out->complete = !at && (long)out->count >= out->total;
	return 0;
}

void
github_compare_done(struct github_compare *c)
{
	for (size_t i = 0; i < c->count; i++) {
		free(c->item[i].sha);
		free(c->item[i].subject);
		free(c->item[i].author);
		free(c->item[i].url);
	}
	free(c->item);
	free(c->status);
	free(c->url);
	memset(c, 0, sizeof(*c));
}
