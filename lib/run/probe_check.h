#ifndef PROBE_CHECK_H
#define PROBE_CHECK_H

#include "run/probe.h"
#include "run/probe_wire.h"

/*
 * The checks of conformance, and what they share.  Each says what it got in
 * words; the loop in probe.c names, runs and counts them.
 */
struct probe_look {
	struct run *r;
	struct probe_wire w; /* greeted, or reopened before the next check */
	unsigned caps;	     /* enum control_cap, as hello told */
	size_t max_message;  /* as agreed */
};

struct probe_check {
	const char *name, *expected;
	unsigned cap; /* 0: every server; else skipped without it */
	/* 1: as expected, 0: not, -1: `err` says how it failed. */
	int (*run)(struct probe_look *l, struct deadline dl, struct buf *got,
		   struct err *err);
};

extern const struct probe_check probe_hello_checks[], probe_rpc_checks[],
	probe_calls_checks[];
extern const size_t probe_hello_count, probe_rpc_count, probe_calls_count;

enum { PROBE_ASK_MS = 5000 };

/* Is it this error?  `kind` NULL: one of JSON-RPC's own, known by code. */
int probe_check_error(const cJSON *answer, int code, const char *kind,
		      struct buf *got);
/* An answer in few words. */
void probe_check_describe(const cJSON *answer, struct buf *got);
/* Ask, and expect that error. */
int probe_check_refused(struct probe_look *l, const char *method, cJSON *params,
			int code, const char *kind, struct deadline dl,
			struct buf *got, struct err *err);
/*
 * Ask, and expect a result with these fields ("path:type ...", types s n b a
 * o and ? for any).  `result` may be NULL; else the caller deletes it.
 */
int probe_check_result(struct probe_look *l, const char *method, cJSON *params,
		       const char *fields, cJSON **result, struct deadline dl,
		       struct buf *got, struct err *err);
/* Do the fields hold? 1, or 0 and the first that does not. */
int probe_check_fields(const cJSON *result, const char *fields,
		       struct buf *got);

#endif
