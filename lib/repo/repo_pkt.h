#ifndef REPO_PKT_H
#define REPO_PKT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * What git servers say (gitprotocol-pack(5), version 0): lines with their
 * length before them.  Bytes are fed as they come.
 */
struct repo_pkt {
	struct buf half; /* a line that is not whole */
};

enum { REPO_PKT_MAX = 65520, REPO_PKT_OID = 40 };

/* What a feeding function answers besides -1. */
enum repo_pkt_more { REPO_PKT_MORE = 0, REPO_PKT_ENOUGH = 1 };

/*
 * A line, with its end of line if it has one; NULL: a flush.
 * REPO_PKT_ENOUGH: the rest is not looked at.
 */
typedef int repo_pkt_see(void *arg, const char *line, size_t len,
			 struct err *err);

void repo_pkt_init(struct repo_pkt *p);
void repo_pkt_done(struct repo_pkt *p);
int repo_pkt_feed(struct repo_pkt *p, const void *data, size_t len,
		  repo_pkt_see *see, void *arg, struct err *err);

void repo_pkt_line(struct buf *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void repo_pkt_flush(struct buf *out);

/* What a server has, as it says at first. */
struct repo_pkt_refs {
	const char *wanted;	      /* the one that is looked for; borrowed */
	char oid[REPO_PKT_OID + 1];   /* its; "" when it is not there */
	char *caps;		      /* "side-band-64k filter ..." or NULL */
	bool named_service, anything; /* of HTTP's first line; a ref */
};

/* `arg` is a struct repo_pkt_refs, whose caps are to be freed. */
repo_pkt_see repo_pkt_see_ref;
bool repo_pkt_can(const struct repo_pkt_refs *r, const char *cap);

bool repo_pkt_begins(const char *line, size_t len, const char *with);
/* 40 lower-case hex digits. */
bool repo_pkt_is_oid(const char *s, size_t len);

#endif
