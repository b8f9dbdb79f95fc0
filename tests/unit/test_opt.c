#include "base/opt.h"

#include "base/mem.h"
#include "check.h"

struct opts {
	bool quiet;
	const char *plan;
	struct opt_list var;
	int64_t wait_ms, size, count;
};

static const struct opt table[] = {
	{"quiet", 'q', OPT_FLAG, offsetof(struct opts, quiet), NULL, "say less",
	 NULL},
	{"plan", 'p', OPT_STRING, offsetof(struct opts, plan), "FILE",
	 "the plan", "file"},
	{"var", 0, OPT_LIST, offsetof(struct opts, var), "X=VALUE",
	 "a variable", NULL},
	{"wait", 'w', OPT_DURATION, offsetof(struct opts, wait_ms), "TIME",
	 "how long", NULL},
	{"size", 0, OPT_SIZE, offsetof(struct opts, size), "SIZE", "how big",
	 NULL},
	{"count", 'n', OPT_COUNT, offsetof(struct opts, count), "N", "how many",
	 NULL},
	{"a-very-long-option-name", 0, OPT_STRING, offsetof(struct opts, plan),
	 "SOMETHING", "long", NULL},
	{0},
};

static struct opts o;
static struct opt_list args;
static struct err err;

/* Words up to NULL, as a command line. */
static int
parse(const char *const *words)
{
	static char text[32][64];
	char *argv[32] = {text[0]};
	int argc = 1;

	opt_list_done(&o.var);
	opt_list_done(&args);
	o = (struct opts){0};
	err_clear(&err);
	while (words[argc - 1]) {
		snprintf(text[argc], sizeof(text[argc]), "%s", words[argc - 1]);
		argv[argc] = text[argc];
		argc++;
	}
	return opt_parse(table, argc, argv, &o, &args, &err);
}
#define PARSE(...) parse((const char *[]){__VA_ARGS__, NULL})

static void
done(void)
{
	opt_list_done(&o.var);
	opt_list_done(&args);
}

static void
both_ways_of_writing(void)
{
	CHECK(PARSE("-q", "--plan", "a.yaml", "--var=A=1", "x", "--var",
		    "B=", "-w", "90s", "--size=1.5GB", "-n", "12", "y") == 0);
	CHECK(o.quiet);
	CHECK_STR(o.plan, "a.yaml");
	REQUIRE(o.var.count == 2 && args.count == 2);
	CHECK_STR(o.var.item[0], "A=1");
	CHECK_STR(o.var.item[1], "B=");
	CHECK(o.wait_ms == 90000 && o.size == 1500000000 && o.count == 12);
	CHECK_STR(args.item[0], "x");
	CHECK_STR(args.item[1], "y");
	CHECK(PARSE("--plan", "a", "-p", "b") == 0);
	CHECK_STR(o.plan, "b");
	CHECK(PARSE("--plan=") == 0);
	CHECK_STR(o.plan, "");
	done();
}

static void
dashes(void)
{
	CHECK(PARSE("-", "--", "-q", "--plan") == 0);
	CHECK(!o.quiet && args.count == 3);
	CHECK_STR(args.item[0], "-");
	CHECK_STR(args.item[2], "--plan");
	CHECK(PARSE("--plan", "--") == 0); /* a value may be anything */
	CHECK_STR(o.plan, "--");
	done();
}

