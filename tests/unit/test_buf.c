#include "base/buf.h"

#include "base/mem.h"
#include "check.h"

static void
is_always_a_string(void)
{
	struct buf b = BUF_INIT;
	char *s;

	CHECK_STR(b.data, "");
	s = buf_take(&b);
	CHECK_STR(s, "");
	free(s);
	buf_str(&b, "ab");
	buf_chr(&b, 'c');
	buf_fmt(&b, "%d", 42);
	buf_add(&b, "\0d", 2);
	CHECK(b.len == 7 && memcmp(b.data, "abc42\0d", 8) == 0);
	buf_truncate(&b, 5);
	CHECK_STR(b.data, "abc42");
	buf_truncate(&b, 9);
	CHECK(b.len == 5);
	buf_drop(&b, 2);
	CHECK_STR(b.data, "c42");
	buf_drop(&b, 99);
	CHECK_STR(b.data, "");
	buf_str(&b, "x");
	s = buf_take(&b);
	CHECK_STR(s, "x");
	free(s);
	CHECK_STR(b.data, "");
	buf_str(&b, "again");
	CHECK_STR(b.data, "again");
	buf_done(&b);
	CHECK_STR(b.data, "");
}

static void
grows_by_any_step(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	char *to;

	for (int i = 0; i < 5000; i++)
		buf_chr(&b, (char)('a' + i % 26));
	CHECK(b.len == 5000 && strlen(b.data) == 5000);
	to = buf_reserve(&b, 100000);
	REQUIRE(to);
	memset(to, 'z', 100000);
	buf_added(&b, 100000);
	CHECK(strlen(b.data) == 105000);
	CHECK(b.data[4999] == (char)('a' + 4999 % 26));
}

static void
keeps_its_limit(void)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(4);
	struct err err = ERR_INIT;

	buf_str(&b, "1234");
	CHECK(buf_check(&b, "'x'", &err) == 0);
	buf_chr(&b, '5');
	CHECK_STR(b.data, "1234");
	CHECK(buf_check(&b, "'x'", &err) == -1 && err.code == ERR_PROTO);
	CHECK_STR(err.msg, "'x' is larger than 4 bytes");
	/* It stays over though something small would fit. */
	buf_drop(&b, 2);
	buf_str(&b, "6");
	CHECK(b.over);
	buf_clear(&b);
	CHECK(!b.over && b.limit == 4);
	buf_add(&b, "12345", 5);
	CHECK(b.over && b.len == 0);
	CHECK(!buf_reserve(&b, (size_t)-1));
	buf_clear(&b);
	buf_fmt(&b, "%d", 12345);
	CHECK(b.over && b.len == 0);
}

static void
formats_up_to_the_limit(void)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(4);

	buf_fmt(&b, "%d", 1234);
	CHECK(!b.over);
	CHECK_STR(b.data, "1234");
}

static void
control_bytes_are_escaped(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_escaped(&b, "a\033[31m\n\r\t\x7f\0z", 12);
	CHECK_STR(b.data, "a\\x1b[31m\\x0a\\x0d\\x09\\x7f\\x00z");
	buf_clear(&b);
	buf_escaped(&b, "\xc3\xa9\xc2\x9b\xc2", 5); /* é, CSI, half */
	CHECK_STR(b.data, "\xc3\xa9\\x9b\xc2");
}

static const char *
utf8(struct buf *b, const char *s)
{
	buf_clear(b);
	buf_utf8(b, s);
	return b->data;
}

#define BAD "\xEF\xBF\xBD"

static void
utf8_is_made_whole(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	static const char good[] = "a\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf"
				   "\xee\x80\x80\xf0\x90\x80\x80"
				   "\xf4\x8f\xbf\xbf";

	CHECK_STR(utf8(&b, good), good);
	CHECK_STR(utf8(&b, "\x80z"), BAD "z");		  /* stray */
	CHECK_STR(utf8(&b, "\xc3"), BAD);		  /* cut */
	CHECK_STR(utf8(&b, "\xe2\x82"), BAD BAD);	  /* cut */
	CHECK_STR(utf8(&b, "\xc0\xaf"), BAD BAD);	  /* overlong */
	CHECK_STR(utf8(&b, "\xe0\x9f\xbf"), BAD BAD BAD); /* overlong */
	CHECK_STR(utf8(&b, "\xed\xa0\x80"), BAD BAD BAD); /* surrogate */
	CHECK_STR(utf8(&b, "\xf4\x90\x80\x80"), BAD BAD BAD BAD);
	CHECK_STR(utf8(&b, "\xff"), BAD);
	CHECK_STR(utf8(&b, "\xc3x"), BAD "x");
}

