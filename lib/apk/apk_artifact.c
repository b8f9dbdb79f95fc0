#include "apk/apk_artifact.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "apk/apk_zip.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/mem.h"

enum { MAX_SPLITS = 64, CHUNK = 256 << 10, MAX_FOUND = 4096 };

/* The *.apk entries that fit, and what else tells the shape. */
struct found {
	struct apk_zip_entry *item;
	size_t count, room;
	size_t other_apks; /* do not fit the glob */
	const char *bundle, *set, *first;
};

/* A hash, a file and a progress that grow together. */
struct output {
	struct digest *digest;
	struct file_part part;
	const struct apk_artifact_ask *ask;
	int64_t now, total;
};

static bool
ends_with(const char *name, const char *suffix)
{
	size_t n = strlen(name), s = strlen(suffix);

	return n > s && strcasecmp(name + n - s, suffix) == 0;
}

static const char *
base_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static int
feed(void *arg, const void *data, size_t len, struct err *err)
{
	struct output *o = arg;

	digest_feed(o->digest, data, len);
	if (o->part.path && file_part_write(&o->part, data, len, err))
		return -1;
	o->now += (int64_t)len;
	if (o->ask->progress)
		o->ask->progress(o->ask->arg, o->now, o->total);
	return 0;
}

/* The file is the APK: it stays where it is. */
static int
as_it_is(const struct apk_artifact_ask *ask, struct apk_artifact_file *f,
	 struct deadline dl, struct err *err)
{
	struct output o = {.ask = ask};
	AUTO_FREE char *chunk = NULL;
	struct stat st;
	FILE *in;
	size_t n;
	int rc;

	if (stat(ask->path, &st))
		return err_sys(err, "look at '%s'", ask->path);
	f->size_bytes = o.total = st.st_size;
	f->path = mem_strdup(ask->path);
	f->name = mem_strdup(base_name(ask->path));
	if (ask->sha256 && strlen(ask->sha256) == 64) {
		memcpy(f->sha256, ask->sha256, 65);
		return 0;
	}
	in = fopen(ask->path, "re");
	if (!in)
		return err_sys(err, "open '%s'", ask->path);
	chunk = mem_alloc(CHUNK);
	o.digest = digest_new();
	rc = 0;
	while (rc == 0 && (n = fread(chunk, 1, CHUNK, in)) > 0) {
		rc = deadline_check(dl, err);
		if (rc == 0)
			rc = feed(&o, chunk, n, err);
	}
	if (rc == 0 && ferror(in))
		rc = err_sys(err, "read '%s'", ask->path);
	if (rc == 0)
		rc = digest_finish(o.digest, f->sha256, err);
	digest_free(o.digest);
	(void)fclose(in); /* was read only */
	return rc;
}

static int
extract(struct apk_zip *z, const struct apk_zip_entry *e,
	const struct apk_artifact_ask *ask, const char *name,
	struct apk_artifact_file *f, struct deadline dl, struct err *err)
{
	struct output o = {.ask = ask, .total = e->size};
	int rc;

	f->path = file_join(ask->work_dir, name);
	f->name = mem_strdup(e->name);
	f->size_bytes = e->size;
	if (file_part_open(&o.part, f->path, err))
		return -1;
	o.digest = digest_new();
	rc = apk_zip_stream(z, e, feed, &o, dl, err);
	if (rc == 0)
		rc = digest_finish(o.digest, f->sha256, err);
	if (rc == 0)
		rc = file_part_commit(&o.part, err);
	digest_free(o.digest);
	file_part_done(&o.part);
	if (rc)
		return err_wrap(err, "extract '%.100s'", e->name);
	return 0;
}

static bool
fits(const char *name, const char *glob)
{
	return !glob || fnmatch(glob, name, FNM_CASEFOLD) == 0 ||
	       fnmatch(glob, base_name(name), FNM_CASEFOLD) == 0;
}

