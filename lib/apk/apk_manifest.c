#include "apk/apk_manifest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "apk/apk_axml.h"
#include "apk/apk_zip.h"
#include "base/file.h"
#include "base/mem.h"

/* Attributes by their resource id: shrunk APKs have no names for them. */
enum {
	ID_NAME = 0x01010003,
	ID_ENABLED = 0x0101000e,
	ID_DEBUGGABLE = 0x0101000f,
	ID_MIN_SDK = 0x0101020c,
	ID_VERSION_CODE = 0x0101021b,
	ID_VERSION_NAME = 0x0101021c,
	ID_TARGET_SDK = 0x01010270,
	ID_TEST_ONLY = 0x01010272,
	ID_VERSION_CODE_MAJOR = 0x01010576,
	ID_SPLIT_REQUIRED = 0x01010591,
};

enum tag {
	TAG_OTHER,
	TAG_MANIFEST,
	TAG_SDK,
	TAG_APPLICATION,
	TAG_ACTIVITY,
	TAG_FILTER,
	TAG_ACTION,
	TAG_CATEGORY,
};

/* Where the reader is, and what it has seen of the present activity. */
struct reader {
	struct apk_manifest *m;
	enum tag stack[APK_AXML_MAX_DEPTH + 1];
	int depth;
	char *activity;
	bool enabled, main, launcher;
	int64_t code, code_major;
	bool has_code;
};

static enum tag
tag_of(const char *name)
{
	static const struct {
		const char *name;
		enum tag tag;
	} table[] = {
		{"manifest", TAG_MANIFEST},	  {"uses-sdk", TAG_SDK},
		{"application", TAG_APPLICATION}, {"activity", TAG_ACTIVITY},
		{"activity-alias", TAG_ACTIVITY}, {"intent-filter", TAG_FILTER},
		{"action", TAG_ACTION},		  {"category", TAG_CATEGORY},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(name, table[i].name) == 0)
			return table[i].tag;
	return TAG_OTHER;
}

/* Are we in manifest > application > activity > ...? */
static bool
is_path(const struct reader *r, int depth, enum tag tag)
{
	static const enum tag path[] = {TAG_MANIFEST, TAG_APPLICATION,
					TAG_ACTIVITY, TAG_FILTER};

	if (r->depth != depth || r->stack[depth] != tag)
		return false;
	for (int i = 0; i < depth - 1; i++)
		if (r->stack[i + 1] != path[i])
			return false;
	return true;
}

static void
take_string(char **to, const struct apk_axml_attr *a)
{
	if (a->text && !*to)
		*to = mem_strdup(a->text);
}

static void
on_manifest(struct reader *r, const struct apk_axml_attr *a)
{
	if (a->id == ID_VERSION_CODE && a->is_number) {
		r->code = a->number;
		r->has_code = true;
	} else if (a->id == ID_VERSION_CODE_MAJOR && a->is_number) {
		r->code_major = a->number;
	} else if (a->id == ID_VERSION_NAME) {
		take_string(&r->m->version_name, a);
	} else if (a->id == ID_SPLIT_REQUIRED && a->is_number) {
		r->m->split_required = a->number != 0;
	} else if (a->id == 0 && strcmp(a->name, "package") == 0) {
		take_string(&r->m->package, a);
	} else if (a->id == 0 && strcmp(a->name, "split") == 0) {
		take_string(&r->m->split, a);
	}
}

/* A number; a code name such as "Baklava" counts as not told. */
static void
take_sdk(int *to, const struct apk_axml_attr *a)
{
	if (a->is_number && a->number > 0 && a->number <= 100000)
		*to = (int)a->number;
	else if (a->text && isdigit((unsigned char)*a->text))
		*to = (int)(strtoul(a->text, NULL, 10) % 100001);
}

