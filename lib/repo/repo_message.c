#include "repo/repo_message.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

int
repo_message_file(struct err *err)
{
	int fd = memfd_create("patrol", MFD_CLOEXEC);

	return fd < 0 ? err_sys(err, "make a file in memory") : fd;
}

int
repo_message_write(int fd, const cJSON *head, const struct buf *body,
		   struct err *err)
{
	AUTO_FREE char *text = json_text(head);

	/* The zero byte tells where it ends. */
	if (file_write_all(fd, text, strlen(text) + 1, "a message", err))
		return -1;
	return body ? file_write_all(fd, body->data, body->len, "a message",
				     err)
		    : 0;
}

int
repo_message_read(int fd, struct repo_message *out, struct err *err)
{
	struct stat st;
	const char *zero;

	*out = (struct repo_message){.head = NULL};
	if (fstat(fd, &st))
		return err_sys(err, "look at a message");
	if (st.st_size == 0)
		return err_set(err, ERR_IO, "no message");
	out->map_len = (size_t)st.st_size;
	out->map = mmap(NULL, out->map_len, PROT_READ, MAP_PRIVATE, fd, 0);
	if (out->map == MAP_FAILED) {
		out->map = NULL;
		return err_sys(err, "read a message");
	}
	zero = memchr(out->map, '\0', out->map_len);
	if (zero == NULL) {
		repo_message_done(out);
		return err_set(err, ERR_IO, "half a message");
	}
	out->body = zero + 1;
	out->body_len = out->map_len - (size_t)(out->body - (char *)out->map);
	if (json_parse(out->map, (size_t)(zero - (char *)out->map),
		       "git's child", &out->head, err)) {
		repo_message_done(out);
		return -1;
	}
	return 0;
}

void
repo_message_done(struct repo_message *m)
{
	cJSON_Delete(m->head);
	if (m->map)
		(void)munmap(m->map, m->map_len);
	*m = (struct repo_message){.head = NULL};
}

/* --- failures ------------------------------------------------------------ */

/* An error's reason lives for ever. */
static const char *const reasons[] = {
	"bad_setting",	    "bad_token",	"forbidden",	    "ssh_login",
	"ssh_host_unknown", "ssh_host_changed", "ssh_host_revoked",
};

cJSON *
repo_message_failure(const struct err *err)
{
	cJSON *o = json_obj();

	json_set_int(o, "code", err->code);
	json_set_int(o, "sys", err->sys);
	json_set_str(o, "reason", err->reason);
	json_set_str(o, "message", err->msg);
	return o;
}

int
repo_message_failed(const cJSON *failure, struct err *err)
{
	const char *reason = json_str(failure, "reason", "");

	err_set(err, (enum err_code)json_int(failure, "code", ERR_IO), "%s",
		json_str(failure, "message", "it failed"));
	err->sys = (int)json_int(failure, "sys", 0);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(*reasons); i++) {
		if (strcmp(reasons[i], reason) == 0)
			return err_reason(err, reasons[i]);
	}
	return -1;
}
