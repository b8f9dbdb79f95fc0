#include "plan/plan_read.h"

#include <string.h>

static void
screen_is(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_screen *s = into;

	s->is = plan_read_pred(r, node, "is");
}

static void
screen_settle(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	plan_read_fields(r, node, "settle", plan_read_top_settle, NULL, into);
}

static void
screen_evidence(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	plan_read_fields(r, node, "evidence", plan_read_top_evidence, NULL,
			 into);
}

static const struct plan_field screen_fields[] = {
	{.name = "is", .type = PLAN_FIELD_CALL, .read = screen_is},
	{.name = "back", .type = PLAN_FIELD_OTHER},
	{.name = "hold",
	 .type = PLAN_FIELD_DURATION,
	 .offset = offsetof(struct plan_screen, hold_ms)},
	{.name = "settle",
	 .type = PLAN_FIELD_CALL,
	 .offset = offsetof(struct plan_screen, settle),
	 .read = screen_settle},
	{.name = "evidence",
	 .type = PLAN_FIELD_CALL,
	 .offset = offsetof(struct plan_screen, evidence),
	 .read = screen_evidence},
	{.name = "snapshot",
	 .type = PLAN_FIELD_WORD,
	 .offset = offsetof(struct plan_screen, snapshot),
	 .words = plan_read_top_snapshot},
	{.name = "timeout",
	 .type = PLAN_FIELD_DURATION,
	 .offset = offsetof(struct plan_screen, timeout_ms),
	 .min = 1},
	{.name = NULL},
};

/* A name that files, JSON and Slack can carry. */
static void
check_screen_name(struct plan_reader *r, const struct yaml_node *key)
{
	if (key->text[0] == '\0')
		plan_read_bad(r, key, "a screen without a name");
	else if (strcmp(key->text, "*") == 0)
		plan_read_bad(r, key,
			      "'*' means every screen and can't name "
			      "one");
	else if (strlen(key->text) > 100)
		plan_read_bad(r, key,
			      "a screen's name is longer than 100 "
			      "bytes");
}

void
plan_read_screens(struct plan_reader *r, const struct yaml_node *node)
{
	struct plan *p = r->plan;

	if (plan_read_map(r, node, "screens"))
		return;
	p->screen = plan_mem_array(r->mem, node->count, sizeof(*p->screen));
	p->screen_count = node->count;
	plan_mem_names(r->mem, PLAN_NAMES_SCREEN, node->count);
	for (size_t i = 0; i < node->count; i++) {
		struct plan_screen *s = &p->screen[i];

		check_screen_name(r, node->key[i]);
		*s = (struct plan_screen){
			.name = plan_mem_dup(r->mem, node->key[i]->text),
			.at = plan_read_pos(node->key[i]),
			.hold_ms = p->defaults.hold_ms,
			.settle = p->defaults.settle,
			.evidence = p->defaults.evidence,
			.snapshot = p->defaults.snapshot,
			.timeout_ms = p->defaults.timeout_ms,
		};
		plan_mem_name_add(r->mem, PLAN_NAMES_SCREEN, s->name, (int)i);
		plan_read_fields(r, node->item[i], s->name, screen_fields, NULL,
				 s);
	}
}
