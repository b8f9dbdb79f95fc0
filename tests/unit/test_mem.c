#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

static void
fresh_memory_is_zero(void)
{
	unsigned char *p = mem_alloc(64);
	uint32_t *a = mem_array(8, sizeof(*a));

	for (size_t i = 0; i < 64; i++)
		CHECK(p[i] == 0);
	for (size_t i = 0; i < 8; i++)
		CHECK(a[i] == 0);
	free(p);
	free(a);
	p = mem_alloc(0);
	CHECK(p);
	free(p);
	p = mem_array(0, 8);
	CHECK(p);
	p = mem_resize(p, 0, 8);
	CHECK(p);
	free(p);
}

static void
copies(void)
{
	char *s = mem_strdup("abc"), *n = mem_strndup("abcdef", 2),
	     *d = mem_dup("ab\0c", 4), *f = mem_fmt("%s-%d", "x", 7);

	CHECK_STR(s, "abc");
	CHECK_STR(n, "ab");
	CHECK(memcmp(d, "ab\0c", 4) == 0);
	CHECK_STR(f, "x-7");
	CHECK(!mem_strdup(NULL));
	free(s);
	free(n);
	free(d);
	free(f);
	d = mem_dup(NULL, 0);
	CHECK(d);
	free(d);
}

static void
arrays_grow(void)
{
	struct {
		int *item;
		size_t count, room;
	} list = {0};

	for (int i = 0; i < 1000; i++) {
		MEM_GROW(list.item, list.count, list.room);
		list.item[list.count++] = i;
	}
	for (int i = 0; i < 1000; i++)
		CHECK(list.item[i] == i);
	free(list.item);
}

/* What a child says that asks for `count` times `size`, and how it ends. */
static int
ask(size_t count, size_t size, char *said, size_t room)
{
	struct rlimit none = {0, 0};
	int fd[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(fd))
		return -1;
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)setrlimit(RLIMIT_CORE, &none);
		(void)dup2(fd[1], STDERR_FILENO);
		free(mem_resize(NULL, count, size));
		_exit(0);
	}
	close(fd[1]);
	n = read(fd[0], said, room - 1);
	said[n > 0 ? n : 0] = '\0';
	close(fd[0]);
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

static void
exhaustion_ends_the_program(void)
{
	char said[512];
	int status = ask(SIZE_MAX / 8, 16, said, sizeof(said));

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	CHECK(status != 0);
#else
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	CHECK_HAS(said, "patrol: out of memory; 'patrol reap'");
#endif
}

static void
scopes_clean_up(void)
{
	int kept;

	{
		AUTO_FD int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
		AUTO_FD int none = -1;
		AUTO_FREE char *s = mem_strdup("freed");

		CHECK(fd >= 0 && none < 0 && s);
		kept = fd;
	}
	CHECK(fcntl(kept, F_GETFD) == -1 && errno == EBADF);
}

CHECK_MAIN(CHECK_CASE("fresh memory is zero, also of no size",
		      fresh_memory_is_zero),
	   CHECK_CASE("copies are copies", copies),
	   CHECK_CASE("an array grows one by one", arrays_grow),
	   CHECK_CASE("exhaustion and overflow end the program with a hint",
		      exhaustion_ends_the_program),
	   CHECK_CASE("a scope frees and closes what it has",
		      scopes_clean_up), )
