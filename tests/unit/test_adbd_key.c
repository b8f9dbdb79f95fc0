#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include "check.h"
#include "fixtures/adbd_key.h"

struct pair {
	EVP_PKEY *key;
	unsigned char raw[ADBD_KEY_BYTES];
	char text[800];
};

/* A key in Android's form: length, n0inv, n, r^2, e, all little-endian. */
static void
make(struct pair *k)
{
	BIGNUM *n = NULL;
	unsigned char le[256];

	memset(k, 0, sizeof(*k));
	k->key = EVP_RSA_gen(2048);
	EVP_PKEY_get_bn_param(k->key, "n", &n);
	BN_bn2lebinpad(n, le, sizeof(le));
	BN_free(n);
	k->raw[0] = 64;
	memcpy(k->raw + 8, le, sizeof(le));
	k->raw[520] = 1;
	k->raw[522] = 1; /* 65537 */
	EVP_EncodeBlock((unsigned char *)k->text, k->raw, ADBD_KEY_BYTES);
	memcpy(k->text + strlen(k->text), " me@here", 9);
}

static void
sign(struct pair *k, const unsigned char *token, unsigned char *out)
{
	EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new(k->key, NULL);
	size_t len = ADBD_KEY_SIGNATURE;

	EVP_PKEY_sign_init(ctx);
	EVP_PKEY_CTX_set_rsa_padding(ctx, RSA_PKCS1_PADDING);
	EVP_PKEY_CTX_set_signature_md(ctx, EVP_sha1());
	EVP_PKEY_sign(ctx, out, &len, token, ADBD_KEY_TOKEN);
	EVP_PKEY_CTX_free(ctx);
}

static void
own_signature(void)
{
	unsigned char token[ADBD_KEY_TOKEN] = "12345678901234567890";
	unsigned char sig[ADBD_KEY_SIGNATURE], key[ADBD_KEY_BYTES];
	struct pair mine, other;

	make(&mine);
	make(&other);
	sign(&mine, token, sig);
	CHECK(adbd_key_decode(mine.text, strlen(mine.text), key) == 0);
	CHECK(memcmp(key, mine.raw, sizeof(key)) == 0);
	CHECK(adbd_key_verify(key, token, sig) == 0);
	CHECK(adbd_key_verify(other.raw, token, sig) == -1);
	token[3] ^= 1;
	CHECK(adbd_key_verify(key, token, sig) == -1);
	EVP_PKEY_free(mine.key);
	EVP_PKEY_free(other.key);
}

static void
fingerprint(void)
{
	char out[ADBD_KEY_FINGERPRINT];
	unsigned char raw[ADBD_KEY_BYTES] = {64};
	char text[800];

	EVP_EncodeBlock((unsigned char *)text, raw, sizeof(raw));
	REQUIRE(adbd_key_fingerprint(text, strlen(text), out) == 0);
	CHECK(strlen(out) == 47);
	/* a 64 and 523 zeros | md5sum */
	CHECK_STR(out, "12:9d:59:30:8a:48:7d:c9:37:24:71:42:e8:42:6f:53");
}

static void
no_key(void)
{
	unsigned char key[ADBD_KEY_BYTES];
	struct pair k;

	make(&k);
	CHECK(adbd_key_decode("", 0, key) == -1);
	CHECK(adbd_key_decode("AAAA me", 7, key) == -1);
	CHECK(adbd_key_decode(k.text, 699, key) == -1);
	k.text[40] = '!';
	CHECK(adbd_key_decode(k.text, strlen(k.text), key) == -1);
	EVP_PKEY_free(k.key);
}

CHECK_MAIN(CHECK_CASE("a key's own signature is accepted, others refused",
		      own_signature),
	   CHECK_CASE("the fingerprint is the MD5 of the decoded key",
		      fingerprint),
	   CHECK_CASE("what is no key is refused", no_key), )
