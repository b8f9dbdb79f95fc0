#include <stddef.h>
#include <string.h>

#include "plan/plan_read.h"

static enum plan_op
operator_of(const char **text)
{
	static const struct {
		const char *sign;
		enum plan_op op;
	} ops[] = {
		{">=", PLAN_GE}, {"<=", PLAN_LE}, {"!=", PLAN_NE},
		{">", PLAN_GT},	 {"<", PLAN_LT},  {"=", PLAN_EQ},
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		size_t n = strlen(ops[i].sign);

		if (strncmp(*text, ops[i].sign, n) == 0) {
			*text += n;
			*text += strspn(*text, " ");
			return ops[i].op;
		}
	}
	return PLAN_EQ;
}

static void
read_match_line(struct plan_reader *r, const struct yaml_node *key,
		const struct yaml_node *value, struct plan *p)
{
	struct plan_match *m = &p->device.match[p->device.match_count];

	m->field = plan_mem_dup(r->mem, key->text);
	m->candidate = p->device.candidates;
	m->at = (struct plan_pos){key->line, key->col};
	if (plan_read_str(r, value, m->field, &m->value))
		return;
	m->op = operator_of(&m->value);
	p->device.match_count++;
	if (m->op != PLAN_EQ && m->op != PLAN_NE &&
	    (!m->value[0] ||
	     strspn(m->value, "0123456789.") != strlen(m->value)))
		plan_read_bad(r, value, "'%s' compares numbers: '%s' is none",
			      m->field, m->value);
}

/* One map, or a list of them, the preferred first. */
static void
read_match(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan *p = into;
	bool list = node->kind == YAML_LIST;
	size_t maps = list ? node->count : 1, lines = 0;

	if (list && maps == 0)
		plan_read_bad(r, node, "match is an empty list");
	for (size_t i = 0; i < maps; i++) {
		const struct yaml_node *map = list ? node->item[i] : node;

		if (plan_read_map(r, map, "match"))
			return;
		lines += map->count;
		if (list && map->count == 0)
			plan_read_bad(r, map, "an empty map fits any phone");
	}
	p->device.match =
		plan_mem_array(r->mem, lines, sizeof(*p->device.match));
	for (size_t i = 0; i < maps; i++) {
		const struct yaml_node *map = list ? node->item[i] : node;

		for (size_t k = 0; k < map->count; k++)
			read_match_line(r, map->key[k], map->item[k], p);
		p->device.candidates++;
	}
}

static void
read_when_busy(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_word words[] = {
		{"skip", PLAN_BUSY_SKIP},
		{"fail", PLAN_BUSY_FAIL},
		{NULL, 0},
	};
	static const struct plan_field fields[] = {
		{.name = "wait",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan, device.wait_ms),
		 .min = 1},
		{.name = NULL},
	};
	struct plan *p = into;
	int v;

	if (node->kind == YAML_MAP) {
		p->device.when_busy = PLAN_BUSY_WAIT;
		plan_read_fields(r, node, "when_busy", fields, NULL, p);
		if (!yaml_get(node, "wait"))
			plan_read_bad(r, node,
				      "when_busy must be skip, fail "
				      "or {wait: 20m}");
	} else if (node->kind == YAML_SCALAR &&
		   strcmp(node->text, "wait") == 0) {
		plan_read_bad(r, node, "how long? write {wait: 20m}");
	} else if (plan_read_word(r, node, "when_busy", words, &v) == 0) {
		p->device.when_busy = (enum plan_busy)v;
	}
}

void
plan_read_device(struct plan_reader *r, const struct yaml_node *node,
		 void *into)
{
	static const struct plan_field fields[] = {
		{.name = "match", .type = PLAN_FIELD_CALL, .read = read_match},
		{.name = "serial",
		 .type = PLAN_FIELD_STRINGS,
		 .offset = offsetof(struct plan, device.serial)},
		{.name = "when_busy",
		 .type = PLAN_FIELD_CALL,
		 .read = read_when_busy},
		{.name = "reserve",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan, device.reserve_ms),
		 .min = 30000},
		{.name = NULL},
	};

	plan_read_fields(r, node, "device", fields, NULL, into);
	if (yaml_get(node, "match") && yaml_get(node, "serial"))
		plan_read_bad(r, yaml_get(node, "serial"),
			      "'match' and 'serial' both say which phone; keep "
			      "one");
}
