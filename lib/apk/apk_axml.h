#ifndef APK_AXML_H
#define APK_AXML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Android's binary XML, as events.  Namespaces, text and comments are passed
 * over.  Strings live until the event returns and are cut at
 * APK_AXML_MAX_TEXT bytes, so that no file decides how long we work on it.
 */
enum { APK_AXML_MAX_DEPTH = 64, APK_AXML_MAX_TEXT = 1024 };

struct apk_axml_attr {
	uint32_t id;	  /* resource id; 0: none */
	const char *name; /* may be "" */
	const char *text; /* of a string value; NULL: it is none */
	bool is_number;	  /* an integer or a boolean */
	int64_t number;	  /* booleans: 0 or 1 */
};

struct apk_axml_events {
	void (*start)(void *arg, const char *name);
	void (*attr)(void *arg, const struct apk_axml_attr *a);
	void (*end)(void *arg);
};

/* ERR_INPUT with the offset of what is wrong. */
int apk_axml_parse(const void *data, size_t len,
		   const struct apk_axml_events *events, void *arg,
		   struct err *err);

#endif
