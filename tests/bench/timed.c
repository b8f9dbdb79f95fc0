#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/*
 * timed FILE COMMAND ARG...: run it and write to FILE
 *
 *	WALL_US CPU_US PEAK_KIB STATUS
 *
 * PEAK_KIB is that of the largest process among it and its children.
 */
static long long
us(long long sec, long long usec)
{
	return sec * 1000000 + usec;
}

int
main(int argc, char **argv)
{
	struct timespec from, to;
	struct rusage use;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 2;
	(void)clock_gettime(CLOCK_MONOTONIC, &from); /* cannot fail */
	pid = fork();
	if (pid == 0) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0) {
		perror("timed");
		return 2;
	}
	(void)clock_gettime(CLOCK_MONOTONIC, &to);
	status = WIFEXITED(status) ? WEXITSTATUS(status)
				   : 128 + WTERMSIG(status);
	f = fopen(argv[1], "we");
	if (!f)
		return 2;
	fprintf(f, "%lld %lld %ld %d\n",
		us(to.tv_sec - from.tv_sec, (to.tv_nsec - from.tv_nsec) / 1000),
		us(use.ru_utime.tv_sec + use.ru_stime.tv_sec,
		   use.ru_utime.tv_usec + use.ru_stime.tv_usec),
		use.ru_maxrss, status);
	return fclose(f) ? 2 : status;
}
