#include "stf/stf_call.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

/* Where a user makes a token; the cure of most refusals. */
#define TOKEN_CURE                                                     \
	"make a token in STF (Settings, Keys, Access Tokens) and set " \
	"STF_TOKEN"

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

int
stf_call(struct stf *s, const char *method, const char *path, const cJSON *body,
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
char *
stf_call_path(const char *prefix, const char *serial, const char *suffix)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(8192);

	buf_str(&b, prefix);
	buf_url(&b, serial);
	buf_str(&b, suffix);
	return buf_take(&b);
}

char *
stf_call_trimmed(const char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	return mem_strndup(s, len);
}
