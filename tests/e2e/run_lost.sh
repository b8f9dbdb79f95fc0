#!/bin/sh
# The way to the app breaks in the middle and comes back: the run goes on where
# it was, what was measured around it is marked, the phone is given back once.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"
# shellcheck source=tests/e2e/lib_lost.sh
. "${0%/*}/lib_lost.sh"

# drops METHOD N...: faults that end the connection at these answers.
drops()
{
	d_method=$1
	shift
	for d_nth; do
		printf '  - {kind: %s, at: %s, nth: %s}\n' \
			"$([ $((d_nth % 2)) -eq 0 ] && echo reset ||
				echo disconnect)" "$d_method" "$d_nth"
	done
}

t "a control connection that is dropped 20 times in the walk is 20 times found"
patrol_in "$(world "faults:
$(drops wait 3 7 9 12 17 22 27 32 37 42 47)
$(drops screenshot 2 5 8 9)
$(drops app.state 3 6 9)
$(drops ui.click 1 3 5)
$(drops script.eval 4)")"
expect_went_on
expect_lease_kept
[ "$(journal_count control.hello)" -ge 21 ] ||
	fail "dropped $(($(journal_count control.hello) - 1)) times only"

t "what came after it is marked, and what came long after is clean"
patrol_in "$(world "disconnect_at: screenshot")"
expect_went_on
jq_is out/result.json '[.screens[] | select(.off_route)] | length == 1'
screen_is home '.off_route | not'

t "a snapshot whose answer is lost is taken once more"
patrol_in "$(world "faults: [{kind: disconnect, at: script.eval, nth: 3}]")"
expect_went_on
jq_is out/result.json 'all(.screens[]; .snapshot == null or
	.snapshot.status == "taken")'

t "an adb server that dies in the walk is replaced, and the walk goes on"
farm_up "$(world)"
spawn patrol run --plan "$SLOW" --run-id 4242 --out out
walking
hit_server KILL
finish 60
expect_went_on
expect_lease_kept

t "three of them are replaced as well"
farm_up "$(world)"
spawn patrol run --plan "$SLOW" --run-id 4242 --out out
for at in home party quest; do
	walking $at
	hit_server KILL
done
finish 60
expect_went_on
expect_lease_kept

t "an adb server that hangs in the walk is replaced"
farm_up "$(world)"
spawn patrol run --plan "$SLOW" --run-id 4242 --out out
walking
hit_server STOP
finish 60
expect_went_on
expect_lease_kept

t "an adb server that hangs before the walk is replaced as well"
farm_up "$(world 'crash_at: title')"
spawn env PATROL_BUDGET_APP_START=5s patrol run --plan "$SLOW" \
	--run-id 4242 --out out
need await 'grep -q "stage.begin.*control" out/events.ndjson'
hit_server STOP
finish 60
expect_status 1
expect_sound out
expect_all_visited

t "a connection that is lost while the trace stops is no lost trace"
patrol_in "$(world "faults: [{kind: disconnect, at: gsc.stop}]")"
expect_status 0
expect_count app.start 1
jq_is out/result.json '.captures.profiler.status == "stopped" and
	.captures.graphics_states.status == "pulled"'

t "a connection that is lost at the metadata, or at hello, is no lost day"
for at in call events.subscribe; do
	patrol_in "$(world "faults: [{kind: disconnect, at: $at, nth: 1}]")"
	expect_status 0
	expect_all_visited
	jq_is out/result.json '.crashes == []'
done

t "a connection that is lost in the set-up starts the app anew"
patrol_in "$(world "faults: [{kind: disconnect, at: script.eval, nth: 1}]")"
expect_status 0
expect_all_visited
expect_count app.start 2
jq_is out/result.json '.crashes == []'

