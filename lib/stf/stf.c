#include "stf/stf.h"

#include <ctype.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/buf.h"
#include "base/mem.h"
#include "transport/http_url.h"

/* Where a user makes a token; the cure of most refusals. */
#define TOKEN_CURE                                                     \
	"make a token in STF (Settings, Keys, Access Tokens) and set " \
	"STF_TOKEN"

int
stf_init(struct stf *s, const char *url, const struct secret *token,
	 struct err *err)
{
	static const char suffix[] = "/api/v1";
	AUTO_FREE char *origin = NULL;
	size_t len;

	memset(s, 0, sizeof(*s));
	origin = url ? http_origin(url) : NULL;
	if (origin && http_url_has_user(url))
		return err_set(err, ERR_INPUT,
			       "STF_URL has a user name or a password in it; "
			       "take it out and set STF_TOKEN");
	if (!origin || strpbrk(url, "?#"))
		return err_set(err, ERR_INPUT,
			       "'%.200s' is not the URL of an STF farm; "
			       "expected https://HOST[:PORT][/PATH]",
			       url ? url : "");
	len = strlen(url);
	while (len && url[len - 1] == '/')
		len--;
	if (len > sizeof(suffix) - 1 &&
	    strncmp(url + len - (sizeof(suffix) - 1), suffix,
		    sizeof(suffix) - 1) == 0)
		len -= sizeof(suffix) - 1;
	s->api = mem_fmt("%.*s%s", (int)len, url, suffix);
	/* Farms on a LAN often have no TLS: the user's URL decides. */
	s->http = http_new(HTTP_PLAIN_ALLOWED);
	s->token = token;
	s->call_ms = STF_CALL_MS;
	s->late_ms = STF_LATE_MS;
	return 0;
}

void
stf_done(struct stf *s)
{
	http_free(s->http);
	free(s->api);
	memset(s, 0, sizeof(*s));
}

/* The farm's own words, from the shapes it has for errors. */
static void
add_words(struct buf *b, const struct http_response *r, const cJSON *json)
{
	const char *text;

	text = json_str(json, "description", NULL);
	if (!text)
		text = json_str(json, "message", NULL);
	buf_fmt(b, "HTTP %d", r->status);
	if (text) {
		buf_str(b, " '");
		buf_escaped(b, text, strnlen(text, 200));
		buf_chr(b, '\'');
	} else if (!json) {
		buf_str(b, ": ");
		http_describe_body(r, b);
	}
}

static int
refused_login(const struct http_response *r, const char *words, struct err *err)
{
	if (r->location) {
		AUTO_FREE char *shown = http_shown(r->location);

		err_set(err, ERR_AUTH, "the farm redirects to '%s' (HTTP %d)",
			shown ? shown : "?", r->status);
	} else {
		err_set(err, ERR_AUTH, "%s", words);
	}
	(void)err_reason(err, "login_page"); /* is -1 always */
	return err_hint(err, "a login page stands before STF's API; let "
			     "/api/ pass with the token, or check STF_URL");
}

/* What an answer means that is not a success. */
static int
refused(struct stf *s, const char *method, const struct http_response *r,
	const cJSON *json, struct err *err)
{
	AUTO_BUF struct buf words = BUF_INIT_MAX(500);

	add_words(&words, r, json);
	if (r->status >= 300 && r->status < 400)
		return refused_login(r, words.data, err);
	switch (r->status) {
	case 401:
		err_set(err, ERR_AUTH, "the farm refuses the token: %s",
			words.data);
		(void)err_reason(err, "bad_token");
		return err_hint(err, TOKEN_CURE);
	case 403:
		if (!json)
			return refused_login(r, words.data, err);
		if (strcmp(method, "GET") != 0)
			return err_set(err, ERR_BUSY, "%s", words.data);
		/* Whom it may not answer has not found a phone busy. */
		err_set(err, ERR_AUTH, "the farm refuses: %s", words.data);
		return err_reason(err, "forbidden");
	case 404:
		if (json)
			return err_set(err, ERR_NOTFOUND, "%s", words.data);
		err_set(err, ERR_PROTO, "no STF API there: %s", words.data);
		return err_hint(err, "check STF_URL");
	case 503:
		err_set(err, ERR_REMOTE, "%s", words.data);
		return err_reason(err, "farm_busy");
	case 504:
		err_set(err, ERR_TIMEOUT, "%s", words.data);
		return err_reason(err, "device_not_responding");
	default:
		break;
	}
	if (r->status < 300 && !json)
		return refused_login(r, words.data, err);
	err_set(err, ERR_REMOTE, "%s", words.data);
	(void)err_reason(err, "farm_error");
	if (r->status == 500 && !s->answered)
		return err_hint(err, "STF answers so to a token that has "
				     "expired; " TOKEN_CURE);
	return -1;
}

