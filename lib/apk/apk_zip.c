#include "apk/apk_zip.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/mem.h"

enum {
	CHUNK = 256 << 10,
	RATIO_FROM_BYTES = 64 << 20,
	END_RECORD = 22,
	END_COMMENT = 65535,
	END64_LOCATOR = 20,
};

struct apk_zip {
	zip_t *zip;
	char *path;
	size_t count;
};

static uint64_t
le(const unsigned char *p, int n)
{
	uint64_t v = 0;

	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* The 64-bit end record, whose locator lies right before the plain one. */
static bool
central64(int fd, int64_t end_at, int64_t *offset, int64_t *size)
{
	unsigned char loc[END64_LOCATOR], rec[56];
	int64_t at;

	if (end_at < END64_LOCATOR ||
	    pread(fd, loc, sizeof(loc), end_at - END64_LOCATOR) !=
		    (ssize_t)sizeof(loc) ||
	    memcmp(loc, "PK\6\7", 4) != 0)
		return false;
	at = (int64_t)le(loc + 8, 8);
	if (at < 0 || pread(fd, rec, sizeof(rec), at) != (ssize_t)sizeof(rec) ||
	    memcmp(rec, "PK\6\6", 4) != 0)
		return false;
	*size = (int64_t)le(rec + 40, 8);
	*offset = (int64_t)le(rec + 48, 8);
	return *size >= 0 && *offset >= 0;
}

static bool
central(int fd, int64_t *offset, int64_t *size)
{
	enum { MAX = END_RECORD + END_COMMENT };
	AUTO_FREE unsigned char *tail = mem_alloc(MAX);
	struct stat st;
	int64_t len, from;

	if (fstat(fd, &st) || st.st_size < END_RECORD)
		return false;
	len = st.st_size < MAX ? st.st_size : MAX;
	from = st.st_size - len;
	if (pread(fd, tail, (size_t)len, from) != (ssize_t)len)
		return false;
	for (int64_t i = len - END_RECORD; i >= 0; i--) {
		const unsigned char *p = tail + i;

		if (memcmp(p, "PK\5\6", 4) != 0 ||
		    i + END_RECORD + (int64_t)le(p + 20, 2) > len)
			continue;
		*size = (int64_t)le(p + 12, 4);
		*offset = (int64_t)le(p + 16, 4);
		if (*size == 0xffffffff || *offset == 0xffffffff ||
		    le(p + 10, 2) == 0xffff)
			(void)central64(fd, from + i, offset,
					size); /* else as it stands */
		return *offset <= st.st_size && *size <= st.st_size - *offset;
	}
	return false;
}

bool
apk_zip_central(const char *path, int64_t *offset, int64_t *size)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && central(fd, offset, size);
}

static int
not_a_zip(int fd, const char *path, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(200);
	char head[16];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n <= 0)
		buf_str(&b, "it is empty");
	else
		buf_str(&b, "it begins with '");
	if (n > 0) {
		buf_escaped(&b, head, (size_t)n);
		buf_chr(&b, '\'');
	}
	if (n >= 4 && memcmp(head, "PK\3\4", 4) == 0)
		buf_str(&b, " and its end is missing");
	err_set(err, ERR_INPUT, "'%s' is not a zip: %s", path, b.data);
	return err_reason(err, "not_a_zip");
}

int
apk_zip_open(const char *path, struct apk_zip **out, struct err *err)
{
	AUTO_FD int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	int64_t offset, size, count;
	zip_t *zip;
	int code = 0;

	if (fd < 0 && errno == ENOENT)
		return err_set(err, ERR_INPUT, "'%s' does not exist", path);
	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err_set(err, ERR_INPUT, "'%s' is not a file", path);
	if (!central(fd, &offset, &size))
		return not_a_zip(fd, path, err);
	if (size > APK_ZIP_MAX_CENTRAL) {
		err_set(err, ERR_INPUT,
			"'%s': its directory alone has %lld bytes", path,
			(long long)size);
		return err_reason(err, "zip_too_large");
	}
	zip = zip_open(path, ZIP_RDONLY, &code);
	if (!zip) {
		zip_error_t ze;

		zip_error_init_with_code(&ze, code);
		err_set(err, ERR_INPUT, "'%s' is a damaged zip: %s", path,
			zip_error_strerror(&ze));
		zip_error_fini(&ze);
		return err_reason(err, "zip_corrupt");
	}
	count = zip_get_num_entries(zip, 0);
	if (count < 0 || count > APK_ZIP_MAX_ENTRIES) {
		zip_discard(zip);
		err_set(err, ERR_INPUT, "'%s' has %lld entries", path,
			(long long)count);
		return err_reason(err, "zip_too_large");
	}
	*out = mem_alloc(sizeof(**out));
	**out = (struct apk_zip){
		.zip = zip, .path = mem_strdup(path), .count = (size_t)count};
	return 0;
}

