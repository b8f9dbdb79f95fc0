#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "github/github_artifact.h"

enum {
	TRIES = 8,
	MAX_HOPS = 5,
	BACKOFF_MS = 250,
	CURL_PROTOCOL = 1, /* libcurl's numbers, as http.h hands them on */
	CURL_HTTP2 = 16,
	CURL_HTTP2_STREAM = 92,
};

/* One download over all its attempts. */
struct download {
	struct github *g;
	const struct github_artifact *a;
	struct file_part part;
	struct digest *digest;
	int64_t have; /* bytes in the file and in the hash */
	int64_t from; /* where the present attempt began */
	struct http_response r;
	bool sink_failed;
	bool http1;
	void (*progress)(void *arg, int64_t now, int64_t total);
	void *arg;
};

static int
restart(struct download *d, struct err *err)
{
	d->have = d->from = 0;
	digest_reset(d->digest);
	if (d->part.part &&
	    (ftruncate(d->part.fd, 0) || lseek(d->part.fd, 0, SEEK_SET) < 0))
		return err_sys(err, "empty '%s'", d->part.part);
	return 0;
}

static int
on_data(void *arg, const void *data, size_t len, struct err *err)
{
	struct download *d = arg;

	d->sink_failed = true;
	/* A server without ranges sends it all again. */
	if (d->have == d->from && d->from > 0 && d->r.status != 206 &&
	    restart(d, err))
		return -1;
	if (d->from == 0 && d->r.status == 206)
		return err_set(err, ERR_PROTO,
			       "the storage sent a part, unasked");
	if (file_part_write(&d->part, data, len, err))
		return -1;
	digest_feed(d->digest, data, len);
	d->have += (int64_t)len;
	d->sink_failed = false;
	return 0;
}

static void
on_progress(void *arg, int64_t now, int64_t total)
{
	struct download *d = arg;

	d->progress(d->arg, d->from + now, total < 0 ? -1 : d->from + total);
}

/* The storage's own words for a refusal; Azure and S3 send XML. */
static void
add_words(struct buf *b, const struct http_response *r)
{
	const char *code = strstr(r->body.data, "<Code>");
	size_t len;

	buf_fmt(b, "HTTP %d", r->status);
	if (code) {
		code += strlen("<Code>");
		buf_chr(b, ' ');
		len = strcspn(code, "<");
		buf_escaped(b, code, len < 60 ? len : 60);
	}
}

static int
judge(struct download *d, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT_MAX(200);

	if (d->r.status >= 200 && d->r.status < 300)
		return 0;
	add_words(&words, &d->r);
	if (d->r.status >= 500)
		return err_set(err, ERR_REMOTE, "the storage answers %s",
			       words.data);
	if (d->r.status == 416) /* nothing behind what we have */
		return restart(d, err)
			       ? -1
			       : err_set(err, ERR_REMOTE,
					 "the storage answers %s", words.data);
	err_set(err, ERR_REMOTE,
		"the storage answers %s; the signed URL expired or is refused",
		words.data);
	return err_reason(err, "signed_url_expired");
}

static bool
is_web(const char *url)
{
	AUTO_FREE char *origin = http_origin(url);

	return origin != NULL;
}

/*
 * From one signed address, over its redirects.  Not the API's client: no
 * header that the API gets may reach another host.
 */
static int
fetch(struct download *d, const char *location, struct deadline dl,
      struct err *err)
{
	AUTO_FREE char *at = mem_strdup(location);

	for (int hop = 0; hop < MAX_HOPS; hop++) {
		struct http_request req = {
			.url = at,
			.sink = on_data,
			.sink_arg = d,
			.progress = d->progress ? on_progress : NULL,
			.progress_arg = d,
			.stall_ms = d->g->stall_ms,
			.range_from = d->have,
			.http1 = d->http1,
		};

		d->from = d->have;
		if (!is_web(at))
			return err_set(err, ERR_PROTO,
				       "the storage redirects to '%.100s', "
				       "which is no https URL",
				       at);
		if (http_do(d->g->storage, &req, &d->r, dl, err))
			return -1;
		if (d->r.status < 300 || d->r.status >= 400 || !d->r.location)
			return judge(d, err);
		free(at);
		at = mem_strdup(d->r.location);
	}
	return err_set(err, ERR_PROTO,
		       "the storage redirects more than %d times", MAX_HOPS);
}