static void
on_attr(void *arg, const struct apk_axml_attr *a)
{
	struct reader *r = arg;
	bool on = a->is_number && a->number != 0;

	if (is_path(r, 1, TAG_MANIFEST)) {
		on_manifest(r, a);
	} else if (is_path(r, 2, TAG_SDK)) {
		if (a->id == ID_MIN_SDK)
			take_sdk(&r->m->min_sdk, a);
		else if (a->id == ID_TARGET_SDK)
			take_sdk(&r->m->target_sdk, a);
	} else if (is_path(r, 2, TAG_APPLICATION)) {
		if (a->id == ID_DEBUGGABLE)
			r->m->debuggable = on;
		else if (a->id == ID_TEST_ONLY)
			r->m->test_only = on;
	} else if (is_path(r, 3, TAG_ACTIVITY)) {
		if (a->id == ID_NAME)
			take_string(&r->activity, a);
		else if (a->id == ID_ENABLED && a->is_number)
			r->enabled = on;
	} else if (a->id == ID_NAME && a->text) {
		if (is_path(r, 5, TAG_ACTION) &&
		    strcmp(a->text, "android.intent.action.MAIN") == 0)
			r->main = true;
		if (is_path(r, 5, TAG_CATEGORY) &&
		    strcmp(a->text, "android.intent.category.LAUNCHER") == 0)
			r->launcher = true;
	}
}

static void
on_start(void *arg, const char *name)
{
	struct reader *r = arg;
	enum tag tag = tag_of(name);

	r->stack[++r->depth] = tag; /* the parser limits the depth */
	if (is_path(r, 3, TAG_ACTIVITY)) {
		free(r->activity);
		r->activity = NULL;
		r->enabled = true;
	} else if (is_path(r, 4, TAG_FILTER)) {
		r->main = r->launcher = false;
	}
}

static void
on_end(void *arg)
{
	struct reader *r = arg;

	if (is_path(r, 4, TAG_FILTER) && r->main && r->launcher && r->enabled &&
	    !r->m->activity)
		take_string(&r->m->activity,
			    &(struct apk_axml_attr){.text = r->activity});
	if (r->depth > 0)
		r->depth--;
}

/* It goes into commands for the phone: nothing but a Java name will do. */
static bool
is_java_name(const char *s)
{
	if (!*s || strlen(s) > 255)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("._$", *s) &&
		    !((unsigned char)*s & 0x80))
			return false;
	return true;
}

static int
bad(struct err *err, const char *why)
{
	err_set(err, ERR_INPUT, "AndroidManifest.xml is damaged: %s", why);
	return err_reason(err, "bad_manifest");
}

static int
complete(struct reader *r, struct err *err)
{
	struct apk_manifest *m = r->m;

	if (!m->package || !is_java_name(m->package) ||
	    strchr(m->package, '$') || *m->package == '.')
		return bad(err, "it names no valid package");
	m->version_code = r->has_code ? (r->code_major & 0x7fffffff) << 32 |
						(r->code & 0xffffffff)
				      : -1;
	if (m->min_sdk == 0)
		m->min_sdk = 1;
	if (m->target_sdk == 0)
		m->target_sdk = m->min_sdk;
	if (m->activity) {
		char *full = mem_strdup(m->activity);

		/* ".Main" and "Main" are short for PACKAGE.Main. */
		if (!strchr(m->activity, '.') || *m->activity == '.') {
			free(full);
			full = mem_fmt("%s%s%s", m->package,
				       *m->activity == '.' ? "" : ".",
				       m->activity);
		}
		free(m->activity);
		m->activity = full;
		if (!is_java_name(full))
			return bad(err, "its activity has no valid name");
	}
	return 0;
}

int
apk_manifest_parse(const void *axml, size_t len, struct apk_manifest *out,
		   struct err *err)
{
	static const struct apk_axml_events events = {
		.start = on_start, .attr = on_attr, .end = on_end};
	struct apk_manifest m = {.version_code = -1};
	struct reader r = {.m = &m};
	int rc;

	rc = apk_axml_parse(axml, len, &events, &r, err);
	if (rc)
		(void)err_reason(err, "bad_manifest");
	else
		rc = complete(&r, err);
	free(r.activity);
	if (rc)
		apk_manifest_done(&m);
	else
		*out = m;
	return rc;
}

