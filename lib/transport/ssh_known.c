#include "transport/ssh_known.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/file.h"
#include "base/mem.h"

enum { MAX_BLOB = 16 << 10, SHA1_BYTES = 20, MAX_NAME = 1024 };

/* One line, cut into its words. */
struct line {
	const char *marker; /* "@revoked", or NULL */
	char *names, *type, *key;
};

/* Base64 of at most MAX_BLOB bytes; the length, or -1. */
static int
decode(const char *text, size_t len, unsigned char *out)
{
	size_t pad = 0;
	int n;

	if (len == 0 || len % 4 || len / 4 * 3 > MAX_BLOB)
		return -1;
	while (pad < 2 && text[len - 1 - pad] == '=')
		pad++;
	n = EVP_DecodeBlock(out, (const unsigned char *)text, (int)len);
	return n < 0 ? -1 : n - (int)pad;
}

/* "|1|SALT|HASH", HMAC-SHA1 of the name with the salt as the key. */
static bool
hashed_is(const char *entry, const char *name)
{
	unsigned char salt[MAX_BLOB + 3], want[MAX_BLOB + 3];
	unsigned char got[EVP_MAX_MD_SIZE];
	const char *at = entry + 3, *bar = strchr(at, '|');
	unsigned got_len = 0;
	int salt_len;

	if (bar == NULL)
		return false;
	salt_len = decode(at, (size_t)(bar - at), salt);
	if (salt_len <= 0 ||
	    decode(bar + 1, strlen(bar + 1), want) != SHA1_BYTES)
		return false;
	if (!HMAC(EVP_sha1(), salt, salt_len, (const unsigned char *)name,
		  strlen(name), got, &got_len))
		return false;
	return got_len == SHA1_BYTES && memcmp(got, want, SHA1_BYTES) == 0;
}

/*
 * Patterns know * and ? only; brackets are part of "[host]:port".  The last
 * star alone is gone back to, so the time is bounded by the product.
 */
static bool
glob_is(const char *p, const char *s)
{
	const char *star = NULL, *again = NULL;

	while (*s) {
		if (*p == '*') {
			star = p++;
			again = s;
		} else if (*p == '?' ||
			   (*p && tolower((unsigned char)*p) == *s)) {
			p++;
			s++;
		} else if (star) {
			p = star + 1;
			s = ++again;
		} else {
			return false;
		}
	}
	while (*p == '*')
		p++;
	return *p == '\0';
}

/* A list of patterns; one that is negated and fits rules the line out. */
static bool
names_fit(const char *names, const char *name)
{
	AUTO_FREE char *copy = mem_strdup(names);
	char *rest = copy, *one;
	bool fits = false;

	if (strncmp(names, "|1|", 3) == 0)
		return hashed_is(names, name);
	while ((one = strsep(&rest, ","))) {
		bool negated = *one == '!';

		if (!glob_is(one + negated, name))
			continue;
		if (negated)
			return false;
		fits = true;
	}
	return fits;
}

static char *
word(char **rest)
{
	char *start = *rest + strspn(*rest, " \t");
	size_t len = strcspn(start, " \t");

	*rest = start + len;
	if (**rest)
		*(*rest)++ = '\0';
	return start;
}

static bool
cut(char *text, struct line *l)
{
	*l = (struct line){0};
	text[strcspn(text, "\r")] = '\0';
	text += strspn(text, " \t");
	if (*text == '\0' || *text == '#')
		return false;
	if (*text == '@')
		l->marker = word(&text);
	l->names = word(&text);
	l->type = word(&text);
	l->key = word(&text);
	return *l->key != '\0';
}

static void
add(struct ssh_known *k, const struct line *l, bool any_port, const char *name,
    size_t number)
{
	unsigned char blob[MAX_BLOB + 3];
	int len = decode(l->key, strlen(l->key), blob);
	AUTO_FREE char *type =
		len > 0 ? ssh_known_type(blob, (size_t)len) : NULL;

	if (type == NULL || strcmp(type, l->type) != 0 ||
	    k->count == SSH_KNOWN_KEYS)
		return;
	MEM_GROW(k->item, k->count, k->room);
	k->item[k->count++] = (struct ssh_known_key){
		.type = mem_strdup(type),
		.blob = mem_dup(blob, (size_t)len),
		.len = (size_t)len,
		.revoked = l->marker != NULL,
		.any_port = any_port,
		.at = mem_fmt("%s:%zu", name, number),
	};
}

static void
parse_line(struct ssh_known *k, char *text, const char *name, size_t number,
	   const char *host, const char *with_port)
{
	struct line l;
	bool exact, plain;

	if (!cut(text, &l))
		return;
	exact = names_fit(l.names, with_port);
	plain = !exact && host != with_port && names_fit(l.names, host);
	if (!exact && !plain)
		return;
	if (l.marker && strcmp(l.marker, "@cert-authority") == 0)
		k->authority = true;
	else if (l.marker == NULL || strcmp(l.marker, "@revoked") == 0)
		add(k, &l, plain, name, number);
}

