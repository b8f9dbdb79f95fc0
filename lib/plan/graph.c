#include "plan/graph.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "transport/proc.h"

enum { LABEL = 40 };

/* Which transitions the route uses; free() it. */
static bool *
used_by(const struct plan *plan, const struct route *route)
{
	bool *used = mem_array(plan->transition_count + 1, sizeof(bool));

	for (size_t i = 0; route && i < route->path.count; i++) {
		if (route->path.step[i].transition != ROUTE_RESTART)
			used[route->path.step[i].transition] = true;
	}
	return used;
}

/* "tap //Footer/Party", cut; several actions: the first and how many more. */
static char *
label_of(const struct plan_transition *t)
{
	AUTO_BUF struct buf b = BUF_INIT;
	AUTO_FREE char *text = NULL;
	size_t len;

	if (t->actions.count == 0)
		return mem_strdup("");
	text = plan_action_text(&t->actions.item[0]);
	len = strcspn(text, "\r\n");
	/* Not through the middle of a character. */
	if (len > LABEL) {
		len = LABEL;
		while (len && ((unsigned char)text[len] & 0xC0) == 0x80)
			len--;
	}
	buf_escaped(&b, text, len);
	if (text[len])
		buf_str(&b, "...");
	if (t->actions.count > 1)
		buf_fmt(&b, " +%zu", t->actions.count - 1);
	return buf_take(&b);
}

/* Inside of "..." in dot. */
static void
dot_text(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_chr(out, '\\');
		buf_chr(out, (unsigned char)*s < 0x20 ? ' ' : *s);
	}
}

static void
dot_screen(const struct plan *plan, size_t i, struct buf *out)
{
	const struct plan_screen *s = &plan->screen[i];

	buf_fmt(out, "\ts%zu [label=\"", i);
	dot_text(out, s->name);
	buf_chr(out, '"');
	if ((int)i == plan->route.start)
		buf_str(out, ", shape=oval");
	if (s->visited)
		buf_str(out, ", style=\"filled,rounded\", "
			     "fillcolor=\"#dbeafe\"");
	buf_str(out, "];\n");
}

static void
dot_transition(const struct plan_transition *t, bool used, struct buf *out)
{
	AUTO_FREE char *label = label_of(t);

	if (t->from == PLAN_ANY_SCREEN)
		buf_fmt(out, "\tany -> s%d [label=\"", t->to);
	else
		buf_fmt(out, "\ts%d -> s%d [label=\"", t->from, t->to);
	dot_text(out, label);
	buf_chr(out, '"');
	if (used)
		buf_str(out, ", color=\"#1d4ed8\", penwidth=2");
	if (t->disabled)
		buf_str(out, ", style=dotted, color=gray");
	else if (t->origin == PLAN_FROM_BACK)
		buf_str(out, ", style=dashed");
	buf_str(out, "];\n");
}

static bool
has_any(const struct plan *plan)
{
	for (size_t i = 0; i < plan->transition_count; i++) {
		if (plan->transition[i].from == PLAN_ANY_SCREEN)
			return true;
	}
	return false;
}

void
graph_dot(const struct plan *plan, const struct route *route, struct buf *out)
{
	AUTO_FREE bool *used = used_by(plan, route);

	buf_str(out, "digraph plan {\n"
		     "\trankdir=LR;\n"
		     "\tnode [shape=box, style=rounded, fontname=\"sans-serif\""
		     ", fontsize=12];\n"
		     "\tedge [fontname=\"sans-serif\", fontsize=9];\n");
	for (size_t i = 0; i < plan->screen_count; i++)
		dot_screen(plan, i, out);
	if (has_any(plan))
		buf_str(out, "\tany [label=\"any screen\", shape=plain];\n");
	for (size_t i = 0; i < plan->transition_count; i++)
		dot_transition(&plan->transition[i], used[i], out);
	buf_str(out, "}\n");
}

/* Mermaid takes HTML entities in quoted labels, written with '#'. */
static void
mermaid_text(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20)
			buf_chr(out, ' ');
		else if (strchr("\"#;<>&|`", *s))
			buf_fmt(out, "#%d;", *s);
		else
			buf_chr(out, *s);
	}
}

static void
mermaid_transition(const struct plan_transition *t, bool used, struct buf *out)
{
	AUTO_FREE char *label = label_of(t);
	const char *line = used ? "==>" : t->disabled ? "-.->" : "-->";

	if (t->from == PLAN_ANY_SCREEN)
		buf_fmt(out, "\tany %s|\"", line);
	else
		buf_fmt(out, "\ts%d %s|\"", t->from, line);
	mermaid_text(out, label);
	buf_fmt(out, "\"| s%d\n", t->to);
}

