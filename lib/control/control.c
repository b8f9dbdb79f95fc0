#include "control/control.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "control/control_parts.h"

int
control_fd(const struct control *c)
{
	return c->fd;
}

int64_t
control_silent_ms(const struct control *c)
{
	return (deadline_now_us() - c->written_us) / 1000;
}

const struct control_info *
control_info(const struct control *c)
{
	return &c->info;
}

const cJSON *
control_last_error(const struct control *c)
{
	return c->last_error;
}

bool
control_has(const struct control *c, enum control_cap cap)
{
	return c && (c->info.caps & cap) != 0;
}

int
control_open(struct control **out, const struct control_spec *spec,
	     struct deadline dl, struct err *err)
{
	struct control *c = mem_alloc(sizeof(*c));

	c->fd = -1;
	c->spec = *spec;
	c->next_id = 1;
	c->max_message = CONTROL_MAX_MESSAGE;
	buf_init(&c->in, CONTROL_MAX_MESSAGE + CONTROL_MAX_CHUNK +
				 2 * CONTROL_READ_STEP);
	if (spec->dial(spec->arg, &c->fd, dl, err) ||
	    control_hello(c, dl, err)) {
		control_close(c);
		return -1;
	}
	log_debug("control: %s, session %s", c->info.server, c->info.session);
	*out = c;
	return 0;
}

void
control_close(struct control *c)
{
	struct control_info *i;
	struct err err = ERR_INIT;

	if (c == NULL)
		return;
	i = &c->info;
	if (i->hello) {
		cJSON *params = json_obj();

		json_set_str(params, "reason", "done");
		/* A courtesy: the server would notice the close as well. */
		(void)control_send(c, control_send_message("bye", params),
				   deadline_in(NULL, 100), &err);
	}
	if (c->fd >= 0)
		close(c->fd);
	cJSON_Delete(c->last_error);
	cJSON_Delete(i->hello);
	free(i->server);
	free(i->session);
	free(i->package);
	free(i->version);
	free(i->build);
	free(i->commit);
	free(i->unity);
	free(i->gpu);
	free(i->api);
	for (size_t n = 0; n < i->action_count; n++)
		free(i->action[n]);
	free(i->action);
	buf_done(&c->in);
	free(c);
}
