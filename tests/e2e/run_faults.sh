#!/bin/sh
# A server in the app that answers wrongly, late or not at all.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

# Whatever the server in the app does: no crash and no hang of patrol, a valid
# result, and the phone is given back (expect_sound in each).
fault()
{
	patrol_plan "$FAULT_PLAN" "$(world "faults: [{kind: $1, at: $2, nth: 2${3-}}]")" \
		--visit title --visit home --visit party
	expect_at_most "$STATUS" 3 "status"
	expect_count stf.release 1
}
FAULT_PLAN=$(variant 's/timeout: 10s$/timeout: 1s/')

for kind in garbage half_frame wrong_length too_long double_reply wrong_id \
	bad_json reset disconnect; do
	t "a server that answers '$kind' to a wait does not end the patrol"
	fault $kind wait
	jq_is out/result.json '[.screens[] | select(.status == "visited")] |
		length >= 2'
done

t "a server that sends garbage instead of a screenshot is left and found"
fault garbage screenshot
jq_is out/result.json '[.screens[] | select(.status == "visited")] | length >= 2'

t "a snapshot that is never answered costs its timeout, and is said"
fault silent script.eval ', times: 1'
expect_at_most "$STATUS" 1 "status"

t "a late answer is not taken for that of the next request"
fault late_reply screenshot ', delay: 300ms'
jq_is out/result.json '[.screens[] | select(.status == "visited")] | length == 3'
