#include <stdint.h>
#include <stdlib.h>

#include "adb/adb_shell_v2.h"

static int
count(void *arg, enum adb_shell_v2_id id, const char *data, size_t len,
      struct err *err)
{
	size_t *sum = arg;

	if (id != ADB_SHELL_V2_STDOUT && id != ADB_SHELL_V2_STDERR)
		abort();
	for (size_t i = 0; i < len; i++)
		*sum += (unsigned char)data[i];
	return *sum > 1 << 20 ? err_set(err, ERR_PROTO, "enough") : 0;
}

static int
feed(const uint8_t *data, size_t size, size_t piece, size_t *sum,
     struct adb_shell_v2 *p)
{
	struct err err = ERR_INIT;

	for (size_t at = 0; at < size; at += piece) {
		size_t n = size - at < piece ? size - at : piece;

		if (adb_shell_v2_feed(p, data + at, n, count, sum, &err))
			return -1;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Any pieces have to say the same. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct adb_shell_v2 whole = {0}, single = {0};
	size_t a = 0, b = 0;
	int rc = feed(data, size, size ? size : 1, &a, &whole);
	int rc1 = feed(data, size, 1, &b, &single);

	if (rc == 0 && rc1 == 0 &&
	    (a != b || whole.exited != single.exited ||
	     whole.status != single.status))
		abort();
	return 0;
}
