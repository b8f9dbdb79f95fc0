#!/bin/sh
# The plan of the demo, as it is: all that is measured comes off the phone.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

DEMO=$ROOT/plans/starfall.yaml

t "the demo's plan passes, and everything that is measured comes home"
farm - -- patrol run --plan "$DEMO" --run-id 4242 --out out --notify
expect_status 0
expect_sound out
expect_all_visited
jq_is out/result.json '.outcome == "passed" and .measured and .comparable'
jq_is out/result.json '[.screens[] | select(.snapshot) | .snapshot |
	.complete and (.types | length > 0)] | length == 9 and all'
jq_is out/result.json '.captures.profiler | .status == "pulled" and
	.frames_kept > 0 and .frames_kept < .frames_total and
	(.spikes | length > 0)'
jq_is out/result.json '.captures.graphics_states | .status == "pulled" and
	(.merged | .file and .message == null)'
expect_in out/report.html \
	"patrol frames capture/patrol-1.raw --marks result.json --markers"
cp -r out told
(cd told && patrol frames capture/patrol-1.raw --marks result.json --markers \
	>../listed) || fail "the report's command does not run"
expect_in listed "Loading.Read"
expect_count slack.post 1
expect_order adb.disconnect stf.release

t "its phone has nothing of it left"
expect_eq "$(find phone -name '*.raw' -o -name 'patrol-filter*')" "" "files"

t "a day on which nothing can be stored is not measured, in the first line"
farm "$ROOT/fixtures/scenarios/upload_fail.yaml" -- patrol run --plan "$DEMO" --run-id 4242 \
	--visit title --out out
expect_status 1
jq_is out/result.json '.outcome == "failed" and .measured == false and
	.reason == "not_measured"'
jq_is out/slack.json '.text | test("^NOTHING MEASURED")'
