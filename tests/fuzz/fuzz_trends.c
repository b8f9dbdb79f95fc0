/* Any bytes as trends: an error, or a page and a result's share within limits. */
#include <stdint.h>
#include <stdlib.h>

#include "report/dashboard.h"
#include "report/report.h"
#include "report/trend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_BUF struct buf page = BUF_INIT_MAX(DASHBOARD_MAX);
	AUTO_BUF struct buf report = BUF_INIT_MAX(REPORT_MAX);
	AUTO_JSON cJSON *result = json_obj();
	AUTO_JSON cJSON *trends = NULL;
	struct err err = ERR_INIT;
	bool drawn, told;
	int rc;

	if (json_parse((const char *)data, size, "fuzz", &trends, &err))
		return 0;
	rc = dashboard_write(trends, 1796000000, &page, &err);
	if (page.len > DASHBOARD_MAX)
		abort();
	err_clear(&err);
	/* Both read the same, but that the page has the others', too. */
	drawn = rc == 0;
	told = trend_result_add(trends, result, &err) == 0;
	if (drawn != told && (drawn || !json_get(trends, "others")))
		abort();
	if (json_count(result, "history.trends.runs") > TREND_RESULT_RUNS ||
	    json_count(result, "history.trends.series") > TREND_RESULT_SERIES)
		abort();
	err_clear(&err);
	if (report_write(result, NULL, &report, &err))
		abort();
	return 0;
}
