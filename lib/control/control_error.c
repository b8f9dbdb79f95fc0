#include "control/control_parts.h"

#include <string.h>

/* The kinds of the protocol: the stable names behind the codes. */
static const char *const kinds[] = {
	"NotFound",	"Ambiguous", "NotInteractable", "Covered",
	"Timeout",	"Busy",	     "ScriptError",	"NotSupported",
	"Unauthorized", "TooLarge",  "Cancelled",	"Paused",
	"Version",
};

static const char *
kind_of(const cJSON *error)
{
	const char *kind = json_str(error, "data.kind", NULL);
	int64_t code = json_int(error, "code", 0);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kind ? strcmp(kind, kinds[i]) == 0
			 : code == -32001 - (int64_t)i)
			return kinds[i];
	}
	if (code == -32601)
		return "NotSupported";
	return "RemoteError";
}

int
control_error_fill(const char *method, const cJSON *error, struct err *err)
{
	AUTO_BUF struct buf text = BUF_INIT;
	const char *kind = kind_of(error);
	const char *message = json_str(error, "message", "no message");
	const char *detail = json_str(error, "data.detail", NULL);
	const char *by = json_str(error, "data.by", NULL);

	buf_escaped(&text, message, strnlen(message, 300));
	if (by) {
		buf_str(&text, ", by ");
		buf_escaped(&text, by, strnlen(by, 120));
	}
	if (detail) {
		buf_str(&text, ": ");
		buf_escaped(&text, detail, strnlen(detail, 200));
	}
	err_set(err, strcmp(kind, "Unauthorized") == 0 ? ERR_AUTH : ERR_REMOTE,
		"%s: %s: %s", method, kind, text.data);
	return err_reason(err, kind);
}

int
control_error_lost(struct err *err)
{
	err_wrap(err, "the app's control server");
	return err_reason(err, "control_lost");
}
