#include "followup/silence_alert.h"

#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "github/github_artifact.h"
#include "report/slack.h"

enum { NOTE_MAX = 4096 };

/* STATE/patrol-watch-NAME.told: without the time, so that one is enough. */
static char *
note_path(const struct settings *set, const char *alert)
{
	const char *end = strrchr(alert, '-');
	size_t len = end ? (size_t)(end - alert) : strlen(alert);
	AUTO_FREE char *name = mem_fmt("%.*s.told", (int)len, alert);

	return file_join(set->state_dir, name);
}

static bool
is_noted(const struct settings *set, const char *alert)
{
	AUTO_FREE char *path = note_path(set, alert);
	AUTO_BUF struct buf b = BUF_INIT_MAX(NOTE_MAX);
	struct err err = ERR_INIT;

	return file_read(path, &b, &err) == 0 &&
	       strncmp(b.data, alert, strlen(alert)) == 0 &&
	       strcmp(b.data + strlen(alert), "\n") == 0;
}

bool
silence_alert_was_told(const struct settings *set, struct github *g,
		       const char *alert, struct deadline dl)
{
	struct github_artifacts l = {.item = NULL};
	struct err err = ERR_INIT;
	bool told = is_noted(set, alert);

	if (told || g == NULL)
		return told;
	if (github_artifact_list(g, NULL, alert, &l, dl, &err))
		log_warn("was it told already? GitHub does not say: %s",
			 err.msg);
	for (size_t i = 0; i < l.count; i++)
		told |= !l.item[i].expired && !l.item[i].foreign;
	github_artifact_list_done(&l);
	return told;
}

cJSON *
silence_alert_message(const cJSON *judged, const char *url)
{
	return slack_alert(json_str(judged, "message", "NOTHING MEASURED."),
			   json_str(judged, "why", NULL),
			   json_str(judged, "next", NULL), url, "Runs");
}

int
silence_alert_remember(const struct settings *set, const char *alert,
		       struct err *err)
{
	AUTO_FREE char *path = note_path(set, alert);
	AUTO_FREE char *text = mem_fmt("%s\n", alert);

	if (file_mkdirs(set->state_dir, err))
		return -1;
	return file_write(path, text, strlen(text), err);
}
