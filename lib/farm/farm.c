#include "farm/farm.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "transport/http.h"
#include "transport/sock.h"

void
farm_wants_init(struct farm_wants *w, const struct plan *plan)
{
	static const char *const op[] = {
		[PLAN_EQ] = "",	  [PLAN_NE] = "!=", [PLAN_LT] = "<",
		[PLAN_LE] = "<=", [PLAN_GT] = ">",  [PLAN_GE] = ">=",
	};
	size_t serials = plan ? plan->device.serial.count : 0;
	size_t candidates = plan ? plan->device.candidates : 0;

	w->match_count = plan ? plan->device.match_count : 0;
	w->match = mem_array(w->match_count, sizeof(*w->match));
	for (size_t i = 0; i < w->match_count; i++) {
		const struct plan_match *m = &plan->device.match[i];

		w->match[i].field = m->field;
		w->match[i].value = mem_fmt("%s%s", op[m->op], m->value);
	}
	w->count = serials ? serials : candidates ? candidates : 1;
	w->want = mem_array(w->count, sizeof(*w->want));
	for (size_t i = 0; i < serials; i++)
		w->want[i].serial = plan->device.serial.item[i];
	/* The lines of a candidate stand together. */
	for (size_t i = 0; i < w->match_count; i++) {
		struct stf_want *want =
			&w->want[plan->device.match[i].candidate];

		if (want->match_count++ == 0)
			want->match = &w->match[i];
	}
}

void
farm_wants_done(struct farm_wants *w)
{
	for (size_t i = 0; i < w->match_count; i++)
		free((char *)(uintptr_t)w->match[i].value);
	free(w->match);
	free(w->want);
}

void
farm_settings(struct settings *set, const struct plan *plan)
{
	const struct plan_ssh *ssh = &plan->farm.ssh;
	bool v6 = ssh->host && strchr(ssh->host, ':');
	AUTO_FREE char *to = NULL;

	settings_override(set, "STF_URL", plan->farm.stf, SETTINGS_PLAN);
	if (!ssh->used)
		return;
	to = mem_fmt("%s%s%s%s%s:%d", ssh->user ? ssh->user : "",
		     ssh->user ? "@" : "", v6 ? "[" : "", ssh->host,
		     v6 ? "]" : "", ssh->port);
	settings_override(set, "PATROL_SSH", to, SETTINGS_PLAN);
	settings_override(set, "PATROL_SSH_KEY", ssh->key, SETTINGS_PLAN);
	settings_override(set, "PATROL_SSH_KNOWN_HOSTS", ssh->known_hosts,
			  SETTINGS_PLAN);
}

int
farm_tunnel(const struct settings *set, struct ssh_tunnel **tunnel,
	    struct deadline dl, struct err *err)
{
	AUTO_FREE char *user = NULL;
	AUTO_FREE char *host = NULL;
	struct ssh_config c = {
		.known_hosts = set->ssh_known_hosts,
		.key = set->ssh_key,
		.passphrase = set->ssh_passphrase.value,
	};

	if (ssh_split(set->ssh, &user, &host, &c.port, err))
		return err_wrap(err, "PATROL_SSH");
	c.user = user;
	c.host = host;
	return ssh_tunnel_open(tunnel, &c, set->budget.ssh_keep_ms,
			       set->budget.ssh_ms,
			       deadline_cap(dl, set->budget.ssh_ms), err);
}

/* The host and port of an address. */
static int
split_url(const char *url, char **host, int *port, struct err *err)
{
	AUTO_FREE char *origin = http_origin(url);
	const char *at = origin ? strstr(origin, "://") : NULL;

	if (at == NULL)
		return err_set(err, ERR_INPUT, "'%s' is no address of a farm",
			       url);
	return sock_split(at + 3, host, port, err);
}

static int
through(struct stf *stf, struct ssh_tunnel *tunnel, const char *url,
	struct err *err)
{
	AUTO_FREE char *host = NULL;
	int port = 0, local = 0;

	if (split_url(url, &host, &port, err) ||
	    ssh_tunnel_forward(tunnel, host, port, &local, err))
		return -1;
	http_through(stf->http, local);
	return 0;
}

void
farm_budgets(struct stf *stf, const struct settings *set)
{
	/* Settings that were not loaded have none. */
	if (set->budget.stf_call_ms > 0)
		stf->call_ms = set->budget.stf_call_ms;
	if (set->budget.stf_late_ms > 0)
		stf->late_ms = set->budget.stf_late_ms;
}

int
farm_open_at(struct stf *stf, struct ssh_tunnel **tunnel, const char *url,
	     const struct settings *set, struct deadline dl, struct err *err)
{
	*tunnel = NULL;
	if (stf_init(stf, url, &set->stf_token, err))
		return -1;
	farm_budgets(stf, set);
	if (set->ssh == NULL)
		return 0;
	if (farm_tunnel(set, tunnel, dl, err) == 0 &&
	    through(stf, *tunnel, url, err) == 0)
		return 0;
	farm_close(stf, tunnel);
	return -1;
}

int
farm_open(struct stf *stf, struct ssh_tunnel **tunnel,
	  const struct settings *set, struct deadline dl, struct err *err)
{
	if (set->stf_url == NULL) {
		err_set(err, ERR_USAGE, "no farm is named");
		return err_hint(err, "set STF_URL or the plan's farm.stf, or "
				     "use a phone at hand with --device adb");
	}
	if (set->stf_token.value == NULL) {
		err_set(err, ERR_USAGE, "STF_TOKEN is not set");
		return err_hint(err, "make one in STF under Settings, Keys");
	}
	return farm_open_at(stf, tunnel, set->stf_url, set, dl, err);
}

void
farm_close(struct stf *stf, struct ssh_tunnel **tunnel)
{
	stf_done(stf);
	ssh_tunnel_close(*tunnel);
	*tunnel = NULL;
}

int
farm_reach(struct ssh_tunnel *tunnel, const char *endpoint, char **out,
	   struct err *err)
{
	AUTO_FREE char *host = NULL;
	int port = 0, local = 0;

	if (tunnel == NULL) {
		*out = mem_strdup(endpoint);
		return 0;
	}
	if (sock_split(endpoint, &host, &port, err) ||
	    ssh_tunnel_forward(tunnel, host, port, &local, err))
		return err_wrap(err, "the farm's adb address");
	*out = mem_fmt("127.0.0.1:%d", local);
	return 0;
}

void
farm_explain(struct ssh_tunnel *tunnel, struct err *err)
{
	enum { RECENT_US = 60 * 1000000 };
	struct ssh_tunnel_state s;

	if (tunnel == NULL || err->code == ERR_CANCELLED)
		return;
	ssh_tunnel_state(tunnel, &s);
	if (!s.up)
		(void)err_hint(err, "the tunnel is down: %.300s", s.lost.msg);
	else if (s.refused_us && deadline_now_us() - s.refused_us < RECENT_US)
		(void)err_hint(err, "through the tunnel: %.300s",
			       s.refused.msg);
}
