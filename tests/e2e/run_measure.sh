#!/bin/sh
# What becomes of the measurement: uploads that fail, files that are missing.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "a failing upload is a finding: not measured, in Slack's first line"
patrol_in "$(world '' 'measure: {fail: true}')"
expect_status 1
expect_all_visited
jq_is out/result.json '.outcome == "failed" and .measured == false and
	.reason == "not_measured"'
jq_is out/result.json 'all(.uploads[] | select(.name != "graphics_states");
	.status == "failed")'
jq_is out/slack.json '.text | split("\n")[0] |
	test("not measured|nothing (was )?measured|upload"; "i")'
expect_count stf.release 1

t "one upload of many that fails is a finding too, and names the file"
patrol_in "$(world '' 'measure:
  faults:
    - {call: "POST /captures*", status: 500}')"
expect_status 1
jq_is out/result.json '.measured and .reason == "upload_failed" and
	(.message | test("profiler"))'

t "a slow upload is waited for"
patrol_plan "$(variant 's/hold: 0ms/hold: 0ms/;s/Quick patrol/Slow patrol/')" \
	"$(world '' 'measure: {slow: 300ms}')" --visit title
expect_status 0
jq_is out/result.json '.measured and all(.uploads[]; .status == "ok")'

t "an unread rest that takes long to write is waited for"
patrol_in "$(world 'slow_stop: 1s')" --visit title
expect_status 0
jq_is out/result.json '.captures.profiler | .status == "stopped" and .uploaded'

t "graphics states that are missing are said"
patrol_in "$(world 'graphics_states: missing')" --visit title
expect_at_most "$STATUS" 1 "status"
jq_is out/result.json '.captures.graphics_states |
	.status == "failed" and (.message | length > 0)'
jq_is out/result.json 'any(.errors[]; .where == "trace stop")'
expect_err "could not be saved"
jq_is out/slack.json '.text + (.blocks | tostring) |
	test("graphics.states"; "i")'

t "a snapshot that fails is said, and the screen is visited"
patrol_in "$(world 'snapshot: fail')" --visit title
expect_at_most "$STATUS" 1 "status"
screen_is title '.status == "visited" and .snapshot.status == "failed"'

t "an app that lost the measurement's type is told with its place"
patrol_in "$(world 'stripped: [Perf.Sdk]')" --visit title
expect_at_most "$STATUS" 3 "status"
expect_err Perf.Sdk

t "a capture that was never stopped is not passed off as one"
patrol_in "$(world 'crash_at: {screen: party, times: always}')" \
	--visit title --visit party
expect_status 1
jq_is out/result.json '.captures.profiler.status != "running"'

t "a capture that could not be started is a finding, snapshots or not"
patrol_plan "$(variant 's/Perf.Capture.Start(.*)"/Perf.Nowhere.Start()"/')" \
	"$(world)" --visit title
expect_status 1
jq_is out/result.json '.measured and .reason == "upload_failed" and
	.captures.profiler.status == "failed"'

t "a snapshot of no bytes is no measurement"
patrol_plan "$(variant 's/js: Perf.Snapshot.Take.*/js: "({uploaded: true, bytes: 0})"/')" \
	"$(world)" --visit title --measure snapshot
expect_status 1
jq_is out/result.json '.measured == false and .reason == "not_measured"'

t "a capture whose app dies while it is stopped is not running still"
patrol_plan "$(variant "s/- js: Perf.Capture.StopAndUpload()/- js: Nav.push('Shop')\\n    &/")" \
	"$(world 'crash_at: {screen: shop, times: always}')" --visit home
expect_status 1
jq_is out/result.json 'any(.errors[]; .where == "stop") and
	.captures.profiler.status == "failed" and
	.captures.graphics_states.status == "failed" and
	([.uploads[] | select(.name == "profiler")] | length == 1)'

t "at the deadline the capture is stopped, and what there is is kept"
patrol_plan "$(variant 's/deadline: 60s, stop_margin: 5s/deadline: 8s, stop_margin: 5s/;
	s/hold: 0ms/hold: 600ms/')" "$(world)"
expect_status 4
jq_is out/result.json '.outcome == "timed_out" and .measured and
	.captures.profiler.status == "stopped" and
	.captures.graphics_states.status == "pulled"'
jq_is out/result.json '(.screens | length == 10) and
	.screens[0].status == "visited" and .screens[9].status == "not_visited"'
expect_order capture.stop stf.release

t "a plan that measures nothing passes without an alarm"
patrol_plan "$(variant '/^measure:/,/^procedures:/{/^procedures:/!d}')" \
	"$(world)"
expect_status 0
jq_is out/result.json '.outcome == "passed" and .measured == false and
	.measures == false'
jq_is out/slack.json '.text + (.blocks | tostring) |
	(test("nothing measured"; "i") | not) and
	test("no measurement planned")'
expect_not_in stderr "NOTHING MEASURED"

t "a capture whose stop tells nothing has not arrived, whatever else has"
patrol_plan "$(variant -e 's/js: Perf.Capture.StopAndUpload()/js: "1"/' \
	-e 's/      expect: {uploaded: true}//')" "$(world)"
expect_status 1
jq_is out/result.json '.outcome == "failed" and .reason == "upload_failed" and
	.measured'
jq_is out/result.json 'any(.uploads[]; .name == "profiler" and
	.status == "failed")'

# Pulled by the phone's own name, not uploaded by the game.
by_unity=$(variant 's/^  snapshot: take_snapshot/  snapshot: {use: unity.snapshot}/')

t "a snapshot that was pulled is looked at, and its sums are told"
patrol_plan "$by_unity" "$(world)" --visit title --visit home
expect_status 0
screen_is home '.snapshot | .status == "taken" and .complete and
	.totals.native_objects > 100 and .totals.resident_bytes > 0 and
	.totals.managed_heap_bytes > 0'
jq_is out/result.json '([.screens[].snapshot.totals.native_objects] | unique |
	length) > 1'

t "a snapshot that was cut is not complete, and the screen is visited"
patrol_plan "$by_unity" "$(world 'snapshot: cut')" --visit title
expect_status 1
screen_is title '.status == "visited" and .snapshot.status == "failed" and
	.snapshot.complete == false and
	(.snapshot.message | test("not complete"))'
