#!/bin/sh
# A patrol that is cancelled, killed, or loses what it stands on.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

# A walk that takes long enough to be met in it.
SLOW=$(variant 's/hold: 0ms/hold: 3s/')
PLAN_UP=$SLOW

patrol_slowly()
{
	spawn patrol run --plan "$PLAN_UP" --run-id 4242 --out out
}

walking()
{
	need await 'happened game.screen '"'"'.name == "home"'"'"
}

# Within 8 s of the signal the phone is free, and the result says it.
expect_cancelled()
{
	finish 8
	expect_status 5
	expect_sound out
	jq_is out/result.json '.outcome == "cancelled"'
	jq_is out/slack.json '.text | length > 0'
}

# What was set last: 0 is how the phone was.
awake()
{
	journal 'map(select(.event == "phone.setting" and
		.key == "stay_on_while_plugged_in")) | last | .value'
}

t "SIGTERM in the walk gives the phone back, and the result says cancelled"
farm_up "$(world)"
patrol_slowly
walking
signal TERM
expect_cancelled
expect_count stf.release 1
expect_order adb.disconnect stf.release
jq_is out/result.json 'any(.screens[]; .name == "title" and
	.status == "visited")'
expect_count capture.stop 1

t "SIGINT and then SIGTERM, as GitHub sends them, is one cancellation"
farm_up "$(world)"
patrol_slowly
walking
signal INT
kill -TERM "$BG_PID" 2>/dev/null
expect_cancelled
expect_count stf.release 1

t "a second SIGINT abandons what takes long, and nothing stays behind"
farm_up "$(world)"
patrol_slowly
walking
signal INT
kill -INT "$BG_PID" 2>/dev/null
finish 8
[ "$STATUS" -eq 5 ] || expect_status 6
expect_sound_result out/result.json
run patrol reap
expect_status 0
expect_returned
expect_no_process

t "SIGTERM while the APK is installed gives the phone back"
farm_up "$(world '' 'phone: {install: {delay: 20s}}')"
patrol_slowly
need await 'happened adb.connect && grep -q "stage.begin.*install" out/events.ndjson'
signal TERM
expect_cancelled
expect_count stf.release 1

t "SIGTERM while the artifact is downloaded takes nothing"
farm_up download_stalls
patrol_slowly
need await 'happened storage.get'
signal TERM
expect_cancelled
expect_count stf.reserve 0

t "SIGTERM while it waits for a busy phone takes nothing"
PLAN_UP=$(variant 's/when_busy: skip/when_busy: {wait: 20m}/')
farm_up busy
patrol_slowly
need await 'grep -q "stage.begin.*phone" out/events.ndjson'
signal TERM
expect_cancelled
expect_count stf.reserve 0
PLAN_UP=$SLOW

t "after SIGKILL in the walk patrol reap gives the phone back"
farm_up "$(world)"
patrol_slowly
walking
signal KILL
finish 8
expect_count stf.release 0
expect_no_process
expect_eq "$(awake)" 7 "stay awake before reap"
run patrol reap
expect_status 0
expect_count stf.release 1

t "and the phone's own setting is as it was before"
expect_eq "$(awake)" 0 "stay awake"
expect_order phone.setting stf.release

t "and a result is there that says so"
jq_is out/result.json '.outcome == "cancelled" and .reason == "killed"'
expect_eq "$(find out -name '.work*')" "" "work folder"
expect_eq "$(find state -mindepth 1)" "" "what is left in the state folder"

t "what it was just removing goes, too"
mkdir -p state/adb-gone-123456/.android
run patrol reap
expect_status 0
expect_eq "$(find state -mindepth 1)" "" "what is left in the state folder"

t "a second reap finds nothing to do"
run patrol reap
expect_status 0
expect_count stf.release 1

t "where only the plan names the farm, reap still restores the phone's setting"
farm_up "$(world)"
PLAN_UP=$D/named.yaml
{ cat "$SLOW" && printf 'farm: {stf: "%s"}\n' "$STF_URL"; } >"$PLAN_UP"
(
	unset STF_URL
	exec patrol run --plan "$PLAN_UP" --run-id 4242 --out out
) >stdout 2>stderr </dev/null &
BG_PID=$!
walking
signal KILL
finish 8
expect_eq "$(awake)" 7 "stay awake before reap"
run env -u STF_URL patrol reap
expect_status 0
expect_eq "$(awake)" 0 "stay awake"
expect_count stf.release 1
expect_order phone.setting stf.release
PLAN_UP=$SLOW

t "the next run gives back what a killed one held, and then has the phone"
farm_up "$(world)"
patrol_slowly
walking
signal KILL
finish 8
run patrol run --plan "$QUICK" --run-id 4242 --out out2 --visit title
expect_status 0
expect_sound out2
expect_count stf.reserve 2
expect_count stf.release 2

t "the next run in the very folder of a killed one is not disturbed by it"
farm_up "$(world)"
mkdir out && echo '{"outcome": "passed"}' >out/result.json
patrol_slowly
walking
signal KILL
finish 8
expect_no_file out/result.json
run patrol run --plan "$QUICK" --run-id 4242 --out out --visit title
expect_status 0
expect_sound out
expect_count stf.release 2

t "two patrols never write into one folder"
farm_up "$(world)"
patrol_slowly
walking
run patrol run --plan "$QUICK" --run-id 4242 --out out
expect_status 2
expect_err "another patrol writes its results into 'out'"
signal TERM
expect_cancelled

t "after SIGKILL a server that runs already loses what patrol connected to it"
users_adb
farm_up "$(world)"
spawn patrol run --plan "$PLAN_UP" --run-id 4242 --out out \
	--device "adb:$PATROL_FARM_PHONE" --adb-server "$server"
walking
signal KILL
finish 8
run adb -P "${server#*:}" devices
expect_out "$PATROL_FARM_PHONE"
run patrol reap
expect_status 0
expect_eq "$(awake)" 0 "stay awake"
run adb -P "${server#*:}" devices
expect_not_in stdout "$PATROL_FARM_PHONE"
adb -P "${server#*:}" kill-server >/dev/null 2>&1

t "a run that is alive is left alone by reap"
farm_up "$(world)"
patrol_slowly
walking
cp stdout stdout.run
patrol reap >reap.out 2>&1 || fail "reap: status $?"
expect_count stf.release 0
signal TERM
expect_cancelled

t "a farm that dies in the walk ends the run; the lease is left and named"
farm_up "$(world)"
export PATROL_BUDGET_SHELL=1s PATROL_BUDGET_PHONE_LOST=3s
patrol_slowly
unset PATROL_BUDGET_SHELL PATROL_BUDGET_PHONE_LOST
walking
kill -KILL "$FARM_PID"
wait "$FARM_PID" 2>/dev/null
FARM_PID=''
finish 60
[ "$STATUS" -eq 6 ] || [ "$STATUS" -eq 3 ] || fail "status $STATUS"
expect_sound_result out/result.json
jq_is out/result.json '.crashes == []'
jq_is out/result.json '.left_behind | length >= 1'
expect_err "left behind"
expect_no_process
