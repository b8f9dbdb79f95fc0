#include "base/yaml.h"

#include <time.h>

#include "base/buf.h"
#include "base/mem.h"
#include "check.h"

static struct yaml_complaints c;
static struct buf said;

/* Parse; what was complained about is in said.data until the next call. */
static struct yaml_node *
parse_n(const char *text, size_t len)
{
	struct yaml_node *root;

	yaml_complaints_init(&c, "p.yaml");
	root = yaml_parse(text, len, &c);
	buf_done(&said);
	buf_init(&said, 1 << 20);
	yaml_complaints_text(&c, &said);
	yaml_complaints_done(&c);
	return root;
}

static struct yaml_node *
parse(const char *text)
{
	return parse_n(text, strlen(text));
}

static void
refused(const char *text, const char *words)
{
	struct yaml_node *root = parse(text);

	CHECK_HAS(said.data, words);
	yaml_node_free(root);
}

static void
plain_words_stay_strings(void)
{
	struct yaml_node *root =
		parse("s: [NO, yes, On, off, y, ~, null, Null, 1.10, 'q']\n"
		      "on: 1\n");
	static const char *const want[] = {"NO", "yes",	 "On",	 "off",	 "y",
					   "~",	 "null", "Null", "1.10", "q"};
	struct yaml_node *s;

	REQUIRE(root);
	CHECK_STR(said.data, "");
	s = yaml_get(root, "s");
	REQUIRE(s && s->count == 10);
	for (size_t i = 0; i < s->count; i++) {
		CHECK_STR(s->item[i]->text, want[i]);
		CHECK(s->item[i]->plain == (i != 9));
	}
	CHECK(yaml_get(root, "on") != NULL);
	CHECK(s->item[1]->line == 1 && s->item[1]->col == 9);
	yaml_node_free(root);
}

static void
repeated_keys_name_both_lines(void)
{
	refused("a: 1\nb: {x: 1, y: 2, x: 3}\na: 2\n",
		"p.yaml:2:17: key 'x' is repeated: lines 2 and 2");
	CHECK_HAS(said.data, "p.yaml:3:1: key 'a' is repeated: lines 1 and 3");
}

static void
readers_see_the_first_of_two(void)
{
	struct yaml_node *root = parse("a: 1\nb: &x [2]\nb: &y [3]\n"
				       "c: [*x, *y]\n");

	REQUIRE(root);
	CHECK(root->count == 3);
	CHECK_STR(yaml_get(root, "b")->item[0]->text, "2");
	CHECK_STR(yaml_get(root, "c")->item[1]->item[0]->text, "3");
	yaml_node_free(root);
}

static void
repeated_keys_in_large_maps(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct yaml_node *root;

	for (int i = 0; i < 1000; i++)
		buf_fmt(&b, "k%d: 1\n", i == 999 ? 17 : i);
	root = parse(b.data);
	CHECK_STR(said.data,
		  "p.yaml:1000:1: key 'k17' is repeated: lines 18 and 1000\n");
	yaml_node_free(root);
}

static void
merge_keys_are_refused_by_name(void)
{
	refused("base: &b {x: 1}\nd: {<<: *b, y: 2}\n",
		"p.yaml:2:5: merge keys ('<<') are not supported");
	refused("a: {<<: &x {y: 1}}\nb: *x\n", "merge keys");
}

