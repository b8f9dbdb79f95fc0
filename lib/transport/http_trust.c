#include "transport/http_trust.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <stdlib.h>

#include "base/mem.h"

/* As a library libcurl reads none of these. */
static const char *
ca_file(void)
{
	static const char *const names[] = {"PATROL_CA_FILE", "SSL_CERT_FILE",
					    "CURL_CA_BUNDLE"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *v = getenv(names[i]);

		if (v && *v)
			return v;
	}
	return NULL;
}

static char *
name_of(const X509_NAME *name)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *text = NULL, *copy = NULL;
	long len;

	if (bio == NULL)
		return NULL;
	if (X509_NAME_print_ex(bio, name, 0, XN_FLAG_ONELINE) >= 0) {
		len = BIO_get_mem_data(bio, &text);
		copy = mem_strndup(text, len > 0 ? (size_t)len : 0);
	}
	BIO_free(bio);
	return copy;
}

/* Watches only: what OpenSSL decided stands. */
static int
on_verify(int ok, X509_STORE_CTX *store)
{
	const SSL *ssl = X509_STORE_CTX_get_ex_data(
		store, SSL_get_ex_data_X509_STORE_CTX_idx());
	const SSL_CTX *ctx = ssl ? SSL_get_SSL_CTX(ssl) : NULL;
	struct http_trust *t = ctx ? SSL_CTX_get_app_data(ctx) : NULL;
	const X509 *cert = X509_STORE_CTX_get_current_cert(store);

	if (!ok && t && cert && t->issuer == NULL)
		t->issuer = name_of(X509_get_issuer_name(cert));
	return ok;
}

static CURLcode
on_context(CURL *e, void *context, void *arg)
{
	SSL_CTX *ctx = context;

	(void)e;
	SSL_CTX_set_app_data(ctx, arg);
	SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, on_verify);
	return CURLE_OK;
}

void
http_trust_set(CURL *e, struct http_trust *t)
{
	const char *ca = ca_file();

	if (ca)
		curl_easy_setopt(e, CURLOPT_CAINFO, ca);
	/* A libcurl without OpenSSL refuses this: then no issuer is known. */
	curl_easy_setopt(e, CURLOPT_SSL_CTX_FUNCTION, on_context);
	curl_easy_setopt(e, CURLOPT_SSL_CTX_DATA, t);
}

void
http_trust_done(struct http_trust *t)
{
	free(t->issuer);
	t->issuer = NULL;
}
