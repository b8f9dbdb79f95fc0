/*
 * Any bytes as JavaScript: what is replaced stands in code, so that replacing
 * in the result again finds nothing that was inside a value.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "plan/plan_vars.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_FREE char *code = mem_strndup((const char *)data, size);
	struct plan_vars vars = PLAN_VARS_INIT;
	AUTO_BUF struct buf out = BUF_INIT;
	AUTO_BUF struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	size_t offset = 0, len = strlen(code);
	int bad = plan_vars_check_js(code, &offset, &err);

	if (bad && (offset >= len || code[offset] != '{'))
		abort();
	vars.screen = "'\"`\\";
	vars.n = 1;
	err_clear(&err);
	/* What the check refuses is refused when it runs. */
	if (bad && plan_vars_js(code, &vars, &out, &err) == 0)
		abort();
	if (!bad)
		(void)plan_vars_js(code, &vars, &out, &err);
	err_clear(&err);
	(void)plan_vars_text(code, &vars, &text, &err);
	return 0;
}
