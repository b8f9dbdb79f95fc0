#include "followup/github_open.h"

#include <string.h>

int
github_open(struct github *g, const struct settings *set,
	    const struct secret *token, struct err *err)
{
	memset(g, 0, sizeof(*g));
	if (set->repository == NULL) {
		err_set(err, ERR_USAGE, "GITHUB_REPOSITORY is not set");
		return err_hint(err, "set it to owner/name");
	}
	if (github_init(g, set->github_api_url, set->repository,
			token ? token : &set->github_token, err))
		return -1;
	g->stall_ms = set->budget.download_stall_ms;
	g->call_ms = set->budget.github_call_ms;
	g->ask_ms = set->budget.github_ms;
	return 0;
}
