#include <limits.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "graphics_made.h"

#include "check.h"

static const char real_file[] =
	"tests/data/graphicsstate/metal-mobile.graphicsstate";

static const struct maker two = {
	.platform = 11,
	.variant = {{'4', "Lit", "A", "cd"}, {'1', "Lit", "A B", "bd"}},
};

static char *
text_of(const struct graphics_states *g)
{
	struct buf b = BUF_INIT;

	graphics_states_write(g, &b);
	return buf_take(&b);
}

static void
real_file_is_the_same(void)
{
	struct err err = ERR_INIT;
	struct graphics_states g;
	AUTO_BUF struct buf raw = BUF_INIT;
	AUTO_FREE char *text = NULL;

	REQUIRE(file_read(real_file, &raw, &err) == 0);
	REQUIRE(graphics_states_read(&g, real_file, &err) == 0);
	text = text_of(&g);
	CHECK_STR(text, raw.data);
	CHECK(g.count == 15);
	CHECK(graphics_states_sweep(&g) == 0);
	graphics_states_done(&g);
}

static void
made_file_is_the_same(void)
{
	struct err err = ERR_INIT;
	struct graphics_states g;
	AUTO_BUF struct buf raw = BUF_INIT;
	AUTO_FREE char *text = NULL;

	make(&one, &raw);
	REQUIRE(read_made(&g, "one", &one, &err) == 0);
	text = text_of(&g);
	CHECK_STR(text, raw.data);
	graphics_states_done(&g);
}

static void
merge_adds_what_is_new(void)
{
	struct err err = ERR_INIT;
	struct graphics_states a, b;
	struct graphics_added added;
	AUTO_FREE char *first = NULL;
	AUTO_FREE char *again = NULL;

	REQUIRE(read_made(&a, "one", &one, &err) == 0);
	REQUIRE(read_made(&b, "two", &two, &err) == 0);
	CHECK(graphics_states_merge(&a, &b, &added, &err) == 0);
	CHECK(added.variants == 1 && added.states == 3 && added.entries == 3);
	CHECK(a.count == 4);
	CHECK(a.variant[0].count == 3); /* a b, and d */
	CHECK(graphics_states_sweep(&a) == 0);
	first = text_of(&a);
	CHECK(graphics_states_merge(&a, &b, &added, &err) == 0);
	CHECK(added.variants + added.states + added.entries == 0);
	again = text_of(&a);
	CHECK_STR(first, again);
	graphics_states_done(&a);
	graphics_states_done(&b);
}

/* Nothing is in one order that is not in the other. */
static void
merge_order_does_not_matter(void)
{
	struct err err = ERR_INIT;
	struct graphics_states a, b, c, d;
	struct graphics_added added;
	AUTO_JSON cJSON *diff = NULL;

	REQUIRE(read_made(&a, "a", &one, &err) == 0);
	REQUIRE(read_made(&b, "b", &two, &err) == 0);
	REQUIRE(read_made(&c, "c", &one, &err) == 0);
	REQUIRE(read_made(&d, "d", &two, &err) == 0);
	CHECK(graphics_states_merge(&a, &b, &added, &err) == 0);
	CHECK(graphics_states_merge(&d, &c, &added, &err) == 0);
	diff = graphics_diff_json(&a, &d);
	CHECK(json_int(diff, "added.variants", -1) == 0);
	CHECK(json_int(diff, "added.states", -1) == 0);
	CHECK(json_int(diff, "removed.variants", -1) == 0);
	CHECK(json_int(diff, "removed.states", -1) == 0);
	for (int m = 0; m < GRAPHICS_MAPS; m++)
		CHECK(a.entry_count[m] == d.entry_count[m]);
	graphics_states_done(&a);
	graphics_states_done(&b);
	graphics_states_done(&c);
	graphics_states_done(&d);
}

static void
merge_into_nothing(void)
{
	struct err err = ERR_INIT;
	struct graphics_states a, b;
	struct graphics_added added;
	struct buf empty = BUF_INIT;
	AUTO_BUF struct buf raw = BUF_INIT;
	AUTO_FREE char *text = NULL;

	buf_str(&empty, "{}");
	REQUIRE(graphics_states_parse(&a, "new", &empty, &err) == 0);
	REQUIRE(read_made(&b, "one", &one, &err) == 0);
	CHECK(graphics_states_merge(&a, &b, &added, &err) == 0);
	make(&one, &raw);
	text = text_of(&a);
	CHECK_STR(text, raw.data);
	graphics_states_done(&a);
	graphics_states_done(&b);
}