static int
scan(struct apk_zip *z, const char *glob, struct found *found, struct err *err)
{
	for (size_t i = 0; i < apk_zip_count(z); i++) {
		struct apk_zip_entry e;

		if (apk_zip_entry(z, i, &e, err))
			return -1;
		if (!found->first)
			found->first = e.name;
		if (ends_with(e.name, ".aab"))
			found->bundle = e.name;
		if (ends_with(e.name, ".apks") || ends_with(e.name, ".xapk") ||
		    ends_with(e.name, ".apkm"))
			found->set = e.name;
		if (!ends_with(e.name, ".apk") ||
		    strncmp(e.name, "__MACOSX/", 9) == 0)
			continue;
		if (!fits(e.name, glob) || found->count == MAX_FOUND) {
			found->other_apks++;
			continue;
		}
		MEM_GROW(found->item, found->count, found->room);
		found->item[found->count++] = e;
	}
	return 0;
}

static bool
is_base(const char *name)
{
	name = base_name(name);
	return strcasecmp(name, "base.apk") == 0 ||
	       strcasecmp(name, "base-master.apk") == 0;
}

static bool
is_config(const char *name)
{
	name = base_name(name);
	return strncasecmp(name, "base-", 5) == 0 ||
	       strncasecmp(name, "config.", 7) == 0 ||
	       strncasecmp(name, "split_config.", 13) == 0;
}

/* One base and nothing but its config splits: the base comes first. */
static bool
is_split_set(struct found *found)
{
	size_t base = found->count;

	if (found->count < 2 || found->count > MAX_SPLITS)
		return false;
	for (size_t i = 0; i < found->count; i++) {
		if (is_base(found->item[i].name)) {
			if (base != found->count)
				return false;
			base = i;
		} else if (!is_config(found->item[i].name)) {
			return false;
		}
	}
	if (base == found->count)
		return false;
	if (base) {
		struct apk_zip_entry e = found->item[base];

		found->item[base] = found->item[0];
		found->item[0] = e;
	}
	return true;
}

static int
no_apk(const struct apk_artifact_ask *ask, const struct found *found,
       size_t count, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(300);

	if (found->other_apks) {
		err_set(err, ERR_INPUT,
			"no APK in the artifact fits '%s'; it has %zu others",
			ask->glob, found->other_apks);
		(void)err_reason(err, "no_apk");
		return err_hint(err, "correct artifact.apk in the plan");
	}
	if (found->bundle || found->set) {
		const char *name = found->bundle ? found->bundle : found->set;

		buf_escaped(&b, name, strnlen(name, 100));
		err_set(err, ERR_INPUT, "'%s' cannot be installed as it is: %s",
			b.data,
			found->bundle ? "it is an Android App Bundle (.aab)"
				      : "it is a set of APKs in a file");
		(void)err_reason(err, found->bundle ? "is_aab" : "no_apk");
		return err_hint(err, "build an APK, or let 'bundletool "
				     "build-apks --mode=universal' make one");
	}
	if (found->first)
		buf_escaped(&b, found->first, strnlen(found->first, 100));
	err_set(err, ERR_INPUT,
		"there is no *.apk in the artifact (%zu entries, the first "
		"is '%s')",
		count, b.data);
	return err_reason(err, "no_apk");
}

static int
several_apks(const struct found *found, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(500);

	for (size_t i = 0; i < found->count; i++) {
		if (b.len > 300) {
			buf_str(&b, ", ...");
			break;
		}
		buf_str(&b, i ? ", '" : "'");
		buf_escaped(&b, found->item[i].name,
			    strnlen(found->item[i].name, 100));
		buf_chr(&b, '\'');
	}
	err_set(err, ERR_INPUT, "the artifact has several APKs: %s", b.data);
	(void)err_reason(err, "several_apks");
	return err_hint(err, "say which in the plan, artifact: {apk: GLOB}");
}

