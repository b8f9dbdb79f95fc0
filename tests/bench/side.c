#include "tests/bench/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "transport/proc.h"

_Noreturn void
side_fail(const struct err *err)
{
	fprintf(stderr, "%s\n", err->msg);
	exit(EXIT_FAILURE);
}

struct deadline
side_soon(void)
{
	return deadline_in(NULL, 120000);
}

/* The farm's standard output is not the benchmark's. */
static _Noreturn void
become_farm(char **argv, const char *scenario)
{
	const char *build = getenv("PATROL_BUILD");
	AUTO_FREE char *farm =
		file_join(build ? build : "build/plain", "patrol-farm");
	AUTO_FREE char *dir = mem_strdup("/dev/shm/patrol-bench-XXXXXX");
	AUTO_FREE char *file = NULL;
	struct err err = ERR_INIT;

	if (!mkdtemp(dir))
		exit(EXIT_FAILURE);
	(void)setenv("PATROL_BENCH_DIR", dir, 1); /* else no folder below */
	file = file_join(dir, "scenario.yaml");
	if (scenario && file_write_raw(file, scenario, strlen(scenario), &err))
		side_fail(&err);
	if (scenario)
		execl(farm, farm, "--dir", dir, "--scenario", file, "--",
		      argv[0], (char *)NULL);
	else
		execl(farm, farm, "--dir", dir, "--", argv[0], (char *)NULL);
	perror(farm);
	exit(EXIT_FAILURE);
}

char *
side_farm(char **argv, const char *scenario)
{
	const char *dir = getenv("PATROL_BENCH_DIR");

	if (!dir)
		become_farm(argv, scenario);
	return mem_strdup(dir);
}

void
side_done(char *dir)
{
	struct err err = ERR_INIT;

	if (file_remove_tree(dir, &err))
		fprintf(stderr, "%s\n", err.msg);
	free(dir);
}

void
side_spawn(const char *const *argv, const char *const *env)
{
	struct proc_spec spec = {.argv = argv, .env = env, .out_fd = -1};
	AUTO_BUF struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	int status = 0;

	if (proc_capture(&spec, &out, &status, side_soon(), &err))
		side_fail(&err);
	if (status) {
		fprintf(stderr, "%s %s: %s\n", argv[0], argv[1], out.data);
		exit(EXIT_FAILURE);
	}
}

static int
by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

struct side_times
side_compare(const struct side *s)
{
	int64_t took[2][SIDE_ROUNDS];

	for (int i = 0; i < SIDE_ROUNDS; i++)
		for (int n = 0; n < 2; n++) {
			int which = (n + i) % 2; /* none is always first */
			int64_t began;

			if (s->before)
				s->before(s->arg);
			began = deadline_now_us();
			for (int k = 0; k < s->repeat; k++)
				(which ? s->theirs : s->ours)(s->arg);
			took[which][i] = deadline_now_us() - began;
		}
	for (int n = 0; n < 2; n++)
		qsort(took[n], SIDE_ROUNDS, sizeof(took[0][0]), by_size);
	return (struct side_times){
		.ours_us = (double)took[0][SIDE_ROUNDS / 2] / s->repeat,
		.theirs_us = (double)took[1][SIDE_ROUNDS / 2] / s->repeat,
	};
}

double
side_peak_mib(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[200];
	double kib = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, "VmHWM:", 6) == 0)
			kib = strtod(line + 6, NULL);
	if (f)
		(void)fclose(f); /* only read */
	return kib / 1024;
}
