/* Known hosts, a private key's outside, an ssh-agent's answers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "transport/ssh_agent.h"
#include "transport/ssh_key.h"
#include "transport/ssh_known.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
known(const char *text)
{
	struct ssh_known k = {0};
	struct buf b = BUF_INIT_MAX(1000);
	const struct ssh_known_key *which;

	ssh_known_parse(&k, text, "f", "Bastion.example.com", 2222);
	ssh_known_prefer(&k, &b);
	if (k.count)
		(void)ssh_known_check(&k, k.item[0].blob, k.item[0].len,
				      &which);
	ssh_known_done(&k);
	buf_done(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ssh_agent agent = {.fd = -1};
	struct ssh_key_facts facts = {0};
	struct buf sig = BUF_INIT_MAX(1000);
	struct err err = ERR_INIT;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	known(text);
	if (ssh_key_look(text, &facts, &err) == 0)
		ssh_key_facts_done(&facts);
	(void)ssh_agent_parse_keys(&agent, data, size, &err);
	(void)ssh_agent_parse_signature(data, size, &sig, &err);
	ssh_agent_done(&agent);
	buf_done(&sig);
	free(text);
	return 0;
}
