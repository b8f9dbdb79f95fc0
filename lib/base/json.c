#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53, which 2^53 + 1 is read as too */

int
json_parse(const char *text, size_t len, const char *what, cJSON **out,
	   struct err *err)
{
	const char *end = NULL;
	cJSON *v = cJSON_ParseWithLengthOpts(text, len, &end, 0);

	if (v == NULL) {
		size_t at = end && end >= text ? (size_t)(end - text) : 0;

		return err_set(err, ERR_PROTO,
			       "%s is not JSON (stopped at byte %zu of %zu)",
			       what, at, len);
	}
	while (end < text + len && strchr(" \t\r\n", *end) && *end)
		end++;
	if (end < text + len) {
		cJSON_Delete(v);
		return err_set(err, ERR_PROTO,
			       "%s has more after its JSON value (byte %zu)",
			       what, (size_t)(end - text));
	}
	*out = v;
	return 0;
}

int
json_read_file(const char *path, size_t limit, cJSON **out, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(limit);

	if (file_read(path, &b, err))
		return -1;
	return json_parse(b.data, b.len, path, out, err);
}

char *
json_text(const cJSON *v)
{
	char *s = cJSON_PrintUnformatted(v);

	return s ? s : mem_strdup("null");
}

char *
json_pretty(const cJSON *v)
{
	AUTO_FREE char *s = cJSON_Print(v);

	return mem_fmt("%s\n", s ? s : "null");
}

void
json_auto_delete(cJSON **v)
{
	cJSON_Delete(*v);
}

const cJSON *
json_get(const cJSON *v, const char *path)
{
	while (v && *path) {
		size_t n = strcspn(path, ".");
		const cJSON *item = NULL;

		if (!cJSON_IsObject(v))
			return NULL;
		cJSON_ArrayForEach(item, v)
		{
			if (item->string && strlen(item->string) == n &&
			    memcmp(item->string, path, n) == 0)
				break;
		}
		v = item;
		path += n + (path[n] == '.');
	}
	return v;
}

const char *
json_str(const cJSON *v, const char *path, const char *fallback)
{
	const cJSON *s = json_get(v, path);

	return cJSON_IsString(s) ? s->valuestring : fallback;
}

static bool
exact_int(const cJSON *n)
{
	return cJSON_IsNumber(n) && fabs(n->valuedouble) < EXACT_MAX &&
	       trunc(n->valuedouble) == n->valuedouble;
}

int64_t
json_int(const cJSON *v, const char *path, int64_t fallback)
{
	const cJSON *n = json_get(v, path);

	return exact_int(n) ? (int64_t)n->valuedouble : fallback;
}

double
json_num(const cJSON *v, const char *path, double fallback)
{
	const cJSON *n = json_get(v, path);

	/* 1e999 is read as infinite. */
	return cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble
							     : fallback;
}

int64_t
json_round(const cJSON *v, const char *path, int64_t fallback)
{
	const cJSON *n = json_get(v, path);

	if (!cJSON_IsNumber(n) || !(fabs(n->valuedouble) <= EXACT_MAX))
		return fallback;
	return (int64_t)(n->valuedouble + (n->valuedouble < 0 ? -0.5 : 0.5));
}

bool
json_bool(const cJSON *v, const char *path, bool fallback)
{
	const cJSON *b = json_get(v, path);

	return cJSON_IsBool(b) ? cJSON_IsTrue(b) : fallback;
}

size_t
json_count(const cJSON *v, const char *path)
{
	const cJSON *a = json_get(v, path);

	return cJSON_IsArray(a) ? (size_t)cJSON_GetArraySize(a) : 0;
}

char *
json_id(const cJSON *v, const char *path)
{
	const cJSON *id = json_get(v, path);

	if (cJSON_IsString(id))
		return mem_strdup(id->valuestring);
	if (exact_int(id))
		return mem_fmt("%lld", (long long)id->valuedouble);
	return NULL;
}

int
json_need_str(const cJSON *v, const char *path, const char *what,
	      const char **out, struct err *err)
{
	const cJSON *s = json_get(v, path);

	if (s == NULL)
		return err_set(err, ERR_PROTO, "%s: '%s' is missing", what,
			       path);
	if (!cJSON_IsString(s))
		return err_set(err, ERR_PROTO, "%s: '%s' is not a string", what,
			       path);
	*out = s->valuestring;
	return 0;
}

int
json_need_int(const cJSON *v, const char *path, const char *what, int64_t *out,
	      struct err *err)
{
	const cJSON *n = json_get(v, path);

	if (n == NULL)
		return err_set(err, ERR_PROTO, "%s: '%s' is missing", what,
			       path);
	if (!exact_int(n))
		return err_set(err, ERR_PROTO, "%s: '%s' is not an integer",
			       what, path);
	*out = (int64_t)n->valuedouble;
	return 0;
}

static cJSON *
must(cJSON *v)
{
	if (v == NULL)
		abort(); /* out of memory: as in mem.h */
	return v;
}

cJSON *
json_obj(void)
{
	return must(cJSON_CreateObject());
}

cJSON *
json_arr(void)
{
	return must(cJSON_CreateArray());
}

void
json_set(cJSON *o, const char *key, cJSON *v)
{
	bool added = cJSON_GetObjectItemCaseSensitive(o, key)
			     ? cJSON_ReplaceItemInObjectCaseSensitive(o, key,
								      must(v))
			     : cJSON_AddItemToObject(o, key, must(v));

	if (!added)
		abort();
}

void
json_add(cJSON *o, const char *key, cJSON *v)
{
	if (!cJSON_AddItemToObject(o, key, must(v)))
		abort();
}

/* Text of a peer may be anything; JSON carries UTF-8 only. */
static cJSON *
string(const char *s)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(64 << 20);

	buf_utf8(&b, s);
	return cJSON_CreateString(b.data);
}

void
json_set_str(cJSON *o, const char *key, const char *s)
{
	json_set(o, key, s ? string(s) : cJSON_CreateNull());
}

void
json_set_int(cJSON *o, const char *key, int64_t n)
{
	json_set(o, key, cJSON_CreateNumber((double)n));
}

void
json_set_num(cJSON *o, const char *key, double n)
{
	json_set(o, key,
		 isfinite(n) ? cJSON_CreateNumber(n) : cJSON_CreateNull());
}

void
json_set_bool(cJSON *o, const char *key, bool b)
{
	json_set(o, key, cJSON_CreateBool(b));
}

void
json_push(cJSON *a, cJSON *v)
{
	if (!cJSON_AddItemToArray(a, must(v)))
		abort();
}

void
json_push_str(cJSON *a, const char *s)
{
	json_push(a, string(s));
}

void
json_quote(struct buf *b, const char *text)
{
	AUTO_BUF struct buf clean = BUF_INIT_MAX(64 << 20);

	buf_utf8(&clean, text);
	buf_chr(b, '"');
	for (const char *s = clean.data; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			buf_chr(b, '\\');
		if (c == '\n')
			buf_str(b, "\\n");
		else if (c < 0x20 || c == 0x7F)
			buf_fmt(b, "\\u%04x", c);
		else
			buf_chr(b, *s);
	}
	buf_chr(b, '"');
}
