#!/bin/sh
# A registered regression is walked to again with a new build.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

PHONE='loads: {party: 100ms}'

# The key of the farm's phone, as a record has it.
patrol_in "$(world)" --visit title --history "dir:$T/h"
PATROL_HISTORY=dir:$T/h patrol history show --json 4242 >"$T/record.json"

# issue SERIES [JQ]: issue 318 with these series, and what JQ makes of it.
issue()
{
	jq --argjson series "$1" '{schema_version: 1, key, plan: null,
		last_good: null, first_bad: null, series: $series}' \
		"$T/record.json" >"$T/block.json"
	jq -n --rawfile block "$T/block.json" '{next: 319, labels: [],
		issues: [{number: 318, title: "It got worse", state: "open",
		body: ("Text.\n\n```json patrol-regression\n" + $block + "```\n"),
		labels: ["awaiting-verification", "perf"], comments: [],
		created_at: "2026-11-29T10:00:00Z", closed_at: null,
		updated_at: "2026-11-29T10:00:00Z"}]} | '"${2:-.}" \
		>"$T/issues.json"
}

# series METRIC SUBJECT BASELINE NOISE REGRESSION [DETERMINISTIC]
series()
{
	jq -nc --arg m "$1" --arg s "$2" --argjson b "$3" --argjson n "$4" \
		--argjson r "$5" --argjson d "${6:-false}" '{metric: $m,
		subject: $s, unit: "ms", kind: "regression",
		lower_is_better: true, deterministic: $d,
		baseline: {median: $b, noise: $n, runs: 20},
		after: {median: $r, runs: 4}}'
}

# verify WORLD [OPTION]...: on a farm that has the issue.
verify()
{
	v_world=$1
	shift
	verify_with "$(scenario_file "$v_world")" patrol verify --issue 318 \
		--run-id 4242 --plan "$QUICK" --repeat 3 "$@"
}

# verify_with SCENARIO COMMAND...
verify_with()
{
	v_world=$1
	shift
	fresh
	mkdir github
	cp "$T/issues.json" github
	STATUS=0
	PATROL_HISTORY=dir:$T/h patrol-farm --dir "$D" --scenario "$v_world" \
		-- "$@" >stdout 2>stderr </dev/null || STATUS=$?
	keep_key
}

# told VERDICT LABELS COMMENTS
told()
{
	jq_is patrol-verify/verify.json ".verdict == \"$1\" and
		.exit_status == $STATUS"
	jq_is github/issues.json ".issues[0] | (.labels | sort) == ($2 | sort) and
		(.comments | length) == $3"
	fits_schema verify patrol-verify/verify.json
	expect_no_process
	expect_no_secret patrol-verify
}

LOAD=$(series load 'home>party' 200 100 1200)
BEFORE='["awaiting-verification", "perf"]'

t "a load that is back is verified: commented, and the label moves"
issue "[$LOAD]"
verify "$(world "$PHONE")"
expect_status 0
told verified '["perf", "verified"]' 1
jq_is github/issues.json '.issues[0] | .state == "open" and
	(.comments[0].body | contains("**Verified**") and contains("home"))'
jq_is patrol-verify/verify.json '.series[0].values | length == 3 and
	all(.[]; .unused == null)'

t "each repetition is in a process of its own, within one lease"
expect_count stf.reserve 1
expect_count stf.release 1
expect_count app.start 3
jq_is patrol-verify/result.json '.kind == "verify" and
	([.repetitions[].number] == [1, 2, 3]) and
	all(.repetitions[]; [.screens[].name] == ["home", "party"]) and
	(.screens | length == 2)'
fits_schema result patrol-verify/result.json
expect_in patrol-verify/report.html "<h3>Repetitions</h3>"

t "a verification is no day of the history"
PATROL_HISTORY=dir:$T/h run patrol history list --json --all
jq_is stdout 'length == 1'

t "a load that is as slow as before is not fixed"
verify "$(world "$PHONE
slow: {\"home->party\": 1s}")"
expect_status 1
told not_fixed '["perf", "not-fixed"]' 1
jq_is patrol-verify/result.json '.outcome == "failed" and
	.reason == "not_fixed"'
