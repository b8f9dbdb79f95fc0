#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "check.h"
#include "history/history.h"

/* What holds for any store, on the one that is a folder. */
static const struct history_access nobody = {.state_dir = "."};

static struct deadline
soon(void)
{
	return deadline_in(NULL, 60000);
}

/* A folder for one case, and "dir:" of it; free both. */
static char *
new_url(char **dir)
{
	const char *base = getenv("TMPDIR");

	*dir = mem_fmt("%s/history.XXXXXX", base ? base : "/tmp");
	if (mkdtemp(*dir) == NULL)
		exit(EXIT_FAILURE);
	return mem_fmt("dir:%s", *dir);
}

static struct history *
open_url(const char *url)
{
	struct err err = ERR_INIT;
	struct history *h = NULL;

	if (history_open(&h, url, &nobody, &err)) {
		printf("# %s\n", err.msg);
		exit(EXIT_FAILURE);
	}
	return h;
}

static struct history_entry
entry(int day, int number)
{
	struct history_entry e = {.id = mem_fmt("202611%02dT040000Z-%d-%08x",
						day, number, (unsigned)number)};

	e.text = mem_fmt("{\"id\":\"%s\"}", e.id);
	e.len = strlen(e.text);
	return e;
}

static int
add_one(struct history *h, int day, int number, size_t *added, struct err *err)
{
	struct history_entry e = entry(day, number);
	int rc = history_add(h, &e, 1, added, soon(), err);

	free(e.id);
	free(e.text);
	return rc;
}

static void
foreign_names(void)
{
	static char wrong[][48] = {
		"", "../../../../etc/passwd", "20261130T040000Z-1-a/../b",
		"20261130T040000Z-1-a'--", "20261330T040000Z-1-aaaaaaaa"};
	AUTO_FREE char *dir = NULL, *url = new_url(&dir);
	struct history *h = open_url(url);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char *id = wrong[i], text[] = "{}";
		struct history_entry e = {id, text, 2};

		CHECK(history_add(h, &e, 1, NULL, soon(), &err) == -1);
		CHECK(err.code == ERR_USAGE);
		err_clear(&err);
		CHECK(history_read(h, &id, 1, NULL, NULL, soon(), &err) == -1);
		err_clear(&err);
		CHECK(history_remove(h, &id, 1, soon(), &err) == -1);
		err_clear(&err);
	}
	history_close(h);
	CHECK(file_remove_tree(dir, &err) == 0);
}

static void
foreign_text(void)
{
	static char large[HISTORY_RECORD_MAX + 1];
	AUTO_FREE char *dir = NULL, *url = new_url(&dir);
	struct history *h = open_url(url);
	struct history_ids ids;
	struct err err = ERR_INIT;
	char id[] = "20261130T040000Z-1-aaaaaaaa";
	char lines[] = "{}\n{}";
	struct history_entry two_lines = {id, lines, 5};
	struct history_entry too_large = {id, large, sizeof(large)};

	memset(large, ' ', sizeof(large));
	CHECK(history_add(h, &two_lines, 1, NULL, soon(), &err) == -1);
	CHECK_HAS(err.msg, "not one line");
	err_clear(&err);
	CHECK(history_add(h, &too_large, 1, NULL, soon(), &err) == -1);
	CHECK_HAS(err.msg, "larger than");
	err_clear(&err);
	CHECK(history_list(h, 0, &ids, soon(), &err) == 0 && ids.count == 0);
	history_close(h);
	CHECK(file_remove_tree(dir, &err) == 0);
}

static int
measure(void *arg, const char *id, const char *text, size_t len,
	struct err *err)
{
	(void)id;
	(void)text;
	(void)err;
	*(size_t *)arg = len;
	return 0;
}

/* Not ours, but there: seen as what it is, a record that can't be used. */
static void
too_long_a_file(void)
{
	AUTO_FREE char *dir = NULL, *url = new_url(&dir);
	AUTO_FREE char *path = mem_fmt("%s/2026-11", dir);
	AUTO_FREE char *file = NULL;
	struct history *h = open_url(url);
	char id[] = "20261130T040000Z-1-aaaaaaaa", *want = id;
	struct err err = ERR_INIT;
	size_t len = 0;

	REQUIRE(file_mkdirs(path, &err) == 0);
	file = mem_fmt("%s/%s.json", path, id);
	REQUIRE(file_write(file, "{}", 2, &err) == 0);
	CHECK(truncate(file, 100000000) == 0);
	CHECK(history_read(h, &want, 1, measure, &len, soon(), &err) == 0);
	CHECK(len > HISTORY_RECORD_MAX && len < 2 * HISTORY_RECORD_MAX);
	history_close(h);
	CHECK(file_remove_tree(dir, &err) == 0);
}

