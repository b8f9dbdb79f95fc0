#!/bin/sh
# What is suspect is walked again within the same lease, and the median decides.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

PLAN_AGAIN=$(variant 's/stop_margin: 5s/stop_margin: 5s, confirm: 2/')

# The days before: 20 runs of the farm's phone whose load of party is about
# LOAD ms, give or take SPREAD.
days()
{
	jq --argjson load "$1" --argjson spread "$2" '.key as $key |
		[range(1; 21) | {
			at: "2026-01-\(if . < 10 then "0" else "" end)\(.)T09:00:00Z",
			run_id: "\(5000 + .)", key: $key,
			metrics: [{name: "load", subject: "home>party",
				unit: "ms", value: ($load + (. % 3 - 1) * $spread)}]
		}]' "$T/record.json" >"$T/days.json"
	rm -rf "$T/days"
	PATROL_HISTORY=dir:$T/days patrol history import "$T/days.json" \
		>/dev/null || fail "the days are not imported"
}

# again WORLD [OPTION]...
again()
{
	a_world=$1
	shift
	patrol_plan "$PLAN_AGAIN" "$a_world" --history "dir:$T/days" "$@"
}

t "without a day before nothing is walked again"
rm -rf "$T/days"
again "$(world 'loads: {party: 100ms}')"
expect_status 0
jq_is out/result.json '.repeats == null and
	any(.stages[]; .name == "baseline" and .status == "ok")'
PATROL_HISTORY=dir:$T/days patrol history show --json 4242 >"$T/record.json"

t "a load that is slow once is walked twice more, and the median is the day's"
days 200 100
again "$(world 'loads: {party: 100ms}
slow: {"home->party": {by: 1s, times: 1}}')"
expect_status 0
expect_all_visited
fits_schema result out/result.json
jq_is out/result.json '.repeats | length == 1 and (.[0] |
	.from == "home" and .to == "party" and
	[.samples[] | [.number, .status]] ==
		[[0, "visited"], [1, "visited"], [2, "visited"]] and
	(.samples | map(.reached_ms) | sort) as $all |
	.decided[0].by == "median" and .decided[0].of == 3 and
	.decided[0].tour == .samples[0].reached_ms and
	.decided[0].median == $all[1] and $all[1] < .decided[0].tour)'
jq_is out/result.json '.repeats[0].decided[0].median as $ms |
	first(.transitions[] | select(.from == "home" and .to == "party")).ms
		== $ms and
	first(.screens[] | select(.name == "party")).reached_ms == $ms'
expect_count capture.stop 1
expect_count stf.reserve 1
expect_in out/report.html "Suspect, walked again"
expect_in out/report.html "is the day's"

t "the history has the median alone, and nothing is suspect of it"
PATROL_HISTORY=dir:$T/days run patrol history show --json 4242
jq_is stdout '[.metrics[] | select(.name == "load").values | keys[] |
	select(startswith("home>party"))] == ["home>party"]'
jq_is out/result.json '.comparison.suspects // [] == []'

t "what is slow each time stays suspect"
days 200 100
again "$(world 'loads: {party: 100ms}
slow: {"home->party": 1s}')"
expect_status 0
jq_is out/result.json '.repeats[0].decided[0] |
	.by == "median" and .median > .limit'
jq_is out/result.json '.comparison.verdict == "suspect"'

t "what is faster than ever when it is warm leaves the tour's value alone"
days 1000 10
again "$(world 'loads: {party: 100ms}
slow: {"home->party": {by: 1s, times: 1}}')"
expect_status 0
jq_is out/result.json '.repeats[0].decided[0] as $d |
	$d.by == "tour" and $d.median < $d.least and
	first(.transitions[] | select(.from == "home" and .to == "party")).ms
		== $d.tour'
expect_err "a warm load"

t "a repetition that goes off the route does not count"
days 200 100
again "$(world 'loads: {party: 100ms}
slow: {"home->party": {by: 1s, times: 1}}
popups: {login_bonus: {on: home, times: 99}}')"
expect_status 0
jq_is out/result.json '.repeats == null or
	all(.repeats[].samples[]; .off_route == false or .number > 0)'

t "a history that can't be read is said, and the walk is as without"
: >"$T/no-folder"
patrol_plan "$PLAN_AGAIN" "$(world 'slow: {"home->party": {by: 1s, times: 1}}')" \
	--history "dir:$T/no-folder"
expect_status 0
expect_all_visited
expect_err "nothing is walked again"
jq_is out/result.json '.repeats == null and
	any(.warnings[]; .reason == "history_failed")'

t "a plan without confirm walks once"
days 200 100
patrol_in "$(world 'slow: {"home->party": {by: 1s, times: 1}}')" \
	--history "dir:$T/days"
expect_status 0
jq_is out/result.json '.repeats == null and .comparison.verdict == "suspect"'

t "a connection lost on the way is found, and that time does not count"
days 200 100
again "$(world 'loads: {party: 100ms}
slow: {"home->party": {by: 1s, times: 1}}
faults: [{kind: disconnect, at: ui.click, nth: 10}]')"
expect_status 0
expect_all_visited
jq_is out/result.json '.repeats[0].samples[1] |
	.off_route and .off_route_reason == "connection lost"'

# The tour has nine taps.
t "a signal while it walks again gives everything back"
days 200 100
farm "$(world 'loads: {party: 100ms}
slow: {"home->party": {by: 1s, times: 1}}
faults: [{kind: nothing, at: ui.click, nth: 10, signal: TERM}]')" -- \
	sh -c 'echo $$ >"$PATROL_FARM_DIR/patrol.pid" && exec "$@"' sh \
	patrol run --plan "$PLAN_AGAIN" --run-id 4242 --out out \
	--history "dir:$T/days"
expect_status 5
expect_sound out
expect_count stf.release 1
jq_is out/result.json '.repeats[0].samples | length > 1'

t "what is killed while it walks again is given back by reap"
days 200 100
farm "$(world 'loads: {party: 100ms}
slow: {"home->party": {by: 1s, times: 1}}
faults: [{kind: nothing, at: ui.click, nth: 10, signal: KILL}]')" -- \
	sh -c 'echo $$ >"$PATROL_FARM_DIR/patrol.pid"
		"$@"; patrol reap' sh \
	sh -c 'echo $$ >"$PATROL_FARM_DIR/patrol.pid" && exec "$@"' sh \
	patrol run --plan "$PLAN_AGAIN" --run-id 4242 --out out \
	--history "dir:$T/days"
expect_status 0
expect_given_back

t "a repetition that arrives in spite of its tap has no time"
days 200 100
again "$(world 'slow: {"home->party": {by: 1s, times: 1}}
faults: [{kind: refuse, at: ui.click, nth: 10}]')"
expect_status 0
fits_schema result out/result.json
jq_is out/result.json '.repeats[0].samples | any(.[];
	.off_route and .status == "visited" and .reached_ms == null)'