jq_is patrol-verify/slack.json '.text | contains("not fixed")'
jq_is github/issues.json 'any(.labels[]; .name == "not-fixed")'

t "a closed issue stays closed, and an older verdict's label goes"
issue "[$LOAD]" '.issues[0].state = "closed" | .issues[0].labels = ["not-fixed"]'
verify "$(world "$PHONE")"
expect_status 0
told verified '["verified"]' 1
jq_is github/issues.json '.issues[0].state == "closed"'

t "repetitions off the route decide nothing, and the label stays"
issue "[$LOAD]"
verify "$(world "$PHONE
popups: {login_bonus: {on: party, times: 99}}")"
expect_status 3
told undecided "$BEFORE" 1
jq_is patrol-verify/result.json '.reason == "undecided"'
expect_out "off_route"

t "a phone that throttles decides nothing, and that is said with its cure"
verify "$(world "$PHONE
slow: {\"home->party\": 1s}" 'phone: {thermal_status: 3}')"
expect_status 3
told undecided "$BEFORE" 1
jq_is patrol-verify/verify.json '.unfit.reason == "throttled" and
	all(.series[0].values[]; .unused == "throttled" and .value > 0)'
expect_out 'undecided: not decided: the phone throttled: let it cool'
jq_is github/issues.json '.issues[0].comments[0].body |
	contains("This run does not count: the phone throttled: let it cool")'

t "neither does one that is colder than it was in the issue's runs"
issue "[$LOAD]" '.issues[0].body |= sub("\"plan\": null,\n  \"last";
	"\"plan\": null,\n  \"start_c\": {\"median\": 38, \"reach\": 4},\n  \"last")'
verify "$(world "$PHONE")"
expect_status 3
told undecided "$BEFORE" 1
jq_is patrol-verify/verify.json '.unfit.reason == "temperature" and
	(.message | contains("and those runs at 38.0 ± 4.0: let it warm up"))'
issue "[$LOAD]" '.issues[0].body |= sub("\"plan\": null,\n  \"last";
	"\"plan\": null,\n  \"start_c\": {\"median\": 30, \"reach\": 4},\n  \"last")'
verify "$(world "$PHONE")"
expect_status 0

t "nor an app of another commit than the build's, not even for a count"
issue "[$LOAD, $(series unreached party 0 0 1 true)]"
verify "$(world "$PHONE
commit: 00112233")"
expect_status 3
told undecided "$BEFORE" 1
jq_is patrol-verify/verify.json '.unfit.reason == "not_comparable" and
	([.series[].verdict] == ["undecided", "undecided"]) and
	(.message | contains("verify with the run that built this app"))'
issue "[$LOAD]"

t "one repetition that crashes is one value less"
verify "$(world "$PHONE
crash_at: {screen: party, times: 1}")" --repeat 5
expect_status 0
told verified '["perf", "verified"]' 1
jq_is patrol-verify/verify.json '.series[0].valid == 4'

t "a busy phone skips: status 0, the issue is left alone"
verify busy
expect_status 0
told skipped "$BEFORE" 0
expect_out "skipped"

t "another Unity is not comparable"
verify "$(world "$PHONE
unity: 6000.1.2f1")"
expect_status 3
told not_comparable "$BEFORE" 0
expect_out "6000.1.2f1 now"

t "--dry-run measures, prints the comment and leaves the issue alone"
verify "$(world "$PHONE")" --dry-run
expect_status 0
told verified "$BEFORE" 0
expect_out '**Verified**'
expect_out 'label: verified'

t "--json prints the verdict alone"
verify "$(world "$PHONE")" --json --quiet
expect_status 0
cmp -s stdout patrol-verify/verify.json || fail "stdout is not verify.json"

t "the size of the APK needs no phone"
size=$(jq '.metrics[] | select(.name == "apk_size").values[""]' "$T/record.json")
issue "[$(series apk_size '' "$size" 0 $((size + 1000)) true)]"
verify "$(world)"
expect_status 0
told verified '["perf", "verified"]' 1
expect_count stf.reserve 0
issue "[$(series apk_size '' $((size - 1)) 0 $((size + 1000)) true)]"
verify "$(world)"
expect_status 1
told not_fixed '["perf", "not-fixed"]' 1

