#ifndef JS_NAMES_H
#define JS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Which names of the game a piece of JavaScript counts on: the chains, such as
 * "Perf.Capture.Start", that begin with a name which the code itself does not
 * declare and JavaScript does not have.  {name} of the plan is skipped, and so
 * is what stands behind `typeof`.
 *
 * It is a scan, not a parser: what is declared anywhere in the code counts as
 * declared everywhere in it.
 */
struct js_names {
	char **item;  /* each once, in the order of the code */
	bool *called; /* '(' follows */
	size_t count, room, called_room;
};

void js_names_scan(const char *code, struct js_names *out);
void js_names_done(struct js_names *n);

#endif
