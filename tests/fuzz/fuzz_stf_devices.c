#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "stf/stf_choose.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A farm's device list, chosen from. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct stf_match match[] = {{"model", "Pixel 6"},
						 {"sdk", ">=29"},
						 {"display.width", "!=1.0"}};
	static const struct stf_want want[] = {
		{.match = match, .match_count = 3}, {.serial = "A"}};
	AUTO_BUF struct buf b = BUF_INIT_MAX(4096);
	AUTO_JSON cJSON *json = NULL;
	struct err err = ERR_INIT;
	struct stf_devices list;
	struct stf_choice c;

	if (json_parse((const char *)data, size, "devices", &json, &err) ||
	    stf_devices_parse(json, &list, &err))
		return 0;
	stf_choose(&list, want, 2, "me@x", &c);
	for (size_t i = 0; i < c.count; i++)
		stf_choose_describe(&c.item[i], &b);
	if (c.free_count == 0)
		(void)stf_choose_error(&c, &err); /* is -1 always */
	stf_choose_done(&c);
	stf_devices_done(&list);
	return 0;
}
