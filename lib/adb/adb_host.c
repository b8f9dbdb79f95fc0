#include "adb/adb_host.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "transport/sock.h"

/* Four hex digits tell a length: nothing larger can be asked or answered. */
enum { HOST_TEXT_MAX = 0xffff };

static const struct {
	const char *word;
	enum adb_host_state state;
} states[] = {
	{"absent", ADB_HOST_ABSENT},
	{"device", ADB_HOST_DEVICE},
	{"offline", ADB_HOST_OFFLINE},
	{"unauthorized", ADB_HOST_UNAUTHORIZED},
	{"connecting", ADB_HOST_CONNECTING},
	{"authorizing", ADB_HOST_CONNECTING},
	{"no permissions", ADB_HOST_NO_PERMISSION},
	{"other", ADB_HOST_OTHER},
};

const char *
adb_host_state_name(enum adb_host_state state)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (states[i].state == state)
			return states[i].word;
	return "other";
}

static enum adb_host_state
state_of(const char *word)
{
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(states[i].word, word) == 0)
			return states[i].state;
	if (strncmp(word, "no permissions", 14) == 0)
		return ADB_HOST_NO_PERMISSION;
	return ADB_HOST_OTHER;
}

int
adb_host_dial(const struct adb_server *s, int *fd, struct deadline dl,
	      struct err *err)
{
	if (sock_connect(s->host, s->port, fd, dl, err))
		return err_wrap(err, "adb server at %s:%d", s->host, s->port);
	return 0;
}

int
adb_host_send(int fd, const void *service, size_t len, struct deadline dl,
	      struct err *err)
{
	char head[5];
	AUTO_BUF struct buf b = BUF_INIT;

	/* The server itself refuses requests above its payload of 4 KiB. */
	if (len == 0 || len > HOST_TEXT_MAX)
		return err_set(err, ERR_INPUT,
			       "a request of %zu bytes is too long for adb",
			       len);
	(void)snprintf(head, sizeof(head), "%04x", (unsigned)len);
	buf_add(&b, head, 4);
	buf_add(&b, service, len);
	return sock_write(fd, b.data, b.len, dl, err);
}

/* "53 53 48 2d 'SSH-'": what a peer that is no adb server said first. */
static int
not_adb(const unsigned char *bytes, size_t len, const char *wanted,
	struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	for (size_t i = 0; i < len; i++)
		buf_fmt(&b, "%02x ", bytes[i]);
	buf_chr(&b, '\'');
	buf_escaped(&b, (const char *)bytes, len);
	buf_chr(&b, '\'');
	(void)err_set(err, ERR_PROTO,
		      "the peer is no adb server: %s expected, got %s", wanted,
		      b.data);
	return err_reason(err, "not_adb");
}

static int
read_length(int fd, size_t *len, struct deadline dl, struct err *err)
{
	unsigned char hex[4];
	size_t n = 0;

	if (sock_read(fd, hex, sizeof(hex), dl, err))
		return -1;
	for (size_t i = 0; i < sizeof(hex); i++) {
		int c = tolower(hex[i]);

		if (!isxdigit(c))
			return not_adb(hex, sizeof(hex), "four hex digits",
				       err);
		n = n * 16 + (size_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*len = n;
	return 0;
}

int
adb_host_text(int fd, struct buf *out, struct deadline dl, struct err *err)
{
	size_t len = 0;
	char *at;

	if (read_length(fd, &len, dl, err))
		return err_wrap(err, "length of adb's answer");
	at = buf_reserve(out, len);
	if (!at)
		return err_set(err, ERR_PROTO,
			       "adb's answer of %zu bytes is too large", len);
	if (sock_read(fd, at, len, dl, err))
		return err_wrap(err, "adb's answer of %zu bytes", len);
	buf_added(out, len);
	return 0;
}

int
adb_host_okay(int fd, struct deadline dl, struct err *err)
{
	unsigned char word[4];
	AUTO_BUF struct buf text = BUF_INIT;
	AUTO_BUF struct buf shown = BUF_INIT;

	if (sock_read(fd, word, sizeof(word), dl, err))
		return err_wrap(err, "status of adb's answer");
	if (memcmp(word, "OKAY", 4) == 0)
		return 0;
	if (memcmp(word, "FAIL", 4) != 0)
		return not_adb(word, sizeof(word), "OKAY or FAIL", err);
	if (adb_host_text(fd, &text, dl, err))
		return -1;
	buf_escaped(&shown, text.data, text.len);
	return err_set(err, ERR_REMOTE, "adb says '%s'", shown.data);
}

int
adb_host_query(const struct adb_server *s, const char *service, struct buf *out,
	       struct deadline dl, struct err *err)
{
	AUTO_FD int fd = -1;

	if (adb_host_dial(s, &fd, dl, err))
		return -1;
	if (adb_host_send(fd, service, strlen(service), dl, err) ||
	    adb_host_okay(fd, dl, err) || adb_host_text(fd, out, dl, err))
		return err_wrap(err, "adb request '%s'", service);
	return 0;
}

int
adb_host_version(const struct adb_server *s, unsigned *version,
		 struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(64);
	char *end;
	unsigned long n;

	if (adb_host_query(s, "host:version", &b, dl, err))
		return -1;
	n = strtoul(b.data, &end, 16);
	if (b.len == 0 || *end || n > 0xffff)
		return err_set(err, ERR_PROTO,
			       "adb's version is no hex number");
	*version = (unsigned)n;
	return 0;
}

static void
device_done(struct adb_host_device *d)
{
	free(d->serial);
	free(d->state_text);
	free(d->product);
	free(d->model);
	free(d->device);
}

void
adb_host_list_done(struct adb_host_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		device_done(&list->item[i]);
	free(list->item);
	*list = (struct adb_host_list){0};
}

const struct adb_host_device *
adb_host_list_find(const struct adb_host_list *list, const char *serial)
{
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->item[i].serial, serial) == 0)
			return &list->item[i];
	return NULL;
}

