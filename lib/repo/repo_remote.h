#ifndef REPO_REMOTE_H
#define REPO_REMOTE_H

#include "base/err.h"

/*
 * Where a git repository is: "file://PATH" or a path, "https://...",
 * "ssh://[USER@]HOST[:PORT]/PATH" or "[USER@]HOST:PATH".
 */
enum repo_remote_kind { REPO_REMOTE_FILE, REPO_REMOTE_HTTP, REPO_REMOTE_SSH };

struct repo_remote {
	enum repo_remote_kind kind;
	char *shown; /* for messages; also what tells two remotes apart */
	char *url;   /* http: no user, no password, no slash behind */
	char *path;  /* file: absolute; ssh: as the server wants it */
	char *user, *host;
	int port;
};

/*
 * A relative path begins at `dir`.  A user or a password in an https URL is
 * left out: they are registered as secrets and not used.  ERR_INPUT, reason
 * bad_setting.
 */
int repo_remote_parse(const char *text, const char *dir,
		      struct repo_remote *out, struct err *err);
void repo_remote_done(struct repo_remote *r);

#endif
