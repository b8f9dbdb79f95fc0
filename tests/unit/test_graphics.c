#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/unit/check.h"
#include "unity/graphics.h"

static const char real_file[] =
	"tests/data/graphicsstate/metal-mobile.graphicsstate";

/*
 * A collection in Unity's layout: variant i of `variant` has the hash digit
 * `v`, and the states `s` (letters, each with keys of its own).
 */
struct maker {
	int platform;
	struct {
		char v;
		const char *shader, *keywords, *s;
	} variant[8];
	const char *layout_of_a; /* content of the layout that 'a' leads to */
	const char *drop;	 /* letters whose layout is left out */
};

static void
make_map(const struct maker *k, const char *name, uint64_t base,
	 const char *letters, struct buf *b)
{
	bool any = false;

	buf_fmt(b, ",\n    \"%s\": [", name);
	for (const char *l = letters; *l; l++) {
		if (base == 1 && k->drop && strchr(k->drop, *l))
			continue;
		buf_fmt(b,
			"%s\n        {\n            \"first\": "
			"%llu,\n            \"second\": {\n                "
			"\"x\": %s\n            }\n        }",
			any ? "," : "",
			(unsigned long long)(UINT64_MAX - base * 256 -
					     (unsigned char)*l),
			*l == 'a' && base == 1 && k->layout_of_a
				? k->layout_of_a
				: "1.50");
		any = true;
	}
	buf_str(b, any ? "\n    ]" : "]");
}

static void
make_states(const char *s, struct buf *b)
{
	buf_str(b, "                \"graphicsStateInfoSet\": [");
	for (const char *l = s; *l; l++) {
		buf_str(b, l == s ? "\n" : ",\n");
		buf_str(b, "                    {\n");
		for (unsigned m = 0; m < GRAPHICS_MAPS; m++) {
			static const char *const ref[] = {
				"vertexLayout", "renderPass", "renderState"};

			buf_fmt(b, "                        \"%s\": %llu,\n",
				ref[m],
				(unsigned long long)(UINT64_MAX -
						     (m + 1) * 256 -
						     (unsigned char)*l));
		}
		buf_str(b, "                        \"subPassIndex\": -1\n"
			   "                    }");
	}
	buf_str(b, *s ? "\n                ]" : "]");
}

static void
make(const struct maker *k, struct buf *b)
{
	char letters[64] = "";

	buf_fmt(b,
		"{\n    \"m_Name\": \"\",\n    \"serializedVersion\": \"1\","
		"\n    \"m_Version\": 0,\n    \"m_DeviceRenderer\": 21,\n    "
		"\"m_RuntimePlatform\": %d,\n    \"m_QualityLevelName\": "
		"\"Mobile\",\n    \"m_VariantInfoMap\": [",
		k->platform);
	for (size_t i = 0; k->variant[i].v; i++) {
		for (const char *l = k->variant[i].s; *l; l++)
			if (!strchr(letters, *l))
				letters[strlen(letters)] = *l;
		buf_fmt(b,
			"%s\n        {\n            \"first\": {\n"
			"                \"serializedVersion\": \"2\",\n"
			"                \"Hash\": \"%c\"\n            },\n"
			"            \"second\": {\n"
			"                \"shaderName\": \"%s\",\n"
			"                \"shaderAssetGUID\": \"0\",\n"
			"                \"keywordNames\": \"%s\",\n"
			"                \"subShaderIndex\": 0,\n"
			"                \"passIndex\": 1,\n",
			i ? "," : "", k->variant[i].v, k->variant[i].shader,
			k->variant[i].keywords);
		make_states(k->variant[i].s, b);
		buf_str(b, "\n            }\n        }");
	}
	buf_str(b, k->variant[0].v ? "\n    ]" : "]");
	make_map(k, "m_VertexLayoutInfoMap", 1, letters, b);
	make_map(k, "m_RenderPassInfoMap", 2, letters, b);
	make_map(k, "m_RenderStateMap", 3, letters, b);
	buf_str(b, "\n}");
}

static int
read_made(struct graphics_states *g, const char *name, const struct maker *k,
	  struct err *err)
{
	struct buf b = BUF_INIT;

	make(k, &b);
	return graphics_states_parse(g, name, &b, err);
}

static const struct maker one = {
	.platform = 11,
	.variant = {{'1', "Lit", "A B", "ab"},
		    {'2', "Sky, (day)", "", "c"},
		    {'3', "UI", "B", ""}},
};
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
numbers_keep_their_digits(void)
{
	struct exact_json_doc doc;
	struct err err = ERR_INIT;
	static const char text[] = "[18419961683075725700, 1.50, -0, 2e-07, "
				   "18446744073709551616]";
	AUTO_BUF struct buf out = BUF_INIT;
	uint64_t n;

	REQUIRE(exact_json_parse(&doc, text, strlen(text), &err) == 0);
	CHECK(exact_json_u64(doc.root->first, &n));
	CHECK(n == 18419961683075725700u);
	CHECK(!exact_json_u64(doc.root->first->next->next->next->next, &n));
	exact_json_write(doc.root, 0, &out);
	CHECK_STR(out.data, "[\n    18419961683075725700,\n    1.50,\n    -0,\n"
			    "    2e-07,\n    18446744073709551616\n]");
	exact_json_done(&doc);
}

CHECK_MAIN(CHECK_CASE("a real file read and written is the same file",
		      real_file_is_the_same),
	   CHECK_CASE("a made file read and written is the same file",
		      made_file_is_the_same),
	   CHECK_CASE("numbers keep their digits", numbers_keep_their_digits),
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
	   CHECK_CASE("a log is read by its lines, whatever is in them",
		      a_log_is_read_by_its_lines),
	   CHECK_CASE("a key that leads nowhere is refused",
		      a_key_leads_somewhere),
	   CHECK_CASE("prune drops what the log names, and nothing near it",
		      prune_drops_just_that),
	   CHECK_CASE("keywords compare as a set", keywords_are_a_set),
	   CHECK_CASE("a line that fits several drops none unasked",
		      several_are_kept),
	   CHECK_CASE("what is no collection is told with its place",
		      other_files_are_told), )
