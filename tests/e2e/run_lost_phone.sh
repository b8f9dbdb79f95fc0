#!/bin/sh
# The phone goes away in the middle and comes back, or does not: what is held is
# kept or taken again, and given back once.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"
# shellcheck source=tests/e2e/lib_lost.sh
. "${0%/*}/lib_lost.sh"

t "adbd restarts in the walk, behind the farm's bridge"
patrol_plan "$SLOW" "$(world '' 'phone:
  adbd_restarts: {walking: true, after: 100ms, down: 700ms, times: 2}')"
expect_count adb.restart 2
expect_went_on
expect_lease_kept

t "adbd restarts in the walk, on a phone without a farm"
farm_up "$(world '' 'phone:
  adbd_restarts: {walking: true, after: 100ms, down: 700ms, times: 2}')"
run patrol run --plan "$SLOW" --run-id 4242 --out out \
	--device "adb:$PATROL_FARM_PHONE"
expect_count adb.restart 2
expect_went_on

t "the farm closes the phone's port: the new one is used, the lease is kept"
patrol_plan "$SLOW" "$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: disconnect}')"
expect_went_on
expect_lease_kept
journal_is '[.[] | select(.event == "stf.connect") | .url] | unique |
	length == 2'

t "a phone that is unplugged and plugged in again is reserved again"
patrol_plan "$SLOW" "$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: unplug}
    - {when: walk, after: 2s, do: plug}')"
expect_went_on
expect_count stf.reserve 2
journal_is '[.[] | select(.event == "stf.release") | .why] ==
	["unplugged", "asked"]'
expect_err "was unplugged"

t "a phone that does not come back ends the run within its budget"
export PATROL_BUDGET_PHONE_LOST=2s
patrol_plan "$HELD" "$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: unplug}')"
unset PATROL_BUDGET_PHONE_LOST
expect_status 3
jq_is out/result.json '.outcome == "infra_error" and .reason == "absent" and
	.crashes == []'
jq_is out/result.json 'any(.errors[]; .message | test("lost for 2 s"))'

t "a phone that another takes while it is unplugged is left to them"
patrol_plan "$HELD" "$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: unplug}
    - {when: walk, after: 200ms, do: takeover, by: bob}
    - {when: walk, after: 1100ms, do: plug}')"
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