static void
markup_is_text(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_html(&b, "<a href=\"x\" b='y'>&amp;\xff\x01\n\xc2\x85");
	CHECK_STR(b.data,
		  "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;" BAD BAD
		  "\n" BAD BAD);
	buf_clear(&b);
	buf_xml(&b, "<\x01>\xff\t\xef\xbf\xbe\xc3\xa9]]>");
	CHECK_STR(b.data, "&lt;&gt;\t\xc3\xa9]]&gt;");
}

static void
url_and_base64(void)
{
	AUTO_BUF struct buf b = BUF_INIT;

	buf_url(&b, "aZ0-._~ /?&=%\xc3\xa9");
	CHECK_STR(b.data, "aZ0-._~%20%2F%3F%26%3D%25%C3%A9");
	buf_clear(&b);
	CHECK(buf_url_decoded(&b, "a%20%2f%C3%a9", 13));
	CHECK_STR(b.data, "a /\xc3\xa9");
	CHECK(!buf_url_decoded(&b, "%2", 2));
	CHECK(!buf_url_decoded(&b, "%2x1", 4));
	CHECK(!buf_url_decoded(&b, "%00", 3));
	buf_clear(&b);
	buf_base64(&b, "", 0);
	CHECK_STR(b.data, "");
	buf_base64(&b, "f", 1);
	buf_chr(&b, ' ');
	buf_base64(&b, "fo", 2);
	buf_chr(&b, ' ');
	buf_base64(&b, "foo", 3);
	buf_chr(&b, ' ');
	buf_base64(&b, "\xff\xfe\xfd\0", 4);
	CHECK_STR(b.data, "Zg== Zm8= Zm9v //79AA==");
}

static void
sizes(void)
{
	static const struct {
		long long bytes;
		const char *text;
	} rows[] = {
		{0, "0 B"},
		{12, "12 B"},
		{1023, "1023 B"},
		{1024, "1.0 KiB"},
		{8602, "8.4 KiB"},
		{10 << 10, "10 KiB"},
		{10239, "10 KiB"},
		{(1 << 20) - 1, "1.0 MiB"},
		{412ll << 20, "412 MiB"},
		{3ll << 40, "3.0 TiB"},
		{5000ll << 40, "5000 TiB"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		AUTO_BUF struct buf b = BUF_INIT;

		buf_size(&b, rows[i].bytes);
		CHECK_STR(b.data, rows[i].text);
	}
}

static void
durations(void)
{
	static const struct {
		long long ms;
		const char *text;
	} rows[] = {
		{0, "0 ms"},
		{999, "999 ms"},
		{1000, "1.00 s"},
		{1840, "1.84 s"},
		{9994, "9.99 s"},
		{9999, "10.0 s"},
		{59900, "59.9 s"},
		{59999, "1:00 min"},
		{60000, "1:00 min"},
		{1450000, "24:10 min"},
		{3599999, "59:59 min"},
		{3600000, "1:00 h"},
		{5400000, "1:30 h"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		AUTO_BUF struct buf b = BUF_INIT;

		buf_duration(&b, rows[i].ms);
		CHECK_STR(b.data, rows[i].text);
	}
}

CHECK_MAIN(CHECK_CASE("a buf is a string at any time", is_always_a_string),
	   CHECK_CASE("a buf grows by any step", grows_by_any_step),
	   CHECK_CASE("what would pass the limit is not added and is told",
		      keeps_its_limit),
	   CHECK_CASE("formatted text may fill the limit exactly",
		      formats_up_to_the_limit),
	   CHECK_CASE("control bytes are escaped, letters are not",
		      control_bytes_are_escaped),
	   CHECK_CASE("what is not UTF-8 becomes U+FFFD", utf8_is_made_whole),
	   CHECK_CASE("text stays text in HTML and XML", markup_is_text),
	   CHECK_CASE("URL and base64 forms are the standard ones",
		      url_and_base64),
	   CHECK_CASE("sizes read well at each border", sizes),
	   CHECK_CASE("durations read well at each border", durations), )
