/*
 * `patrol filter` alone, for the phone itself: the same code without what a
 * phone lacks.  Arguments are those of `patrol filter`; --leash before them
 * means that the end of the standard input is the end of the recording: whoever
 * started us is done with it, or gone.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"

extern const struct command filter_command;

/* Set once before the handlers are; read by them. */
static struct cancel stop;
static volatile sig_atomic_t interrupts;

static void
on_signal(int number)
{
	if (number == SIGINT)
		interrupts++;
	deadline_cancel_raise(&stop, interrupts > 1 ? 2 : 1);
}

static int
watch_signals(struct err *err)
{
	struct sigaction sa = {.sa_handler = on_signal};

	if (deadline_cancel_init(&stop, err))
		return -1;
	sigemptyset(&sa.sa_mask);
	(void)sigaction(SIGINT, &sa, NULL);
	(void)sigaction(SIGTERM, &sa, NULL);
	/* adb's shell is gone: nobody can stop us any more. */
	(void)sigaction(SIGHUP, &sa, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	return 0;
}

static void *
heed_leash(void *arg)
{
	char piece[64];
	ssize_t n;

	do {
		n = read(STDIN_FILENO, piece, sizeof(piece));
	} while (n > 0 || (n < 0 && errno == EINTR));
	deadline_cancel_raise(&stop, 1);
	return arg;
}

static int
take_leash(int *argc, char **argv, struct err *err)
{
	pthread_t thread;

	if (*argc < 2 || strcmp(argv[1], "--leash") != 0)
		return 0;
	/* It ends with the program. */
	errno = pthread_create(&thread, NULL, heed_leash, NULL);
	if (errno)
		return err_sys(err, "start a thread");
	(void)pthread_detach(thread); /* can't fail: it was just made */
	memmove(argv + 1, argv + 2, (size_t)(*argc - 1) * sizeof(*argv));
	--*argc;
	return 0;
}

static int
status_of(const struct err *err)
{
	switch (err->code) {
	case ERR_USAGE:
	case ERR_INPUT:
		return CMD_USAGE;
	case ERR_CANCELLED:
		return CMD_CANCELLED;
	default:
		return CMD_INFRA;
	}
}

int
main(int argc, char **argv)
{
	const struct command *c = &filter_command;
	struct cmd_context ctx = {.cancel = &stop};
	struct err err = ERR_INIT;
	int status = -1;

	file_std_open();
	if (argc < 2 || strcmp(argv[1], "--help") == 0) {
		printf("Usage: %s %s\n%s.\n\nOptions:\n", argv[0], c->usage,
		       c->summary);
		opt_help(c->options, stdout);
		return argc < 2 ? CMD_USAGE : CMD_OK;
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts(PATROL_VERSION);
		return CMD_OK;
	}
	ctx.options = mem_alloc(c->options_size);
	if (watch_signals(&err) == 0 && take_leash(&argc, argv, &err) == 0 &&
	    opt_parse(c->options, argc, argv, ctx.options, &ctx.args, &err) ==
		    0)
		status = c->run(&ctx, &err);
	if (status < 0) {
		log_error("%s", err.msg);
		status = status_of(&err);
	}
	opt_list_done(&ctx.args);
	opt_done(c->options, ctx.options);
	free(ctx.options);
	return status;
}