void
apk_manifest_done(struct apk_manifest *m)
{
	free(m->package);
	free(m->version_name);
	free(m->activity);
	free(m->split);
	for (size_t i = 0; i < m->abi_count; i++)
		free(m->abi[i]);
	memset(m, 0, sizeof(*m));
}

/* lib/ABI/x.so; kept sorted, each once. */
static void
note_abi(struct apk_manifest *m, const char *name)
{
	const char *abi = name + 4, *slash = strchr(abi, '/');
	size_t len = slash ? (size_t)(slash - abi) : 0, i;

	if (len == 0 || len > 32 || !slash[1] ||
	    m->abi_count == APK_MANIFEST_MAX_ABIS)
		return;
	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)abi[i]) && !strchr("-_", abi[i]))
			return;
	for (i = 0; i < m->abi_count; i++) {
		int order = strncmp(m->abi[i], abi, len);

		if (order == 0 && m->abi[i][len] == '\0')
			return;
		if (order >= 0)
			break;
	}
	memmove(m->abi + i + 1, m->abi + i,
		(m->abi_count - i) * sizeof(*m->abi));
	m->abi[i] = mem_strndup(abi, len);
	m->abi_count++;
}

static void
note_entry(struct apk_manifest *m, const char *name)
{
	const char *dot = strrchr(name, '.');

	if (strncmp(name, "lib/", 4) == 0)
		note_abi(m, name);
	else if (strncmp(name, "META-INF/", 9) == 0 && dot &&
		 (strcasecmp(dot, ".RSA") == 0 ||
		  strcasecmp(dot, ".DSA") == 0 || strcasecmp(dot, ".EC") == 0))
		m->signed_v1 = true;
}

/* The APK Signing Block ends right before the central directory. */
static bool
has_signing_block(const char *apk)
{
	char magic[16] = "";
	int64_t offset, size;
	FILE *f;

	if (!apk_zip_central(apk, &offset, &size) || offset < 32)
		return false;
	f = fopen(apk, "re");
	if (!f)
		return false;
	if (fseeko(f, offset - 16, SEEK_SET) ||
	    fread(magic, 1, sizeof(magic), f) != sizeof(magic))
		magic[0] = '\0';
	(void)fclose(f); /* was read only */
	return memcmp(magic, "APK Sig Block 42", sizeof(magic)) == 0;
}

static int
read_zip(struct apk_zip *z, const char *apk, struct apk_manifest *m,
	 struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf axml = BUF_INIT_MAX(APK_MANIFEST_MAX_BYTES);
	int64_t at = apk_zip_find(z, "AndroidManifest.xml");
	struct apk_zip_entry e;

	if (at < 0) {
		err_set(err, ERR_INPUT,
			"it is a zip without an AndroidManifest.xml");
		return err_reason(err, "no_manifest");
	}
	if (apk_zip_entry(z, (size_t)at, &e, err) ||
	    apk_zip_read(z, &e, &axml, dl, err) ||
	    apk_manifest_parse(axml.data, axml.len, m, err))
		return -1;
	for (size_t i = 0; i < apk_zip_count(z); i++) {
		if (apk_zip_entry(z, i, &e, err)) {
			apk_manifest_done(m);
			return -1;
		}
		note_entry(m, e.name);
	}
	m->signed_block = has_signing_block(apk);
	return 0;
}

int
apk_manifest_read(const char *apk, struct apk_manifest *out, struct deadline dl,
		  struct err *err)
{
	struct apk_zip *z;
	int rc;

	if (apk_zip_open(apk, &z, err))
		return err_wrap(err, "APK");
	rc = read_zip(z, apk, out, dl, err);
	apk_zip_close(z);
	if (rc)
		return err_wrap(err, "APK '%s'", apk);
	return 0;
}

bool
apk_manifest_runs_on(const struct apk_manifest *m, const char *abis)
{
	if (m->abi_count == 0)
		return true;
	while (*abis) {
		size_t len = strcspn(abis, ", ");

		for (size_t i = 0; i < m->abi_count; i++)
			if (len && strncmp(m->abi[i], abis, len) == 0 &&
			    m->abi[i][len] == '\0')
				return true;
		abis += len + (abis[len] != '\0');
	}
	return false;
}
