/* A repository behind SSH. */
#include <libssh2.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repo/repo_stream.h"
#include "transport/ssh.h"

struct behind {
	struct ssh ssh;
	LIBSSH2_CHANNEL *channel;
	struct buf words;
};

static void
stream_close(void *self)
{
	struct behind *b = self;

	/* The session is non-blocking: what can't be said now isn't. */
	if (b->channel)
		(void)libssh2_channel_free(b->channel);
	ssh_close(&b->ssh);
	buf_done(&b->words);
	free(b);
}

/* SERVICE 'PATH', as git asks for it. */
static char *
command_of(const char *service, const char *path)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_fmt(&b, "%s '", service);
	for (; *path; path++) {
		if (*path == '\'' || *path == '!')
			buf_fmt(&b, "'\\%c'", *path);
		else
			buf_chr(&b, *path);
	}
	buf_chr(&b, '\'');
	return buf_take(&b);
}

static int
run(struct behind *b, const char *command, struct deadline dl, struct err *err)
{
	int rc;

	while ((b->channel = libssh2_channel_open_session(b->ssh.session)) ==
	       NULL) {
		rc = libssh2_session_last_errno(b->ssh.session);
		if (rc != LIBSSH2_ERROR_EAGAIN)
			return ssh_failed(&b->ssh, rc, err);
		if (ssh_wait(&b->ssh, dl, err))
			return -1;
	}
	while ((rc = libssh2_channel_exec(b->channel, command)) ==
	       LIBSSH2_ERROR_EAGAIN) {
		if (ssh_wait(&b->ssh, dl, err))
			return -1;
	}
	return rc ? ssh_failed(&b->ssh, rc, err) : 0;
}

int
repo_stream_ssh_open(void **out, const struct repo_remote *remote,
		     const struct repo_login *login, const char *service,
		     struct deadline dl, struct err *err)
{
	AUTO_FREE char *command = command_of(service, remote->path);
	const struct ssh_config config = {
		.host = remote->host,
		.port = remote->port,
		.user = remote->user,
		.known_hosts = login->ssh_known_hosts,
		.key = login->ssh_key,
		.passphrase = login->ssh_passphrase,
	};
	struct behind *b = mem_alloc(sizeof(*b));

	buf_init(&b->words, REPO_STREAM_WORDS);
	if (ssh_open(&b->ssh, &config, dl, err)) {
		free(b);
		return -1;
	}
	if (run(b, command, dl, err)) {
		stream_close(b);
		return -1;
	}
	*out = b;
	return 0;
}

static ssize_t
stream_write(void *self, const char *data, size_t len, struct err *err)
{
	struct behind *b = self;
	ssize_t n;

	if (ssh_unsent(&b->ssh) >= SSH_OUT_HIGH)
		return ssh_flush(&b->ssh, err) ? -1 : 0;
	n = libssh2_channel_write(b->channel, data, len);
	if (n == LIBSSH2_ERROR_EAGAIN ||
	    (n < 0 && libssh2_channel_eof(b->channel)))
		n = 0; /* that it has gone is heard when it is read */
	if (n < 0)
		return ssh_failed(&b->ssh, (int)n, err);
	return ssh_flush(&b->ssh, err) ? -1 : n;
}

static int
stream_write_end(void *self, struct err *err)
{
	struct behind *b = self;

	/* No answer is awaited: EAGAIN would be that there is no room. */
	(void)libssh2_channel_send_eof(b->channel);
	return ssh_flush(&b->ssh, err);
}

/* libssh2 tells no end before these are read, too. */
static void
take_words(struct behind *b)
{
	char more[512];
	ssize_t n;

	while ((n = libssh2_channel_read_stderr(b->channel, more,
						sizeof(more))) > 0)
		buf_add(&b->words, more, (size_t)n);
}

static ssize_t
stream_read(void *self, char *to, size_t room, struct err *err)
{
	struct behind *b = self;
	ssize_t n;

	take_words(b);
	n = libssh2_channel_read(b->channel, to, room);

	if (n > 0)
		return n;
	if (n == LIBSSH2_ERROR_EAGAIN)
		return REPO_STREAM_NOTHING;
	if (n < 0)
		return ssh_failed(&b->ssh, (int)n, err);
	return libssh2_channel_eof(b->channel) ? REPO_STREAM_ENDED
					       : REPO_STREAM_NOTHING;
}

static int
stream_wait(void *self, bool to_write, struct deadline dl, struct err *err)
{
	struct behind *b = self;

	if (to_write && ssh_unsent(&b->ssh) >= SSH_OUT_HIGH)
		return ssh_drain(&b->ssh, SSH_OUT_HIGH / 2, dl, err);
	return ssh_wait(&b->ssh, dl, err);
}

static void
stream_words(void *self, struct buf *out)
{
	struct behind *b = self;

	take_words(b);
	buf_add(out, b->words.data, b->words.len);
}

const struct repo_stream repo_stream_ssh = {
	.write = stream_write,
	.write_end = stream_write_end,
	.read = stream_read,
	.wait = stream_wait,
	.words = stream_words,
	.close = stream_close,
};
