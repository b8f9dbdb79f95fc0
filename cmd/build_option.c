#include "cmd/build_option.h"

#include <string.h>

int
build_option_check(const char *run_id, const char *apk, struct err *err)
{
	if (run_id == NULL && apk == NULL)
		return err_set(err, ERR_USAGE,
			       "which build? Give --run-id N of a GitHub "
			       "Actions run, or a local one with --apk FILE");
	if (run_id && apk)
		return err_set(err, ERR_USAGE,
			       "--run-id and --apk name two builds; give one");
	if (run_id && (!*run_id || run_id[strspn(run_id, "0123456789")]))
		return err_set(err, ERR_USAGE,
			       "--run-id '%.200s' is no number; it is N in the "
			       "run's address, .../actions/runs/N",
			       run_id);
	return 0;
}
