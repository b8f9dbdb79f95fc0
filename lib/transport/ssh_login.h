#ifndef SSH_LOGIN_H
#define SSH_LOGIN_H

#include "transport/ssh.h"

/* The two halves of ssh_open() behind the key exchange. */

/* Is the key that the server has shown one that is known? */
struct ssh_known;
int ssh_login_check_host(struct ssh *s, const struct ssh_config *c,
			 const struct ssh_known *known, struct err *err);

/* With the key, or with those of the agent. */
int ssh_login_user(struct ssh *s, const struct ssh_config *c,
		   struct deadline dl, struct err *err);

#endif