void
apk_zip_close(struct apk_zip *z)
{
	if (!z)
		return;
	zip_discard(z->zip);
	free(z->path);
	free(z);
}

size_t
apk_zip_count(const struct apk_zip *z)
{
	return z->count;
}

static int
corrupt(const struct apk_zip *z, uint64_t i, const char *why, struct err *err)
{
	err_set(err, ERR_INPUT, "'%s', entry %llu: %s", z->path,
		(unsigned long long)i, why);
	return err_reason(err, "zip_corrupt");
}

int
apk_zip_entry(const struct apk_zip *z, size_t i, struct apk_zip_entry *out,
	      struct err *err)
{
	const zip_uint64_t need = ZIP_STAT_NAME | ZIP_STAT_SIZE |
				  ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
	zip_stat_t st;

	zip_stat_init(&st);
	if (zip_stat_index(z->zip, i, 0, &st))
		return corrupt(z, i, zip_strerror(z->zip), err);
	if ((st.valid & need) != need || st.size > INT64_MAX ||
	    st.comp_size > INT64_MAX)
		return corrupt(z, i, "it has no size", err);
	if (strnlen(st.name, APK_ZIP_MAX_NAME) == APK_ZIP_MAX_NAME)
		return corrupt(z, i, "its name has no end", err);
	*out = (struct apk_zip_entry){
		.name = st.name,
		.index = i,
		.size = (int64_t)st.size,
		.packed = (int64_t)st.comp_size,
		.encrypted = (st.valid & ZIP_STAT_ENCRYPTION_METHOD) &&
			     st.encryption_method != ZIP_EM_NONE,
	};
	return 0;
}

int64_t
apk_zip_find(const struct apk_zip *z, const char *name)
{
	return zip_name_locate(z->zip, name, ZIP_FL_ENC_RAW);
}

static int
check_caps(const struct apk_zip *z, const struct apk_zip_entry *e,
	   struct err *err)
{
	int64_t packed = e->packed > 0 ? e->packed : 1;

	if (e->encrypted) {
		err_set(err, ERR_INPUT, "'%s': '%.200s' is encrypted", z->path,
			e->name);
		return err_reason(err, "zip_encrypted");
	}
	if (e->size <= APK_ZIP_MAX_BYTES &&
	    (e->size <= RATIO_FROM_BYTES ||
	     e->size / packed <= APK_ZIP_MAX_RATIO))
		return 0;
	err_set(err, ERR_INPUT,
		"'%s': '%.200s' claims %lld bytes, packed into %lld: "
		"no APK is like that",
		z->path, e->name, (long long)e->size, (long long)e->packed);
	return err_reason(err, "zip_too_large");
}

static int
copy(struct apk_zip *z, const struct apk_zip_entry *e, zip_file_t *f,
     int (*sink)(void *, const void *, size_t, struct err *), void *arg,
     struct deadline dl, struct err *err)
{
	AUTO_FREE char *chunk = mem_alloc(CHUNK);
	int64_t total = 0;

	for (;;) {
		zip_int64_t n = zip_fread(f, chunk, CHUNK);

		if (n < 0)
			return corrupt(z, e->index, zip_file_strerror(f), err);
		if (n == 0)
			break;
		total += n;
		if (total > e->size)
			return corrupt(z, e->index, "more than it declares",
				       err);
		if (deadline_check(dl, err) || sink(arg, chunk, (size_t)n, err))
			return -1;
	}
	if (total != e->size)
		return corrupt(z, e->index, "less than it declares", err);
	return 0;
}

int
apk_zip_stream(struct apk_zip *z, const struct apk_zip_entry *e,
	       int (*sink)(void *arg, const void *data, size_t len,
			   struct err *err),
	       void *arg, struct deadline dl, struct err *err)
{
	zip_file_t *f;
	int rc;

	if (check_caps(z, e, err))
		return -1;
	f = zip_fopen_index(z->zip, e->index, 0);
	if (!f)
		return corrupt(z, e->index, zip_strerror(z->zip), err);
	rc = copy(z, e, f, sink, arg, dl, err);
	if (zip_fclose(f) && rc == 0)
		rc = corrupt(z, e->index, "its checksum is wrong", err);
	return rc;
}

static int
into_buf(void *arg, const void *data, size_t len, struct err *err)
{
	buf_add(arg, data, len);
	return buf_check(arg, "the entry", err);
}

int
apk_zip_read(struct apk_zip *z, const struct apk_zip_entry *e, struct buf *out,
	     struct deadline dl, struct err *err)
{
	return apk_zip_stream(z, e, into_buf, out, dl, err);
}

bool
apk_zip_name_odd(const char *name)
{
	const char *p = name;

	if (*name == '/' || strchr(name, '\\') ||
	    (isalpha((unsigned char)name[0]) && name[1] == ':'))
		return true;
	while (*p) {
		size_t len = strcspn(p, "/");

		if (len == 2 && memcmp(p, "..", 2) == 0)
			return true;
		p += len + (p[len] == '/');
	}
	return false;
}
