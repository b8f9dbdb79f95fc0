#include "control/control_parts.h"

#include <string.h>

#include "base/mem.h"

static const struct {
	enum control_cap cap;
	const char *name;
} caps[] = {
	{CONTROL_UI, "ui"},
	{CONTROL_TREE, "tree"},
	{CONTROL_NAV, "nav"},
	{CONTROL_WAIT, "wait"},
	{CONTROL_SCREENSHOT, "screenshot"},
	{CONTROL_SCRIPT, "script"},
	{CONTROL_CALL, "call"},
	{CONTROL_PROFILER, "profiler"},
	{CONTROL_SNAPSHOT, "snapshot"},
	{CONTROL_GSC, "gsc"},
	{CONTROL_FILE, "file"},
	{CONTROL_LOG, "log"},
	{CONTROL_ACTION, "action"},
};

const char *
control_cap_name(enum control_cap cap)
{
	for (size_t i = 0; i < CONTROL_CAP_COUNT; i++) {
		if (caps[i].cap == cap)
			return caps[i].name;
	}
	return "?";
}

/* "nav:usn" is nav; what we do not know is ignored. */
static unsigned
read_caps(const cJSON *hello)
{
	const cJSON *item;
	unsigned set = 0;

	cJSON_ArrayForEach(item, json_get(hello, "capabilities"))
	{
		const char *name =
			cJSON_IsString(item) ? item->valuestring : "";
		size_t len = strcspn(name, ":");

		for (size_t i = 0; i < CONTROL_CAP_COUNT; i++) {
			if (strlen(caps[i].name) == len &&
			    memcmp(caps[i].name, name, len) == 0)
				set |= caps[i].cap;
		}
	}
	if (json_count(hello, "actions") > 0)
		set |= CONTROL_ACTION;
	return set;
}

static char *
text(const cJSON *v, const char *path)
{
	return mem_strdup(json_str(v, path, ""));
}

static void
read_info(struct control_info *i, cJSON *hello)
{
	const cJSON *item;
	AUTO_FREE char *build = json_id(hello, "app.build");

	i->hello = hello;
	i->caps = read_caps(hello);
	i->server = text(hello, "server");
	i->session = text(hello, "session");
	i->package = text(hello, "app.package");
	i->version = text(hello, "app.version");
	i->build = mem_strdup(build ? build : "");
	i->commit = text(hello, "app.commit");
	i->unity = text(hello, "app.unity");
	i->gpu = text(hello, "device.gpu");
	i->api = text(hello, "device.api");
	i->dev = json_bool(hello, "app.dev", true);
	i->pid = json_int(hello, "app.pid", 0);
	i->action = mem_array(json_count(hello, "actions"), sizeof(char *));
	cJSON_ArrayForEach(item, json_get(hello, "actions"))
	{
		if (cJSON_IsString(item))
			i->action[i->action_count++] =
				mem_strdup(item->valuestring);
	}
}

int
control_hello(struct control *c, struct deadline dl, struct err *err)
{
	cJSON *params = json_obj(), *versions = json_arr(), *want = json_arr(),
	      *result = NULL;

	json_set_str(params, "protocol", "pcp");
	json_push(versions, cJSON_CreateNumber(1));
	json_set(params, "versions", versions);
	if (c->spec.token && c->spec.token->value)
		json_set_str(params, "token", c->spec.token->value);
	json_set_str(params, "client", "patrol " PATROL_VERSION);
	json_push_str(want, "binary");
	json_push_str(want, "log");
	json_set(params, "want", want);
	json_set_int(params, "maxMessage", CONTROL_MAX_MESSAGE);
	if (control_request(c, "hello", params, -1, &result, NULL, dl, err)) {
		if (err->code == ERR_AUTH)
			return err_hint(err, "the app was not started with "
					     "this run's token; for an app "
					     "with another, set "
					     "PATROL_CONTROL_TOKEN");
		return -1;
	}
	if (json_int(result, "version", 0) != 1) {
		cJSON_Delete(result);
		err_set(err, ERR_PROTO,
			"the app's control server speaks no PCP/1");
		return err_reason(err, "Version");
	}
	read_info(&c->info, result);
	c->max_message =
		(size_t)json_int(result, "maxMessage", CONTROL_MAX_MESSAGE);
	if (c->max_message < 1024 || c->max_message > CONTROL_MAX_MESSAGE)
		c->max_message = CONTROL_MAX_MESSAGE;
	return 0;
}