/* Only JSON that says success is one; `out` may be NULL. */
static int
judge(struct stf *s, const char *method, const struct http_response *r,
      cJSON **out, struct err *err)
{
	AUTO_JSON cJSON *json = NULL;
	struct err bad = ERR_INIT;

	if (r->content_type && strcmp(r->content_type, "application/json") == 0)
		(void)json_parse(r->body.data, r->body.len, "STF's answer",
				 &json, &bad); /* NULL says that it failed */
	if (r->status < 200 || r->status > 299 ||
	    !json_bool(json, "success", false)) {
		if (json && r->status >= 200 && r->status <= 299 &&
		    !json_get(json, "success"))
			return err_set(err, ERR_PROTO,
				       "the answer is JSON but not STF's; "
				       "check STF_URL");
		return refused(s, method, r, json, err);
	}
	s->answered = true;
	if (out) {
		*out = json;
		json = NULL;
	}
	return 0;
}

static int
call(struct stf *s, const char *method, const char *path, const cJSON *body,
     cJSON **out, struct deadline dl, struct err *err)
{
	static const char *const headers[] = {"Accept: application/json", NULL};
	AUTO_FREE char *url = NULL;
	AUTO_FREE char *text = NULL;
	struct http_request req = {.method = method, .headers = headers};
	struct http_response r;
	int rc;

	s->status = 0;
	if (!s->token || !s->token->value) {
		err_set(err, ERR_AUTH, "no token for the farm");
		(void)err_reason(err, "no_token");
		return err_hint(err, TOKEN_CURE);
	}
	url = mem_fmt("%s%s", s->api, path);
	req.url = url;
	req.bearer = s->token;
	if (body) {
		text = json_text(body);
		req.body = text;
		req.body_len = strlen(text);
		req.content_type = "application/json";
	}
	http_response_init(&r, STF_MAX_BODY);
	rc = http_do(s->http, &req, &r, deadline_cap(dl, s->call_ms), err);
	if (rc) {
		(void)err_wrap(err, "STF"); /* the URL is told already */
	} else {
		s->status = r.status;
		rc = judge(s, method, &r, out, err);
		if (rc)
			(void)err_wrap(err, "STF %s '%s'", method, path);
	}
	http_response_done(&r);
	return rc;
}

/* "/user/devices/SERIAL/what"; free() it. */
static char *
device_path(const char *prefix, const char *serial, const char *suffix)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(8192);

	buf_str(&b, prefix);
	buf_url(&b, serial);
	buf_str(&b, suffix);
	return buf_take(&b);
}

static int
user_parse(const cJSON *json, struct stf_user *out, struct err *err)
{
	const cJSON *keys = json_get(json, "user.adbKeys"), *key;
	const char *email;

	memset(out, 0, sizeof(*out));
	if (json_need_str(json, "user.email", "STF's user", &email, err))
		return -1;
	out->email = mem_strdup(email);
	out->name = mem_strdup(json_str(json, "user.name", email));
	out->admin =
		strcmp(json_str(json, "user.privilege", "user"), "admin") == 0;
	if (!cJSON_IsArray(keys))
		return 0;
	out->fingerprint = mem_array((size_t)cJSON_GetArraySize(keys) + 1,
				     sizeof(*out->fingerprint));
	cJSON_ArrayForEach(key, keys)
	{
		const char *f = json_str(key, "fingerprint", NULL);

		if (f)
			out->fingerprint[out->fingerprint_count++] =
				mem_strdup(f);
	}
	return 0;
}

int
stf_user(struct stf *s, struct stf_user *out, struct deadline dl,
	 struct err *err)
{
	AUTO_JSON cJSON *json = NULL;

	if (call(s, "GET", "/user", NULL, &json, dl, err) == 0)
		return user_parse(json, out, err);
	if (s->status == 500 && !s->answered) {
		struct err second = ERR_INIT;

		/* One failing call is the farm, all of them are the token. */
		if (call(s, "GET", "/devices?fields=serial", NULL, NULL, dl,
			 &second) &&
		    s->status == 500) {
			err->code = ERR_AUTH;
			return err_reason(err, "stale_token");
		}
	}
	return -1;
}

void
stf_user_done(struct stf_user *u)
{
	for (size_t i = 0; i < u->fingerprint_count; i++)
		free(u->fingerprint[i]);
	free(u->fingerprint);
	free(u->email);
	free(u->name);
	memset(u, 0, sizeof(*u));
}

bool
stf_user_has_key(const struct stf_user *u, const char *fingerprint)
{
	for (size_t i = 0; i < u->fingerprint_count; i++)
		if (strcasecmp(u->fingerprint[i], fingerprint) == 0)
			return true;
	return false;
}

static char *
trimmed(const char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return mem_strndup(s, len);
}

