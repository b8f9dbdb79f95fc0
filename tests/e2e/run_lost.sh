#!/bin/sh
# The way to the app breaks in the middle and comes back: the run goes on where
# it was, what was measured around it is marked, the phone is given back once.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

export PATROL_BUDGET_SHELL=5s
SLOW=$(variant 's/hold: 0ms/hold: 300ms/')
HELD=$(variant 's/hold: 0ms/hold: 3s/')

walking()
{
	need await "happened game.screen '.name == \"${1:-home}\"'"
}

# The app was never started again, and the visits all came, some of them
# marked.
expect_went_on()
{
	expect_status 0
	expect_sound out
	expect_all_visited
	expect_count app.start 1
	jq_is out/result.json '.crashes == [] and .measured'
	jq_is out/result.json 'any(.screens[]; .off_route and
		.off_route_reason == "connection lost")'
	jq_is out/result.json 'any(.screens[]; .off_route | not)'
}

# The farm's words: one reservation, one release, and that by us.
expect_lease_kept()
{
	expect_count stf.reserve 1
	expect_count stf.release 1
	journal_is 'any(.[]; .event == "stf.release" and .why == "asked")'
}

# Send a signal to the adb server, which is patrol's only child by then.
hit_server()
{
	need await '[ -n "$(cat "/proc/$BG_PID/task/$BG_PID/children")" ]'
	# shellcheck disable=SC2013
	for hit_pid in $(cat "/proc/$BG_PID/task/$BG_PID/children"); do
		kill -"$1" "$hit_pid"
	done
}

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

t "adbd restarts in the walk, behind the farm's bridge"
patrol_plan "$SLOW" "$(world '' 'phone:
  adbd_restarts: {after: 1s, down: 700ms, times: 2}')"
expect_count adb.restart 2
expect_went_on
expect_lease_kept

t "adbd restarts in the walk, on a phone without a farm"
farm_up "$(world '' 'phone:
  adbd_restarts: {after: 1s, down: 700ms, times: 2}')"
run patrol run --plan "$SLOW" --run-id 4242 --out out \
	--device "adb:$PATROL_FARM_PHONE"
expect_count adb.restart 2
expect_went_on

t "the farm closes the phone's port: the new one is used, the lease is kept"
patrol_plan "$SLOW" "$(world '' 'stf:
  events:
    - {when: connect, after: 1s, do: disconnect}')"
expect_went_on
expect_lease_kept
journal_is '[.[] | select(.event == "stf.connect") | .url] | unique |
	length == 2'

t "a phone that is unplugged and plugged in again is reserved again"
patrol_plan "$SLOW" "$(world '' 'stf:
  events:
    - {when: reserve, after: 2s, do: unplug}
    - {when: reserve, after: 4s, do: plug}')"
expect_went_on
expect_count stf.reserve 2
journal_is '[.[] | select(.event == "stf.release") | .why] ==
	["unplugged", "asked"]'
expect_err "was unplugged"

t "a phone that does not come back ends the run within its budget"
export PATROL_BUDGET_PHONE_LOST=2s
patrol_plan "$HELD" "$(world '' 'stf:
  events:
    - {when: connect, after: 2s, do: unplug}')"
unset PATROL_BUDGET_PHONE_LOST
expect_status 3
jq_is out/result.json '.outcome == "infra_error" and .reason == "absent" and
	.crashes == []'
jq_is out/result.json 'any(.errors[]; .message | test("lost for 2 s"))'

t "a phone that another takes while it is unplugged is left to them"
patrol_plan "$HELD" "$(world '' 'stf:
  events:
    - {when: connect, after: 2s, do: unplug}
    - {when: connect, after: 2100ms, do: takeover, by: bob}
    - {when: connect, after: 3s, do: plug}')"
expect_status 3
jq_is out/result.json '.reason == "lease_lost" and .crashes == []'
journal_is '[.[] | select(.event == "stf.reserve") | .user] ==
	["alice", "bob"]'
journal_is 'all(.[]; .event != "stf.release" or .user != "bob")'

t "a phone that is lost while the APK is sent gets it once more"
patrol_in "$(world '' 'phone:
  faults:
    - {kind: drop, service: "exec:cmd package", after_bytes: 9000, times: 1}
    - {kind: drop, service: "abb_exec", after_bytes: 9000, times: 1}')"
expect_status 0
expect_all_visited
expect_lease_kept

t "a phone that is lost while it is prepared is prepared once more"
patrol_in "$(world '' 'phone:
  faults: [{kind: drop, service: "shell", after_bytes: 600, times: 1}]')"
expect_status 0
expect_all_visited
expect_lease_kept
jq_is out/result.json '.left_behind == []'

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

t "a file that is pulled while adbd ends is pulled once more"
patrol_in "$(world '' 'phone:
  faults: [{kind: drop, service: "sync:", after_bytes: 400, times: 1}]')"
expect_status 0
jq_is out/result.json '.captures.graphics_states.status == "pulled"'

t "a log that ends at once, each time, is asked for less and less often"
# shellcheck disable=SC2016
farm "$(world '' 'phone: {logcat_eof_after_lines: 1}')" -- sh -c '
	exec patrol try --apk "$PATROL_FARM_APK" --for 4s \
	--device "adb:$PATROL_FARM_PHONE" --out out'
expect_status 0
expect_at_most "$(grep -c -e '--- gap' out/logs/logcat.txt)" 6 "gaps in 4 s"
