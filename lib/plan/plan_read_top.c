#include <stddef.h>
#include <string.h>

#include "plan/plan_read.h"

enum { MAX_TIMES = 1000, MAX_CONFIRM = 5 };

#define FIELD(key, kind, type_, member)           \
	{                                         \
		.name = (key), .type = (kind),    \
		.offset = offsetof(type_, member) \
	}
#define END                  \
	{                    \
		.name = NULL \
	}

static void
must_be(struct plan_reader *r, const struct yaml_node *root)
{
	const struct yaml_node *v = yaml_get(root, "patrol");
	int64_t version = 1;

	if (!v)
		plan_read_bad(r, root,
			      "'patrol: 1' is missing: the version of the "
			      "plan's schema");
	else if (plan_read_int(r, v, "patrol", 0, INT32_MAX, &version) == 0 &&
		 version != 1)
		plan_read_bad(r, v,
			      "this patrol reads plans of version 1, not %lld",
			      (long long)version);
}

static void
read_meta(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan *p = into;

	/* Free words of the team: any key. */
	if (plan_read_map(r, node, "meta"))
		return;
	p->meta.all.item =
		plan_mem_array(r->mem, node->count, sizeof(*p->meta.all.item));
	for (size_t i = 0; i < node->count; i++) {
		struct plan_pair *m = &p->meta.all.item[p->meta.all.count];

		m->key = plan_mem_dup(r->mem, node->key[i]->text);
		m->at = (struct plan_pos){node->key[i]->line,
					  node->key[i]->col};
		if (plan_read_str(r, node->item[i], m->key, &m->value))
			continue;
		p->meta.all.count++;
		if (strcmp(m->key, "title") == 0)
			p->meta.title = m->value;
		else if (strcmp(m->key, "owner") == 0)
			p->meta.owner = m->value;
	}
}

static void
read_app(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_field fields[] = {
		FIELD("package", PLAN_FIELD_STR, struct plan, app.package),
		FIELD("activity", PLAN_FIELD_STR, struct plan, app.activity),
		FIELD("extras", PLAN_FIELD_PAIRS, struct plan, app.extras),
		FIELD("grant", PLAN_FIELD_STRINGS, struct plan, app.grant),
		END,
	};

	plan_read_fields(r, node, "app", fields, NULL, into);
}

static void
read_artifact(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_field fields[] = {
		FIELD("name", PLAN_FIELD_STR, struct plan, artifact.name),
		FIELD("apk", PLAN_FIELD_STR, struct plan, artifact.apk),
		END,
	};

	plan_read_fields(r, node, "artifact", fields, NULL, into);
}

static void
read_ssh(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_field fields[] = {
		FIELD("host", PLAN_FIELD_STR, struct plan_ssh, host),
		FIELD("port", PLAN_FIELD_PORT, struct plan_ssh, port),
		FIELD("user", PLAN_FIELD_STR, struct plan_ssh, user),
		FIELD("known_hosts", PLAN_FIELD_STR, struct plan_ssh,
		      known_hosts),
		FIELD("key", PLAN_FIELD_STR, struct plan_ssh, key),
		FIELD("agent", PLAN_FIELD_BOOL, struct plan_ssh, agent),
		END,
	};
	struct plan_ssh *ssh = into;

	ssh->used = true;
	plan_read_fields(r, node, "ssh", fields, NULL, ssh);
	if (node->kind == YAML_MAP && !yaml_get(node, "host"))
		plan_read_bad(r, node, "ssh needs 'host'");
	if (ssh->key && ssh->agent)
		plan_read_bad(r, node, "'key' or 'agent', not both");
}

static void
read_farm(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_field fields[] = {
		FIELD("stf", PLAN_FIELD_STR, struct plan, farm.stf),
		{.name = "ssh",
		 .type = PLAN_FIELD_CALL,
		 .offset = offsetof(struct plan, farm.ssh),
		 .read = read_ssh},
		END,
	};
	struct plan *p = into;

	plan_read_fields(r, node, "farm", fields, NULL, p);
	if (p->farm.stf && strncmp(p->farm.stf, "http://", 7) != 0 &&
	    strncmp(p->farm.stf, "https://", 8) != 0)
		plan_read_bad(r, yaml_get(node, "stf"),
			      "stf must be a URL, https://...");
}

static void
read_connect(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_word protocols[] = {
		{"auto", 0},
		{"pcp", 1},
		{NULL, 0},
	};
	static const struct plan_field fields[] = {
		{.name = "protocol", .type = PLAN_FIELD_OTHER},
		FIELD("port", PLAN_FIELD_PORT, struct plan, connect.port),
		{.name = "timeout",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan, connect.timeout_ms),
		 .min = 1},
		END,
	};
	const struct yaml_node *protocol = yaml_get(node, "protocol");
	struct plan *p = into;
	int v;

	plan_read_fields(r, node, "connect", fields, NULL, p);
	if (protocol &&
	    plan_read_word(r, protocol, "protocol", protocols, &v) == 0)
		p->connect.protocol = protocols[v].name;
}

