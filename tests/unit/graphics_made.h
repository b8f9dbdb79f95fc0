#ifndef GRAPHICS_MADE_H
#define GRAPHICS_MADE_H

#include <string.h>

#include "unity/graphics.h"

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

static inline void
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

static inline void
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

static inline void
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

static inline int
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

#endif
