#include "adb/adb_device_phone.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb_shell.h"

/* The parts are told apart by lines that no part prints. */
#define CPUS "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/"
static const char command[] =
	"dumpsys battery; "
	"echo @thermal; dumpsys thermalservice | grep 'Thermal Status'; "
	"echo @now; cat " CPUS "scaling_cur_freq 2>/dev/null; "
	"echo @max; cat " CPUS "scaling_max_freq 2>/dev/null; "
	"echo @memory; grep MemAvailable /proc/meminfo; "
	"echo @brightness; settings get system screen_brightness";

/* The number behind `key` between text and end. */
static long long
number(const char *text, const char *end, const char *key, long long unknown)
{
	const char *at = strstr(text, key);
	char *stop;
	long long n;

	if (!at || at >= end)
		return unknown;
	at += strlen(key);
	while (*at == ' ')
		at++;
	n = strtoll(at, &stop, 10);
	return stop == at ? unknown : n;
}

/* Where a part begins: behind its line; the text's end when absent. */
static const char *
part(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? at + strlen(name) : text + strlen(text);
}

static int
small(long long n, long long low, long long high)
{
	return n >= low && n <= high ? (int)n : -1;
}

static int
frequencies(const char *text, const char *end, int *khz)
{
	int count = 0;
	char *stop;

	while (text < end && count < ADB_DEVICE_PHONE_CPUS) {
		long long n = strtoll(text, &stop, 10);

		if (stop == text || stop > end)
			break;
		khz[count++] = small(n, 0, 100000000);
		text = stop;
	}
	return count;
}

static void
parse_battery(const char *text, const char *end, struct adb_phone_state *s)
{
	long long tenths = number(text, end, "temperature:", -10000);
	long long status = number(text, end, "\n  status:", -1);

	if (tenths > -1000 && tenths < 2000)
		s->battery_c = (double)tenths / 10;
	s->battery_pct = small(number(text, end, "level:", -1), 0, 100);
	/* 2 charging, 3 discharging, 4 not charging, 5 full */
	if (status >= 2 && status <= 5)
		s->charging = status == 2 || status == 5;
}

void
adb_device_phone_parse(const char *text, struct adb_phone_state *s)
{
	const char *thermal = part(text, "@thermal\n");
	const char *now = part(text, "@now\n");
	const char *max = part(text, "@max\n");
	const char *memory = part(text, "@memory\n");
	const char *bright = part(text, "@brightness\n");
	const char *end = text + strlen(text);
	long long kib;

	*s = (struct adb_phone_state){
		.battery_c = ADB_DEVICE_PHONE_UNKNOWN_C,
		.charging = -1,
	};
	for (int i = 0; i < ADB_DEVICE_PHONE_CPUS; i++)
		s->cpu_khz[i] = s->cpu_max_khz[i] = -1;
	parse_battery(text, thermal, s);
	s->thermal_status =
		small(number(thermal, now, "Thermal Status:", -1), 0, 6);
	s->cpu_count = frequencies(now, max, s->cpu_khz);
	(void)frequencies(max, memory, s->cpu_max_khz);
	kib = number(memory, bright, "MemAvailable:", -1);
	s->free_bytes = kib >= 0 && kib < (1LL << 40) ? 1024 * kib : -1;
	s->brightness = small(number(bright, end, "", -1), 0, 100000);
}

int
adb_device_phone_state(struct adb_device *dev, struct adb_phone_state *state,
		       struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	int64_t began = deadline_now_us();
	int rc;

	adb_shell_result_init(&r, 256 << 10);
	rc = adb_shell_run(dev, command, &r, dl, err);
	if (rc == 0) {
		adb_device_phone_parse(r.out.data, state);
		state->took_us = deadline_now_us() - began;
	}
	adb_shell_result_done(&r);
	return rc ? err_wrap(err, "state of the phone") : 0;
}