t "the start-up is the app's start, each time"
issue "[$(series startup_process '' 412 10 900)]"
verify "$(world)"
expect_status 0
told verified '["perf", "verified"]' 1
jq_is patrol-verify/result.json '[.repetitions[].startup_ms.process] |
	length == 3'

t "memory is that of the plan's own way to the screen, once a repetition"
plan=$(variant 's/snapshot: take_snapshot/snapshot: {use: unity.snapshot}/')
issue "[$(series snapshot.native_objects party 1 0 2)]"
verify "$(world)" --plan "$plan"
told "$(jq_get patrol-verify/verify.json .verdict)" \
	"$(jq -c '.issues[0].labels' github/issues.json)" 1
jq_is patrol-verify/result.json 'all(.repetitions[];
	[.screens[].name] == ["title", "home", "party"] and
	.screens[2].snapshot.status == "taken")'

t "what is not of a walk is refused before a phone is taken"
issue "[$(series crashes '' 0 0 1 true)]"
verify "$(world)"
expect_status 2
expect_err "nothing of the issue can be verified"
expect_count stf.reserve 0

t "the rest of an issue is verified, and what is not is said"
issue "[$LOAD, $(series frame_p95 '' 10 1 20)]"
verify "$(world "$PHONE")"
expect_status 0
told verified '["perf", "verified"]' 1
jq_is patrol-verify/verify.json '.refused[0].metric == "frame_p95"'
jq_is github/issues.json '.issues[0].comments[0].body |
	contains("Not verified here")'

t "an issue without the block is refused, with the cure"
issue "[$LOAD]" '.issues[0].body = "It got slow."'
verify "$(world)"
expect_status 2
expect_err "only an issue that patrol registered"
expect_count stf.reserve 0

t "an issue that is not there, and a wrong call"
issue "[$LOAD]" '.issues = []'
verify "$(world)"
expect_status 3
expect_err "issue 318"
run patrol verify --run-id 1
expect_status 2
run patrol verify --issue x --run-id 1
expect_status 2
run patrol verify --issue 1 --run-id 1 --repeat 2
expect_status 2

t "a plan that the issue names is of this folder, and no other"
issue "[$LOAD]" '.issues[0].body |= sub("\"plan\": null,\n  \"last"; "\"plan\": \"../p.yaml\",\n  \"last")'
verify_with "$(world)" patrol verify --issue 318 --run-id 4242
expect_status 2
expect_err "give --plan FILE"

t "an issue as patrol registers it, with the plan that it names"
jq --slurpfile record "$T/record.json" '.key = $record[0].key |
	.series = [first(.series[] | select(.metric == "load" and
		.step.kind == "regression")) | .subject = "home>party" |
	.step.before = 200 | .step.noise = 100 | .step.after = 1200]' \
	"$ROOT/tests/data/comparisons/worse.json" >"$T/worse.json"
issue "[$LOAD]" '.issues = [] | .next = 318'
# shellcheck disable=SC2016 # it is the farm's shell that knows them
verify_with "$(world "$PHONE")" sh -c 'cp "$1" quick.yaml &&
	patrol regressions file --comparison "$2" --plan quick.yaml &&
	exec patrol verify --issue 318 --run-id 4242' sh "$QUICK" "$T/worse.json"
expect_status 0
told verified '["performance-regression", "verified"]' 1

t "who may not write to issues is told, and the numbers stay"
issue "[$LOAD]"
verify "$(world "$PHONE" 'github: {issues: {forbidden: true}}')"
expect_status 3
expect_err "the issue was not told"
told verified "$BEFORE" 0
jq_is patrol-verify/verify.json '.untold | contains("issues: write")'

t "a signal within the repetitions gives everything back, and tells nothing"
verify_with "$(world "$PHONE
faults: [{kind: nothing, at: ui.click, nth: 3, signal: TERM}]")" \
	sh -c 'echo $$ >"$PATROL_FARM_DIR/patrol.pid" && exec "$@"' sh \
	patrol verify --issue 318 --run-id 4242 --plan "$QUICK"
expect_status 5
expect_given_back
expect_count stf.release 1
jq_is github/issues.json '.issues[0].comments == []'
expect_no_process