void
graph_mermaid(const struct plan *plan, const struct route *route,
	      struct buf *out)
{
	AUTO_FREE bool *used = used_by(plan, route);

	buf_str(out, "flowchart LR\n");
	for (size_t i = 0; i < plan->screen_count; i++) {
		buf_fmt(out, "\ts%zu[\"", i);
		mermaid_text(out, plan->screen[i].name);
		buf_fmt(out, "\"]%s\n",
			plan->screen[i].visited ? ":::visited" : "");
	}
	if (has_any(plan))
		buf_str(out, "\tany([\"any screen\"])\n");
	for (size_t i = 0; i < plan->transition_count; i++)
		mermaid_transition(&plan->transition[i], used[i], out);
	buf_str(out, "\tclassDef visited fill:#dbeafe\n");
}

static void
text_screen(const struct plan *plan, int screen, struct buf *out)
{
	const char *name = plan->screen[screen].name;

	buf_escaped(out, name, strlen(name));
}

static void
text_transition(const struct plan *plan, size_t i, bool used, struct buf *out)
{
	const struct plan_transition *t = &plan->transition[i];
	AUTO_FREE char *label = label_of(t);

	buf_fmt(out, "  %c ", used ? '*' : '-');
	text_screen(plan, t->to, out);
	buf_fmt(out, "  %s", label);
	if (t->cost != 1)
		buf_fmt(out, "  (cost %lld)", (long long)t->cost);
	if (t->disabled)
		buf_str(out, "  (disabled)");
	buf_chr(out, '\n');
}

/* Transitions in the order of their source, each source's in file order. */
static size_t *
by_source(const struct plan *plan, size_t **first)
{
	size_t n = plan->screen_count;
	size_t *begin = mem_array(n + 3, sizeof(size_t));
	size_t *order = mem_array(plan->transition_count + 1, sizeof(size_t));

	/* Slot 0 is "*", which is -1. */
	for (size_t i = 0; i < plan->transition_count; i++)
		begin[plan->transition[i].from + 3]++;
	for (size_t i = 2; i < n + 3; i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < plan->transition_count; i++)
		order[begin[plan->transition[i].from + 2]++] = i;
	*first = begin;
	return order;
}

void
graph_text(const struct plan *plan, const struct route *route, struct buf *out)
{
	AUTO_FREE bool *used = used_by(plan, route);
	AUTO_FREE size_t *first = NULL;
	AUTO_FREE size_t *order = by_source(plan, &first);

	for (size_t s = 0; s <= plan->screen_count; s++) {
		if (s == 0 && first[1] == first[0])
			continue;
		if (s == 0) {
			buf_str(out, "from any screen");
		} else {
			text_screen(plan, (int)s - 1, out);
			if (plan->screen[s - 1].visited)
				buf_str(out, "  (visited)");
		}
		buf_chr(out, '\n');
		for (size_t i = first[s]; i < first[s + 1]; i++)
			text_transition(plan, order[i], used[order[i]], out);
	}
}

/* Graphviz reads a file: a child of ours has no standard input. */
static int
run_dot(const char *file, struct buf *out, struct deadline dl, struct err *err)
{
	const char *const argv[] = {"dot", "-Tsvg", file, NULL};
	const struct proc_spec spec = {.argv = argv, .out_fd = -1};
	int status;

	if (proc_capture(&spec, out, &status, dl, err)) {
		if (err->code == ERR_NOTFOUND)
			return err_hint(err, "install graphviz, or take "
					     "--format dot or mermaid");
		return -1;
	}
	if (status != 0)
		return err_set(err, ERR_IO, "dot ended with %d: %.200s", status,
			       out->data);
	return 0;
}

int
graph_svg(const struct plan *plan, const struct route *route, struct buf *out,
	  struct deadline dl, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	AUTO_FREE char *file =
		mem_fmt("%s/patrol-graph-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	AUTO_BUF struct buf dot = BUF_INIT_MAX(64 << 20);
	AUTO_FD int fd = -1;
	int rc;

	graph_dot(plan, route, &dot);
	if (buf_check(&dot, "the graph", err))
		return -1;
	fd = mkstemp(file);
	if (fd < 0)
		return err_sys(err, "create '%s'", file);
	rc = file_write_all(fd, dot.data, dot.len, file, err);
	if (rc == 0)
		rc = run_dot(file, out, dl, err);
	(void)unlink(file); /* a leftover in /tmp is no failure */
	return rc;
}
