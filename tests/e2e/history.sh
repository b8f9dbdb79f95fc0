#!/bin/sh
# The history of runs: records, and a day beside the days before it.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_history.sh
. "${0%/*}/lib_history.sh"

fresh
days in.json 1 30 'if (d > 24) load *= 1.2; if (d > 29) size *= 1.1'

PATROL_HISTORY=dir:days
export PATROL_HISTORY

t "runs are imported once, and listed"
run patrol history import in.json
expect_status 0
expect_out "added 30, 0 were there already"
run patrol history import in.json
expect_out "added 0, 30 were there already"
run patrol history list --json
jq_is stdout "length == 30"
fits_schema history-list stdout
run patrol history list --all --json
jq_is stdout '[.[].run_id] == [range(5001; 5031) | tostring]'
run patrol history show --json 2026-10-24
jq_is stdout '.run_id == "5024" and
	.metrics[0].values["home>shop"] > 1800'
fits_schema history-record stdout

t "a step is suspected on its day, confirmed after, and told once as new"
run patrol compare --run 5025 --json --fail-on regression
expect_status 0
jq_is stdout '.verdict == "suspect"'
fits_schema compare stdout
run patrol compare --run 5028 --json --fail-on regression
expect_status 1
jq_is stdout '.verdict == "regression" and (.series[0].step |
	.new and .first_bad.run_id == "5025" and .last_good.run_id == "5024")'
run patrol compare --run 5029 --json --fail-on regression
expect_status 0
jq_is stdout '.series[0].step | .days == 2 and (.new | not)'

t "a size is a change at once, and the range is one commit"
run patrol compare --json --fail-on regression
expect_status 1
jq_is stdout '.series[1] | .state == "regression" and .step.new and
	.step.first_bad.run_id == "5030" and .step.last_good.run_id == "5029"'
fits_schema compare stdout

t "the same input gives the same verdict"
cp stdout once
run patrol compare --json
expect_eq "$(cat once)" "$(cat stdout)"

t "a base is the previous valid run, or the one that is named"
run patrol compare --json
jq_is stdout '.base.run_id == "5029"'
run patrol compare --json --base 2026-10-05
jq_is stdout '.base.run_id == "5005" and .series[0].base != null'
run patrol compare --base nothing
expect_status 2
expect_err "patrol history list"

t "with few runs before, that is said"
run patrol compare --run 5005 --json
jq_is stdout '.verdict == "too_little_history" and
	(.message | contains("5 valid runs"))'

t "another OS begins a new baseline, which is said"
days next.json 31 31 'os = "15"'
run patrol history import next.json
run patrol compare --json
jq_is stdout '.verdict == "too_little_history" and
	.new_baseline.part == "os" and .new_baseline.after == "15" and
	(.message | contains("a new baseline"))'
fits_schema compare stdout

t "of each phone what is older than a number of runs goes, after a look"
run patrol history prune --keep 10 --dry-run
expect_out "would drop 20 runs"
run patrol history prune --keep 10
run patrol history list --all --json
jq_is stdout '[.[].key.os] | length == 11 and .[-1] == "15"'

t "nothing goes that nobody meant: 0 is no number of runs, and all has a name"
for what in '' '--keep 0' '--older-than 0' '--keep -1' '--keep x' \
	'--all --keep 5'; do
	# shellcheck disable=SC2086
	run patrol history prune $what
	expect_status 2
done
run patrol history prune --keep 0 --broken
expect_status 2
expect_err "--keep 0 would drop every run"
expect_err "--all"
run patrol history prune --all --dry-run
expect_out "would drop 11 runs"
run patrol history list --all --json
jq_is stdout 'length == 11'

t "numbers that are none, and a metric with two units, are refused by place"
echo '{"at": "2026-10-01T00:00:00Z", "metrics": [{"name": "x"}]}' >bad.json
run patrol history import bad.json
expect_status 2
expect_err "bad.json: metrics[0].value is missing"
echo '{"at": "2026-10-01T00:00:00Z", "metrics": [
	{"name": "x", "value": 1, "unit": "ms"},
	{"name": "x", "subject": "y", "value": 1, "unit": "s"}]}' >bad.json
run patrol history import bad.json
expect_status 2
expect_err "has two units, 'ms' and 's'"

t "what is no run is told by its place and its cure, and nothing of it is kept"
odd()
{
	printf '%s' "$1" >odd.json
	run patrol history import --history dir:odd odd.json
	[ "$STATUS" -ne 0 ] || fail "it is taken: $1"
	expect_err "$2"
	[ ! -e odd ] || fail "something is kept of: $1"
}
day='"at": "2026-10-01T00:00:00Z"'
odd '' 'odd.json is not JSON (stopped at byte 0 of 0)'
odd "{$day, \"metrics\": [{\"name\": \"x\", \"value\": NaN}]}" \
	'NaN and Infinity are no JSON'
odd "{$day, \"metrics\": [{\"name\": \"x\", \"value\": 1e999}]}" \
	'metrics[0].value is a number beyond all bounds'
odd "{$day, \"metrics\": [{\"name\": \"x\", \"value\": \"5\"}]}" \
	'metrics[0].value is a text: write a finite number, without quotes'
odd "{$day, \"metrics\": [[1, 2]]}" 'metrics[0] is a list: write an object'
odd "{$day, \"metrics\": [{\"name\": \"x\", \"value\": 1,
	\"lower_is_better\": \"false\"}]}" \
	'metrics[0].lower_is_better is a text: write true or false'
