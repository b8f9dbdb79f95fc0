#include "check.h"

#include <zlib.h>

#include "adb/adb_device.h"
#include "adb/adb_device_phone.h"
#include "adb/adb_dialog.h"
#include "adb/adb_screencap.h"
#include "adb_fake.h"

static void
state_is_read(void)
{
	struct adb_phone_state s;

	adb_device_phone_parse(
		"Current Battery Service state:\n  AC powered: false\n"
		"  USB powered: true\n  status: 2\n  health: 2\n"
		"  level: 87\n  scale: 100\n  temperature: 312\n"
		"@thermal\nThermal Status: 2\n@now\n1803000\n2401000\n"
		"@max\n2000000\n2850000\n@memory\n"
		"MemAvailable:    4212500 kB\n@brightness\n128\n",
		&s);
	CHECK(s.battery_c > 31.19 && s.battery_c < 31.21);
	CHECK(s.battery_pct == 87 && s.charging == 1);
	CHECK(s.thermal_status == 2);
	CHECK(s.cpu_count == 2 && s.cpu_khz[1] == 2401000);
	CHECK(s.cpu_max_khz[0] == 2000000 && s.cpu_max_khz[2] == -1);
	CHECK(s.free_bytes == 4212500LL * 1024);
	CHECK(s.brightness == 128);
}

static void
silent_phone_is_unknown(void)
{
	static const char *const texts[] = {
		"",
		"Can't find service: battery\n@thermal\n@now\n@max\n@memory\n"
		"@brightness\nnull\n",
		"level: 999\ntemperature: 99999999999999999999\n@thermal\n"
		"Thermal Status: -7\n@now\nx\n@max\n@memory\nMemAvailable: x\n"
		"@brightness\n-1\n",
		"@brightness\n@memory\n@now\n@thermal\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct adb_phone_state s;

		adb_device_phone_parse(texts[i], &s);
		CHECK(s.battery_c <= ADB_DEVICE_PHONE_UNKNOWN_C);
		CHECK(s.battery_pct == -1 && s.charging == -1);
		CHECK(s.thermal_status == -1 && s.cpu_count == 0);
		CHECK(s.cpu_khz[0] == -1 && s.free_bytes == -1);
		CHECK(s.brightness == -1);
	}
}

static void
windows_are_told_apart(void)
{
	static const struct {
		const char *text;
		enum adb_dialog kind;
	} cases[] = {
		{"  mCurrentFocus=Window{1a u0 com.x/com.x.Main}\n",
		 ADB_DIALOG_NONE},
		{"mCurrentFocus=Window{1a u0 Application Not Responding: "
		 "com.x}",
		 ADB_DIALOG_ANR},
		{"mCurrentFocus=Window{1a u0 Application Error: com.x}",
		 ADB_DIALOG_CRASH},
		{"mCurrentFocus=null\nmCurrentFocus=Window{1a u0 "
		 "com.google.android.permissioncontroller/com.android."
		 "permissioncontroller.permission.ui."
		 "GrantPermissionsActivity}",
		 ADB_DIALOG_PERMISSION},
		{"mCurrentFocus=Window{1a u0 NotificationShade}",
		 ADB_DIALOG_LOCK},
		{"mCurrentFocus=Window{1a u0 com.xy/com.xy.Main}",
		 ADB_DIALOG_OTHER},
		{"mCurrentFocus=Window{1a", ADB_DIALOG_NONE},
		{"mCurrentFocus=Window{}", ADB_DIALOG_NONE},
		{"", ADB_DIALOG_NONE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct adb_dialog_seen seen;

		adb_dialog_parse(cases[i].text, "com.x", &seen);
		CHECK(seen.kind == cases[i].kind);
	}
}

static void
chunk(struct buf *b, const char *type, const void *data, size_t len)
{
	const unsigned char head[4] = {
		(unsigned char)(len >> 24), (unsigned char)(len >> 16),
		(unsigned char)(len >> 8), (unsigned char)len};

	buf_add(b, head, 4);
	buf_add(b, type, 4);
	buf_add(b, data, len);
	buf_add(b, "crc.", 4);
}

/* 4 x 4 RGBA, each row with another filter. */
static void
picture(struct buf *b)
{
	unsigned char rows[4][17] = {{0}}, packed[256];
	uLongf len = sizeof(packed);

	for (int y = 0; y < 4; y++) {
		rows[y][0] = (unsigned char)(y == 3 ? 4 : y);
		for (int x = 0; x < 4; x++)
			rows[y][4 + 4 * x] =
				y == 0 || (x == 0 && y == 1) ? 255 : 0;
	}
	if (compress(packed, &len, &rows[0][0], sizeof(rows)) != Z_OK)
		exit(1);
	buf_add(b, "\x89PNG\r\n\x1a\n", 8);
	chunk(b, "IHDR", "\0\0\0\4\0\0\0\4\10\6\0\0\0", 13);
	chunk(b, "IDAT", packed, len / 2);
	chunk(b, "IDAT", packed + len / 2, len - len / 2);
	chunk(b, "IEND", "", 0);
}

static void
pictures_are_cleaned(void)
{
	AUTO_BUF struct buf png = BUF_INIT, b = BUF_INIT;
	struct err err = ERR_INIT;

	picture(&png);
	buf_str(&b, "[Warning] Multiple displays were found\n");
	buf_add(&b, png.data, png.len);
	buf_str(&b, "rest");
	CHECK(adb_screencap_clean(&b, &err) == 0);
	CHECK(b.len == png.len && memcmp(b.data, png.data, b.len) == 0);
	/* through a terminal */
	buf_clear(&b);
	for (size_t i = 0; i < png.len; i++) {
		if (png.data[i] == '\n')
			buf_chr(&b, '\r');
		buf_chr(&b, png.data[i]);
	}
	CHECK(adb_screencap_clean(&b, &err) == 0);
	CHECK(b.len == png.len && memcmp(b.data, png.data, b.len) == 0);
	for (size_t cut = 0; cut < png.len; cut++) {
		buf_clear(&b);
		buf_add(&b, png.data, cut);
		CHECK(adb_screencap_clean(&b, &err) == -1);
	}
	CHECK(err.code == ERR_PROTO);
}

static void
memory_is_bounded(void)
{
	static const struct fake_conn conn[] = {
		{{{.request = "host:transport:S", FAKE_ANSWER("OKAY")},
		  {.request = "shell,v2,raw:getprop", FAKE_ANSWER("OKAY")},
		  {FAKE_ANSWER("\1\x21\0\0\0"
			       "MemTotal: 9223372036854775807 kB\n"
			       "\3\1\0\0\0\0")}},
		 false}};
	char serial[] = "S";
	struct fake f;
	struct adb_device dev = {.server = &f.server,
				 .serial = serial,
				 .shell = ADB_DEVICE_SHELL_V2};
	struct adb_device_facts facts;
	struct err err = ERR_INIT;

	fake_start(&f, conn, 1, FAKE_PLAIN);
	REQUIRE(adb_device_facts(&dev, &facts, deadline_in(NULL, 30000),
				 &err) == 0);
	CHECK(facts.ram_bytes == -1);
	adb_device_facts_done(&facts);
	fake_stop(&f);
}

CHECK_MAIN(CHECK_CASE("the phone's state is read", state_is_read),
	   CHECK_CASE("what the phone does not tell is unknown",
		      silent_phone_is_unknown),
	   CHECK_CASE("windows are told apart", windows_are_told_apart),
	   CHECK_CASE("a picture is cut out of what came",
		      pictures_are_cleaned),
	   CHECK_CASE("memory that no phone has is unknown",
		      memory_is_bounded), )