void
ssh_known_parse(struct ssh_known *k, const char *text, const char *name,
		const char *host, int port)
{
	AUTO_FREE char *lower = mem_strndup(host, MAX_NAME);
	AUTO_FREE char *full = NULL;
	size_t number = 0;

	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	if (port != 22)
		full = mem_fmt("[%s]:%d", lower, port);
	while (*text) {
		size_t len = strcspn(text, "\n");
		AUTO_FREE char *one = mem_strndup(text, len);

		parse_line(k, one, name, ++number, lower, full ? full : lower);
		text += len + (text[len] == '\n');
	}
}

static int
read_file(struct ssh_known *k, const char *path, const char *host, int port,
	  struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(SSH_KNOWN_MAX);

	if (file_read(path, &b, err))
		return -1;
	ssh_known_parse(k, b.data, path, host, port);
	return 0;
}

/* Neither must exist. */
static int
read_usual(struct ssh_known *k, const char *host, int port, struct err *err)
{
	static const char system_wide[] = "/etc/ssh/ssh_known_hosts";
	const char *home = getenv("HOME");

	if (home && *home == '/') {
		k->path = mem_fmt("%s/.ssh/known_hosts", home);
		if (file_exists(k->path) &&
		    read_file(k, k->path, host, port, err))
			return -1;
	}
	if (!file_exists(system_wide))
		return 0;
	return read_file(k, system_wide, host, port, err);
}

int
ssh_known_read(const char *from, const char *host, int port,
	       struct ssh_known *out, struct err *err)
{
	struct ssh_known k = {0};
	int rc = 0;

	if (from == NULL) {
		rc = read_usual(&k, host, port, err);
	} else if (strstr(from, " ssh-") || strstr(from, " ecdsa-")) {
		ssh_known_parse(&k, from, "known hosts", host, port);
	} else {
		k.path = mem_strdup(from);
		rc = read_file(&k, from, host, port, err);
		if (rc && err->sys) {
			err_hint(err, "make it with `ssh-keyscan -p %d %s`",
				 port, host);
		}
	}
	if (rc) {
		ssh_known_done(&k);
		err->code = ERR_INPUT;
		return err_wrap(err, "known hosts");
	}
	*out = k;
	return 0;
}

void
ssh_known_done(struct ssh_known *k)
{
	for (size_t i = 0; i < k->count; i++) {
		free(k->item[i].type);
		free(k->item[i].blob);
		free(k->item[i].at);
	}
	free(k->item);
	free(k->path);
	*k = (struct ssh_known){0};
}

enum ssh_known_verdict
ssh_known_check(const struct ssh_known *k, const void *blob, size_t len,
		const struct ssh_known_key **which)
{
	const struct ssh_known_key *good = NULL, *other = NULL;

	*which = NULL;
	for (size_t i = 0; i < k->count; i++) {
		const struct ssh_known_key *one = &k->item[i];
		bool same =
			one->len == len && memcmp(one->blob, blob, len) == 0;

		if (same && one->revoked) {
			*which = one;
			return SSH_KNOWN_REVOKED;
		}
		if (same)
			good = one;
		else if (!one->revoked && !one->any_port && other == NULL)
			other = one;
	}
	*which = good ? good : other;
	if (good)
		return SSH_KNOWN_OK;
	return other ? SSH_KNOWN_CHANGED : SSH_KNOWN_NEW;
}

void
ssh_known_prefer(const struct ssh_known *k, struct buf *out)
{
	static const char *const all[] = {
		"ssh-ed25519",
		"ecdsa-sha2-nistp256",
		"ecdsa-sha2-nistp384",
		"ecdsa-sha2-nistp521",
		"ssh-rsa",
	};
	enum { ALL = sizeof(all) / sizeof(*all) };

	for (int known = 1; known >= 0; known--) {
		for (size_t i = 0; i < ALL; i++) {
			bool here = false;

			for (size_t n = 0; n < k->count; n++)
				here = here ||
				       (!k->item[n].revoked &&
					strcmp(k->item[n].type, all[i]) == 0);
			if (here == (known == 1))
				buf_fmt(out, "%s%s", out->len ? "," : "",
					all[i]);
		}
	}
}

char *
ssh_known_type(const void *blob, size_t len)
{
	const unsigned char *p = blob;
	size_t n;

	if (len < 4)
		return NULL;
	n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (n == 0 || n > len - 4 || n > 64)
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (!isgraph(p[4 + i]))
			return NULL;
	return mem_strndup((const char *)p + 4, n);
}

void
ssh_known_fingerprint(const void *blob, size_t len, struct buf *out)
{
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	buf_str(out, "SHA256:");
	if (!EVP_Digest(blob, len, md, &n, EVP_sha256(), NULL))
		return;
	buf_base64(out, md, n);
	while (out->len && out->data[out->len - 1] == '=')
		buf_truncate(out, out->len - 1);
}