static void
wrong_words_are_named(void)
{
	CHECK(PARSE("--plam", "x") == -1 && err.code == ERR_USAGE);
	CHECK_STR(err.msg, "unknown option '--plam'; did you mean '--plan'?");
	CHECK(PARSE("--pla") == -1); /* no abbreviations */
	CHECK(PARSE("-qp") == -1);
	CHECK(PARSE("-z") == -1);
	CHECK_HAS(err.msg, "unknown option '-z'");
	CHECK(PARSE("--quiet=yes") == -1);
	CHECK_STR(err.msg, "'--quiet' takes no value");
	CHECK(PARSE("--plan") == -1);
	CHECK_STR(err.msg, "'--plan' wants FILE");
	CHECK(PARSE("-w", "5") == -1 && err.code == ERR_USAGE);
	CHECK_STR(err.msg, "option '--wait': '5' has no unit; write it like "
			   "300ms, 5s, 50m or 1h");
	CHECK(PARSE("-n", "1x") == -1);
	CHECK(PARSE("-n", "-1") == -1);
	CHECK(PARSE("-n", "+1") == -1);
	CHECK(PARSE("-n", "") == -1);
	CHECK(PARSE("-n", "99999999999999999999") == -1);
	CHECK_HAS(err.msg, "option '--count': '99999999999999999999' is no "
			   "number");
	/* What was given is never taken for what was not. */
	CHECK(PARSE("-n", "0") == -1 && err.code == ERR_USAGE);
	CHECK_STR(err.msg, "option '--count': '0' is nothing; give more than "
			   "0");
	CHECK(PARSE("-w", "0s") == -1 && PARSE("-w", "0.1ms") == -1);
	done();
}

static void
durations(void)
{
	static const struct {
		const char *text;
		int64_t ms;
	} rows[] = {
		{"0ms", 0},	   {"300ms", 300},   {"5s", 5000},
		{"1.5s", 1500},	   {"50m", 3000000}, {"1h", 3600000},
		{"0.25h", 900000},
	};
	static const char *const bad[] = {
		"",
		"5",
		"s",
		"-5s",
		"+5s",
		" 5s",
		"5 s",
		"5S",
		"5sm",
		"1e3s",
		"0x10s",
		"1.2.3s",
		"5d",
		".5s",
		"inf",
		"nan",
		"99999999999999999h",
	};
	int64_t ms;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		ms = -1;
		CHECK(opt_duration(rows[i].text, &ms, &err) == 0);
		CHECK(ms == rows[i].ms);
	}
	ms = -1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(opt_duration(bad[i], &ms, &err) == -1);
		CHECK(ms == -1);
	}
}

static void
byte_sizes(void)
{
	static const struct {
		const char *text;
		int64_t bytes;
	} rows[] = {
		{"12B", 12},
		{"2MB", 2000000},
		{"2MiB", 2097152},
		{"1.5GB", 1500000000},
		{"3kB", 3000},
		{"3KB", 3000},
		{"1KiB", 1024},
		{"1TiB", 1099511627776},
		{"1TB", 1000000000000},
	};
	static const char *const bad[] = {"",	  "2",	"MB",	"2mb", "2Mb",
					  "2 MB", "2M", "-2MB", "2MBB"};
	int64_t n;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		n = -1;
		CHECK(opt_size(rows[i].text, &n, &err) == 0);
		CHECK(n == rows[i].bytes);
	}
	n = -1;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(opt_size(bad[i], &n, &err) == -1);
		CHECK(n == -1);
	}
}

static void
help_has_each_option(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	REQUIRE(f);
	opt_help(table, f);
	(void)fclose(f);
	CHECK_HAS(text, "  -q, --quiet                  say less\n");
	CHECK_HAS(text, "  -p, --plan FILE              the plan\n");
	CHECK_HAS(text, "      --var X=VALUE            a variable\n");
	CHECK_HAS(text, "--a-very-long-option-name SOMETHING \n"
			"                               long\n");
	free(text);
	opt_help(NULL, stdout);
}

CHECK_MAIN(CHECK_CASE("options are read in both ways of writing",
		      both_ways_of_writing),
	   CHECK_CASE("a dash is an argument, two end the options", dashes),
	   CHECK_CASE("a wrong word is named with what was meant",
		      wrong_words_are_named),
	   CHECK_CASE("durations have a unit", durations),
	   CHECK_CASE("sizes have a unit", byte_sizes),
	   CHECK_CASE("the help has each option in its column",
		      help_has_each_option), )