static void
keep(char **slot, const char *value, size_t len)
{
	free(*slot);
	*slot = mem_strndup(value, len);
}

static long
digits(const char *p, size_t len)
{
	long n = 0;

	for (size_t i = 0; i < len && i < 9 && isdigit((unsigned char)p[i]);
	     i++)
		n = n * 10 + (p[i] - '0');
	return n;
}

/* "product:x model:y device:z transport_id:7", in any order. */
static void
parse_properties(const char *p, const char *end, struct adb_host_device *d)
{
	while (p < end) {
		const char *stop = memchr(p, ' ', (size_t)(end - p));
		size_t len = stop ? (size_t)(stop - p) : (size_t)(end - p);

		if (len > 8 && memcmp(p, "product:", 8) == 0)
			keep(&d->product, p + 8, len - 8);
		else if (len > 6 && memcmp(p, "model:", 6) == 0)
			keep(&d->model, p + 6, len - 6);
		else if (len > 7 && memcmp(p, "device:", 7) == 0)
			keep(&d->device, p + 7, len - 7);
		else if (len > 13 && memcmp(p, "transport_id:", 13) == 0)
			d->transport_id = digits(p + 13, len - 13);
		p += len + (stop != NULL);
	}
}

/*
 * The long form is padded with blanks; "no permissions (...); see [...]" is
 * the one state with blanks in it.
 */
static int
parse_line(const char *p, size_t len, struct adb_host_list *list,
	   struct err *err)
{
	const char *end = p + len, *stop = p, *word;
	struct adb_host_device d = {0};
	AUTO_BUF struct buf shown = BUF_INIT;

	while (stop < end && *stop != ' ' && *stop != '\t')
		stop++;
	word = stop;
	while (word < end && (*word == ' ' || *word == '\t'))
		word++;
	if (stop == p || word == end || memchr(p, '\0', len)) {
		buf_escaped(&shown, p, len > 60 ? 60 : len);
		return err_set(err, ERR_PROTO,
			       "adb's list of devices has the line '%s'",
			       shown.data);
	}
	d.serial = mem_strndup(p, (size_t)(stop - p));
	stop = word;
	if ((size_t)(end - word) >= 14 &&
	    memcmp(word, "no permissions", 14) == 0)
		stop = word + 14;
	while (stop < end && *stop != ' ')
		stop++;
	d.state_text = mem_strndup(word, (size_t)(stop - word));
	d.state = state_of(d.state_text);
	parse_properties(stop, end, &d);
	MEM_GROW(list->item, list->count, list->room);
	list->item[list->count++] = d;
	return 0;
}

int
adb_host_parse_devices(const char *text, size_t len, struct adb_host_list *list,
		       struct err *err)
{
	const char *end = text + len;
	struct adb_host_list found = {0};

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		size_t n = nl ? (size_t)(nl - text) : (size_t)(end - text);

		if (n && parse_line(text, n, &found, err)) {
			adb_host_list_done(&found);
			return -1;
		}
		text += n + (nl != NULL);
	}
	*list = found;
	return 0;
}

int
adb_host_devices(const struct adb_server *s, struct adb_host_list *list,
		 struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (adb_host_query(s, "host:devices-l", &b, dl, err))
		return -1;
	return adb_host_parse_devices(b.data, b.len, list, err);
}

int
adb_host_state(const struct adb_server *s, const char *serial,
	       enum adb_host_state *state, struct deadline dl, struct err *err)
{
	struct adb_host_list list = {0};
	const struct adb_host_device *d;

	if (adb_host_devices(s, &list, dl, err))
		return -1;
	d = adb_host_list_find(&list, serial);
	*state = d ? d->state : ADB_HOST_ABSENT;
	adb_host_list_done(&list);
	return 0;
}

int
adb_host_connect(const struct adb_server *s, const char *address,
		 struct buf *words, struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("host:connect:%s", address);
	AUTO_BUF struct buf b = BUF_INIT;

	if (adb_host_query(s, service, &b, dl, err))
		return -1;
	log_debug("adb connect %s: %s", address, b.data);
	if (words)
		buf_escaped(words, b.data, b.len);
	return 0;
}

/* For requests whose refusal means that there was nothing to do. */
static int
ask_and_forget(const struct adb_server *s, const char *service,
	       struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (adb_host_query(s, service, &b, dl, err) == 0)
		return 0;
	if (err->code != ERR_REMOTE)
		return -1;
	log_debug("%s: %s", service, err->msg);
	err_clear(err);
	return 0;
}

int
adb_host_disconnect(const struct adb_server *s, const char *address,
		    struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("host:disconnect:%s", address);

	return ask_and_forget(s, service, dl, err);
}

int
adb_host_reconnect(const struct adb_server *s, const char *serial,
		   struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("host-serial:%s:reconnect", serial);

	return ask_and_forget(s, service, dl, err);
}

int
adb_host_features(const struct adb_server *s, const char *serial,
		  struct buf *out, struct deadline dl, struct err *err)
{
	AUTO_FREE char *service = mem_fmt("host-serial:%s:features", serial);

	return adb_host_query(s, service, out, dl, err);
}
