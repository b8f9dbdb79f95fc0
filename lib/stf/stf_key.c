#include "stf/stf.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"
#include "stf/stf_call.h"

int
stf_register_key(struct stf *s, const char *publickey, const char *title,
		 struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *body = json_obj();
	AUTO_FREE char *key = stf_call_trimmed(publickey);
	AUTO_FREE char *text = NULL;

	key[strcspn(key, "\r\n")] = '\0';
	text = strpbrk(key, " \t") ? mem_strdup(key)
				   : mem_fmt("%s patrol", key);
	json_set_str(body, "publickey", text);
	json_set_str(body, "title", title);
	return stf_call(s, "POST", "/user/adbPublicKeys", body, NULL, dl, err);
}

int
stf_key_fingerprint(const char *publickey, char out[48], struct err *err)
{
	enum { MAX = 1024 };
	unsigned char raw[MAX], md[EVP_MAX_MD_SIZE];
	size_t len, pad = 0;
	unsigned int md_len = 0;
	int n;

	while (isspace((unsigned char)*publickey))
		publickey++;
	len = strcspn(publickey, " \t\r\n");
	if (len < 16 || len % 4 || len / 4 * 3 > MAX)
		return err_set(err, ERR_INPUT,
			       "this is not an adb public key "
			       "(base64 and a comment, as in adbkey.pub)");
	while (pad < 2 && publickey[len - 1 - pad] == '=')
		pad++;
	n = EVP_DecodeBlock(raw, (const unsigned char *)publickey, (int)len);
	if (n < 0)
		return err_set(err, ERR_INPUT,
			       "the adb public key is not base64");
	if (!EVP_Digest(raw, (size_t)n - pad, md, &md_len, EVP_md5(), NULL) ||
	    md_len != 16)
		return err_set(err, ERR_IO,
			       "this OpenSSL has no MD5, which "
			       "STF's key fingerprints need");
	for (size_t i = 0; i < 16; i++)
		(void)snprintf(out + i * 3, 4, i < 15 ? "%02x:" : "%02x",
			       md[i]); /* fixed form */
	return 0;
}