/* Does a failure promise that another attempt may do? */
static bool
worth_again(const struct download *d, const struct err *err, struct deadline dl)
{
	if (d->sink_failed || err->code == ERR_CANCELLED ||
	    err->code == ERR_PROTO || err->code == ERR_INPUT ||
	    deadline_left_ms(dl) == 0)
		return false;
	return d->r.curl_code != CURL_PROTOCOL;
}

/* Until one attempt has brought the end of the file. */
static int
fetch_all(struct download *d, struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = mem_fmt("/repos/%s/actions/artifacts/%s/zip",
				       d->g->repository, d->a->id);

	for (int tries = 1;; tries++) {
		AUTO_FREE char *location = NULL;
		struct err last = ERR_INIT;

		/* A signed address lives a minute: never use one again. */
		if (github_location(d->g, path, &location, dl, err)) {
			if (d->g->status == 410)
				(void)err_reason(err, "artifact_expired");
			return -1;
		}
		if (fetch(d, location, dl, &last) == 0)
			return 0;
		log_debug("download, try %d: %s", tries, last.msg);
		if (tries == TRIES || !worth_again(d, &last, dl)) {
			*err = last;
			return -1;
		}
		if (d->r.curl_code == CURL_HTTP2 ||
		    d->r.curl_code == CURL_HTTP2_STREAM)
			d->http1 = true;
		if (deadline_pause(dl, (int64_t)BACKOFF_MS * tries, err))
			return -1;
	}
}

/* The file whole and, when there is a digest, right; twice at most. */
static int
fetch_right(struct download *d, struct github_artifact_file *out,
	    struct deadline dl, struct err *err)
{
	for (int i = 0; i < 2; i++) {
		if (restart(d, err) || fetch_all(d, dl, err) ||
		    digest_finish(d->digest, out->sha256, err))
			return -1;
		out->verified =
			d->a->digest && strcmp(out->sha256, d->a->digest) == 0;
		if (!d->a->digest || out->verified)
			return 0;
		log_debug("digest differs: %s", out->sha256);
	}
	err_set(err, ERR_REMOTE,
		"what arrived, twice, is not what the build uploaded: "
		"sha256 %s, expected %s",
		out->sha256, d->a->digest);
	(void)err_reason(err, "digest_mismatch");
	return err_hint(err, "a proxy that changes downloads? "
			     "else upload the artifact again");
}

/* Better told before an hour of downloading than after. */
static int
check_room(const char *path, int64_t need, struct err *err)
{
	const char *slash = strrchr(path, '/');
	AUTO_FREE char *dir =
		slash ? mem_strndup(path, (size_t)(slash - path) + 1)
		      : mem_strdup(".");
	long long room = file_free_bytes(dir);

	if (need < 0 || room < 0 || room >= need)
		return 0;
	err_set(err, ERR_IO,
		"'%s' has %lld bytes free, the artifact needs %lld", dir, room,
		(long long)need);
	return err_reason(err, "disk_full");
}

int
github_artifact_download(
	struct github *g, const struct github_artifact *a, const char *path,
	void (*progress)(void *arg, int64_t now, int64_t total), void *arg,
	struct github_artifact_file *out, struct deadline dl, struct err *err)
{
	struct github_artifact_file f = {.bytes = 0};
	struct download d = {.g = g, .a = a, .progress = progress, .arg = arg};
	int rc;

	if (check_room(path, a->size_bytes, err) ||
	    file_part_open(&d.part, path, err))
		return err_wrap(err, "artifact '%s'", a->name);
	http_response_init(&d.r, 64 << 10);
	d.digest = digest_new();
	rc = fetch_right(&d, &f, dl, err);
	if (rc == 0)
		rc = file_part_commit(&d.part, err);
	if (rc == 0) {
		f.bytes = d.have;
		f.content_type = mem_strdup(d.r.content_type);
		*out = f;
	}
	digest_free(d.digest);
	http_response_done(&d.r);
	file_part_done(&d.part);
	if (rc)
		return err_wrap(err, "artifact '%s'", a->name);
	return 0;
}
