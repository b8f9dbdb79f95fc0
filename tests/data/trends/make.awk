# Trends as compare_trends() gives them, of a made game:
#
#   awk -f make.awk -v runs=34 -v screens=9 -v seed=7
#
# One run a day until 2026-11-30.  Some days have no run, on some nothing is
# measured, some values are not used.  Planted, each for its last level or mark:
# shop's load is a regression since 4 runs, battle's memory creeps, home's settle
# got better, unit's load is suspect today; the phone's Android changed on the
# eighth run when there are more than twenty.  plain=1: no such things.

function rnd()
{
	seed = (seed * 16807) % 2147483647
	return seed / 2147483647
}
# About normal, sigma 1.
function noise()
{
	return (rnd() + rnd() + rnd() + rnd() - 2) * 1.732
}
# Days since 1970 as YYYY-MM-DD.
function date(z,    era, doe, yoe, doy, mp, d, m)
{
	z += 719468
	era = int(z / 146097)
	doe = z - era * 146097
	yoe = doe - int(doe / 1460) + int(doe / 36524) - int(doe / 146096)
	yoe = int(yoe / 365)
	doy = doe - (365 * yoe + int(yoe / 4) - int(yoe / 100))
	mp = int((5 * doy + 2) / 153)
	d = doy - int((153 * mp + 2) / 5) + 1
	m = mp < 10 ? mp + 3 : mp - 9
	return sprintf("%04d-%02d-%02d", yoe + era * 400 + (m <= 2), m, d)
}
function quote(s)
{
	gsub(/["\\]/, "\\\\&", s)
	return "\"" s "\""
}
function hex(n,    s, i)
{
	for (i = 0; i < n; i++)
		s = s substr("0123456789abcdef", int(rnd() * 16) + 1, 1)
	return s
}
function run_json(i, day,    measured, why, at, build)
{
	at = date(day) "T10:46:00Z"
	build = 4242 - (runs - 1 - i)
	measured = plain || i == runs - 1 || (i % 13 != 9)
	comma = i ? "," : ""
	printf "%s\n{\"id\": \"%s-%d-%s\", \"at\": \"%s\", \"run_id\": \"%d\", ",
		comma, gensub_time(at), build, hex(8), at, build
	printf "\"commit\": \"%s\", ", hex(40)
	if (measured)
		printf "\"outcome\": \"passed\", \"reason\": null, \"message\": null, "
	else
		printf "\"outcome\": \"skipped\", \"reason\": \"device_busy\", \"message\": %s, ",
			quote("Pixel 6 held by <b>qa-team</b> & \"others\"")
	hot = !plain && measured && i % 11 == 5
	why = hot ? "\"throttled\"" : measured ? "null" : "\"nothing_measured\""
	printf "\"measured\": %s, \"valid\": %s, \"invalid\": %s, ",
		measured ? "true" : "false", why == "null" ? "true" : "false", why
	why = "null"
	if (!plain && runs > 20 && i == 8)
		why = quote("a new baseline begins: another OS build, 14 before, 15 now")
	printf "\"new_baseline\": %s, ", why
	printf "\"report_url\": \"https://example.com/runs/%d?a=1&b=2\"}", build
	ok[i] = measured
	hots[i] = hot
}
function gensub_time(at)
{
	gsub(/[-:]/, "", at)
	return at
}
function series(metric, subject, unit, base, sigma, kind,    i, n, v, to, from, later, points, unused, m)
{
	printf "%s\n{\"metric\": %s, \"subject\": %s, \"unit\": %s, ", count++ ? "," : "",
		quote(metric), quote(subject), quote(unit)
	printf "\"lower_is_better\": true, \"deterministic\": false, \"points\": ["
	n = 0
	from = runs > 20 && !plain ? 8 : 0
	begin = 0
	later = 1e9
	for (i = 0; i < runs; i++) {
		if (!ok[i])
			continue
		v = base
		if (kind == "regression" && i >= runs - 4)
			v *= 1.2
		if (kind == "improvement" && i >= runs - 6)
			v *= 0.85
		if (kind == "creep" && i > runs - 25)
			v *= 1 + 0.004 * (i - runs + 25)
		if (kind == "suspect" && i == runs - 1)
			v *= 1.3
		if (i < from)
			v *= 0.93
		unused = hots[i] ? "\"throttled\"" : "null"
		if (!plain && kind == "" && unused == "null" && rnd() < 0.03) {
			unused = "\"off_route\""
			v *= 1.4
		}
		v = v * (1 + sigma * noise())
		v = unit == "bytes" || unit == "" ? int(v) : int(v * 4) / 4
		printf "%s{\"run\": %d, \"value\": %.15g, \"unused\": %s}",
			n ? ", " : "", i, v, unused
		if (i == from || (i > from && !begin && from))
			begin = begin ? begin : n
		if (later == 1e9 && ((kind == "regression" && i >= runs - 4) ||
		    (kind == "improvement" && i >= runs - 6) ||
		    (kind == "creep" && i > runs - 20 && i > from + 4)))
			later = n
		n++
	}
	printf "], \"levels\": ["
	m = later < n ? later : n
	if (begin > 0)
		printf "{\"from\": 0, \"to\": %d, \"median\": %.15g, \"noise\": %.15g}, ",
			begin - 1, base * 0.93, base * 0.93 * sigma
	printf "{\"from\": %d, \"to\": %d, \"median\": %.15g, \"noise\": %.15g}",
		begin, m - 1, base, base * sigma
	if (m < n) {
		v = kind == "regression" ? 1.2 : kind == "creep" ? 1.05 : 0.85
		printf ", {\"from\": %d, \"to\": %d, \"median\": %.15g, \"noise\": %.15g}",
			m, n - 1, base * v, base * v * sigma
	}
	printf "], \"marks\": ["
	if (m < n)
		printf "{\"point\": %d, \"seen\": %d, \"kind\": \"%s\", \"line\": %s}",
			m, n - 1 - (kind == "regression" ? 0 : 1), kind,
			quote(sprintf("%s %s %.6g→%.6g %s (%+.0f %%): medians of 25 and %d runs, noise %.3g",
				subject, metric, base, base * v, unit,
				(v - 1) * 100, n - m, base * sigma))
	if (kind == "suspect")
		printf "{\"point\": %d, \"seen\": %d, \"kind\": \"suspect\", \"line\": %s}",
			n - 1, n - 1, quote("1.3 of the median of 14 runs, limit 1.05")
	printf "]}"
}
BEGIN {
	if (!runs) runs = 34
	if (!screens) screens = 9
	if (!seed) seed = 7
	split("home shop battle unit party guild quest gift\"<img/src=x/onerror=alert(1)//'&amp; title", name, " ")
	last = 20787 # 2026-11-30
	printf "{\"schema_version\": 1, \"runs\": ["
	day = last - runs + 1 - (plain ? 0 : int(runs / 17))
	for (i = 0; i < runs; i++) {
		run_json(i, day)
		day += !plain && i % 17 == 3 && i < runs - 1 ? 2 : 1
	}
	printf "],\n\"key\": {\"model\": \"Pixel 6\", \"serial\": \"1A2B3C\", \"os\": \"google/oriole/oriole:15/AP1A.240505.005/11677807:user/release-keys\", \"unity\": \"6000.0.23f1\", \"plan\": \"9f3c1d2e\"},\n\"series\": ["
	for (k = 1; k <= screens; k++) {
		n = k in name ? name[k] : "screen" k
		from = n == "home" ? "title" : "home"
		kind = plain ? "" : n == "shop" ? "regression" : n == "unit" ? "suspect" : ""
		series("load", from ">" n, "ms", 900 + 160 * k, 0.02, kind)
		series("settle", n, "ms", 300 + 20 * k, 0.03, !plain && n == "home" ? "improvement" : "")
		series("memory", n, "bytes", (300 + 20 * k) * 1048576, 0.006, !plain && n == "battle" ? "creep" : "")
		series("stalls", from ">" n, "", 3 + k, 0.2, "")
		series("worst", from ">" n, "ms", 180 + 15 * k, 0.06, "")
		for (j = 0; j < more; j++)
			series("type_" j, n, "bytes", (10 + j) * 1048576, 0.01, "")
	}
	series("startup", "", "ms", 2210, 0.02, "")
	series("apk_size", "", "bytes", 212 * 1048576, 0, "")
	printf "]}\n"
}
