/*
 * Runs a fuzz target over files and folders with any compiler.  Each input is
 * given whole, empty, and cut at up to 64 places: a stream that ends early is
 * the commonest bad input of all.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { INPUT_MAX = 16 << 20, CUTS = 64 };

static size_t inputs;

static void
die(const char *what)
{
	fprintf(stderr, "driver: '%s': %s\n", what, strerror(errno));
	exit(2);
}

/* From a block of its exact size, so that a sanitizer sees each read past. */
static void
run_cut(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		die("malloc");
	if (size)
		memcpy(copy, data, size);
	(void)LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static void
run_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(INPUT_MAX);
	size_t size;

	if (!f || !data)
		die(path);
	size = fread(data, 1, INPUT_MAX, f);
	if (ferror(f))
		die(path);
	(void)fclose(f);
	run_cut(data, size);
	run_cut(data, 0);
	for (size_t i = 1; i < CUTS; i++)
		run_cut(data, size * i / CUTS);
	free(data);
	inputs++;
}

static void
run_path(const char *path)
{
	struct stat st;
	struct dirent *e;
	DIR *dir;

	if (stat(path, &st) != 0)
		die(path);
	if (!S_ISDIR(st.st_mode)) {
		run_file(path);
		return;
	}
	dir = opendir(path);
	if (!dir)
		die(path);
	while ((e = readdir(dir))) {
		char child[4096];
		int n = snprintf(child, sizeof(child), "%s/%s", path,
				 e->d_name);

		if (e->d_name[0] == '.')
			continue;
		if (n < 0 || (size_t)n >= sizeof(child)) {
			errno = ENAMETOOLONG;
			die(path);
		}
		run_path(child);
	}
	(void)closedir(dir);
}

int
main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_path(argv[i]);
	if (!inputs) {
		fprintf(stderr, "%s: no input: give it a corpus\n", argv[0]);
		return 2;
	}
	return 0;
}
