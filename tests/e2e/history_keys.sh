#!/bin/sh
# One store for several titles and phones: each is compared with its own.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_browser.sh
. "${0%/*}/lib_browser.sh"
# shellcheck source=tests/e2e/lib_history.sh
. "${0%/*}/lib_history.sh"

PATROL_HISTORY=dir:days
export PATROL_HISTORY
AT=2026-11-01T12:00:00Z

# game FILE TITLE MODEL SERIAL HOUR MORE: the days of in.json as another's.
game()
{
	jq --arg title "$2" --arg model "$3" --arg serial "$4" --arg hour "$5" \
		--argjson more "$6" '[.[] | .title = $title |
		.key.model = $model | .key.serial = $serial | .at |=
		sub("T09"; "T" + $hour) | .run_id |= (tonumber + $more |
		tostring)]' in.json >"$1"
	need patrol history import "$1" >imported
}

fresh
days in.json 1 30 'if (d > 24) load *= 1.2'
game worse.json Starfall "Pixel 6" 1A 09 0
days in.json 1 31 ''
game fine.json Starfall "Pixel 7" 2B 10 1000
days in.json 1 20 ''
game other.json Moonrise "Pixel 6" 1A 11 2000

t "which titles and phones there are, the one that ran last first"
run patrol history list --keys
expect_status 0
expect_out "Moonrise"
run patrol history list --keys --json
jq_is stdout '[.[] | [.title, .key.serial, .runs]] == [["Starfall", "2B", 31],
	["Starfall", "1A", 30], ["Moonrise", "1A", 20]]'
fits_schema history-keys stdout
run patrol history list --device 1A --all --json
jq_is stdout 'length == 50'
run patrol history list --title moonrise --last 3 --json
jq_is stdout '[.[].run_id] == ["7018", "7019", "7020"]'

t "a comparison is of the newest run's key, and says which, and what else is there"
run patrol compare
expect_out "of   Starfall: Pixel 7 (2B), OS 14"
expect_out "the store has 2 others"
run patrol compare --json
jq_is stdout '.verdict == "unchanged" and .runs == 31 and .other_keys == 2 and
	.title == "Starfall" and .key.model == "Pixel 7"'
fits_schema compare stdout

t "a run is compared within its own key, by its number, its day or its commit"
run patrol compare --run 5028 --json
jq_is stdout '.verdict == "regression" and .run.run_id == "5028" and
	.base.run_id == "5027" and .runs == 28'
run patrol compare --run 2026-10-28 --device 'pixel 6' --title Starfall --json
jq_is stdout '.run.run_id == "5028"'
run patrol compare --run 00000280000 --device 1A --title Starfall --json
jq_is stdout '.run.run_id == "5028"'

t "a title or a phone that is named chooses its newest run"
run patrol compare --device 1A --title Starfall --json
jq_is stdout '.verdict == "regression" and .run.run_id == "5030"'
run patrol compare --title Moonrise --json
jq_is stdout '.verdict == "unchanged" and .run.run_id == "7020" and .runs == 20'
run patrol history show --title Moonrise --json 2026-10-05
jq_is stdout '.run_id == "7005"'

t "one that is not there is told, with those that are"
run patrol compare --device 'Pixel 9'
expect_status 3
expect_err "Moonrise: Pixel 6 (1A)"
expect_err "patrol history list --keys"
run patrol compare --device 1A --run 6005
expect_status 3
expect_err "no run '6005' of those that were asked for"

t "a base of another phone is no base: what it is, and what to do"
run patrol compare --base 5005
expect_status 2
expect_err "its phone is another: it is of Starfall: Pixel 6 (1A)"
expect_err "patrol history list --keys"
run patrol compare --device 1A --base 7005 --title Starfall
expect_status 2
expect_err "its title is another: it is of Moonrise"
run patrol compare --run 6010 --base 6020
expect_status 2
expect_err "is not one of the 180 runs before"
run patrol compare --run 7010 --base 5005
expect_status 2
expect_err "its title is another"

t "a name that no run has is told as such"
run patrol compare --base nothing
expect_status 2
expect_err "none of the 30 earlier runs of this title, phone, OS, Unity and route is 'nothing'"

t "each run is written to its own file, whose name tells whose it is"
expect_eq "$(find days -name '*.json' | sed 's/.*\.\([0-9a-f]*\)\.json/\1/' |
	sort | uniq -c | awk '{ print $1 }' | sort -n | tr '\n' ' ')" '20 30 31 '

t "ids of an earlier patrol are read, too"
mkdir -p old/2026-10
find days -name '*.json' | while read -r file; do
	id=${file##*/} id=${id%.json}
	sed "s/$id/${id%.*}/" "$file" >"old/2026-10/${id%.*}.json"
done
run patrol compare --history dir:old --title Starfall --device 1A --json
jq_is stdout '.run.run_id == "5030" and .runs == 30 and .other_keys == 2'

t "a page has each that ran lately, and says how many did not"
run patrol history report --at $AT page.html
expect_status 0
expect_in page.html 'href="#head"'
expect_in page.html 'href="#k2-head"'
expect_in page.html 'Moonrise: Pixel 6 (1A)'
run patrol history report --at 2026-11-25T12:00:00Z late.html
expect_not_in late.html 'Moonrise: Pixel 6'
expect_in late.html '1 more did not run lately'
run patrol history report --at $AT --title Moonrise one.html
expect_not_in one.html '<nav'
expect_in one.html 'Moonrise: Pixel 6 (1A)'
run patrol history report --at 2026-10-15T10:30:00Z --title Starfall then.html
expect_not_in then.html 'run 6015'
expect_in then.html 'run 5015'

t "too much for a page leaves the pictures of further ones out, and says so"
jq -n '[range(0; 5) as $g | range(1; 29) as $d | {title: "game\($g)",
	at: "2026-10-\(if $d < 10 then "0" else "" end)\($d)T0\($g):00:00Z",
	run_id: "\($g)\($d)", key: {model: "m"}, metrics: [range(0; 1500) |
	{name: "load", unit: "ms", subject: "a>screen\(.)",
	value: (1000 + . + $d * 7 % 23)}]}]' >many.json
need patrol history import --history dir:many many.json >imported
run patrol history report --history dir:many --at 2026-10-29T12:00:00Z many.html
expect_status 0
[ "$(wc -c <many.html)" -le 3000000 ] || fail "$(wc -c <many.html) bytes"
expect_in many.html 'game3: m'

if ! have_browser; then
	t "pages in a browser"
	skip "there is no chromium, or no node"
	exit
fi

t "no complaints and no scrolling sideways: 1200, 500 and 360 px, light and dark"
pages page.html

t "the keyboard reaches each, and a link unfolds its part"
browse "$(jq -nc --arg url "file://$D/page.html" '[
	{url: $url, width: 360, walk: 4},
	{url: ($url + "#k1-head"), eval:
		"[...document.querySelectorAll(\".onekey\")].map(d => d.open)"},
	{url: $url, script: false, eval:
		"[...document.querySelectorAll(\".keys a\")].map(a => !!document.getElementById(a.hash.slice(1)))"}]')"
jq_is browsed '[.[0].walked[:3][] | .tag] == ["a", "a", "a"] and
	all(.[0].walked[]; .seen)'
jq_is browsed '.[1].value == [true, false]'
jq_is browsed '.[2].value == [true, true, true]'