static void
read_limits(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_word unreachable[] = {
		{"skip", PLAN_UNREACHABLE_SKIP},
		{"fail", PLAN_UNREACHABLE_FAIL},
		{NULL, 0},
	};
	static const struct plan_field fields[] = {
		{.name = "deadline",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan, limits.deadline_ms),
		 .min = 1000},
		FIELD("stop_margin", PLAN_FIELD_DURATION, struct plan,
		      limits.stop_margin_ms),
		{.name = "max_restarts",
		 .type = PLAN_FIELD_INT,
		 .offset = offsetof(struct plan, limits.max_restarts),
		 .max = MAX_TIMES},
		{.name = "max_transition_failures",
		 .type = PLAN_FIELD_INT,
		 .offset =
			 offsetof(struct plan, limits.max_transition_failures),
		 .min = 1,
		 .max = MAX_TIMES},
		{.name = "confirm",
		 .type = PLAN_FIELD_INT,
		 .offset = offsetof(struct plan, limits.confirm),
		 .max = MAX_CONFIRM},
		{.name = "unreachable",
		 .type = PLAN_FIELD_WORD,
		 .offset = offsetof(struct plan, limits.unreachable),
		 .words = unreachable},
		END,
	};
	struct plan *p = into;

	plan_read_fields(r, node, "limits", fields, NULL, p);
	if (p->limits.stop_margin_ms >= p->limits.deadline_ms)
		plan_read_bad(r, node,
			      "stop_margin (%lld s) leaves nothing of the "
			      "deadline (%lld s)",
			      (long long)p->limits.stop_margin_ms / 1000,
			      (long long)p->limits.deadline_ms / 1000);
}

static void
read_fail_on(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_word words[] = {
		{"crash", PLAN_FAIL_CRASH},
		{"not_measured", PLAN_FAIL_NOT_MEASURED},
		{"unreached", PLAN_FAIL_UNREACHED},
		{"regression", PLAN_FAIL_REGRESSION},
		{"timed_out", PLAN_FAIL_TIMED_OUT},
		{NULL, 0},
	};
	struct plan *p = into;
	int bit;

	if (plan_read_list(r, node, "fail_on"))
		return;
	p->fail_on = 0;
	for (size_t i = 0; i < node->count; i++) {
		if (plan_read_word(r, node->item[i], "fail_on", words, &bit) ==
		    0)
			p->fail_on |= (unsigned)bit;
	}
}

const struct plan_field plan_read_top_settle[] = {
	FIELD("nav_idle", PLAN_FIELD_BOOL, struct plan_settle, nav_idle),
	FIELD("stable_for", PLAN_FIELD_DURATION, struct plan_settle, stable_ms),
	{.name = "stable_frames",
	 .type = PLAN_FIELD_INT,
	 .offset = offsetof(struct plan_settle, stable_frames),
	 .max = 100000},
	FIELD("timeout", PLAN_FIELD_DURATION, struct plan_settle, timeout_ms),
	END,
};

static const struct plan_word hierarchy[] = {
	{"never", PLAN_NEVER},
	{"on_failure", PLAN_ON_FAILURE},
	{"always", PLAN_ALWAYS},
	{NULL, 0},
};

static void
read_screenshot(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	struct plan_evidence *e = into;
	bool yes;

	if (plan_read_bool(r, node, "screenshot", &yes) == 0)
		e->screenshot = yes ? PLAN_ALWAYS : PLAN_NEVER;
}

const struct plan_field plan_read_top_evidence[] = {
	{.name = "screenshot",
	 .type = PLAN_FIELD_CALL,
	 .read = read_screenshot},
	{.name = "hierarchy",
	 .type = PLAN_FIELD_WORD,
	 .offset = offsetof(struct plan_evidence, hierarchy),
	 .words = hierarchy},
	END,
};

const struct plan_word plan_read_top_snapshot[] = {
	{"first_visit", PLAN_FIRST_VISIT},
	{"each_visit", PLAN_EACH_VISIT},
	{"never", PLAN_NO_SNAPSHOT},
	{NULL, 0},
};

static void
read_settle(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	plan_read_fields(r, node, "settle", plan_read_top_settle, NULL, into);
}

static void
read_evidence(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	plan_read_fields(r, node, "evidence", plan_read_top_evidence, NULL,
			 into);
}

