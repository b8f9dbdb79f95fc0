#include "repo/repo_remote.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/secret.h"
#include "transport/http.h"
#include "transport/http_url.h"
#include "transport/ssh.h"

enum { LONGEST = 2000 };

static int
bad(struct err *err, const char *why)
{
	err_set(err, ERR_INPUT, "%s", why);
	err_hint(err, "a remote is https://HOST/PATH, ssh://USER@HOST/PATH, "
		      "USER@HOST:PATH, file://PATH or a path");
	return err_reason(err, "bad_setting");
}

/* Behind the scheme; NULL: it is another one. */
static const char *
behind(const char *text, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncasecmp(text, scheme, len) == 0 ? text + len : NULL;
}

static int
parse_file(const char *path, const char *dir, struct repo_remote *r)
{
	AUTO_FREE char *full =
		*path == '/' ? mem_strdup(path) : file_join(dir, path);

	r->kind = REPO_REMOTE_FILE;
	r->path = realpath(full, NULL);
	if (r->path == NULL)
		r->path = mem_strdup(full); /* whoever opens it says why */
	r->shown = mem_strdup(r->path);
	return 0;
}

static int
parse_file_url(const char *rest, struct repo_remote *r, struct err *err)
{
	AUTO_BUF struct buf path = BUF_INIT;

	if (strncmp(rest, "localhost/", 10) == 0)
		rest += 9;
	if (*rest != '/')
		return bad(err, "file:// wants an absolute path");
	if (!buf_url_decoded(&path, rest, strlen(rest)))
		return bad(err, "file://: a % needs two digits behind it");
	return parse_file(path.data, "/", r);
}

static int
parse_http(const char *text, struct repo_remote *r, struct err *err)
{
	const char *host = strstr(text, "://") + 3;
	const char *slash = strchrnul(host, '/');
	const char *at = memrchr(host, '@', (size_t)(slash - host));
	AUTO_FREE char *bare = mem_strdup(text);
	size_t len;

	if (at) {
		AUTO_FREE char *user = mem_strndup(host, (size_t)(at - host));
		const char *colon = strchr(user, ':');

		secret_register(colon ? colon + 1 : user);
		free(bare);
		bare = mem_fmt("%.*s%s", (int)(host - text), text, at + 1);
	}
	if (strpbrk(bare, "?#"))
		return bad(err, "the URL has a ? or # in it");
	r->kind = REPO_REMOTE_HTTP;
	r->url = http_shown(bare);
	if (r->url == NULL)
		return bad(err, "the URL is none");
	if (strncmp(r->url, "https:", 6) != 0 && !http_url_is_loopback(bare)) {
		bad(err, "http:// would send the token in the clear");
		return err_hint(err, "write https://");
	}
	len = strlen(r->url);
	while (len && r->url[len - 1] == '/')
		r->url[--len] = '\0';
	r->shown = mem_strdup(r->url);
	return 0;
}

/* `who`: [USER@]HOST[:PORT]. */
static int
set_ssh(const char *who, char *path, struct repo_remote *r, struct err *err)
{
	r->kind = REPO_REMOTE_SSH;
	r->path = path;
	if (ssh_split(who, &r->user, &r->host, &r->port, err)) {
		err_clear(err);
		return bad(err, "the user, the host or the port is wrong");
	}
	if (*r->host == '\0' || *path == '\0' || strchr(path, '\n'))
		return bad(err, "no host or no path");
	r->shown = mem_fmt("ssh://%s@%s:%d/%s", r->user, r->host, r->port,
			   *path == '/' ? path + 1 : path);
	return 0;
}

static int
parse_ssh_url(const char *rest, struct repo_remote *r, struct err *err)
{
	const char *slash = strchrnul(rest, '/');
	AUTO_FREE char *who = mem_strndup(rest, (size_t)(slash - rest));
	AUTO_BUF struct buf path = BUF_INIT;

	/* "/~/x" and "/~user/x" begin in a home, as git does it. */
	if (strncmp(slash, "/~", 2) == 0)
		slash++;
	if (!buf_url_decoded(&path, slash, strlen(slash)))
		return bad(err, "ssh://: a % needs two digits behind it");
	return set_ssh(who, buf_take(&path), r, err);
}

/* USER@HOST:PATH, told from a path by the colon before the first slash. */
static int
parse_scp(const char *text, const char *colon, struct repo_remote *r,
	  struct err *err)
{
	AUTO_FREE char *who = mem_strndup(text, (size_t)(colon - text));

	return set_ssh(who, mem_strdup(colon + 1), r, err);
}

static int
parse(const char *text, const char *dir, struct repo_remote *r, struct err *err)
{
	const char *colon = strchr(text, ':'), *slash = strchr(text, '/');
	const char *rest;

	if (*text == '\0' || strlen(text) > LONGEST)
		return bad(err, "it is empty, or too long");
	if (behind(text, "https://") || behind(text, "http://"))
		return parse_http(text, r, err);
	if ((rest = behind(text, "file://")))
		return parse_file_url(rest, r, err);
	if ((rest = behind(text, "ssh://")) ||
	    (rest = behind(text, "git+ssh://")) ||
	    (rest = behind(text, "ssh+git://")))
		return parse_ssh_url(rest, r, err);
	if (strstr(text, "://"))
		return bad(err, "its scheme is not one of ours");
	if (colon && (slash == NULL || colon < slash))
		return parse_scp(text, colon, r, err);
	return parse_file(text, dir, r);
}

int
repo_remote_parse(const char *text, const char *dir, struct repo_remote *out,
		  struct err *err)
{
	*out = (struct repo_remote){.shown = NULL};
	if (parse(text, dir, out, err)) {
		repo_remote_done(out);
		return err_wrap(err, "git remote");
	}
	return 0;
}

void
repo_remote_done(struct repo_remote *r)
{
	free(r->shown);
	free(r->url);
	free(r->path);
	free(r->user);
	free(r->host);
	*r = (struct repo_remote){.shown = NULL};
}