odd "{$day, \"metrics\": [{\"name\": \"x\", \"value\": 1}, {\"name\": \"x\",
	\"subject\": \"a\", \"value\": 1, \"lower_is_better\": false}]}" \
	"two values of 'lower_is_better'"
odd "{$day, \"key\": \"Pixel\", \"metrics\": []}" 'odd.json: key is a text'
odd "{$day, \"run_id\": 1.5, \"metrics\": []}" 'odd.json: run_id is a number'
odd "[[{$day, \"metrics\": []}]]" '[0] is a list and no run'
odd "[{$day, \"metrics\": []}, 5]" '[1] is a number and no run'
odd '"x"' 'is a text and no run'
odd "{\"runs\": [{$day, \"metrics\": []}]}" "'at' is no time of a run"
odd "{$day}" "'metrics' is no list"
echo '[]' >none.json
run patrol history import --history dir:odd none.json
expect_status 0
expect_err "there are no runs"

t "a run without a number is one, too, and its one value is shown"
echo '{"at": "2026-10-01T09:00:00+09:00", "metrics": [
	{"name": "x", "value": 1.5, "unit": "fps"}]}' >local.json
run patrol history import --history dir:local local.json
expect_status 0
run patrol history show --history dir:local 2026-10-01
expect_out "1.5 fps"
run patrol history show --history dir:local --json 2026-10-01
jq_is stdout '.at == "2026-10-01T00:00:00Z" and .run_id == null'

t "what is no result is not compared"
for what in '[]' '{}' null 5 '"x"' '{"runs": []}'; do
	echo "$what" >none.json
	run patrol compare --result none.json
	expect_status 2
	expect_err "no result.json"
done

t "a page is of the day that is asked for, and of none there is none"
run patrol history report --at 2026-10-27T12:00:00Z page.html
expect_status 0
expect_in page.html "5027"
! grep -q '5028' page.html || fail "it knows days to come"
run patrol history report --history dir:nothing page2.html
expect_status 3
expect_err "no runs in dir:nothing"

t "a history that is none is refused, with the forms there are"
run patrol history list --history somewhere
expect_status 2
expect_err "dir:PATH, git:BRANCH or clickhouse:URL"
run env -u PATROL_HISTORY patrol history list
expect_status 2
expect_err "PATROL_HISTORY"

unset PATROL_HISTORY
QUICK=$ROOT/tests/data/plans/quick.yaml

t "a run is compared with the days before and recorded, a skipped one too"
farm - -- patrol run --plan "$QUICK" --run-id 4242 --out out \
	--history "dir:$T/h"
expect_status 0
jq_is out/result.json '.comparison.verdict == "too_little_history" and
	(.compared | not) and .history.unmeasured_days == 0'
fits_schema result out/result.json
fits_schema compare out/comparison.json
farm busy -- patrol run --plan "$QUICK" --run-id 4242 --out out \
	--history "dir:$T/h"
jq_is out/result.json '(.history.days | length) == 1 and
	.history.days[0].measured and .history.unmeasured_commits == 0'
run patrol history list --history "dir:$T/h" --json
jq_is stdout '[.[] | [.outcome, .valid]] | sort ==
	[["passed", true], ["skipped", false]]'
run patrol history add --history "dir:$T/h" out
expect_out "added 0, 1 were there already"

t "a day without a phone tells how many commits came since the last that had one"
{
	cat "$ROOT/fixtures/scenarios/busy.yaml"
	echo "github: {run: {head_sha: $(printf '%040d' 7)}, compare: {total: 9}}"
} >"$T/busy_later.yaml"
farm "$T/busy_later.yaml" -- patrol run --plan "$QUICK" --run-id 4242 \
	--out out --history "dir:$T/h"
jq_is out/result.json '.outcome == "skipped" and
	.history.unmeasured_commits == 9'

t "a measured day tells them, too, and where they are"
echo "github: {run: {head_sha: $(printf '%040d' 7)}, compare: {total: 9}}" \
	>"$T/later.yaml"
farm "$T/later.yaml" -- patrol run --plan "$QUICK" --run-id 4242 \
	--out out --history "dir:$T/h" --visit title
expect_status 0
jq_is out/result.json '.build.commits_since == 9 and
	(.build.compare_url | test("^http.*/compare/")) and
	(.history | has("unmeasured_commits") | not)'
fits_schema result out/result.json
expect_in out/slack.json '(+9 commits)'
expect_in out/slack.json '|Commits>'

t "an APK at hand is patrolled and recorded, too"
farm - -- patrol run --plan "$QUICK" --apk "$ROOT/build/fixture/starfall.apk" \
	--out out --history "dir:$T/h2"
expect_status 0
run patrol history list --history "dir:$T/h2" --json
jq_is stdout 'length == 1 and .[0].valid'

t "issues want a history"
farm - -- patrol run --plan "$QUICK" --run-id 4242 --out out --file-issues
expect_status 2
expect_err "PATROL_HISTORY"

t "a history that fails is a warning, and the day is as it was"
printf x >"$T/file"
farm busy -- patrol run --plan "$QUICK" --run-id 4242 --out out \
	--history "dir:$T/file"
expect_status 0
jq_is out/result.json '.outcome == "skipped" and
	([.warnings[].reason] | index("not_recorded"))'
