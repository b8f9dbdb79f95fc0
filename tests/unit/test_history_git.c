#include <pthread.h>

#include "history/history.h"
#include "repo/repo_child.h"
#include "tests/unit/git_remote.h"

enum { WRITERS = 8, EACH = 2 };

static struct history *
open_of(const char *state)
{
	AUTO_FREE char *remote = mem_fmt("%s/far.git", git_dir);
	AUTO_FREE char *state_dir = mem_fmt("%s/%s", git_dir, state);
	/* Borrowed while it is open, so they stay until the program ends. */
	static char kept[64][600];
	static int used;
	char *r = kept[__atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST)];
	char *d = kept[__atomic_fetch_add(&used, 1, __ATOMIC_SEQ_CST)];
	struct history *h = NULL;
	struct err err = ERR_INIT;

	snprintf(r, sizeof(kept[0]), "%s", remote);
	snprintf(d, sizeof(kept[0]), "%s", state_dir);
	CHECK(history_open(
		      &h, "git:days",
		      &(struct history_access){.remote = r, .state_dir = d},
		      &err) == 0);
	return h;
}

static struct history_entry
entry(const char *time, int n)
{
	char *text = mem_fmt("{\"n\": %d}", n);

	return (struct history_entry){
		.id = mem_fmt("%s-%d-00000000", time, n),
		.text = text,
		.len = strlen(text),
	};
}

static size_t
add(struct history *h, const char *time, int n)
{
	struct history_entry e = entry(time, n);
	struct err err = ERR_INIT;
	size_t added = 99;

	CHECK(history_add(h, &e, 1, &added, git_in(60000), &err) == 0);
	if (err.code)
		printf("# %s\n", err.msg);
	history_entry_done(&e);
	return added;
}

static int
see(void *arg, const char *id, const char *text, size_t len, struct err *err)
{
	(void)err;
	buf_fmt(arg, "%.8s %.*s\n", id, (int)len, text);
	return 0;
}

static void
shows(struct history *h, size_t most, const char *want)
{
	AUTO_BUF struct buf seen = BUF_INIT;
	struct err err = ERR_INIT;
	struct history_ids ids;

	REQUIRE(history_list(h, most, &ids, git_in(30000), &err) == 0);
	CHECK(history_read(h, ids.item, ids.count, see, &seen, git_in(30000),
			   &err) == 0);
	CHECK_STR(seen.data, want);
	history_ids_done(&ids);
}

static void
records_are_kept(void)
{
	struct history *h;
	struct history_entry e[2] = {entry("20261201T000000Z", 3),
				     entry("20261130T230000Z", 2)};
	struct err err = ERR_INIT;
	size_t added;

	git_make();
	h = open_of("state");
	shows(h, 0, "");
	CHECK(add(h, "20261130T104600Z", 1) == 1);
	CHECK(add(h, "20261130T104600Z", 1) == 0);
	CHECK(history_add(h, e, 2, &added, git_in(30000), &err) == 0);
	CHECK(added == 2);
	shows(h, 0,
	      "20261130 {\"n\": 1}\n20261130 {\"n\": 2}\n"
	      "20261201 {\"n\": 3}\n");
	shows(h, 1, "20261201 {\"n\": 3}\n");
	GIT_SAYS("2026-11/20261130T104600Z-1-00000000.json\n"
		 "2026-11/20261130T230000Z-2-00000000.json\n"
		 "2026-12/20261201T000000Z-3-00000000.json",
		 "git -C far.git ls-tree -r --name-only days");
	GIT_SAYS("history: 2 runs, the last 20261130T230000Z-2-00000000\n"
		 "history: 20261130T104600Z-1-00000000",
		 "git -C far.git log --format=%%s days");
	CHECK(history_remove(h, &e[0].id, 1, git_in(30000), &err) == 0);
	CHECK(history_remove(h, &e[0].id, 1, git_in(30000), &err) == 0);
	shows(h, 0, "20261130 {\"n\": 1}\n20261130 {\"n\": 2}\n");
	history_entry_done(&e[0]);
	history_entry_done(&e[1]);
	history_close(h);
	git_unmake();
}

/* Files of others, also more of them than the list was asked for. */
static void
strangers_are_not_looked_at(void)
{
	struct history *h;

	git_make();
	h = open_of("state");
	CHECK(add(h, "20261130T104600Z", 1) == 1);
	git_do("git clone -q -b days far.git w; cd w; echo r >README.md;"
	       "mkdir z; for i in $(seq 150); do echo >z/$i; done;"
	       "echo >2026-11/20261130T104600Z-1.txt;"
	       "echo >2026-11/20261030T104600Z-1-00000000.json;"
	       "git add .; git commit -qm other; git push -q");
	shows(h, 1, "20261130 {\"n\": 1}\n");
	shows(h, 0, "20261130 {\"n\": 1}\n");
	CHECK(add(h, "20261201T104600Z", 2) == 1);
	GIT_SAYS("155", "git -C far.git ls-tree -r --name-only days | wc -l");
	history_close(h);
	git_unmake();
}