/* --- many at once -------------------------------------------------------- */

enum { WRITERS = 8, EACH = 25, SHARED = 5 };

struct writer {
	pthread_t thread;
	const char *url;
	int number;
	size_t added;
	bool failed;
};

/* Its own records, and some that all the others add too. */
static void *
write_records(void *arg)
{
	struct writer *w = arg;
	struct history *h = open_url(w->url);
	struct err err = ERR_INIT;

	for (int i = 0; i < EACH + SHARED; i++) {
		int n = i < EACH ? 1000 * (w->number + 1) + i : i;
		size_t added = 0;

		w->failed = add_one(h, i % 28 + 1, n, &added, &err) != 0 ||
			    w->failed;
		w->added += added;
	}
	if (w->failed)
		printf("# %s\n", err.msg);
	history_close(h);
	return NULL;
}

static int
check_text(void *arg, const char *id, const char *text, size_t len,
	   struct err *err)
{
	AUTO_FREE char *want = mem_fmt("{\"id\":\"%s\"}", id);

	(void)err;
	++*(size_t *)arg;
	CHECK(len == strlen(want) && memcmp(text, want, len) == 0);
	return 0;
}

static void
eight_writers(void)
{
	AUTO_FREE char *dir = NULL, *url = new_url(&dir);
	struct history *h = open_url(url);
	struct writer w[WRITERS];
	struct history_ids ids;
	struct err err = ERR_INIT;
	size_t seen = 0;

	for (int i = 0; i < WRITERS; i++) {
		w[i] = (struct writer){.url = url, .number = i};
		REQUIRE(pthread_create(&w[i].thread, NULL, write_records,
				       &w[i]) == 0);
	}
	for (int i = 0; i < WRITERS; i++) {
		pthread_join(w[i].thread, NULL);
		CHECK(!w[i].failed);
		CHECK(w[i].added >= EACH);
	}
	REQUIRE(history_list(h, 0, &ids, soon(), &err) == 0);
	CHECK(ids.count == WRITERS * EACH + SHARED);
	CHECK(history_read(h, ids.item, ids.count, check_text, &seen, soon(),
			   &err) == 0);
	CHECK(seen == ids.count);
	history_ids_done(&ids);
	history_close(h);
	CHECK(file_remove_tree(dir, &err) == 0);
}

/* Removes the last that was added, over and over. */
struct pruner {
	pthread_t thread;
	const char *url;
	atomic_bool over;
};

static void *
prune(void *arg)
{
	struct pruner *p = arg;
	struct history *h = open_url(p->url);
	struct history_entry e = entry(1, 1);
	struct err err = ERR_INIT;

	while (!p->over && history_remove(h, &e.id, 1, soon(), &err) == 0)
		;
	free(e.id);
	free(e.text);
	history_close(h);
	return NULL;
}

static void
pruned_meanwhile(void)
{
	enum { ADDS = 1000 };
	AUTO_FREE char *dir = NULL, *url = new_url(&dir);
	struct history *h = open_url(url);
	struct pruner p = {.url = url};
	struct err err = ERR_INIT;
	size_t added;

	REQUIRE(pthread_create(&p.thread, NULL, prune, &p) == 0);
	for (int i = 0; i < ADDS && err.code == 0; i++)
		CHECK(add_one(h, 1, 1, &added, &err) == 0);
	p.over = true;
	pthread_join(p.thread, NULL);
	if (err.code)
		printf("# %s\n", err.msg);
	history_close(h);
	CHECK(file_remove_tree(dir, &err) == 0);
}

CHECK_MAIN(CHECK_CASE("what is no id reaches no store", foreign_names),
	   CHECK_CASE("a record is one line of a bounded length", foreign_text),
	   CHECK_CASE("a file of 100 MB is read no further than a record goes",
		      too_long_a_file),
	   CHECK_CASE("of eight that write at once nothing is lost or doubled",
		      eight_writers),
	   CHECK_CASE("an add succeeds while its month is pruned away",
		      pruned_meanwhile), )
