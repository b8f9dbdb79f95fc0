#ifndef PRESENT_H
#define PRESENT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

/*
 * Small pieces of text that the report, Slack, the summary and the terminal
 * say in the same words.  All of them append to `out`; what a result lacks
 * adds nothing.
 */

/*
 * Text of others as one line of clean UTF-8: control and bidirectional
 * characters become spaces, what is no UTF-8 becomes U+FFFD, and after
 * `max_units` UTF-16 units it is cut with an ellipsis (0: never).
 */
void present_line(struct buf *out, const char *s, size_t max_units);
/* The same as text or an attribute of HTML. */
void present_html(struct buf *out, const char *s, size_t max_units);
/* The same as present_line(); free() it.  NULL gives NULL. */
char *present_line_dup(const char *s, size_t max_units);
/* The length in UTF-16 units, as Slack may count. */
size_t present_units(const char *s);
/* Bytes and UTF-16 units of the character at `s`, which is valid UTF-8. */
size_t present_char(const char *s, size_t *units);

/* "2026-11-30T09:45:02Z" as "30 Nov", and its time as "09:45". */
void present_date(struct buf *out, const char *time);
void present_clock(struct buf *out, const char *time);
/* "Fri 18:02" within six days before `now`, else "20 Nov 18:02". */
void present_since(struct buf *out, const char *time, const char *now);

void present_count(struct buf *out, long long n);   /* 43,212 */
void present_ordinal(struct buf *out, long long n); /* 3rd */
void present_commit(struct buf *out, const char *hash);
/* "a0f9e8d..a1b2c3d"; without `bad` nothing, without `good` that alone. */
void present_commits(struct buf *out, const char *good, const char *bad);
/* A number with its unit: bytes as MiB, ms as a duration, else as it is. */
void present_value(struct buf *out, double value, const char *unit);
/* "412→486 MiB" */
void present_range(struct buf *out, double from, double to, const char *unit);

/* "Pixel 6, 31→36 °C, not throttled" */
void present_device(struct buf *out, const cJSON *result);
/* "build 4242 a1b2c3d (+14 commits)" */
void present_build(struct buf *out, const cJSON *result);
/* "not throttled", "light throttling", ... of Android's thermal status. */
const char *present_thermal(int64_t status);

/* An address that may become a link: http or https, nothing odd in it. */
const char *present_url(const char *url); /* NULL: no */

/*
 * A path within the output folder, as a result names its files: relative and
 * without "..".  NULL: no.
 */
const char *present_file(const char *path);

#endif
