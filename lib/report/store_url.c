/* Where a store is, and a run's place in it. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/store.h"
#include "transport/ssh.h"

#define SCHEME "sftp://"

static int
bad(struct err *err, const char *url, const char *why)
{
	err_set(err, ERR_INPUT, "store '%s': %s", url, why);
	err_hint(err, "it is sftp://USER@HOST[:PORT]/PATH");
	return err_reason(err, "bad_setting");
}

/* NULL: a percent sign with no two digits behind it, or a zero byte. */
static char *
decoded(const char *s, size_t len)
{
	AUTO_BUF struct buf b = BUF_INIT;

	return buf_url_decoded(&b, s, len) ? buf_take(&b) : NULL;
}

static int
parse_host(const char *url, const char *at, size_t len, struct store_target *t,
	   struct err *err)
{
	AUTO_FREE char *text = mem_strndup(at, len);
	AUTO_FREE char *own = NULL;

	if (ssh_split(text, &own, &t->host, &t->port, err)) {
		err_clear(err);
		return bad(err, url, "the host or its port is wrong");
	}
	if (t->user == NULL) {
		t->user = own;
		own = NULL;
	}
	return *t->host ? 0 : bad(err, url, "no host");
}

static int
parse(const char *url, struct store_target *t, struct err *err)
{
	const char *host, *slash, *at;
	size_t len;

	if (strncmp(url, SCHEME, strlen(SCHEME)) != 0)
		return bad(err, url, "this is not sftp://");
	host = url + strlen(SCHEME);
	slash = strchrnul(host, '/');
	if (strpbrk(url, "?#"))
		return bad(err, url, "write ? as %3F and # as %23");
	at = memrchr(host, '@', (size_t)(slash - host));
	if (at) {
		if (memchr(host, ':', (size_t)(at - host)))
			return bad(err, "sftp://...",
				   "no password belongs into it; use a key");
		t->user = decoded(host, (size_t)(at - host));
		if (t->user == NULL || *t->user == '\0')
			return bad(err, url, "the user is wrong");
		host = at + 1;
	}
	if (parse_host(url, host, (size_t)(slash - host), t, err))
		return -1;
	len = strlen(slash);
	while (len > 1 && slash[len - 1] == '/')
		len--;
	if (len < 2)
		return bad(err, url, "no path");
	if (strncmp(slash, "/~/", 3) == 0 && len > 3)
		t->path = decoded(slash + 3, len - 3);
	else
		t->path = decoded(slash, len);
	return t->path ? 0 : bad(err, url, "a % needs two digits behind it");
}

int
store_parse(const char *url, struct store_target *t, struct err *err)
{
	*t = (struct store_target){0};
	if (parse(url, t, err)) {
		store_target_done(t);
		return -1;
	}
	return 0;
}

void
store_target_done(struct store_target *t)
{
	free(t->user);
	free(t->host);
	free(t->path);
	*t = (struct store_target){0};
}

char *
store_name(const cJSON *result)
{
	const char *started = json_str(result, "started_at", "");
	AUTO_FREE char *run = json_id(result, "build.run_id");
	AUTO_BUF struct buf b = BUF_INIT;

	/* RFC 3339 without its signs: colons trouble too many file systems. */
	for (const char *p = started; *p && b.len < 32; p++) {
		if (isalnum((unsigned char)*p))
			buf_chr(&b, *p);
	}
	if (b.len == 0)
		buf_str(&b, "undated");
	if (run && *run) {
		buf_chr(&b, '-');
		for (const char *p = run; *p && b.len < 64; p++)
			buf_chr(&b, isalnum((unsigned char)*p) ? *p : '_');
	}
	return buf_take(&b);
}
