#include "control/control_parts.h"

#include <string.h>

#include "base/mem.h"
#include "control/control_frame.h"
#include "transport/sock.h"

int
control_send(struct control *c, cJSON *message, struct deadline dl,
	     struct err *err)
{
	AUTO_BUF struct buf out = BUF_INIT_MAX(CONTROL_MAX_MESSAGE + 4);
	AUTO_FREE char *text = json_text(message);
	size_t len = strlen(text);

	cJSON_Delete(message);
	if (len > c->max_message)
		return err_set(err, ERR_INPUT,
			       "a request of %zu bytes is over the server's "
			       "limit of %zu",
			       len, c->max_message);
	control_frame_json(&out, text, len);
	if (sock_write(c->fd, out.data, out.len, dl, err))
		return control_error_lost(err);
	c->written_us = deadline_now_us();
	return 0;
}

cJSON *
control_send_message(const char *method, cJSON *params)
{
	cJSON *m = json_obj();

	json_set_str(m, "jsonrpc", "2.0");
	json_set_str(m, "method", method);
	json_set(m, "params", params ? params : json_obj());
	return m;
}
