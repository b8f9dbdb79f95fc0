/* Any bytes as YAML: a tree, or complaints, each with a place. */
#include <stdint.h>
#include <stdlib.h>

#include "base/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
count(const struct yaml_node *node, int depth)
{
	size_t n = 1;

	if (depth > YAML_MAX_DEPTH || node->line < 1 || node->col < 1)
		abort();
	for (size_t i = 0; i < node->count; i++) {
		n += count(node->item[i], depth + 1);
		if (node->key && node->key[i]->kind != YAML_SCALAR)
			abort();
	}
	return n;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct yaml_complaints c;
	struct yaml_node *root;

	yaml_complaints_init(&c, "input");
	root = yaml_parse((const char *)data, size, &c);
	if (!root && c.count == 0)
		abort();
	for (size_t i = 0; i < c.count; i++) {
		if (c.item[i].line < 1 || c.item[i].col < 1)
			abort();
	}
	if (root)
		(void)count(root, 1);
	yaml_node_free(root);
	yaml_complaints_done(&c);
	return 0;
}