static int
check_names(const struct found *found, struct err *err)
{
	for (size_t i = 0; i < found->count; i++) {
		AUTO_BUF struct buf b = BUF_INIT_MAX(300);
		const char *name = found->item[i].name;

		if (!apk_zip_name_odd(name))
			continue;
		buf_escaped(&b, name, strnlen(name, 100));
		err_set(err, ERR_INPUT,
			"the artifact's APK has the name '%s', which leads "
			"out of its folder",
			b.data);
		(void)err_reason(err, "bad_entry_name");
		return err_hint(err, "whoever made this artifact wants to "
				     "overwrite files: look at the build");
	}
	return 0;
}

static int
check_room(const struct apk_artifact_ask *ask, const struct found *found,
	   struct err *err)
{
	long long room = file_free_bytes(ask->work_dir), need = 0;

	for (size_t i = 0; i < found->count; i++)
		need += found->item[i].size < APK_ZIP_MAX_BYTES
				? found->item[i].size
				: APK_ZIP_MAX_BYTES;
	if (room < 0 || room >= need)
		return 0;
	err_set(err, ERR_IO, "'%s' has %lld bytes free, the APK needs %lld",
		ask->work_dir, room, need);
	return err_reason(err, "disk_full");
}

static int
extract_all(struct apk_zip *z, const struct found *found,
	    const struct apk_artifact_ask *ask, struct apk_artifact *out,
	    struct deadline dl, struct err *err)
{
	out->file = mem_array(found->count, sizeof(*out->file));
	for (size_t i = 0; i < found->count; i++) {
		char name[32] = "game.apk";

		if (i)
			(void)snprintf(name, sizeof(name), "split-%zu.apk",
				       i); /* at most 64 */
		out->count = i + 1;
		if (extract(z, &found->item[i], ask, name, &out->file[i], dl,
			    err))
			return -1;
	}
	return 0;
}

static int
from_zip(struct apk_zip *z, const struct apk_artifact_ask *ask,
	 struct apk_artifact *out, struct deadline dl, struct err *err)
{
	struct found found = {.item = NULL};
	int rc;

	rc = scan(z, ask->glob, &found, err);
	if (rc == 0 && found.count == 0)
		rc = no_apk(ask, &found, apk_zip_count(z), err);
	if (rc == 0 && found.count > 1 && !is_split_set(&found))
		rc = several_apks(&found, err);
	if (rc == 0)
		rc = check_names(&found, err);
	if (rc == 0)
		rc = check_room(ask, &found, err);
	if (rc == 0)
		rc = extract_all(z, &found, ask, out, dl, err);
	free(found.item);
	return rc;
}

static int
open_it(const struct apk_artifact_ask *ask, struct apk_artifact *out,
	struct deadline dl, struct err *err)
{
	struct apk_zip *z;
	int rc;

	if (apk_zip_open(ask->path, &z, err)) {
		if (err->reason && strcmp(err->reason, "not_a_zip") == 0 &&
		    ask->content_type)
			(void)err_hint(err, "the server called it '%.100s'",
				       ask->content_type);
		return -1;
	}
	if (apk_zip_find(z, "AndroidManifest.xml") >= 0) {
		out->file = mem_array(1, sizeof(*out->file));
		out->count = 1;
		rc = as_it_is(ask, &out->file[0], dl, err);
	} else if (apk_zip_find(z, "BundleConfig.pb") >= 0) {
		struct found self = {.bundle = base_name(ask->path)};

		rc = no_apk(ask, &self, 0, err);
	} else {
		rc = from_zip(z, ask, out, dl, err);
	}
	apk_zip_close(z);
	return rc;
}

int
apk_artifact_open(const struct apk_artifact_ask *ask, struct apk_artifact *out,
		  struct deadline dl, struct err *err)
{
	memset(out, 0, sizeof(*out));
	if (open_it(ask, out, dl, err)) {
		apk_artifact_done(out);
		return -1;
	}
	return 0;
}

void
apk_artifact_done(struct apk_artifact *a)
{
	for (size_t i = 0; i < a->count; i++) {
		free(a->file[i].path);
		free(a->file[i].name);
	}
	free(a->file);
	memset(a, 0, sizeof(*a));
}
