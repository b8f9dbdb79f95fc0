#include "adb/adb_key.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "adb/adb_wire.h"
#include "base/file.h"
#include "base/mem.h"

enum {
	KEY_BITS = 2048,
	KEY_BYTES = KEY_BITS / 8,
	/* u32 words, u32 n0inv, modulus, R^2, u32 exponent: little endian */
	KEY_STRUCT = 4 + 4 + KEY_BYTES + KEY_BYTES + 4,
	KEY_FILE_MAX = 64 << 10,
};

void
adb_key_done(struct adb_key *k)
{
	free(k->public_text);
	*k = (struct adb_key){0};
}

static int
from_openssl(struct err *err, enum err_code code, const char *what)
{
	unsigned long e = ERR_peek_last_error();
	const char *reason = e ? ERR_reason_error_string(e) : NULL;

	ERR_clear_error();
	return err_set(err, code, "%s: %s", what,
		       reason ? reason : "OpenSSL refused");
}

static int
write_key(int fd, const char *path, EVP_PKEY *pkey, struct err *err)
{
	FILE *f = fdopen(fd, "w");
	bool bad;

	if (!f) {
		(void)err_sys(err, "make adb key '%s'", path);
		close(fd);
		return -1;
	}
	bad = !PEM_write_PKCS8PrivateKey(f, pkey, NULL, NULL, 0, NULL, NULL);
	if (bad)
		(void)from_openssl(err, ERR_IO, path);
	if (fclose(f) && !bad)
		return err_sys(err, "write adb key '%s'", path);
	return bad ? -1 : 0;
}

/* Never over another key, where the file system can have two names for one. */
static int
name_key(const char *part, const char *path)
{
	if (link(part, path) == 0)
		return 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return -1;
	if (access(path, F_OK) == 0) {
		errno = EEXIST;
		return -1;
	}
	return rename(part, path);
}

/*
 * A key has its name when it is whole: whoever is killed meanwhile leaves none
 * that each later run would stumble over.
 */
static int
make_file(const char *path, EVP_PKEY *pkey, struct err *err)
{
	AUTO_FREE char *part = mem_fmt("%s.XXXXXX", path);
	int fd = mkostemp(part, O_CLOEXEC); /* of mode 0600 */
	int rc;

	if (fd < 0)
		return err_sys(err, "make adb key '%s'", path);
	rc = write_key(fd, path, pkey, err);
	if (!rc && name_key(part, path))
		rc = err_sys(err, "make adb key '%s'", path);
	(void)unlink(part); /* gone after a rename */
	return rc;
}

int
adb_key_make(const char *path, struct err *err)
{
	EVP_PKEY *pkey = EVP_RSA_gen(KEY_BITS);
	int rc;

	if (!pkey)
		return from_openssl(err, ERR_IO, "make an RSA key");
	rc = make_file(path, pkey, err);
	EVP_PKEY_free(pkey);
	return rc;
}

/* -1 / n mod 2^32, by Newton's iteration; n is odd. */
static uint32_t
n0inv(uint32_t n)
{
	uint32_t x = 1;

	for (int i = 0; i < 5; i++)
		x *= 2 - n * x;
	return 0u - x;
}

/* Android's public key: what Montgomery multiplication wants at hand. */
static int
make_struct(const BIGNUM *n, const BIGNUM *e, unsigned char out[KEY_STRUCT])
{
	BN_CTX *ctx = BN_CTX_new();
	BIGNUM *rr = BN_new();
	int rc = -1;

	if (!ctx || !rr || !BN_set_bit(rr, 2 * KEY_BITS) ||
	    !BN_mod(rr, rr, n, ctx))
		goto out;
	adb_wire_put32(out, KEY_BYTES / 4);
	if (BN_bn2lebinpad(n, out + 8, KEY_BYTES) != KEY_BYTES ||
	    BN_bn2lebinpad(rr, out + 8 + KEY_BYTES, KEY_BYTES) != KEY_BYTES)
		goto out;
	adb_wire_put32(out + 4, n0inv(adb_wire_get32(out + 8)));
	adb_wire_put32(out + 8 + 2 * KEY_BYTES, (uint32_t)BN_get_word(e));
	rc = 0;
out:
	BN_free(rr);
	BN_CTX_free(ctx);
	return rc;
}

static int
public_struct(EVP_PKEY *pkey, unsigned char out[KEY_STRUCT])
{
	BIGNUM *n = NULL, *e = NULL;
	int rc = -1;

	if (EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_N, &n) &&
	    EVP_PKEY_get_bn_param(pkey, OSSL_PKEY_PARAM_RSA_E, &e))
		rc = make_struct(n, e, out);
	BN_free(n);
	BN_free(e);
	return rc;
}

/* A key with a passphrase must not make OpenSSL ask on the terminal. */
static int
no_passphrase(char *buf, int size, int rwflag, void *arg)
{
	(void)buf;
	(void)size;
	(void)rwflag;
	(void)arg;
	return -1;
}