static int
see_long(void *arg, const char *id, const char *text, size_t len,
	 struct err *err)
{
	return len > HISTORY_RECORD_MAX ? see(arg, id, "long", 4, err)
					: see(arg, id, text, len, err);
}

static void
one_that_is_too_long_spoils_no_other(void)
{
	struct history *h;
	struct history_ids ids;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;

	git_make();
	h = open_of("state");
	CHECK(add(h, "20261129T104600Z", 1) == 1);
	git_do("git clone -q -b days far.git w; cd w;"
	       "head -c 5000000 /dev/zero >2026-11/20261130T104600Z-2-x.json;"
	       "git add .; git commit -qm long; git push -q");
	REQUIRE(history_list(h, 0, &ids, git_in(30000), &err) == 0);
	CHECK(history_read(h, ids.item, ids.count, see_long, &seen,
			   git_in(30000), &err) == 0);
	CHECK_STR(seen.data, "20261129 {\"n\": 1}\n20261130 long\n");
	history_ids_done(&ids);
	history_close(h);
	git_unmake();
}

static void
a_forced_push_takes_records_away(void)
{
	struct history *h;
	struct history_ids ids;
	struct err err = ERR_INIT;
	AUTO_BUF struct buf seen = BUF_INIT;

	git_make();
	h = open_of("state");
	CHECK(add(h, "20261129T104600Z", 1) == 1);
	CHECK(add(h, "20261130T104600Z", 2) == 1);
	REQUIRE(history_list(h, 0, &ids, git_in(30000), &err) == 0);
	CHECK(ids.count == 2);
	git_do("git -C far.git update-ref refs/heads/days days~1;"
	       "git -C far.git gc -q --prune=now; rm -rf state");
	CHECK(history_read(h, ids.item, 2, see, &seen, git_in(30000), &err) ==
	      0);
	CHECK_STR(seen.data, "20261129 {\"n\": 1}\n");
	history_ids_done(&ids);
	shows(h, 0, "20261129 {\"n\": 1}\n");
	CHECK(add(h, "20261130T104600Z", 2) == 1);
	history_close(h);
	git_unmake();
}

/* --- 8 at once ----------------------------------------------------------- */

struct writer {
	pthread_t thread;
	struct history *h;
	int number;
	size_t added;
};

static void *
write_some(void *arg)
{
	struct writer *w = arg;

	for (int i = 0; i < EACH; i++)
		w->added += add(w->h, "20261130T104600Z", w->number * EACH + i);
	return NULL;
}

static void
nothing_is_lost(bool one_machine)
{
	struct writer w[WRITERS];
	struct history_ids ids;
	struct history *h;
	struct err err = ERR_INIT;

	git_make();
	for (int i = 0; i < WRITERS; i++) {
		AUTO_FREE char *state = mem_fmt("state%d", one_machine ? 0 : i);

		w[i] = (struct writer){.h = open_of(state), .number = i};
	}
	for (int i = 0; i < WRITERS; i++)
		CHECK(pthread_create(&w[i].thread, NULL, write_some, &w[i]) ==
		      0);
	for (int i = 0; i < WRITERS; i++) {
		CHECK(pthread_join(w[i].thread, NULL) == 0);
		CHECK(w[i].added == EACH);
		history_close(w[i].h);
	}
	h = open_of("other");
	CHECK(history_list(h, 0, &ids, git_in(30000), &err) == 0);
	CHECK(ids.count == (size_t)WRITERS * EACH);
	history_ids_done(&ids);
	history_close(h);
	GIT_SAYS("16", "git -C far.git rev-list --count days");
	git_unmake();
}

static void
eight_machines(void)
{
	nothing_is_lost(false);
}

static void
eight_of_one_machine(void)
{
	nothing_is_lost(true);
}

static void
urls_are_checked(void)
{
	struct err err = ERR_INIT;

	CHECK(history_check("git:patrol-history", &err) == 0);
	CHECK(history_check("git:", &err) == -1);
	CHECK(err.code == ERR_USAGE && err_is(&err, "bad_setting"));
	err_clear(&err);
	CHECK(history_check("git:a b", &err) == -1);
	CHECK(strstr(err.msg, "'a b' is no branch's name") != NULL);
}

static int cases(int argc, char **argv);

int
main(int argc, char **argv)
{
	repo_child(argc, argv);
	return cases(argc, argv);
}

static CHECK_CASES(
	cases,
	CHECK_CASE("records are added, listed, read and removed",
		   records_are_kept),
	CHECK_CASE("files of others are left alone",
		   strangers_are_not_looked_at),
	CHECK_CASE("one that is too long spoils no other",
		   one_that_is_too_long_spoils_no_other),
	CHECK_CASE("records that a forced push took away are no error",
		   a_forced_push_takes_records_away),
	CHECK_CASE("eight machines add at once and lose nothing",
		   eight_machines),
	CHECK_CASE("eight of one machine, too", eight_of_one_machine),
	CHECK_CASE("a branch's name is checked", urls_are_checked), )