static void
refuses(const struct maker *k, const char *word, const char *also)
{
	struct err err = ERR_INIT;
	struct graphics_states a, b;
	struct graphics_added added;

	REQUIRE(read_made(&a, "base-file", &one, &err) == 0);
	REQUIRE(read_made(&b, "new-file", k, &err) == 0);
	CHECK(graphics_states_merge(&a, &b, &added, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, word);
	CHECK_HAS(err.msg, also);
	CHECK_HAS(err.msg, "base-file");
	CHECK_HAS(err.msg, "new-file");
	graphics_states_done(&a);
	graphics_states_done(&b);
}

static void
merge_refuses_another_kind(void)
{
	struct maker k = one;

	k.platform = 8;
	refuses(&k, "11 (Android)", "8 (iOS)");
}

static void
merge_refuses_two_contents(void)
{
	struct maker k = one;

	k.layout_of_a = "2";
	refuses(&k, "vertex layout", "another in");
	k = one;
	k.variant[1].shader = "Sky";
	refuses(&k, "variant 2", "another in");
}

static void
one_hash_is_one_variant(void)
{
	struct maker k = one;
	struct err err = ERR_INIT;
	struct graphics_states g;

	k.variant[1].v = '1';
	CHECK(read_made(&g, "one", &k, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, "variant 1 has two contents");
	/* Its states may stand apart. */
	err_clear(&err);
	k.variant[1] = k.variant[0];
	k.variant[1].s = "c";
	REQUIRE(read_made(&g, "one", &k, &err) == 0);
	CHECK(g.count == 3);
	graphics_states_done(&g);
}

/* `from` in the made text of one is `to` in the other's. */
static void
refuses_edited(const char *from, const char *to, const char *says)
{
	struct buf edited = BUF_INIT;
	AUTO_BUF struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct graphics_states g, h;
	struct graphics_added added;
	const char *at;

	make(&one, &b);
	at = strstr(b.data, from);
	REQUIRE(at);
	buf_add(&edited, b.data, (size_t)(at - b.data));
	buf_str(&edited, to);
	buf_str(&edited, at + strlen(from));
	REQUIRE(read_made(&g, "base", &one, &err) == 0);
	REQUIRE(graphics_states_parse(&h, "new", &edited, &err) == 0);
	CHECK(graphics_states_merge(&g, &h, &added, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, says);
	CHECK_HAS(err.msg, "new");
	graphics_states_done(&g);
	graphics_states_done(&h);
}

static void
merge_refuses_another_head(void)
{
	refuses_edited("\"m_RuntimePlatform\": 11", "\"m_RuntimePlatform\": 8",
		       "another platform: 11 (Android) in base, 8 (iOS) in ");
	refuses_edited("\"m_DeviceRenderer\": 21", "\"m_DeviceRenderer\": 11",
		       "another graphics API: 21 (Vulkan) in base, 11 (Open");
	refuses_edited("\"Mobile\"", "\"PC\"",
		       "another quality level: 'Mobile' in base, 'PC' in ");
	refuses_edited("\"m_Version\": 0", "\"m_Version\": 1",
		       "another m_Version: 0 in base, 1 in ");
	refuses_edited("\"serializedVersion\": \"1\"",
		       "\"serializedVersion\": \"2\"",
		       "another serializedVersion: '1' in base, '2' in ");
	refuses_edited("\"m_Name\"", "\"m_New\": 1, \"m_Name\"",
		       "'m_New' differs between base and ");
}

static void
a_key_leads_somewhere(void)
{
	struct maker k = one;
	struct err err = ERR_INIT;
	struct graphics_states g;

	k.drop = "b";
	CHECK(read_made(&g, "one", &k, &err) == -1);
	CHECK_HAS(err.msg, "which is not there");
}

static void
refuses_text(const char *text, const char *word)
{
	struct buf b = BUF_INIT_MAX(GRAPHICS_LIMIT);
	struct err err = ERR_INIT;
	struct graphics_states g;

	buf_str(&b, text);
	CHECK(graphics_states_parse(&g, "f", &b, &err) == -1);
	CHECK(err.code == ERR_INPUT);
	CHECK_HAS(err.msg, word);
}

static void
other_files_are_told(void)
{
	AUTO_BUF struct buf deep = BUF_INIT;

	refuses_text("", "1:1: it ends");
	refuses_text("[]", "not a JSON object");
	refuses_text("{\"a\": 1}", "m_VariantInfoMap");
	refuses_text("{\"m_VariantInfoMap\": [{}]}", "variant 1: 'first'");
	refuses_text("{\n  \"a\": 01}", "2:8: not a JSON value");
	refuses_text("{\"a\": \"\x01\"}", "control byte");
	refuses_text("{\"a\": tru}", "not a JSON value");
	refuses_text("{} {}", "more follows");
	for (int i = 0; i < 100000; i++)
		buf_chr(&deep, '[');
	refuses_text(deep.data, "too many levels");
	buf_clear(&deep);
	for (int i = 0; i <= EXACT_JSON_VALUES; i++)
		buf_str(&deep, i ? ",1" : "[1");
	refuses_text(deep.data, "too many values");
}

static void
one_key_is_one_content_in_a_file(void)
{
	struct maker k = one;
	struct buf edited = BUF_INIT;
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *a = mem_fmt("\"first\": %llu", ULLONG_MAX - 256 - 'a');
	struct err err = ERR_INIT;
	struct graphics_states g;
	const char *at;

	k.layout_of_a = "2";
	make(&k, &b);
	at = strstr(b.data, a);
	REQUIRE(at);
	buf_add(&edited, b.data, (size_t)(at - b.data));
	buf_fmt(&edited, "\"first\": %llu", ULLONG_MAX - 256 - 'b');
	buf_str(&edited, at + strlen(a));
	CHECK(graphics_states_parse(&g, "one", &edited, &err) == -1);
	CHECK_HAS(err.msg, "vertex layout 18446744073709551261 has two "
			   "contents");
}

/* Variants without states are variants; the shaders with most come first. */
static void
diff_and_stats_know_empty_variants(void)
{
	struct maker k = one;
	struct err err = ERR_INIT;
	struct graphics_states g, h;
	AUTO_JSON cJSON *diff = NULL;
	AUTO_JSON cJSON *stats = NULL;
	const cJSON *shaders;

	k.variant[3] = k.variant[2];
	k.variant[3].v = '5';
	REQUIRE(read_made(&g, "a", &one, &err) == 0);
	REQUIRE(read_made(&h, "b", &k, &err) == 0);
	diff = graphics_diff_json(&g, &h);
	CHECK(json_int(diff, "added.variants", -1) == 1);
	CHECK(json_int(diff, "added.states", -1) == 0);
	CHECK(json_count(diff, "added.rows") == 1);
	CHECK(json_count(diff, "removed.rows") == 0);
	stats = graphics_stats_json(&h);
	shaders = json_get(stats, "shaders");
	REQUIRE(cJSON_GetArraySize(shaders) == 3);
	CHECK_STR(json_str(shaders->child, "shader", ""), "UI");
	CHECK(json_int(shaders->child, "empty", -1) == 2);
	CHECK_STR(json_str(shaders->child->next, "shader", ""), "Lit");
	CHECK_STR(json_str(stats, "serialized_version", ""), "1");
	graphics_states_done(&g);
	graphics_states_done(&h);
}

CHECK_MAIN(CHECK_CASE("a real file read and written is the same file",
		      real_file_is_the_same),
	   CHECK_CASE("a made file read and written is the same file",
		      made_file_is_the_same),
	   CHECK_CASE("one key is one content within a file",
		      one_key_is_one_content_in_a_file),
	   CHECK_CASE("variants without states are known",
		      diff_and_stats_know_empty_variants),
	   CHECK_CASE("merge adds what is new, once", merge_adds_what_is_new),
	   CHECK_CASE("the order of a merge changes nothing but the order",
		      merge_order_does_not_matter),
	   CHECK_CASE("a merge into nothing is the file", merge_into_nothing),
	   CHECK_CASE("another platform is refused with both names",
		      merge_refuses_another_kind),
	   CHECK_CASE("one key with two contents is refused",
		      merge_refuses_two_contents),
	   CHECK_CASE("one hash is one variant", one_hash_is_one_variant),
	   CHECK_CASE("another head is refused with both values",
		      merge_refuses_another_head),
	   CHECK_CASE("a key that leads nowhere is refused",
		      a_key_leads_somewhere),
	   CHECK_CASE("what is no collection is told with its place",
		      other_files_are_told), )
