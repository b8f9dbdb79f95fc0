#!/bin/sh
# The history as one page, and as trends in a run's report.
. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"
. "${0%/*}/lib_browser.sh"

AT=2026-11-30T12:00:00Z

# trends [AWK-OPTION]...: made ones, and their page.
trends()
{
	awk "$@" -f "$ROOT/tests/data/trends/make.awk" >trends.json
	run patrol history report --trends trends.json --at $AT --html page.html
	expect_status 0
}

# The values of all charts as the page has them, or as the trends have them.
POINTS='[...document.querySelectorAll("figure.trend")].map(f => ({
	metric: f.dataset.metric, subject: f.dataset.subject,
	points: [...f.querySelectorAll("g.p:not(.w)")].map(p =>
		[+p.dataset.run, +p.dataset.value, p.dataset.unused || null])}))'
points_are()
{
	jq -S '.[0].value | sort_by(.metric, .subject)' browsed >shown
	jq -S "$1"' | [.series[] | {metric, subject,
		points: [.points[] | [.run, .value, .unused]]}] |
		sort_by(.metric, .subject)' trends.json >wanted
	cmp -s shown wanted || fail "the page has other values: $(
		diff shown wanted | head -n 5)"
}

fresh

t "the first line says what is worse, since when, and that it was measured"
trends
expect_in page.html '<h1>shop: load 1.22→1.46 s (+20 %), new; 1 more got worse. Measured.</h1>'
expect_in page.html '>1 suspect, not yet confirmed. 1 got better. <'

t "a day without a measurement is louder"
run patrol history report --trends trends.json --at 2026-12-04T12:00:00Z \
	--html late.html
expect_in late.html '<h1>NOTHING MEASURED for 4 days. No run since 30 Nov.'
expect_in late.html 'Before that: shop: load'
jq '.runs[-1] |= (.measured = false | .message = "Pixel 6 held by qa-team")' \
	trends.json >busy.json
run patrol history report --trends busy.json --at $AT --html busy.html
expect_in busy.html '<h1>NOTHING MEASURED. Pixel 6 held by qa-team. Last measured 29 Nov.'

t "nothing worse is said as such; no runs at all, too"
trends -v plain=1
expect_in page.html 'Fine: measured, nothing got worse in 14 days.'
echo '{"runs": [], "series": []}' >none.json
run patrol history report --trends none.json --at $AT --html none.html
expect_status 0
expect_in none.html 'NOTHING MEASURED. There are no runs yet.'

t "three years of 300 series are at most 3 MB, and the page says what it left out"
trends -v runs=1000 -v screens=30 -v more=5 -v plain=1
[ "$(wc -c <page.html)" -le 3000000 ] || fail "$(wc -c <page.html) bytes"
expect_in page.html 'charts of all would make the page too large'
mv page.html big.html
mv trends.json big.json

t "too many series for a page are cut, not refused"
trends -v runs=60 -v screens=900 -v more=8
[ "$(wc -c <page.html)" -le 3000000 ] || fail "$(wc -c <page.html) bytes"
expect_in page.html 'some are not shown'

t "the same trends give the same page"
trends
cp page.html once.html
run sh -c "patrol history report --trends - --at $AT --html - <trends.json"
cmp -s once.html stdout || fail "another page"
run patrol history report --trends trends.json --at $AT --html -o other.html
cmp -s once.html other.html || fail "another page with -o"
run patrol history report --trends trends.json -o other.html page.html
expect_status 2

t "trends that are none are named by their place"
bad()
{
	jq "$1" trends.json >bad.json
	run patrol history report --trends bad.json --html bad.html
	expect_status 2
	expect_err "$2"
	[ ! -e bad.html ] || fail "a page was written"
}
bad '.series[3].points[2].run = 99' 'series[3].points[2] names no run'
bad '.series[3].points[2].run = 1.5' 'series[3].points[2] names no run'
bad '.series[3].points[2].run = 0' 'series[3].points[2] is not of a later run'
bad '.series[3].points[2].value = null' 'series[3].points[2] has no value'
bad '.series[1].marks[0] = {point: 5, seen: 4, kind: "creep"}' \
	'series[1].marks[0] names no points'
