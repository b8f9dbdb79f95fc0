#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "github/github_artifact.h"
#include "github/github_issue.h"
#include "github/github_pull.h"
#include "github/github_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* GitHub's JSON of a run, artifacts, an issue and a pull request. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct github_artifacts l = {.item = NULL};
	AUTO_JSON cJSON *json = NULL;
	struct err err = ERR_INIT;
	struct github_issue issue;
	struct github_pull pull;
	struct github_run run;
	size_t index;

	if (json_parse((const char *)data, size, "answer", &json, &err))
		return 0;
	if (github_run_parse(json, &run, &err) == 0) {
		(void)github_run_judge(&run, "1");
		github_run_done(&run);
	}
	err_clear(&err);
	if (github_artifact_parse(json, &l, &err) == 0) {
		(void)github_artifact_choose(&l, "a*", &index,
					     &err); /* any outcome will do */
		err_clear(&err);
		(void)github_artifact_choose(&l, NULL, &index, &err);
	}
	github_artifact_list_done(&l);
	(void)github_issue_parse(json, &issue, &err); /* any outcome will do */
	github_issue_done(&issue);
	err_clear(&err);
	if (github_pull_parse(json, &pull, &err) == 0)
		github_pull_done(&pull);
	return 0;
}
