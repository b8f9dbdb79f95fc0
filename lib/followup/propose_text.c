#include "followup/propose_text.h"

#include <string.h>

#include "base/mem.h"
#include "base/present.h"
#include "followup/issue_text.h"

enum { MAX_SHADERS = 15, MAX_NAME = 120 };

static long long
count(const cJSON *answer, const char *key)
{
	AUTO_FREE char *path = mem_fmt("merged.%s", key);

	return (long long)json_int(answer, path, 0);
}

/* "12 new variants, 3 dropped" */
static void
add_counts(struct buf *out, const cJSON *answer)
{
	long long more = count(answer, "variants") -
			 count(answer, "base_variants") +
			 count(answer, "pruned");
	long long states =
		count(answer, "states") - count(answer, "base_states");
	long long gone = count(answer, "pruned");

	if (more > 0)
		buf_fmt(out, "%lld new variant%s", more, more == 1 ? "" : "s");
	else if (states > 0)
		buf_fmt(out, "%lld new state%s", states,
			states == 1 ? "" : "s");
	if (gone > 0)
		buf_fmt(out, "%s%lld dropped", out->len ? ", " : "", gone);
}

void
propose_text_title(struct buf *out, const cJSON *answer)
{
	AUTO_BUF struct buf counts = BUF_INIT;

	add_counts(&counts, answer);
	buf_fmt(out, "Graphics states: %s",
		counts.len ? counts.data : "brought up to date");
}

static void
add_source(struct buf *out, const cJSON *result)
{
	AUTO_BUF struct buf text = BUF_INIT;
	const char *run = json_str(result, "build.run_url", NULL);
	const char *report = json_str(result, "report_url", NULL);

	present_build(&text, result);
	buf_str(out, "Traced by a patrol of ");
	issue_text_code(out, text.len ? text.data : "a build", MAX_NAME);
	buf_clear(&text);
	present_device(&text, result);
	if (text.len) {
		buf_str(out, " on ");
		issue_text_code(out, text.data, MAX_NAME);
	}
	buf_str(out, ".");
	if (present_url(run)) {
		buf_chr(out, ' ');
		issue_text_link(out, "Build", run);
	}
	if (present_url(report)) {
		buf_chr(out, ' ');
		issue_text_link(out, "Report", report);
	}
	buf_str(out, "\n");
}

static void
add_shaders(struct buf *out, const cJSON *answer)
{
	const cJSON *list = json_get(answer, "merged.shaders"), *one;
	int n = 0;

	if (cJSON_GetArraySize(list) == 0)
		return;
	buf_str(out, "\n<details><summary>Shaders</summary>\n\n"
		     "| shader | variants | states |\n|---|---:|---:|\n");
	cJSON_ArrayForEach(one, list)
	{
		if (n++ == MAX_SHADERS)
			break;
		buf_str(out, "| ");
		issue_text_cell(out, json_str(one, "shader", ""), MAX_NAME);
		buf_fmt(out, " | %lld | %lld |\n",
			(long long)json_int(one, "variants", 0),
			(long long)json_int(one, "states", 0));
	}
	buf_str(out, "\n</details>\n");
}

void
propose_text_body(struct buf *out, const cJSON *answer, const cJSON *result)
{
	add_source(out, result);
	buf_str(out, "\n| ");
	issue_text_cell(out, json_str(answer, "asset", ""), MAX_NAME);
	buf_fmt(out,
		" | before | after |\n|---|---:|---:|\n"
		"| variants | %lld | %lld |\n| states | %lld | %lld |\n",
		count(answer, "base_variants"), count(answer, "variants"),
		count(answer, "base_states"), count(answer, "states"));
	if (count(answer, "pruned"))
		buf_fmt(out,
			"\n%lld variants are dropped: the player's log says "
			"that they were not found.\n",
			count(answer, "pruned"));
	if (count(answer, "near_misses"))
		buf_fmt(out,
			"\n%lld lines of the log name no variant exactly; "
			"these are kept.\n",
			count(answer, "near_misses"));
	add_shaders(out, answer);
	buf_str(out, "\nThe next patrol that traces more brings this request "
		     "up to date. Made by `patrol graphics-states propose`.\n");
}

static void
say_pull(struct buf *out, const cJSON *answer)
{
	const char *merging = json_str(answer, "auto_merge.state", "");
	const char *why = json_str(answer, "auto_merge.message", NULL);

	buf_fmt(out, "pull request #%lld %s: ",
		(long long)json_int(answer, "pull_request.number", 0),
		json_str(answer, "pull_request.state", ""));
	present_line(out, json_str(answer, "pull_request.url", ""), 0);
	if (strcmp(merging, "enabled") == 0)
		buf_str(out, "\nmerged when its checks have passed");
	else if (strcmp(merging, "merged") == 0)
		buf_str(out, "\nmerged at once: it has nothing to wait for");
	else if (strcmp(merging, "refused") == 0)
		buf_str(out, "\nleft to people: ");
	if (strcmp(merging, "refused") == 0)
		present_line(out, why ? why : "", 0);
	buf_chr(out, '\n');
}

void
propose_text_say(struct buf *out, const cJSON *answer)
{
	const char *state = json_str(answer, "state", "");
	const char *asset = json_str(answer, "asset", "");
	AUTO_BUF struct buf counts = BUF_INIT;

	add_counts(&counts, answer);
	if (strcmp(state, "skipped") == 0) {
		buf_str(out, "skipped: ");
		present_line(out, json_str(answer, "message", ""), 0);
		buf_chr(out, '\n');
	} else if (strcmp(state, "nothing") == 0) {
		buf_fmt(out, "nothing to propose: '%s' has all of it\n", asset);
	} else if (strcmp(state, "dry_run") == 0) {
		buf_fmt(out, "would propose for '%s': %s\n", asset,
			counts.data);
	} else {
		buf_fmt(out, "'%s': %s\n", asset, counts.data);
		say_pull(out, answer);
	}
}