bad '.series[1].levels[0].to = -1' 'series[1].levels[0] has no range'
bad '.runs[4].at = "yesterday"' 'runs[4].at is no time'
bad '.runs |= reverse' 'is older than the one before'
bad 'del(.series)' "there are no 'series'"
printf '{"runs": [' >bad.json
run patrol history report --trends bad.json --html bad.html
expect_status 2
awk 'BEGIN {
	printf "{\"runs\": [], \"series\": [{\"metric\": \"x\", \"points\": ["
	for (i = 0; i < 1000000; i++)
		printf "%s{}", i ? "," : ""
	print "]}]}"
}' >bad.json
run patrol history report --trends bad.json --html bad.html
expect_status 2
expect_err 'more than 900000 values'
sed 's/"value": [0-9.]*/"value": 1e999/' trends.json >bad.json
run patrol history report --trends bad.json --html bad.html
expect_status 2

# --- in a browser --------------------------------------------------------

if ! have_browser; then
	t "pages in a browser"
	skip "there is no chromium, or no node"
	exit
fi

# One browser for all that is asked of the pages, each as a step of its own.
jq --arg points "$POINTS" '{points: {eval: $points}} + .' >ask.json <<'EOF_ASK'
{"table": {"eval": "[...document.querySelector('#s0 .values tbody').rows].map(r => parseFloat(r.cells[1].textContent))"},
"walk": {"walk": 60},
"arrows": {"focus": ".area", "keys": ["Home", "ArrowRight", "End", "ArrowLeft"],
	"eval": "document.querySelector('output').textContent"},
"home": {"focus": ".area", "keys": ["Home"],
	"eval": "document.activeElement.getAttribute('aria-valuenow')"},
"noscript": {"script": false,
	"eval": "['g.p > title', 'g.p', '.values tbody tr', '[tabindex]:not(.scroll)'].map(s => document.querySelectorAll(s).length)"},
"text": {"eval": "[document.images.length, document.scripts.length, document.body.textContent.includes(\"gift\\\"<img/src=x/onerror=alert(1)//'&amp;\")]"},
"marks": {"eval": "[...document.querySelectorAll('.area .m')].map(m => m.className + ' ' + m.dataset.point).concat(document.querySelectorAll('.chart .new').length)"},
"weeks": {"page": "big.html", "width": 360,
	"eval": "[...document.querySelector('.values tbody').rows].map(r => r.cells[1].textContent)"},
"none": {"page": "none.html", "width": 360}}
EOF_ASK
browse "$(jq -c --arg dir "file://$D/" '[to_entries[].value |
	.url = $dir + (.page // "page.html")]' ask.json)"
mv browsed asked

# asked NAME: the answer of that step, as ./browsed.
asked()
{
	jq --arg name "$1" --slurpfile ask ask.json \
		'[.[$ask[0] | keys_unsorted | index($name)]]' asked >browsed ||
		fail "no answer to $1"
	[ -s browsed ] || fail "no answer to $1"
	jq_is browsed '.[0].errors == []'
}

t "no complaints and no scrolling sideways: 1200, 500 and 360 px, light and dark"
pages page.html
asked none
jq_is browsed '.[0].overflow | not'

t "the points' values read back from the page are those of the trends"
asked points
points_are .
jq_is browsed '.[0].value | length == 47 and all(.[]; .points | length > 30)'

t "so are those of the tables, newest first"
asked table
jq '.[0].value' browsed >shown
jq '[.series[] | select(.subject == "home>shop" and .metric == "load") |
	.points[].value] | reverse' trends.json >wanted
cmp -s shown wanted || fail "another column: $(diff shown wanted | head -n 3)"

t "of the weeks before there are the least, the median and the most"
asked weeks
jq_is browsed '.[0].overflow | not'
jq_is browsed '.[0].value | length > 200 and
	(.[90:] | any(.[]; test("^[0-9.]+ \\([0-9.]+–[0-9.]+\\)$")))'

t "the keyboard reaches the days, the screens and the charts, and is seen there"
asked walk
jq_is browsed '.[0].walked | any(.[]; .tag == "a") and
	any(.[]; .cls == "area") and any(.[]; .tag == "summary")'
jq_is browsed '.[0].walked | map(select(.tag != "body")) | all(.[]; .seen)'

t "arrow keys walk a chart's values, and say the commit and the run"
asked arrows
jq_is browsed '.[0].value | test("^1.[0-9]+ s · 29 Nov 10:46 · run 4241 · [0-9a-f]{7}$")'
asked home
jq_is browsed '.[0].value == "1"'