static void
bombs_stop_at_the_budget(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_str(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 9; i++)
		buf_fmt(&b, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n",
			i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	refused(b.data, "aliases expand to more than 10000 values");
	refused("a: &a [1, *a]\n", "without an anchor before it");
}

static void
aliases_within_the_budget_work(void)
{
	struct yaml_node *root = parse("a: &x {k: [1, 2]}\nb: *x\n");
	struct yaml_node *k;

	REQUIRE(root);
	k = yaml_get(yaml_get(root, "b"), "k");
	REQUIRE(k && k->count == 2);
	CHECK_STR(k->item[1]->text, "2");
	yaml_node_free(root);
}

static double
seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
deep_nesting_stops_at_once(void)
{
	static char deep[100001];
	double start = seconds();

	memset(deep, '[', 100000);
	refused(deep, "nested deeper than 32");
	for (size_t i = 0; i < 40000; i++)
		deep[i] = i & 1 ? '{' : '[';
	deep[40000] = 0;
	refused(deep, "nested deeper than 32");
	for (size_t i = 0; i < 100000; i++)
		deep[i] = i & 1 ? ' ' : '-';
	refused(deep, "nested deeper than 32");
	CHECK(seconds() - start < 0.3);
}

static void
tabs_are_named(void)
{
	refused("a:\n\tb: 1\n", "p.yaml:2:1: ");
	CHECK_HAS(said.data, "tab used for indentation");
	yaml_node_free(parse("a: 1\t# fine\n"));
	CHECK_STR(said.data, "");
}

static void
bom_and_line_ends_keep_places_right(void)
{
	static const char utf16[] = "\xFF\xFE"
				    "a\0:\0 \0001\0\n\0a\0:\0 \0002\0\n";

	refused("\xEF\xBB\xBF"
		"a: 1\r\nb: 2\r\nb: 3\r\n",
		"p.yaml:3:1: key 'b' is repeated: lines 2 and 3");
	refused("a: 1\rb: 2\rb: 3\r", "p.yaml:3:1: ");
	yaml_node_free(parse_n(utf16, sizeof(utf16)));
	CHECK_HAS(said.data, "p.yaml:2:1: key 'a' is repeated");
}

static void
bytes_that_are_not_utf8_are_placed(void)
{
	refused("a: 1\nname: \x83\x5e\x83\x43\n", "p.yaml:2:7: ");
	CHECK_HAS(said.data, "Shift_JIS?");
	refused("a: 1\nb: caf\xE9\n", "p.yaml:2:7: ");
	CHECK_HAS(said.data, "not UTF-8");
	refused("a: 1\nb: x\x01y\n", "p.yaml:2:5: control characters");
}

static void
one_document_with_something_in_it(void)
{
	refused("", "p.yaml:1:1: the file is empty");
	refused("# only this\n", "the file is empty");
	refused("---\na: 1\n---\nb: 2\n", "p.yaml:3:1: a second document");
	yaml_node_free(parse("---\na: 1\n...\n"));
	CHECK_STR(said.data, "");
}

static void
tags_are_refused(void)
{
	refused("a: !!python/object:os.system x\n", "p.yaml:1:4: tags");
	refused("a: !include x\n", "tags are not supported: '!include'");
	refused("a: !!int \"3\"\n", "tags are not supported");
	refused("a: !!map {}\n", "tags are not supported");
}

static void
versions_and_traps_have_a_place(void)
{
	yaml_node_free(parse("%YAML 1.2\n---\na: 1\n"));
	CHECK_STR(said.data, "");
	refused("%YAML 2.0\n---\na: 1\n", "p.yaml:1:1: ");
	refused("a: 1\nb: {{var}}\n", "p.yaml:2:5: a key must be a word");
	refused("a: @x\n", "p.yaml:1:4: ");
	CHECK_HAS(said.data, "in quotes");
	refused("a: `x`\n", "p.yaml:1:4: ");
	refused("a: b: c\n", "p.yaml:1:5: mapping values");
	refused("a: [1, 2\nb: 3\n", "a bracket is not closed");
	refused("a: \"\\0\"\n", "NUL");
	refused("a: *x\n", "p.yaml:1:4: '*x' is an alias");
}

static void
first_twenty_by_place(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	yaml_complaints_init(&c, "f");
	for (int i = 30; i > 0; i--)
		yaml_complain(&c, i, 1, "n%d\x1b", i);
	CHECK(c.count == 20 && c.dropped == 10);
	CHECK(c.item[0].line == 1 && c.item[19].line == 20);
	yaml_complaints_text(&c, &b);
	CHECK_HAS(b.data, "f:1:1: n1\\x1b\n");
	CHECK_HAS(b.data, "and 10 more");
	yaml_complaints_done(&c);
}

static void
nearest_word(void)
{
	static const char *const words[] = {"screens", "transitions", "route",
					    "is"};

	CHECK_STR(yaml_nearest("screen", words, 4), "screens");
	CHECK_STR(yaml_nearest("tranistions", words, 4), "transitions");
	CHECK_STR(yaml_nearest("ROUTE", words, 4), "route");
	CHECK(yaml_nearest("banana", words, 4) == NULL);
	CHECK(yaml_nearest("", words, 4) == NULL);
}

CHECK_MAIN(CHECK_CASE("plain words stay strings", plain_words_stay_strings),
	   CHECK_CASE("repeated keys name both lines",
		      repeated_keys_name_both_lines),
	   CHECK_CASE("readers see the first of a repeated key",
		      readers_see_the_first_of_two),
	   CHECK_CASE("a repeated key is found among a thousand",
		      repeated_keys_in_large_maps),
	   CHECK_CASE("merge keys are refused by name",
		      merge_keys_are_refused_by_name),
	   CHECK_CASE("alias bombs stop at the budget",
		      bombs_stop_at_the_budget),
	   CHECK_CASE("aliases within the budget work",
		      aliases_within_the_budget_work),
	   CHECK_CASE("deep nesting stops at once", deep_nesting_stops_at_once),
	   CHECK_CASE("a tab in the indentation is named", tabs_are_named),
	   CHECK_CASE("BOM and line ends keep places right",
		      bom_and_line_ends_keep_places_right),
	   CHECK_CASE("bytes that are not UTF-8 have a place and a hint",
		      bytes_that_are_not_utf8_are_placed),
	   CHECK_CASE("a file is one document with something in it",
		      one_document_with_something_in_it),
	   CHECK_CASE("tags are refused", tags_are_refused),
	   CHECK_CASE("version lines and quoting traps have a place",
		      versions_and_traps_have_a_place),
	   CHECK_CASE("the first twenty complaints by place are kept",
		      first_twenty_by_place),
	   CHECK_CASE("the nearest word is found", nearest_word), )
