#include "adb/adb_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "adb/adb_host.h"
#include "adb/adb_shell.h"
#include "base/buf.h"
#include "base/mem.h"

int
adb_device_init(struct adb_device *dev, const struct adb_server *s,
		const char *serial, struct deadline dl, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT;

	if (adb_host_features(s, serial, &b, deadline_cap(dl, 10000), err))
		return err_wrap(err, "device '%s'", serial);
	*dev = (struct adb_device){
		.server = s,
		.serial = mem_strdup(serial),
		.features = buf_take(&b),
	};
	return 0;
}

void
adb_device_done(struct adb_device *dev)
{
	free(dev->serial);
	free(dev->features);
	*dev = (struct adb_device){0};
}

bool
adb_device_has(const struct adb_device *dev, const char *feature)
{
	size_t len = strlen(feature);
	const char *p = dev->features;

	while (p && *p) {
		size_t n = strcspn(p, ",\n");

		if (n == len && memcmp(p, feature, len) == 0)
			return true;
		p += n + (p[n] != '\0');
	}
	return false;
}

/* One look: 0 when ready, else `missing` says what is not. */
static int
look_ready(struct adb_device *dev, const char **missing, struct deadline dl,
	   struct err *err)
{
	struct adb_shell_result r;
	int rc;

	*missing = "the shell's answer";
	adb_shell_result_init(&r, 64 << 10);
	rc = adb_shell_run(dev, "getprop sys.boot_completed", &r, dl, err);
	if (rc == 0 && r.out.data[0] != '1') {
		*missing = "the end of the boot (sys.boot_completed)";
		rc = -1;
	}
	if (rc == 0) {
		rc = adb_shell_run(dev, "pm path android", &r, dl, err);
		if (rc == 0 && !strstr(r.out.data, "package:")) {
			*missing = "the package service (pm path android)";
			rc = -1;
		}
	}
	adb_shell_result_done(&r);
	return rc;
}

int
adb_device_ready(struct adb_device *dev, struct deadline dl, struct err *err)
{
	const char *missing = NULL;

	for (;;) {
		err_clear(err);
		/* A hanging shell is asked again, not waited for. */
		if (look_ready(dev, &missing, deadline_cap(dl, 10000), err) ==
		    0)
			return 0;
		if (err->code == ERR_CANCELLED || err->code == ERR_PROTO ||
		    err->code == ERR_AUTH)
			return err_wrap(err, "device '%s'", dev->serial);
		if (deadline_pause(dl, 500, err)) {
			if (err->code == ERR_TIMEOUT) {
				(void)err_set(err, ERR_TIMEOUT,
					      "Android is not ready: %s is "
					      "missing",
					      missing);
				(void)err_reason(err, "not_ready");
			}
			return err_wrap(err, "device '%s'", dev->serial);
		}
	}
}

enum {
	FACT_MODEL,
	FACT_MANUFACTURER,
	FACT_SERIALNO,
	FACT_RELEASE,
	FACT_BUILD,
	FACT_ABILIST,
	FACT_ABI,
	FACT_SOC,
	FACT_BOARD,
	FACT_SDK,
	FACT_MEMORY,
	FACT_SIZE,
	FACT_COUNT,
};

/* One line each, in the order of the enum. */
static const char facts_command[] = "getprop ro.product.model; "
				    "getprop ro.product.manufacturer; "
				    "getprop ro.serialno; "
				    "getprop ro.build.version.release; "
				    "getprop ro.build.fingerprint; "
				    "getprop ro.product.cpu.abilist; "
				    "getprop ro.product.cpu.abi; "
				    "getprop ro.soc.model; "
				    "getprop ro.board.platform; "
				    "getprop ro.build.version.sdk; "
				    "grep MemTotal /proc/meminfo; "
				    "wm size";

static char *
line(const char *const *at, const size_t *len, int which)
{
	return at[which] ? mem_strndup(at[which], len[which]) : mem_strdup("");
}

static char *
line_or(const char *const *at, const size_t *len, int which, int other)
{
	return line(at, len, at[which] && len[which] ? which : other);
}

static void
parse_facts(const char *text, struct adb_device_facts *f)
{
	const char *at[FACT_COUNT] = {0};
	size_t len[FACT_COUNT] = {0};
	const char *size = strstr(text, "Physical size: ");
	const char *memory = strstr(text, "MemTotal:");
	long long kib = memory ? strtoll(memory + 9, NULL, 10) : -1;

	for (int i = 0; i < FACT_COUNT && *text; i++) {
		at[i] = text;
		len[i] = strcspn(text, "\r\n");
		text += len[i];
		text += *text == '\r';
		text += *text == '\n';
	}
	f->model = line(at, len, FACT_MODEL);
	f->manufacturer = line(at, len, FACT_MANUFACTURER);
	f->serialno = line(at, len, FACT_SERIALNO);
	f->release = line(at, len, FACT_RELEASE);
	f->build = line(at, len, FACT_BUILD);
	f->abis = line_or(at, len, FACT_ABILIST, FACT_ABI);
	f->soc = line_or(at, len, FACT_SOC, FACT_BOARD);
	f->sdk = at[FACT_SDK] ? (int)strtol(at[FACT_SDK], NULL, 10) : 0;
	f->ram_bytes = kib >= 0 && kib < (1LL << 40) ? 1024 * kib : -1;
	if (!size || sscanf(size + 15, "%5dx%5d", &f->width, &f->height) != 2)
		f->width = f->height = 0;
}

int
adb_device_facts(struct adb_device *dev, struct adb_device_facts *facts,
		 struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, 64 << 10);
	/* The last command's status says nothing about the others. */
	rc = adb_shell_run(dev, facts_command, &r, dl, err);
	if (rc == 0) {
		parse_facts(r.out.data, facts);
		dev->sdk = facts->sdk;
	}
	adb_shell_result_done(&r);
	return rc;
}

void
adb_device_facts_done(struct adb_device_facts *f)
{
	free(f->model);
	free(f->manufacturer);
	free(f->serialno);
	free(f->release);
	free(f->build);
	free(f->abis);
	free(f->soc);
	*f = (struct adb_device_facts){0};
}

/* "/dev/block/dm-5  114686976 3218000 110943000  3% /data": KiB, last line. */
static long long
parse_df(const char *text)
{
	long long kib = -1, n[3];
	char name[256];

	while (*text) {
		size_t len = strcspn(text, "\n");

		if (sscanf(text, "%255s %lld %lld %lld", name, &n[0], &n[1],
			   &n[2]) == 4 &&
		    n[2] >= 0 && n[2] < (1LL << 50))
			kib = n[2];
		text += len + (text[len] == '\n');
	}
	return kib < 0 ? -1 : 1024 * kib;
}

int
adb_device_free_space(struct adb_device *dev, long long *bytes,
		      struct deadline dl, struct err *err)
{
	struct adb_shell_result r;
	int rc;

	adb_shell_result_init(&r, 64 << 10);
	rc = adb_shell_run(dev, "df -k /data", &r, dl, err);
	if (rc == 0)
		*bytes = parse_df(r.out.data);
	adb_shell_result_done(&r);
	return rc;
}
