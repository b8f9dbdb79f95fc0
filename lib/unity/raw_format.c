#include "unity/raw_format.h"

enum { BYTE_LITTLE = 4, BYTE_ALIGNED = 5 };

static const struct {
	uint32_t version;
	const char *releases;
} versions[] = {
	{0x20171110, "2017.3 to 2018.1"}, {0x20180123, "2018.2"},
	{0x20181101, "2018.3"},		  {0x20180306, "2019.1 and 2019.2"},
	{0x20191122, "2019.3 to 2021.1"}, {0x20210412, "2021.2 and 2021.3"},
	{0x20210919, "2022.1"},		  {0x20220328, "2022.2 to 6000.4"},
	{0x20260108, "6000.5"},
};

static const size_t version_count = sizeof(versions) / sizeof(versions[0]);

const char *
raw_format_releases(uint32_t version)
{
	for (size_t i = 0; i < version_count; i++) {
		if (versions[i].version == version)
			return versions[i].releases;
	}
	return version > versions[version_count - 1].version
		       ? "newer than those patrol knows"
		       : "unknown";
}

static bool
known(uint32_t version)
{
	for (size_t i = 0; i < version_count; i++) {
		if (versions[i].version == version)
			return true;
	}
	return false;
}

/* Each frame of a .data file begins with the version it was written by. */
bool
raw_format_is_data(const uint8_t *p, size_t len)
{
	return len >= 8 && known(raw_u32(p));
}

static int
refuse(const uint8_t *p, size_t len, const char *what, struct err *err)
{
	if (len == 0)
		return err_set(err, ERR_INPUT,
			       "'%s' is empty: the profiler wrote nothing, as "
			       "when the editor had connected itself to the "
			       "player; build without \"Autoconnect "
			       "Profiler\" and see that the recording was "
			       "started",
			       what);
	if (raw_format_is_data(p, len))
		return err_set(err, ERR_INPUT,
			       "'%s' is the editor's .data, not a raw log: "
			       "`patrol frames` lists its frames; to filter, "
			       "record with Profiler.enableBinaryLog",
			       what);
	if (len >= 4 && raw_u32(p) <= 1)
		return err_set(err, ERR_INPUT,
			       "'%s' may be a profiler file of before Unity "
			       "2017.3, which patrol does not read",
			       what);
	return err_set(err, ERR_INPUT,
		       "'%s' is no raw profiler log: it does not begin with "
		       "its signature; Profiler.logFile with enableBinaryLog "
		       "writes one",
		       what);
}

static int
refuse_big(const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "'%s' was written by a big-endian machine, which "
		       "patrol does not read; record on another device",
		       what);
}

int
raw_format_head(const uint8_t *p, size_t len, const char *what,
		struct raw_head *head, struct err *err)
{
	struct raw_head h = {.size = RAW_HEAD_MIN};

	if (len >= 4 && memcmp(p, "\x55\x33\x44\x50", 4) == 0)
		return refuse_big(what, err);
	if (len < 4 || raw_u32(p) != RAW_MAGIC)
		return refuse(p, len, what, err);
	if (len > BYTE_LITTLE && p[BYTE_LITTLE] != 1)
		return refuse_big(what, err);
	if (len >= RAW_HEAD_MIN && raw_u32(p + 8) >= RAW_VERSION_LONG)
		h.size = RAW_HEAD_MAX;
	if (len < h.size)
		return err_set(err, ERR_INPUT,
			       "'%s' ends within its header, after %zu bytes: "
			       "the app was ended right after it began to "
			       "record",
			       what, len);
	h.aligned = p[BYTE_ALIGNED] != 0;
	h.platform = raw_u16(p + 6);
	h.version = raw_u32(p + 8);
	h.numer = raw_u64(p + 12);
	h.denom = raw_u64(p + 20);
	h.main_thread = raw_u64(p + 28);
	h.known = known(h.version);
	if (h.numer == 0 || h.denom == 0)
		return err_set(err, ERR_INPUT,
			       "'%s' has a clock of %llu/%llu ns a tick: its "
			       "header is damaged",
			       what, (unsigned long long)h.numer,
			       (unsigned long long)h.denom);
	for (int i = 0; h.size == RAW_HEAD_MAX && i < 5; i++)
		h.unity[i] = raw_u32(p + RAW_HEAD_MIN + 4 * i);
	*head = h;
	return 0;
}

bool
raw_format_same(const struct raw_head *a, const struct raw_head *b)
{
	return a->aligned == b->aligned && a->version == b->version &&
	       a->numer == b->numer && a->denom == b->denom &&
	       a->main_thread == b->main_thread;
}

__extension__ typedef unsigned __int128 u128;

static uint64_t
capped(u128 v)
{
	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

uint64_t
raw_format_ns(const struct raw_head *head, uint64_t ticks)
{
	if (head->numer == head->denom)
		return ticks;
	return capped((u128)ticks * head->numer / head->denom);
}

uint64_t
raw_format_span_ns(const struct raw_head *head, uint64_t start, uint64_t end)
{
	return end > start ? raw_format_ns(head, end - start) : 0;
}