static void
read_defaults(struct plan_reader *r, const struct yaml_node *node, void *into)
{
	static const struct plan_word click[] = {
		{"raycast", PLAN_CLICK_RAYCAST},
		{"event", PLAN_CLICK_EVENT},
		{"adb", PLAN_CLICK_ADB},
		{NULL, 0},
	};
	static const struct plan_field fields[] = {
		{.name = "timeout",
		 .type = PLAN_FIELD_DURATION,
		 .offset = offsetof(struct plan, defaults.timeout_ms),
		 .min = 1},
		{.name = "retries",
		 .type = PLAN_FIELD_INT,
		 .offset = offsetof(struct plan, defaults.retries),
		 .max = MAX_TIMES},
		{.name = "click",
		 .type = PLAN_FIELD_WORD,
		 .offset = offsetof(struct plan, defaults.click),
		 .words = click},
		{.name = "settle",
		 .type = PLAN_FIELD_CALL,
		 .offset = offsetof(struct plan, defaults.settle),
		 .read = read_settle},
		FIELD("hold", PLAN_FIELD_DURATION, struct plan,
		      defaults.hold_ms),
		{.name = "evidence",
		 .type = PLAN_FIELD_CALL,
		 .offset = offsetof(struct plan, defaults.evidence),
		 .read = read_evidence},
		{.name = "snapshot",
		 .type = PLAN_FIELD_WORD,
		 .offset = offsetof(struct plan, defaults.snapshot),
		 .words = plan_read_top_snapshot},
		END,
	};

	plan_read_fields(r, node, "defaults", fields, NULL, into);
}

static const struct plan_field top[] = {
	{.name = "patrol", .type = PLAN_FIELD_OTHER},
	{.name = "meta", .type = PLAN_FIELD_CALL, .read = read_meta},
	{.name = "app", .type = PLAN_FIELD_CALL, .read = read_app},
	{.name = "artifact", .type = PLAN_FIELD_CALL, .read = read_artifact},
	{.name = "farm", .type = PLAN_FIELD_CALL, .read = read_farm},
	FIELD("store", PLAN_FIELD_STR, struct plan, store),
	{.name = "device", .type = PLAN_FIELD_CALL, .read = plan_read_device},
	{.name = "connect", .type = PLAN_FIELD_CALL, .read = read_connect},
	{.name = "limits", .type = PLAN_FIELD_CALL, .read = read_limits},
	{.name = "fail_on", .type = PLAN_FIELD_CALL, .read = read_fail_on},
	{.name = "defaults", .type = PLAN_FIELD_CALL, .read = read_defaults},
	/* These need what stands above, wherever it stands in the file. */
	{.name = "measure", .type = PLAN_FIELD_OTHER},
	{.name = "procedures", .type = PLAN_FIELD_OTHER},
	{.name = "setup", .type = PLAN_FIELD_OTHER},
	{.name = "teardown", .type = PLAN_FIELD_OTHER},
	{.name = "escape", .type = PLAN_FIELD_OTHER},
	{.name = "screens", .type = PLAN_FIELD_OTHER},
	{.name = "transitions", .type = PLAN_FIELD_OTHER},
	{.name = "route", .type = PLAN_FIELD_OTHER},
	{.name = "interrupts", .type = PLAN_FIELD_OTHER},
	END,
};

static void
set_defaults(struct plan *p)
{
	p->artifact.apk = "*.apk";
	p->farm.ssh.port = 22;
	p->device.when_busy = PLAN_BUSY_SKIP;
	p->device.reserve_ms = 10 * 60000;
	p->connect.protocol = "auto";
	p->connect.port = 17320;
	p->connect.timeout_ms = 60000;
	p->limits.deadline_ms = 50 * 60000;
	p->limits.stop_margin_ms = 5 * 60000;
	p->limits.max_restarts = 2;
	p->limits.max_transition_failures = 2;
	p->limits.unreachable = PLAN_UNREACHABLE_SKIP;
	p->fail_on = PLAN_FAIL_CRASH | PLAN_FAIL_NOT_MEASURED;
	p->defaults.timeout_ms = 20000;
	p->defaults.retries = 1;
	p->defaults.hold_ms = 10000;
	p->defaults.click = PLAN_CLICK_RAYCAST;
	p->defaults.settle = (struct plan_settle){.nav_idle = true,
						  .stable_ms = 500,
						  .stable_frames = 10,
						  .timeout_ms = 30000};
	p->defaults.evidence =
		(struct plan_evidence){PLAN_ALWAYS, PLAN_ON_FAILURE};
	p->defaults.snapshot = PLAN_FIRST_VISIT;
}

void
plan_read_top(struct plan_reader *r, const struct yaml_node *root)
{
	set_defaults(r->plan);
	must_be(r, root);
	plan_read_fields(r, root, "the plan", top, NULL, r->plan);
}
