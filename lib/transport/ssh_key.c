#include "transport/ssh_key.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/file.h"
#include "base/mem.h"
#include "transport/ssh_known.h"

static const char openssh[] = "-----BEGIN OPENSSH PRIVATE KEY-----";

/* From the beginning with all its room: growing would leave copies behind. */
int
ssh_key_read(const char *key, struct buf *pem, struct err *err)
{
	(void)buf_reserve(pem, pem->limit);
	if (strncmp(key, "-----BEGIN", 10) == 0) {
		buf_str(pem, key);
	} else if (file_read(key, pem, err)) {
		err->code = ERR_INPUT;
		return err_wrap(err, "SSH key");
	}
	/* A secret's last end of line is easily lost, and PEM wants it. */
	if (pem->len && pem->data[pem->len - 1] != '\n')
		buf_chr(pem, '\n');
	return buf_check(pem, "the SSH key", err);
}

void
ssh_key_wipe(struct buf *pem)
{
	if (pem->room)
		explicit_bzero(pem->data, pem->room);
	buf_done(pem);
}

/* A string of the format at `*at`; its length, or -1. */
static int
string_at(const unsigned char *raw, size_t len, size_t *at)
{
	const unsigned char *p = raw + *at;
	size_t n;

	if (len - *at < 4)
		return -1;
	n = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
	if (n > len - *at - 4)
		return -1;
	*at += 4;
	return (int)n;
}

/* "openssh-key-v1\0", cipher, kdf, its options, count, public key, ... */
static int
look_inside(const unsigned char *raw, size_t len, struct ssh_key_facts *f)
{
	static const char magic[] = "openssh-key-v1"; /* with its 0 */
	size_t at = sizeof(magic);
	int n;

	if (len < at || memcmp(raw, magic, at) != 0)
		return -1;
	n = string_at(raw, len, &at);
	if (n < 0)
		return -1;
	f->encrypted = n != 4 || memcmp(raw + at, "none", 4) != 0;
	for (int i = 0; i < 2; i++) {
		at += (size_t)n;
		n = string_at(raw, len, &at);
		if (n < 0)
			return -1;
	}
	at += (size_t)n;
	if (len - at < 4)
		return -1;
	at += 4;
	n = string_at(raw, len, &at);
	if (n < 0)
		return -1;
	f->type = ssh_known_type(raw + at, (size_t)n);
	return f->type ? 0 : -1;
}

/* The base64 at `text` in place, its bytes into `raw`. */
static int
decode(char *text, unsigned char *raw)
{
	char *end = strstr(text, "-----END"), *to = text;

	if (end == NULL)
		return -1;
	*end = '\0';
	for (const char *p = text; *p; p++)
		if (!isspace((unsigned char)*p))
			*to++ = *p;
	return EVP_DecodeBlock(raw, (const unsigned char *)text,
			       (int)(to - text));
}

static int
look_openssh(const char *body, struct ssh_key_facts *f)
{
	size_t room = strlen(body) + 4;
	char *text = mem_alloc(room);
	unsigned char *raw = mem_alloc(room);
	int n, rc = -1;

	memcpy(text, body, room - 4);
	n = decode(text, raw);
	if (n >= 0)
		rc = look_inside(raw, (size_t)n, f);
	explicit_bzero(text, room);
	explicit_bzero(raw, room);
	free(text);
	free(raw);
	return rc;
}

int
ssh_key_look(const char *pem, struct ssh_key_facts *out, struct err *err)
{
	struct ssh_key_facts f = {0};

	pem += strspn(pem, " \t\r\n");
	if (strncmp(pem, openssh, sizeof(openssh) - 1) == 0) {
		if (look_openssh(pem + sizeof(openssh) - 1, &f))
			return err_set(err, ERR_INPUT, "it is cut or damaged");
	} else if (strncmp(pem, "-----BEGIN", 10) != 0 ||
		   strstr(pem, "PRIVATE KEY-----") == NULL) {
		err_set(err, ERR_INPUT, "it is no private key");
		return err_hint(err, "its text begins with %s", openssh);
	} else {
		f.encrypted = strstr(pem, "ENCRYPTED") != NULL;
		if (strstr(pem, "BEGIN RSA"))
			f.type = mem_strdup("ssh-rsa");
	}
	*out = f;
	return 0;
}

void
ssh_key_facts_done(struct ssh_key_facts *f)
{
	free(f->type);
	*f = (struct ssh_key_facts){0};
}
