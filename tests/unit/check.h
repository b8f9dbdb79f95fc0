#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include) && __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

/*
 * A test is a function named by what must hold, in a table:
 *
 *	CHECK_MAIN(
 *		CHECK_CASE("a refusal keeps the reason", refusal_keeps_reason),
 *	)
 *
 * CHECK notes a failure and goes on, REQUIRE leaves the test.  Output is one
 * line a test: "ok - NAME" or "not ok - NAME", places of failures before it.
 * One argument runs only the tests whose name contains it.
 */
struct check_case {
	const char *name;
	void (*fn)(void);
};
#define CHECK_CASE(name, fn) \
	{                    \
		name, fn     \
	}

static int check_failed_;

#define CHECK(cond)                                                         \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			check_failed_++;                                    \
		}                                                           \
	} while (0)
#define REQUIRE(cond)                                                       \
	do {                                                                \
		if (!(cond)) {                                              \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #cond); \
			check_failed_++;                                    \
			return;                                             \
		}                                                           \
	} while (0)
#define CHECK_STR(a, b)                                                 \
	do {                                                            \
		const char *a_ = (a), *b_ = (b);                        \
		if (!a_ || !b_ || strcmp(a_, b_) != 0) {                \
			printf("# %s:%d: '%s' is not '%s'\n", __FILE__, \
			       __LINE__, a_ ? a_ : "(null)",            \
			       b_ ? b_ : "(null)");                     \
			check_failed_++;                                \
		}                                                       \
	} while (0)
/* `a` contains `b` */
#define CHECK_HAS(a, b)                                                \
	do {                                                           \
		const char *a_ = (a), *b_ = (b);                       \
		if (!a_ || !strstr(a_, b_)) {                          \
			printf("# %s:%d: '%s' lacks '%s'\n", __FILE__, \
			       __LINE__, a_ ? a_ : "(null)", b_);      \
			check_failed_++;                               \
		}                                                      \
	} while (0)

#define CHECK_MAIN(...) CHECK_CASES(main, __VA_ARGS__)
/* The same as a function, for a program that has a main() of its own. */
#define CHECK_CASES(name_, ...)                                              \
	int name_(int argc, char **argv)                                     \
	{                                                                    \
		static const struct check_case cases[] = {__VA_ARGS__};      \
		int failed = 0;                                              \
		for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]);     \
		     i++) {                                                  \
			if (argc > 1 && !strstr(cases[i].name, argv[1]))     \
				continue;                                    \
			check_failed_ = 0;                                   \
			cases[i].fn();                                       \
			failed += check_failed_ != 0;                        \
			printf("%s - %s\n", check_failed_ ? "not ok" : "ok", \
			       cases[i].name);                               \
			fflush(stdout);                                      \
		}                                                            \
		return failed ? EXIT_FAILURE : EXIT_SUCCESS;                 \
	}

#endif