static int
load(const char *path, EVP_PKEY **out, struct err *err)
{
	AUTO_BUF struct buf pem = BUF_INIT_MAX(KEY_FILE_MAX);
	EVP_PKEY *pkey;
	BIO *bio;

	if (file_read(path, &pem, err))
		return err_wrap(err, "adb key");
	bio = BIO_new_mem_buf(pem.data, (int)pem.len);
	pkey = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL)
		   : NULL;
	BIO_free(bio);
	OPENSSL_cleanse(pem.data, pem.len);
	if (!pkey) {
		(void)from_openssl(err, ERR_INPUT, path);
		(void)err_wrap(err, "adb key");
		return err_hint(err,
				"it has to be the private half, PEM "
				"without a passphrase (~/.android/adbkey)");
	}
	if (EVP_PKEY_get_base_id(pkey) != EVP_PKEY_RSA ||
	    EVP_PKEY_get_bits(pkey) != KEY_BITS) {
		EVP_PKEY_free(pkey);
		return err_set(err, ERR_INPUT,
			       "adb key '%s' is not RSA with %d bits", path,
			       KEY_BITS);
	}
	*out = pkey;
	return 0;
}

/* The comment is what a phone shows; blanks would end it. */
static void
add_owner(struct buf *b)
{
	const char *user = getenv("USER");
	char host[256] = "";

	if (gethostname(host, sizeof(host) - 1) || !*host)
		(void)memcpy(host, "unknown", sizeof("unknown"));
	buf_chr(b, ' ');
	for (const char *p = user && *user ? user : "patrol"; *p; p++)
		buf_chr(b, isgraph((unsigned char)*p) ? *p : '_');
	buf_chr(b, '@');
	buf_str(b, host);
}

static int
fingerprint_of(const unsigned char *data, size_t len,
	       char out[ADB_KEY_FINGERPRINT], struct err *err)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char md[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	if (!EVP_Digest(data, len, md, &n, EVP_md5(), NULL) || n != 16)
		return from_openssl(err, ERR_IO, "MD5");
	for (unsigned i = 0; i < n; i++) {
		out[3 * i] = hex[md[i] >> 4];
		out[3 * i + 1] = hex[md[i] & 15];
		out[3 * i + 2] = ':';
	}
	out[3 * n - 1] = '\0';
	return 0;
}

int
adb_key_read(const char *path, struct adb_key *k, struct err *err)
{
	unsigned char bytes[KEY_STRUCT];
	struct adb_key made = {0};
	AUTO_BUF struct buf b = BUF_INIT_MAX(4096);
	EVP_PKEY *pkey = NULL;
	int rc;

	if (load(path, &pkey, err))
		return -1;
	rc = public_struct(pkey, bytes);
	EVP_PKEY_free(pkey);
	if (rc)
		return from_openssl(err, ERR_INPUT, path);
	if (fingerprint_of(bytes, sizeof(bytes), made.fingerprint, err))
		return -1;
	buf_base64(&b, bytes, sizeof(bytes));
	add_owner(&b);
	made.public_text = buf_take(&b);
	*k = made;
	return 0;
}

int
adb_key_ensure(const char *path, struct adb_key *k, struct err *err)
{
	if (!file_exists(path) && adb_key_make(path, err)) {
		if (err->sys != EEXIST)
			return -1;
		err_clear(err); /* another patrol was faster */
	}
	return adb_key_read(path, k, err);
}

int
adb_key_fingerprint(const char *public_text, char out[ADB_KEY_FINGERPRINT],
		    struct err *err)
{
	/* 700 characters of base64 are 524 bytes and one of padding. */
	unsigned char bytes[KEY_STRUCT + 8];
	size_t len = strcspn(public_text, " \t\r\n");
	int n;

	if (len != (KEY_STRUCT + 2) / 3 * 4)
		return err_set(err, ERR_INPUT,
			       "an adb public key has %d characters, not %zu",
			       (KEY_STRUCT + 2) / 3 * 4, len);
	n = EVP_DecodeBlock(bytes, (const unsigned char *)public_text,
			    (int)len);
	if (n < KEY_STRUCT) {
		ERR_clear_error();
		return err_set(err, ERR_INPUT,
			       "an adb public key that is no base64");
	}
	return fingerprint_of(bytes, KEY_STRUCT, out, err);
}

int
adb_key_normalise(const char *text, char out[ADB_KEY_FINGERPRINT])
{
	char made[ADB_KEY_FINGERPRINT];
	size_t digits = 0, at = 0;

	if (strncasecmp(text, "MD5:", 4) == 0)
		text += 4;
	for (; *text; text++) {
		int c = tolower((unsigned char)*text);

		if (c == ':' || c == '-' || isspace(c))
			continue;
		if (!isxdigit(c) || digits == 32)
			return -1;
		if (digits && digits % 2 == 0)
			made[at++] = ':';
		made[at++] = (char)c;
		digits++;
	}
	if (digits != 32)
		return -1;
	made[at] = '\0';
	memcpy(out, made, at + 1);
	return 0;
}
