#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "cmd/cmd.h"
#include "cmd/help.h"
#include "cmd/table.h"
#include "repo/repo_child.h"

/* Set once before the handlers are; read by them. */
static struct cancel stop;
static volatile sig_atomic_t interrupts;
static pid_t parent;

/*
 * GitHub sends SIGINT, then SIGTERM 7.5 s later: both mean stop and clean up.
 * Only a second SIGINT, by a person, abandons.
 */
static void
on_signal(int number)
{
	if (number == SIGINT)
		interrupts++;
	deadline_cancel_raise(&stop, interrupts > 1 ? 2 : 1);
}

/*
 * The kernel sends this when the thread that started us ends.  A runner with
 * a pool of threads outlives such a thread: only without the runner is nobody
 * left to read what we find.
 */
static void
on_parent_gone(int number)
{
	(void)number;
	if (getppid() != parent)
		deadline_cancel_raise(&stop, 1);
}

static int
watch_signals(struct err *err)
{
	struct sigaction sa = {.sa_handler = on_signal}, before;
	struct sigaction gone = {.sa_handler = on_parent_gone};

	if (deadline_cancel_init(&stop, err))
		return -1;
	sigemptyset(&sa.sa_mask);
	sigemptyset(&gone.sa_mask);
	(void)sigaction(SIGINT, &sa, NULL);
	(void)sigaction(SIGTERM, &sa, NULL);
	/* Not under nohup. */
	if (sigaction(SIGHUP, NULL, &before) == 0 &&
	    before.sa_handler != SIG_IGN)
		(void)sigaction(SIGHUP, &sa, NULL);
	/* A write that can't be is an error with its words, not our end. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	/* bash dies of SIGTERM and would leave us running. */
	parent = getppid();
	(void)sigaction(SIGUSR1, &gone, NULL);
	(void)prctl(PR_SET_PDEATHSIG, SIGUSR1);
	return 0;
}

int
cmd_status(const struct err *err)
{
	switch (err->code) {
	case ERR_NONE:
		return CMD_OK;
	case ERR_USAGE:
	case ERR_INPUT:
		return CMD_USAGE;
	case ERR_TIMEOUT:
		return CMD_TIMEOUT;
	case ERR_CANCELLED:
		return CMD_CANCELLED;
	default:
		return CMD_INFRA;
	}
}

static bool
asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 ||
		    strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}

static int
call(const struct command *c, int argc, char **argv, struct err *err)
{
	struct cmd_context ctx = {.cancel = &stop};
	int status = -1;

	ctx.options = mem_alloc(c->options_size);
	if (opt_parse(c->options, argc, argv, ctx.options, &ctx.args, err) == 0)
		status = c->run(&ctx, err);
	else
		err_hint(err, "`patrol %s --help` lists the options", c->name);
	opt_list_done(&ctx.args);
	opt_done(c->options, ctx.options);
	free(ctx.options);
	return status;
}

/* What could not be printed was not said: a full disk is no success. */
static int
said(int status)
{
	struct err err = ERR_INIT;

	/* What failed before this flush left no errno that can be trusted. */
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (errno)
		err_sys(&err, "write to stdout");
	else
		err_set(&err, ERR_IO,
			"write to stdout: not all was taken; its disk is full "
			"or its reader gone");
	log_error("%s", err.msg);
	return status == CMD_OK ? CMD_INFRA : status;
}

int
main(int argc, char **argv)
{
	static char version[] = "version";
	struct err err = ERR_INIT;
	const struct command *c;
	size_t used = 0;
	int status;

	file_std_open();
	repo_child(argc, argv);
	if (getenv("RUNNER_DEBUG") || getenv("PATROL_DEBUG"))
		log_set_level(LOG_DEBUG);
	if (argc < 2 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0) {
		help_overview(argc < 2 ? stderr : stdout);
		return argc < 2 ? CMD_USAGE : said(CMD_OK);
	}
	if (strcmp(argv[1], "--version") == 0)
		argv[1] = version;
	if (watch_signals(&err)) {
		log_error("%s", err.msg);
		return CMD_INFRA;
	}
	if (table_is_group(argv[1]) && argc == 3 &&
	    asks_for_help(argc - 1, argv + 1)) {
		help_group(argv[1]);
		return said(CMD_OK);
	}
	c = table_find((const char *const *)argv + 1, (size_t)argc - 1, &used);
	if (c == NULL) {
		table_unknown((const char *const *)argv + 1, (size_t)argc - 1,
			      &err);
		log_error("%s", err.msg);
		return CMD_USAGE;
	}
	if (asks_for_help(argc - (int)used, argv + used)) {
		help_page(c, stdout);
		return said(CMD_OK);
	}
	status = call(c, argc - (int)used, argv + used, &err);
	if (status < 0) {
		log_error("%s", err.msg);
		status = cmd_status(&err);
	}
	deadline_cancel_done(&stop);
	return said(status);
}
