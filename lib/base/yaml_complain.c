#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/yaml.h"

void
yaml_complaints_init(struct yaml_complaints *c, const char *file)
{
	*c = (struct yaml_complaints){.file = file};
}

void
yaml_complaints_done(struct yaml_complaints *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->item[i].text);
	c->count = 0;
	c->dropped = 0;
}

/* The first ones by place are kept, whatever the order they are found in. */
void
yaml_complain(struct yaml_complaints *c, int line, int col, const char *fmt,
	      ...)
{
	AUTO_BUF struct buf raw = BUF_INIT_MAX(4096);
	AUTO_BUF struct buf clean = BUF_INIT_MAX(16384);
	size_t at = c->count;
	va_list ap;

	while (at > 0 &&
	       (c->item[at - 1].line > line ||
		(c->item[at - 1].line == line && c->item[at - 1].col > col)))
		at--;
	if (c->count == YAML_MAX_COMPLAINTS) {
		c->dropped++;
		if (at == c->count)
			return;
		free(c->item[--c->count].text);
	}
	va_start(ap, fmt);
	buf_vfmt(&raw, fmt, ap);
	va_end(ap);
	buf_escaped(&clean, raw.data, raw.len);
	memmove(&c->item[at + 1], &c->item[at],
		(c->count - at) * sizeof(c->item[0]));
	c->item[at].line = line;
	c->item[at].col = col;
	c->item[at].text = buf_take(&clean);
	c->count++;
}

void
yaml_complaints_text(const struct yaml_complaints *c, struct buf *out)
{
	for (size_t i = 0; i < c->count; i++)
		buf_fmt(out, "%s:%d:%d: %s\n", c->file ? c->file : "-",
			c->item[i].line, c->item[i].col, c->item[i].text);
	if (c->dropped)
		buf_fmt(out, "%s: and %zu more\n", c->file ? c->file : "-",
			c->dropped);
}
