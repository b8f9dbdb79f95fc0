/* What a snapshot tells once: when, where and how much in all. */
#include <endian.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "unity/snapshot_parts.h"

void
snapshot_facts_set_u64(cJSON *o, const char *key, uint64_t n)
{
	json_set_int(o, key, n > INT64_MAX ? INT64_MAX : (int64_t)n);
}

static uint32_t
u32_at(const unsigned char *p, size_t at)
{
	uint32_t n;

	memcpy(&n, p + at, sizeof(n));
	return le32toh(n);
}

static uint64_t
u64_at(const unsigned char *p, size_t at)
{
	uint64_t n;

	memcpy(&n, p + at, sizeof(n));
	return le64toh(n);
}

static void
set_short(cJSON *o, const char *key, const unsigned char *p, size_t room,
	  uint32_t len)
{
	AUTO_FREE char *text = NULL;

	text = mem_strndup((const char *)p, len < room ? len : room);
	json_set_str(o, key, text);
}

/* The layout of a C struct; what is behind these is not needed. */
int
snapshot_facts_target(const struct snapshot *s, cJSON *o, struct err *err)
{
	unsigned char p[336];
	cJSON *target;
	double seconds;
	uint64_t bits;
	size_t got;

	if (snapshot_single(s, SNAPSHOT_TARGET, p, sizeof(p), &got, err))
		return err_wrap(err, "the target's description");
	if (got < sizeof(p)) {
		json_set(o, "target", cJSON_CreateNull());
		return 0;
	}
	bits = u64_at(p, 40);
	memcpy(&seconds, &bits, sizeof(seconds));
	target = json_obj();
	json_set_int(target, "session", u32_at(p, 0));
	json_set_int(target, "platform", u32_at(p, 4));
	json_set_int(target, "graphics_device", u32_at(p, 8));
	snapshot_facts_set_u64(target, "physical_memory_bytes", u64_at(p, 16));
	snapshot_facts_set_u64(target, "graphics_memory_bytes", u64_at(p, 24));
	json_set_int(target, "scripting_backend", (int32_t)u32_at(p, 32));
	json_set_num(target, "seconds_since_start", seconds);
	set_short(target, "unity_version", p + 52, 16, u32_at(p, 48));
	set_short(target, "product", p + 72, 256, u32_at(p, 68));
	json_set(o, "target", target);
	return 0;
}

int
snapshot_facts_stats(const struct snapshot *s, cJSON *o, struct err *err)
{
	static const char *const name[] = {
		"virtual_bytes",
		"used_bytes",
		"reserved_bytes",
		"temp_allocator_bytes",
		"graphics_bytes",
		"audio_bytes",
		"gc_used_bytes",
		"gc_reserved_bytes",
		"profiler_used_bytes",
		"profiler_reserved_bytes",
		"memory_profiler_used_bytes",
		"memory_profiler_reserved_bytes",
	};
	unsigned char p[8 * (sizeof(name) / sizeof(*name))];
	cJSON *stats;
	size_t got;

	if (snapshot_single(s, SNAPSHOT_STATS, p, sizeof(p), &got, err))
		return err_wrap(err, "the memory statistics");
	if (got < sizeof(p)) {
		json_set(o, "stats", cJSON_CreateNull());
		return 0;
	}
	stats = json_obj();
	for (size_t i = 0; i < sizeof(name) / sizeof(*name); i++)
		snapshot_facts_set_u64(stats, name[i], u64_at(p, i * 8));
	json_set(o, "stats", stats);
	return 0;
}

/* .NET ticks, 100 ns since the year 1, UTC. */
int
snapshot_facts_date(const struct snapshot *s, cJSON *o, struct err *err)
{
	const int64_t epoch = 621355968000000000, year_9999 = 253402300800;
	unsigned char p[8];
	char text[32];
	struct tm tm;
	int64_t seconds;
	time_t t;
	size_t got;

	json_set_str(o, "captured_at", NULL);
	if (snapshot_single(s, SNAPSHOT_DATE, p, sizeof(p), &got, err))
		return err_wrap(err, "the date");
	if (got < sizeof(p) || u64_at(p, 0) > INT64_MAX)
		return 0;
	seconds = ((int64_t)u64_at(p, 0) - epoch) / 10000000;
	t = (time_t)seconds;
	if (seconds >= 0 && seconds < year_9999 && gmtime_r(&t, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		json_set_str(o, "captured_at", text);
	return 0;
}