int
stf_device_parse(cJSON *json, struct stf_device *out, struct err *err)
{
	struct stf_device d = {.json = json};
	const char *serial = NULL;

	if (json_need_str(json, "serial", "STF's device", &serial, err)) {
		cJSON_Delete(json);
		return -1;
	}
	d.serial = serial;
	d.model = trimmed(json_str(json, "model", ""));
	d.version = json_str(json, "version", "");
	d.sdk = json_str(json, "sdk", "");
	d.abi = json_str(json, "abi", "");
	d.owner_email = json_str(json, "owner.email", NULL);
	d.owner_name = json_str(json, "owner.name", d.owner_email);
	d.usage_since = json_str(json, "usageChangedAt", NULL);
	d.usage = json_str(json, "usage", NULL);
	d.group_class = json_str(json, "group.class", NULL);
	d.group_stop = json_str(json, "group.lifeTime.stop", NULL);
	d.present = json_bool(json, "present", false);
	d.ready = json_bool(json, "ready", false);
	d.using = json_bool(json, "using", false);
	d.status = (int)json_int(json, "status", 0);
	*out = d;
	return 0;
}

const char *
stf_device_booked_until(const struct stf_device *d)
{
	if (d->group_class == NULL || strcmp(d->group_class, "standard") == 0 ||
	    strcmp(d->group_class, "bookable") == 0)
		return NULL;
	return d->group_stop;
}

void
stf_device_done(struct stf_device *d)
{
	free(d->model);
	cJSON_Delete(d->json);
	memset(d, 0, sizeof(*d));
}

int
stf_devices_parse(cJSON *list, struct stf_devices *out, struct err *err)
{
	cJSON *one;

	memset(out, 0, sizeof(*out));
	if (!cJSON_IsArray(list))
		return err_set(err, ERR_PROTO,
			       "STF's answer has no list 'devices'");
	while ((one = cJSON_DetachItemFromArray(list, 0))) {
		struct stf_device d;
		struct err odd = ERR_INIT;

		if (out->count == STF_MAX_DEVICES) {
			cJSON_Delete(one);
			stf_devices_done(out);
			return err_set(err, ERR_PROTO,
				       "STF lists more than %d devices",
				       STF_MAX_DEVICES);
		}
		/* What has no serial cannot be asked for: not a device. */
		if (stf_device_parse(one, &d, &odd))
			continue;
		MEM_GROW(out->item, out->count, out->room);
		out->item[out->count++] = d;
	}
	return 0;
}

int
stf_devices(struct stf *s, enum stf_target target, struct stf_devices *out,
	    struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *json = NULL;

	if (call(s, "GET",
		 target == STF_TARGET_BOOKABLE ? "/devices?target=bookable"
					       : "/devices",
		 NULL, &json, dl, err))
		return -1;
	return stf_devices_parse(
		cJSON_GetObjectItemCaseSensitive(json, "devices"), out, err);
}

void
stf_devices_done(struct stf_devices *l)
{
	for (size_t i = 0; i < l->count; i++)
		stf_device_done(&l->item[i]);
	free(l->item);
	memset(l, 0, sizeof(*l));
}

int
stf_device(struct stf *s, const char *serial, struct stf_device *out,
	   struct deadline dl, struct err *err)
{
	AUTO_FREE char *path = device_path("/devices/", serial, "");
	AUTO_JSON cJSON *json = NULL;
	cJSON *one;

	if (call(s, "GET", path, NULL, &json, dl, err))
		return -1;
	one = cJSON_DetachItemFromObjectCaseSensitive(json, "device");
	if (!one)
		return err_set(err, ERR_PROTO,
			       "STF's answer about '%s' has no 'device'",
			       serial);
	return stf_device_parse(one, out, err);
}

int
stf_reserve(struct stf *s, const char *serial, int64_t idle_ms,
	    struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *body = json_obj();

	json_set_str(body, "serial", serial);
	json_set_int(body, "timeout", idle_ms);
	return call(s, "POST", "/user/devices", body, NULL, dl, err);
}

int
stf_release(struct stf *s, const char *serial, struct deadline dl,
	    struct err *err)
{
	AUTO_FREE char *path = device_path("/user/devices/", serial, "");

	return call(s, "DELETE", path, NULL, NULL, dl, err);
}

int
stf_remote_connect(struct stf *s, const char *serial, char **endpoint,
		   struct deadline dl, struct err *err)
{
	AUTO_FREE char *path =
		device_path("/user/devices/", serial, "/remoteConnect");
	AUTO_JSON cJSON *json = NULL;
	const char *url;

	if (call(s, "POST", path, NULL, &json, dl, err))
		return -1;
	url = json_str(json, "remoteConnectUrl", "");
	*endpoint = *url ? trimmed(url) : NULL;
	return 0;
}

int
stf_remote_disconnect(struct stf *s, const char *serial, struct deadline dl,
		      struct err *err)
{
	AUTO_FREE char *path =
		device_path("/user/devices/", serial, "/remoteConnect");

	return call(s, "DELETE", path, NULL, NULL, dl, err);
}

int
stf_register_key(struct stf *s, const char *publickey, const char *title,
		 struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *body = json_obj();
	AUTO_FREE char *key = trimmed(publickey);
	AUTO_FREE char *text = NULL;

	key[strcspn(key, "\r\n")] = '\0';
	text = strpbrk(key, " \t") ? mem_strdup(key)
				   : mem_fmt("%s patrol", key);
	json_set_str(body, "publickey", text);
	json_set_str(body, "title", title);
	return call(s, "POST", "/user/adbPublicKeys", body, NULL, dl, err);
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
