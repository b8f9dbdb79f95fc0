#include "repo/repo_branch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "repo/repo_branch_child.h"
#include "repo/repo_message.h"
#include "transport/proc.h"

enum {
	TELL_MS = 500, /* the child ends so much sooner, to say what it did */
	MAX_NOISE = 16 << 10,
};

int
repo_branch_check(const char *branch, struct err *err)
{
	size_t len = strlen(branch);
	bool good = len > 0 && len <= REPO_BRANCH_MAX && *branch != '-' &&
		    *branch != '/' && branch[len - 1] != '/' &&
		    branch[len - 1] != '.';

	for (const char *p = branch; *p && good; p++) {
		bool first = p == branch || p[-1] == '/';

		good = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			      "abcdefghijklmnopqrstuvwxyz0123456789-._/",
			      *p) &&
		       !(first && (*p == '.' || *p == '/')) &&
		       strncmp(p, "..", 2) != 0 &&
		       strncmp(p, ".lock/", 6) != 0 && strcmp(p, ".lock") != 0;
	}
	if (good)
		return 0;
	err_set(err, ERR_USAGE, "'%.200s' is no branch's name", branch);
	return err_hint(err, "write one as patrol-history: letters, digits, "
			     "- . _ and / within");
}

/* --- the child ----------------------------------------------------------- */

static cJSON *
question(const struct repo_place *p, const char *what)
{
	cJSON *q = json_obj();
	const struct secret *token = p->login.token;
	AUTO_FREE char *here = getcwd(NULL, 0);

	json_set_str(q, "what", what);
	json_set_str(q, "remote", p->remote);
	json_set_str(q, "remote_name", p->remote_name);
	json_set_str(q, "dir", p->dir ? p->dir : here);
	json_set_str(q, "state_dir", p->state_dir);
	json_set_str(q, "token", token ? token->value : NULL);
	json_set_str(q, "token_name", p->login.token_name);
	json_set_str(q, "ssh_key", p->login.ssh_key);
	json_set_str(q, "ssh_passphrase", p->login.ssh_passphrase);
	json_set_str(q, "ssh_known_hosts", p->login.ssh_known_hosts);
	return q;
}

/* It ended without a word: of a sanitizer, or of the system. */
static int
died(const struct buf *noise, int status, struct err *err)
{
	AUTO_BUF struct buf clean = BUF_INIT;

	buf_escaped(&clean, noise->data, noise->len < 200 ? noise->len : 200);
	return err_set(err, ERR_IO, "git's child ended with %d: %s", status,
		       clean.data);
}

static int
run_child(int to, int from, struct deadline dl, struct err *err)
{
	char to_text[16], from_text[16];
	const char *argv[] = {"/proc/self/exe", REPO_BRANCH_CHILD, to_text,
			      from_text, NULL};
	const int keep[] = {to, from};
	const struct proc_spec spec = {
		.argv = argv,
		.keep_fd = keep,
		.keep_count = 2,
		.out_fd = -1,
	};
	AUTO_BUF struct buf noise = BUF_INIT_MAX(MAX_NOISE);
	int status = 0;

	(void)snprintf(to_text, sizeof(to_text), "%d", to);
	(void)snprintf(from_text, sizeof(from_text), "%d", from);
	if (proc_capture(&spec, &noise, &status, dl, err))
		return -1;
	return status ? died(&noise, status, err) : 0;
}

/* `q` and `body` to it, its answer into `a`. */
static int
ask_child(cJSON *q, const struct buf *body, struct repo_message *a,
	  struct deadline dl, struct err *err)
{
	AUTO_FD int to = repo_message_file(err);
	AUTO_FD int from = to < 0 ? -1 : repo_message_file(err);
	int64_t left_ms = deadline_left_ms(dl);
	const cJSON *failure;

	if (to < 0 || from < 0)
		return -1;
	json_set_int(q, "within_ms",
		     left_ms > 2 * TELL_MS ? left_ms - TELL_MS : left_ms);
	if (repo_message_write(to, q, body, err) ||
	    run_child(to, from, dl, err) || repo_message_read(from, a, err))
		return -1;
	failure = json_get(a->head, "failure");
	if (failure == NULL)
		return 0;
	(void)repo_message_failed(failure, err);
	repo_message_done(a);
	return -1;
}

/* --- what is asked ------------------------------------------------------- */

static void
take_tip(const cJSON *a, struct repo_tip *tip)
{
	(void)snprintf(tip->commit, sizeof(tip->commit), "%s",
		       json_str(a, "commit", ""));
	(void)snprintf(tip->committer, sizeof(tip->committer), "%s",
		       json_str(a, "committer", ""));
}

