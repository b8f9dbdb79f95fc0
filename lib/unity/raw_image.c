#include "unity/raw_image.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"

enum { BLOB = 11 };

void
raw_image_init(struct raw_image *im, const char *dir)
{
	*im = (struct raw_image){.dir = dir, .err = ERR_INIT};
	buf_init(&im->data, RAW_IMAGE_MAX);
}

void
raw_image_done(struct raw_image *im)
{
	buf_done(&im->data);
}

void
raw_image_marker(struct raw_image *im, const struct raw_msg *m)
{
	static const char name[] = "Profiler.FrameMetadata";

	if (m->name_len != sizeof(name) - 1 ||
	    memcmp(m->name, name, sizeof(name) - 1) != 0)
		return;
	im->marker = m->id;
	im->has_marker = true;
}

static const char *
kind_of(const struct buf *b)
{
	if (b->len > 3 && memcmp(b->data, "\xff\xd8\xff", 3) == 0)
		return "jpg";
	if (b->len > 8 && memcmp(b->data, "\x89PNG\r\n\x1a\n", 8) == 0)
		return "png";
	return NULL;
}

static void
finish(struct raw_image *im)
{
	const char *kind = kind_of(&im->data);
	AUTO_FREE char *path = NULL;

	if (im->data.over) {
		im->too_large++;
	} else if (!kind) {
		im->other++;
	} else if (im->rc == 0) {
		path = mem_fmt("%s/frame_%u_%u_%llu.%s", im->dir, im->frame,
			       im->tag, (unsigned long long)im->written, kind);
		im->rc = file_write_raw(path, im->data.data, im->data.len,
					&im->err);
		im->written += im->rc == 0;
	}
	buf_clear(&im->data);
}

void
raw_image_end(struct raw_image *im)
{
	im->cut += im->want > 0;
	im->want = 0;
	buf_clear(&im->data);
}

void
raw_image_message(struct raw_image *im, const struct raw_thread *t,
		  const struct raw_msg *m)
{
	const struct raw_value *v;

	if (!im->has_marker || m->type != RAW_SAMPLE_META ||
	    m->id != im->marker)
		return;
	/* Divided before its picture, which is not looked for then. */
	if (m->values < 3) {
		im->cut += t->reader.rest || t->reader.values;
		return;
	}
	v = &m->value[2];
	if (v->type != BLOB || !v->p)
		return;
	raw_image_end(im);
	im->thread = t->id;
	im->frame = t->frame;
	im->tag = (uint32_t)m->value[1].number;
	im->want = v->len - v->have;
	buf_add(&im->data, v->p, v->have);
	if (!im->want)
		finish(im);
}

void
raw_image_rest(struct raw_image *im, const struct raw_thread *t,
	       const uint8_t *p, size_t len)
{
	if (!im->want || t->id != im->thread)
		return;
	if (len > im->want)
		len = im->want;
	buf_add(&im->data, p, len);
	im->want -= (uint32_t)len;
	if (!im->want)
		finish(im);
}
