#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static void
begun_is_done_at_its_end(void)
{
	char dir[] = "/tmp/patrol-removal-XXXXXX";
	AUTO_FREE char *inner = NULL, *file = NULL;
	struct err err = ERR_INIT;

	REQUIRE(mkdtemp(dir));
	inner = file_join(dir, "a/b");
	file = file_join(inner, "c");
	CHECK(file_mkdirs(inner, &err) == 0);
	CHECK(file_write_raw(file, "x", 1, &err) == 0);
	CHECK(file_remove_end(file_remove_begin(dir), &err) == 0);
	CHECK(!file_exists(dir));
	/* What is not there was removed. */
	CHECK(file_remove_end(file_remove_begin(dir), &err) == 0);
	CHECK(file_remove_end(NULL, &err) == 0);
}

static void
failure_is_told(void)
{
	struct err err = ERR_INIT;

	CHECK(file_remove_end(file_remove_begin("/proc/self/status"), &err) ==
	      -1);
	CHECK_HAS(err.msg, "/proc/self/status");
}

CHECK_MAIN(CHECK_CASE("a removal that was begun is done at its end",
		      begun_is_done_at_its_end),
	   CHECK_CASE("a removal that failed is told", failure_is_told), )
