#include "plan/plan_read.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "plan/plan_vars.h"

enum { MAX_SCRIPT = 1 << 20 };

/* Beside the plan, unless it is absolute; free() it. */
static char *
path_of(const struct plan_reader *r, const char *name)
{
	return name[0] == '/' ? mem_strdup(name) : file_join(r->dir, name);
}

const char *
plan_read_path(struct plan_reader *r, const struct yaml_node *node,
	       const char *what)
{
	AUTO_FREE char *path = NULL;
	const char *name;

	if (plan_read_str(r, node, what, &name))
		return NULL;
	path = path_of(r, name);
	return plan_mem_dup(r->mem, path);
}

static int
read_js_file(struct plan_reader *r, const struct yaml_node *node,
	     const char *name, const char **code)
{
	AUTO_FREE char *path = path_of(r, name);
	AUTO_BUF struct buf b = BUF_INIT_MAX(MAX_SCRIPT);
	struct err err = ERR_INIT;
	size_t offset = 0;
	int line = 1, col = 1;

	if (file_read(path, &b, &err)) {
		plan_read_bad(r, node, "%s", err.msg);
		return -1;
	}
	if (strlen(b.data) != b.len) {
		plan_read_bad(r, node, "'%s' is no text: it has a NUL byte",
			      path);
		return -1;
	}
	if (plan_vars_check_js(b.data, &offset, &err)) {
		for (size_t i = 0; i < offset; i++) {
			col = b.data[i] == '\n' ? 1 : col + 1;
			line += b.data[i] == '\n';
		}
		plan_read_bad(r, node, "%s:%d:%d: %s", name, line, col,
			      err.msg);
		return -1;
	}
	*code = plan_mem_dup(r->mem, b.data);
	return 0;
}

int
plan_read_js(struct plan_reader *r, const struct yaml_node *node,
	     const char *what, const char **code, const char **file)
{
	static const struct plan_field fields[] = {
		{.name = "file", .type = PLAN_FIELD_STR},
		{.name = NULL},
	};
	struct err err = ERR_INIT;
	const char *name = NULL;
	size_t offset = 0;

	if (file && node->kind == YAML_MAP) {
		plan_read_fields(r, node, what, fields, NULL, &name);
		if (!name) {
			plan_read_bad(r, node, "%s needs 'file'", what);
			return -1;
		}
		*file = name;
		return read_js_file(r, node, name, code);
	}
	if (plan_read_str(r, node, what, code))
		return -1;
	if (plan_vars_check_js(*code, &offset, &err)) {
		plan_read_bad_at(r, node, offset, &err);
		return -1;
	}
	return 0;
}
