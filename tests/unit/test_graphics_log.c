/* What logs say was not found, and what is pruned by it. */
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "graphics_made.h"

#include "check.h"

static void
log_lines(struct graphics_log *log, const char *const *line, size_t count)
{
	for (size_t i = 0; i < count; i++)
		graphics_log_line(log, line[i], strlen(line[i]));
}

static void
prune_drops_just_that(void)
{
	static const char *const line[] = {
		"11-30 07:00:01.000  812  840 W Unity   : Shader Sky, (day) "
		"(real shader Sky, (day)), subshader 0, pass 1, stage vertex: "
		"variant <no keywords> not found.",
		"Shader Sky, (day), subshader 0, pass 1, stage pixel: variant "
		"<no keywords> not found.",
		"Shader Lit, subshader 0, pass 1, stage pixel: variant B C A "
		"not found.",
		"Shader UI, subshader 1, pass 1, stage pixel: variant B not "
		"found.",
		"Shader X, subshader none: variant B not found.",
		"nothing of interest",
	};
	struct err err = ERR_INIT;
	struct graphics_states g;
	struct graphics_log log = {0};

	REQUIRE(read_made(&g, "one", &one, &err) == 0);
	log_lines(&log, line, sizeof(line) / sizeof(*line));
	CHECK(log.lines == 6 && log.unparsed == 1);
	CHECK(graphics_states_prune(&g, &log, GRAPHICS_KEEP_SEVERAL) == 1);
	CHECK(g.count == 2);
	/* The state 'c' went with it, and what it alone led to. */
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		CHECK(g.entry_count[m] == 2);
	CHECK(log.missing[0].matches == 1);
	CHECK_STR(log.missing[2].keywords, "A B C");
	CHECK(log.missing[2].matches == 0 && log.missing[2].near == 1);
	CHECK(log.missing[3].matches == 0 && log.missing[3].near == 0);
	graphics_log_done(&log);
	graphics_states_done(&g);
}

static void
keywords_are_a_set(void)
{
	static const char *const line[] = {
		"Shader Lit, subshader 0, pass 1, stage pixel: variant B A "
		"not found."};
	struct err err = ERR_INIT;
	struct graphics_states g;
	struct graphics_log log = {0};

	REQUIRE(read_made(&g, "one", &one, &err) == 0);
	log_lines(&log, line, 1);
	CHECK(graphics_states_prune(&g, &log, GRAPHICS_KEEP_SEVERAL) == 1);
	graphics_log_done(&log);
	graphics_states_done(&g);
}

static void
several_are_kept(void)
{
	static const char *const line[] = {
		"Shader Lit, subshader 0, pass 1, stage pixel: variant A B "
		"not found."};
	struct maker k = one;
	struct err err = ERR_INIT;
	struct graphics_states g;
	struct graphics_log log = {0};

	k.variant[2].shader = "Lit";
	k.variant[2].keywords = "A B";
	REQUIRE(read_made(&g, "one", &k, &err) == 0);
	log_lines(&log, line, 1);
	CHECK(graphics_states_prune(&g, &log, GRAPHICS_KEEP_SEVERAL) == 0);
	CHECK(graphics_states_prune(&g, &log, GRAPHICS_DROP_SEVERAL) == 2);
	graphics_log_done(&log);
	graphics_states_done(&g);
}

static void
a_log_is_read_by_its_lines(void)
{
	static const char said[] = "Shader UI, subshader 0, pass 1, stage "
				   "pixel: variant B not found.";
	struct graphics_log log = {0};
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	char path[] = "/tmp/patrol-log-XXXXXX";
	int fd = mkstemp(path);

	REQUIRE(fd >= 0);
	buf_add(&b, "a NUL \0 is a byte\n", 18);
	buf_fmt(&b, "%s\r\n", said);
	for (int i = 0; i < 200000; i++)
		buf_chr(&b, 'x');
	/* The end of a line that is too long is no line. */
	buf_fmt(&b, "%s\n%s", said, said);
	CHECK(write(fd, b.data, b.len) == (ssize_t)b.len);
	CHECK(close(fd) == 0);
	CHECK(graphics_log_read(&log, path, &err) == 0);
	CHECK(log.lines == 4 && log.unparsed == 0);
	REQUIRE(log.count == 1);
	CHECK(log.missing[0].lines == 2);
	CHECK_STR(log.missing[0].keywords, "B");
	graphics_log_done(&log);
	CHECK(graphics_log_read(&log, "/nowhere", &err) == -1);
	CHECK(unlink(path) == 0);
}

/* What a line names: the last of what looks like it, each keyword once. */
static void
a_line_is_read_from_its_end(void)
{
	static const char *const line[] = {
		"Shader A, subshader 7, pass 7, stage x: variant Z not "
		"found. , subshader 0, pass 1, stage pixel: variant B A B "
		"not found.",
		"Shader A, subshader 0, pass 1, stage pixel: variant not found",
		"Shader A, subshader , pass 1, stage pixel: variant B not "
		"found.",
		"Shader A, subshader 99999999999999999999, pass 1, stage "
		"pixel: variant B not found.",
	};
	struct graphics_log log = {0};

	log_lines(&log, line, sizeof(line) / sizeof(*line));
	CHECK(log.lines == 4 && log.unparsed == 3);
	REQUIRE(log.count == 1);
	CHECK_STR(log.missing[0].shader,
		  "A, subshader 7, pass 7, stage x: variant Z not found. ");
	CHECK_STR(log.missing[0].keywords, "A B");
	CHECK(log.missing[0].subshader == 0 && log.missing[0].pass == 1);
	graphics_log_done(&log);
}

CHECK_MAIN(CHECK_CASE("prune drops what the log names, and nothing near it",
		      prune_drops_just_that),
	   CHECK_CASE("keywords compare as a set", keywords_are_a_set),
	   CHECK_CASE("a line that fits several drops none unasked",
		      several_are_kept),
	   CHECK_CASE("a log is read by its lines, whatever is in them",
		      a_log_is_read_by_its_lines),
	   CHECK_CASE("a line of a log is read from its end",
		      a_line_is_read_from_its_end), )
