/* Everything that is made from a result, of a file that may hold anything. */
#include <stdint.h>

#include "report/ci_output.h"
#include "report/junit.h"
#include "report/report.h"
#include "report/slack.h"
#include "report/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(REPORT_MAX);
	AUTO_JSON cJSON *result = NULL;
	AUTO_JSON cJSON *message = NULL;
	struct err err = ERR_INIT;

	if (json_parse((const char *)data, size, "input", &result, &err))
		return 0;
	(void)report_write(result, NULL, &b, &err);
	buf_clear(&b);
	summary_write(result, &b);
	buf_clear(&b);
	junit_write(result, &b);
	buf_clear(&b);
	ci_output_annotations(result, &b);
	buf_clear(&b);
	message = slack_message(result);
	slack_text(message, &b);
	return 0;
}