int
repo_branch_list(const struct repo_place *p, const char *branch, size_t most,
		 struct repo_tip *tip, void (*see)(void *arg, const char *path),
		 void *arg, struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *q = question(p, "list");
	struct repo_message a;
	const cJSON *path;

	json_set_str(q, "branch", branch);
	json_set_int(q, "most", (int64_t)most);
	if (ask_child(q, NULL, &a, dl, err))
		return err_wrap(err, "branch '%s'", branch);
	take_tip(a.head, tip);
	cJSON_ArrayForEach(path, json_get(a.head, "paths"))
	{
		if (cJSON_IsString(path))
			see(arg, path->valuestring);
	}
	repo_message_done(&a);
	return 0;
}

/* What an answer has of the files from `first` on; *next: the first it lacks.
 */
static int
take_files(const struct repo_message *a, size_t first, size_t *next,
	   repo_branch_see *see, void *arg, struct err *err)
{
	const char *at = a->body;
	const cJSON *file;

	*next = first;
	cJSON_ArrayForEach(file, json_get(a->head, "files"))
	{
		int64_t len = json_int(file, "len", -1); /* -1: not there */

		if (len > (int64_t)(a->body_len - (size_t)(at - a->body)))
			return err_set(err, ERR_IO, "half an answer");
		if (len >= 0 && see(arg, *next, at, (size_t)len, err))
			return -1;
		if (len > 0)
			at += len;
		++*next;
	}
	return 0;
}

static int
read_some(const struct repo_place *p, const struct repo_read *what,
	  size_t first, size_t *next, struct repo_tip *tip,
	  repo_branch_see *see, void *arg, struct deadline dl, struct err *err)
{
	AUTO_JSON cJSON *q = question(p, "read");
	cJSON *paths = json_arr();
	struct repo_message a;
	int rc;

	json_set_str(q, "branch", what->branch);
	json_set_str(q, "commit", *tip->commit ? tip->commit : NULL);
	json_set_int(q, "file_max", (int64_t)what->file_max);
	for (size_t i = first; i < what->count; i++)
		json_push_str(paths, what->path[i]);
	json_set(q, "paths", paths);
	if (ask_child(q, NULL, &a, dl, err))
		return -1;
	take_tip(a.head, tip);
	rc = take_files(&a, first, next, see, arg, err);
	repo_message_done(&a);
	return rc;
}

int
repo_branch_read(const struct repo_place *p, const struct repo_read *what,
		 struct repo_tip *tip, repo_branch_see *see, void *arg,
		 struct deadline dl, struct err *err)
{
	struct repo_tip t = {.commit = ""};
	size_t next = 0, before;

	(void)snprintf(t.commit, sizeof(t.commit), "%s",
		       what->commit ? what->commit : "");
	/* An answer may be cut where it is long enough. */
	do {
		before = next;
		if (read_some(p, what, before, &next, &t, see, arg, dl, err))
			return err_wrap(err, "branch '%s'", what->branch);
	} while (next < what->count && next > before);
	if (tip)
		*tip = t;
	return 0;
}

static int
add_files(cJSON *q, const struct repo_change *c, struct buf *body,
	  struct err *err)
{
	cJSON *files = json_arr();

	json_set(q, "files", files);
	for (size_t i = 0; i < c->count; i++) {
		const struct repo_file *f = &c->file[i];
		cJSON *o = json_obj();

		json_set_str(o, "path", f->path);
		json_set_int(o, "len", f->data ? (int64_t)f->len : -1);
		json_push(files, o);
		if (f->data)
			buf_add(body, f->data, f->len);
	}
	if (c->count <= REPO_FILES_MAX && !body->over)
		return 0;
	err_set(err, ERR_INPUT,
		"it is more than %d files or %d MiB for one commit",
		REPO_FILES_MAX, REPO_BYTES_MAX >> 20);
	return err_hint(err, "do it in parts");
}

int
repo_branch_change(const struct repo_place *p, const struct repo_change *c,
		   struct repo_changed *out, struct deadline dl,
		   struct err *err)
{
	AUTO_BUF struct buf body = BUF_INIT_MAX(REPO_BYTES_MAX);
	AUTO_JSON cJSON *q = question(p, "change");
	struct repo_message a;

	json_set_str(q, "branch", c->branch);
	json_set_bool(q, "keep", c->there == REPO_KEEP);
	json_set_str(q, "message", c->message);
	json_set_str(q, "parent", c->parent);
	json_set_str(q, "of", c->of);
	json_set_str(q, "expect", c->expect);
	if (add_files(q, c, &body, err) || ask_child(q, &body, &a, dl, err))
		return err_wrap(err, "branch '%s'", c->branch);
	(void)snprintf(out->commit, sizeof(out->commit), "%s",
		       json_str(a.head, "commit", ""));
	out->files = (size_t)json_int(a.head, "changed", 0);
	out->tries = (unsigned)json_int(a.head, "tries", 0);
	repo_message_done(&a);
	return 0;
}
