#ifndef GRAPHICS_H
#define GRAPHICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "unity/exact_json.h"
#include "unity/positions.h"

/*
 * A GraphicsStateCollection as Unity saves it: a `.graphicsstate` file.  The
 * format as we know it is in docs/graphics-states.md.
 *
 * The values stay the bytes of the file.  What is merged in is borrowed from
 * the other collection, which must outlive this one.
 */
enum { GRAPHICS_LIMIT = 256 << 20 }; /* bytes of a file */

enum graphics_map {
	GRAPHICS_VERTEX_LAYOUT,
	GRAPHICS_RENDER_PASS,
	GRAPHICS_RENDER_STATE,
	GRAPHICS_MAPS
};

/* One entry of a map. */
struct graphics_entry {
	uint64_t key; /* a hash of the content */
	const struct exact_json *node;
};

/* One state that a variant was drawn with. */
struct graphics_state {
	uint64_t key[GRAPHICS_MAPS]; /* into the three maps */
	const struct exact_json *node;
};

/* A shader variant: shader, subshader, pass, keywords. */
struct graphics_variant {
	const struct exact_json *node; /* of where it was seen first */
	const struct exact_json *hash;
	const struct exact_json *shader, *keywords;
	int64_t subshader, pass;
	struct graphics_state *state;
	size_t count, room;
};

struct graphics_states {
	char *name; /* of the file, for messages */
	struct buf text;
	struct exact_json_doc doc;
	/* The tree whose other keys are written; of another when empty. */
	const struct exact_json *head;
	struct graphics_variant *variant;
	size_t count, room;
	struct graphics_entry *entry[GRAPHICS_MAPS];
	size_t entry_count[GRAPHICS_MAPS], entry_room[GRAPHICS_MAPS];
};

/*
 * Read one; "-" is stdin.  "{}", as the editor creates it, is an empty one.
 * ERR_INPUT: not such a file, or a key that leads nowhere, or two contents
 * under one key.
 */
int graphics_states_read(struct graphics_states *g, const char *path,
			 struct err *err);
/* The same from memory; takes what `text` holds. */
int graphics_states_parse(struct graphics_states *g, const char *name,
			  struct buf *text, struct err *err);
void graphics_states_done(struct graphics_states *g);

/* The file's text, byte for byte as Unity lays it out. */
void graphics_states_write(const struct graphics_states *g, struct buf *out);

/* "Vulkan", "Android"; NULL where unknown. */
const char *graphics_device_name(int64_t device);
const char *graphics_platform_name(int64_t platform);

struct graphics_added {
	size_t variants, states, entries;
};

/*
 * Put what `from` has more into `g`, behind what is there: variants by hash,
 * then states, then the maps.  ERR_INPUT: they are of another platform,
 * graphics API, quality level or version, or have two contents under one key;
 * `g` may then be half merged.
 */
int graphics_states_merge(struct graphics_states *g,
			  const struct graphics_states *from,
			  struct graphics_added *added, struct err *err);

/* Drop the entries that no state leads to; how many. */
size_t graphics_states_sweep(struct graphics_states *g);

/* A variant that the player did not find when it warmed up. */
struct graphics_missing {
	char *shader, *real; /* `real` may be NULL */
	char *keywords;	     /* in order, one blank between; "" for none */
	int64_t subshader, pass;
	size_t lines;	/* that said so */
	size_t matches; /* variants of just this kind */
	size_t near;	/* of this shader and pass, with other keywords */
};

struct graphics_log {
	struct graphics_missing *missing;
	size_t count, room;
	size_t lines, unparsed; /* unparsed: speak of it, in other words */
	size_t dropped;		/* different ones past the limit */
	struct positions seen;
};

enum { GRAPHICS_LOG_MISSING = 100000 };

/*
 * Add what a player's log or a logcat says about variants not found:
 * "Shader NAME[ (real shader REAL)], subshader N, pass N, stage S: variant
 * KEYWORDS not found.", anything before it in the line.
 */
void graphics_log_line(struct graphics_log *log, const char *line, size_t len);
int graphics_log_read(struct graphics_log *log, const char *path,
		      struct err *err);
void graphics_log_done(struct graphics_log *log);

/* When one line of the log fits several variants. */
enum graphics_several { GRAPHICS_KEEP_SEVERAL, GRAPHICS_DROP_SEVERAL };

/*
 * Drop the variants that the log names, and what nothing leads to any more;
 * fills matches and near.  Keywords must be just the same.  How many variants.
 */
size_t graphics_states_prune(struct graphics_states *g,
			     struct graphics_log *log,
			     enum graphics_several several);

/* For --json and for a run's result; the caller owns it. */
cJSON *graphics_stats_json(const struct graphics_states *g);
/* What `b` has that `a` lacks, and the reverse. */
cJSON *graphics_diff_json(const struct graphics_states *a,
			  const struct graphics_states *b);

#endif
