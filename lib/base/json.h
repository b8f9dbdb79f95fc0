#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * cJSON with its traps closed: keys are case-sensitive, depth is limited,
 * integers are read as 64 bit only where a double holds them exactly, numbers
 * are written with 15 digits and never as NaN, and an error says where.
 */

/* Parse exactly one value; rest but white space is ERR_PROTO. */
int json_parse(const char *text, size_t len, const char *what, cJSON **out,
	       struct err *err);
int json_read_file(const char *path, size_t limit, cJSON **out,
		   struct err *err);

/* Compact text; free() it. */
char *json_text(const cJSON *v);
/* Indented text with a final newline; free() it. */
char *json_pretty(const cJSON *v);

void json_auto_delete(cJSON **v);
#define AUTO_JSON __attribute__((cleanup(json_auto_delete)))

/*
 * Lenient readers: `path` is "a.b.c"; absent, null or another type gives the
 * fallback.  For fields that a peer may leave out.
 */
const cJSON *json_get(const cJSON *v, const char *path);
const char *json_str(const cJSON *v, const char *path, const char *fallback);
int64_t json_int(const cJSON *v, const char *path, int64_t fallback);
double json_num(const cJSON *v, const char *path, double fallback);
bool json_bool(const cJSON *v, const char *path, bool fallback);
size_t json_count(const cJSON *v, const char *path); /* of an array */
/* A number rounded to an integer; what 64 bit can't hold is the fallback. */
int64_t json_round(const cJSON *v, const char *path, int64_t fallback);
/* An id as text, whether the peer sent a number or a string; free() it. */
char *json_id(const cJSON *v, const char *path);

/* Strict readers: ERR_PROTO "what: 'a.b' is missing / is not a string". */
int json_need_str(const cJSON *v, const char *path, const char *what,
		  const char **out, struct err *err);
int json_need_int(const cJSON *v, const char *path, const char *what,
		  int64_t *out, struct err *err);

/*
 * Builders.  NULL strings become null; the object owns everything.  A key that
 * is set again gets the new value at its old place.
 */
cJSON *json_obj(void);
cJSON *json_arr(void);
void json_set_str(cJSON *o, const char *key, const char *s);
void json_set_int(cJSON *o, const char *key, int64_t n);
void json_set_num(cJSON *o, const char *key, double n); /* NaN: null */
void json_set_bool(cJSON *o, const char *key, bool b);
void json_set(cJSON *o, const char *key, cJSON *v); /* takes v */
/* The same of a key that is not there yet, without looking for it. */
void json_add(cJSON *o, const char *key, cJSON *v);
void json_push(cJSON *a, cJSON *v); /* takes v */
void json_push_str(cJSON *a, const char *s);

/* Append `s` as a JSON string literal, quotes included, to text. */
void json_quote(struct buf *b, const char *text);

#endif