t "without its script the page has all of it, in titles and tables"
asked noscript
jq_is browsed '.[0].value | .[0] == .[1] and .[0] > 1000 and .[2] > 200 and .[3] == 0'

t "text of others stays text"
asked text
jq_is browsed '.[0].value == [0, 1, true]'

t "marks stand at their points, breaks where the baseline changed"
asked marks
jq_is browsed '.[0].value | index("m regression 28") != null and
	any(.[]; . == "m suspect 31") and any(.[]; tostring | test("^m creep ")) and
	any(.[]; tostring | test("^m improvement ")) and .[-1] == 47'

# --- a run's report ------------------------------------------------------

t "a run's report has the trends of its screens"
farm "$(world)" -- patrol run --plan "$QUICK" --run-id 4242 --out out \
	--history dir:days
run patrol history show --history dir:days --json 4242
# The days before, as that run but for the load of the shop: a quarter less.
jq '. as $r | [range(30; 0; -1) as $d | {
	at: (now - $d * 86400 | todate), run_id: (4242 - $d | tostring),
	commit: ("\($d)" * 20 | .[0:40]), key: $r.key,
	metrics: [$r.metrics[] as $m | $m.values | to_entries[] | {
		name: $m.name, unit: $m.unit, deterministic: $m.deterministic,
		lower_is_better: $m.lower_is_better, subject: .key,
		value: (if $m.name == "memory" then .value * (1 + $d % 3 / 1000)
			elif $m.name == "load" and (.key | endswith(">shop")) then
				(if $d > 6 then 1000 else 1300 end) + $d % 5
			else .value end)}]}]' stdout >days.json
run patrol history import --history dir:days days.json
expect_status 0
cp -R days "$T/days"
farm "$(world)" -- patrol run --plan "$QUICK" --run-id 4242 --out out \
	--history "dir:$T/days"
jq '.history.trends' out/result.json >trends.json
jq_is trends.json '(.runs | length) == 30 and .runs[-1].run_id == "4242"'
jq_is trends.json '[.series[] | select(.metric == "load" and .subject == "gacha>shop")] |
	length == 1 and any(.[0].marks[]; .kind == "regression")'
fits_schema result out/result.json

t "its charts have the same values, without a script"
cp out/report.html report.html
browse "$(jq -nc --arg url "file://$D/report.html" --arg points "$POINTS" '[
	{url: $url, width: 360, eval: $points},
	{url: $url, width: 1200, dark: true, eval: "[document.scripts.length, document.querySelectorAll(\"#trends g.p > title\").length, document.querySelectorAll(\"#trends .regression\").length]"}]')"
points_are .
jq_is browsed 'all(.[]; .errors == [] and (.overflow | not))'
jq_is browsed '.[1].value | .[0] == 0 and .[1] > 300 and .[2] >= 1'

# --- on a phone ----------------------------------------------------------

# What can be folded is open; what is wider than its own box is counted.
OPENED='(() => {
	document.querySelectorAll("details").forEach(d => { d.open = true; });
	return {width: document.documentElement.scrollWidth,
		cells: document.querySelectorAll(".series td").length,
		cut: [...document.querySelectorAll("main *")].filter(e =>
			e.scrollWidth > e.clientWidth + 1 &&
			getComputedStyle(e).display != "inline").length};
})()'

t "report, dashboard and comparison are no wider than 360 px, all opened"
run patrol history report --history "dir:$T/days" --html page.html
run patrol compare --history "dir:$T/days" --html
cp stdout compare.html
browse "$(jq -nc --arg dir "file://$D/" --arg eval "$OPENED" '[
	{url: ($dir + ("report.html", "page.html", "compare.html")),
		width: 360, dark: (false, true), eval: $eval}]')"
jq_is browsed 'length == 6'
jq_is browsed 'all(.[]; .errors == [] and .value.width <= 360)'

t "nothing of the comparison is cut or scrolls within the page, at any width"
browse "$(jq -nc --arg dir "file://$D/" --arg eval "$OPENED" '[
	{url: ($dir + "compare.html"), width: (360, 500, 720, 870, 1200),
		eval: $eval}]')"
jq_is browsed 'all(.[]; .value | .cells > 100 and .cut == 0)'
