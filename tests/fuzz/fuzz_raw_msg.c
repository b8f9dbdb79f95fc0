#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unity/raw_content.h"
#include "unity/raw_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Payloads of one thread's blocks: two bytes say version, alignment and where
 * the bytes are divided into blocks.
 */
static void
read_each(const struct raw_head *head, struct raw_reader *r, const uint8_t *p,
	  size_t len)
{
	size_t at = raw_msg_begin(head, r, p, len), before;
	struct raw_msg m;

	for (;;) {
		before = at;
		if (raw_msg_next(head, r, p, len, &at, &m) != RAW_GOT_MSG)
			return;
		if (at <= before || at > len)
			abort();
		for (unsigned i = 0; i < m.values; i++) {
			const struct raw_value *v = &m.value[i];

			(void)raw_msg_count(v);
			if (v->p && (v->p < p || v->p + v->have > p + len))
				abort();
		}
	}
}

static void
sum(const struct raw_head *head, const uint8_t *p, size_t len, unsigned look)
{
	struct raw_content c = {.head = head};
	struct raw_thread t = {.main = true, .bound = true};
	struct raw_sums sums = {0};
	struct raw_msg marker = {
		.id = 2, .name = (const uint8_t *)"GC.Alloc", .name_len = 8};

	raw_content_marker(&c, &marker);
	t.reader.more = look & 4;
	if (raw_content_read(&c, &t, look & 3, p, len, &sums) > len)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t versions[] = {0x20171110, 0x20180123, 0x20181101,
					    0x20191122, 0x20210412, 0x20220328,
					    0x20260108, 0x20990101};
	struct raw_head head = {.numer = 1, .denom = 1};
	struct raw_reader r = {0};
	size_t step;

	if (size < 2)
		return 0;
	head.version = versions[data[0] & 7];
	head.aligned = data[0] & 8;
	step = data[1] ? data[1] * 4UL : size;
	for (size_t at = 2; at < size; at += step) {
		size_t len = size - at < step ? size - at : step;

		/* Its exact size, so that a sanitizer sees each read past. */
		uint8_t *block = malloc(len);

		if (!block)
			return 0;
		memcpy(block, data + at, len);
		read_each(&head, &r, block, len);
		sum(&head, block, len, data[0] >> 4);
		free(block);
	}
	return 0;
}
