#include "run/probe_check.h"

#include <string.h>

#include "base/mem.h"

enum { SHOWN = 160 };

void
probe_check_describe(const cJSON *answer, struct buf *got)
{
	const cJSON *error = json_get(answer, "error");
	AUTO_FREE char *text = NULL;

	if (cJSON_IsObject(error)) {
		const char *kind = json_str(error, "data.kind", NULL);
		const char *message = json_str(error, "message", "");

		buf_fmt(got, "error %lld%s%s: ",
			(long long)json_int(error, "code", 0), kind ? " " : "",
			kind ? kind : "");
		buf_escaped(got, message, strnlen(message, SHOWN));
		return;
	}
	text = json_text(json_get(answer, "result") ? json_get(answer, "result")
						    : answer);
	buf_escaped(got, text, strnlen(text, SHOWN));
	if (strlen(text) > SHOWN)
		buf_str(got, "...");
}

int
probe_check_error(const cJSON *answer, int code, const char *kind,
		  struct buf *got)
{
	const cJSON *error = json_get(answer, "error");
	const char *have = json_str(error, "data.kind", "");

	probe_check_describe(answer, got);
	if (!cJSON_IsObject(error) || json_int(error, "code", 0) != code)
		return 0;
	if (kind == NULL || strcmp(have, kind) == 0)
		return 1;
	buf_str(got, *have ? " (another data.kind)" : " (no data.kind)");
	return 0;
}

int
probe_check_refused(struct probe_look *l, const char *method, cJSON *params,
		    int code, const char *kind, struct deadline dl,
		    struct buf *got, struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;

	if (probe_wire_ask(&l->w, method, params, &answer, dl, err))
		return -1;
	return probe_check_error(answer, code, kind, got);
}

static bool
is_type(const cJSON *v, char type)
{
	switch (type) {
	case 's':
		return cJSON_IsString(v);
	case 'n':
		return cJSON_IsNumber(v);
	case 'b':
		return cJSON_IsBool(v);
	case 'a':
		return cJSON_IsArray(v);
	case 'o':
		return cJSON_IsObject(v);
	default:
		return v != NULL;
	}
}

static const char *
type_name(char type)
{
	switch (type) {
	case 's':
		return "a string";
	case 'n':
		return "a number";
	case 'b':
		return "a boolean";
	case 'a':
		return "an array";
	case 'o':
		return "an object";
	default:
		return "there";
	}
}

int
probe_check_fields(const cJSON *result, const char *fields, struct buf *got)
{
	while (*fields) {
		size_t len = strcspn(fields, ":");
		AUTO_FREE char *path = mem_strndup(fields, len);
		char type = fields[len + 1];

		if (!is_type(json_get(result, path), type)) {
			AUTO_FREE char *text = json_text(result);

			buf_fmt(got, "'%s' is not %s in ", path,
				type_name(type));
			buf_escaped(got, text, strnlen(text, SHOWN));
			return 0;
		}
		fields += len + 2;
		fields += *fields == ' ';
	}
	return 1;
}

int
probe_check_result(struct probe_look *l, const char *method, cJSON *params,
		   const char *fields, cJSON **result, struct deadline dl,
		   struct buf *got, struct err *err)
{
	AUTO_JSON cJSON *answer = NULL;
	const cJSON *r;

	if (probe_wire_ask(&l->w, method, params, &answer, dl, err))
		return -1;
	r = json_get(answer, "result");
	if (!cJSON_IsObject(r)) {
		probe_check_describe(answer, got);
		return 0;
	}
	if (!probe_check_fields(r, fields, got))
		return 0;
	probe_check_describe(answer, got);
	if (result)
		*result = cJSON_DetachItemFromObjectCaseSensitive(answer,
								  "result");
	return 1;
}
