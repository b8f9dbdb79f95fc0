#!/bin/sh
# A whole patrol by way of a genuine STF: its API and its bridge, the genuine
# adb server behind it, the phone with the game.

. "${0%/*}/lib_stf.sh"

farm_up "$(world)"
OURS=$PATROL_FARM_PHONE
phone_up plain 'model: Pixel 6' 'shell_v2: false' \
	'features: [cmd, stat_v2, ls_v2]'
PLAIN=$PHONE
stf_up "$OURS" "$PLAIN"
PATROL_DEBUG=1
export PATROL_DEBUG

# Where the patrol's adb was connected.
endpoint()
{
	sed -n 's/^ *ok *adb *\(127[0-9.:]*\).*/\1/p' stderr
}

expect_closed()
{
	! curl -s -m 5 "telnet://$1" </dev/null ||
		fail "$1 still listens"
}

t "the whole patrol: every screen is walked and measured, the phone returned"
walk
expect_status 0
expect_sound out
expect_all_visited
jq_is out/result.json '.outcome == "passed" and .measured and
	.device.serial == $s' --arg s "$OURS"
expect_eq "$(owner "$OURS")" nobody owner

t "the bridge's port is closed with the release"
expect_closed "$(endpoint)"

t "shell v2 works through a bridge that announces no features"
adb -P "$STF_ADB" -s "$OURS" features >said
expect_in said shell_v2
expect_err "shell,v2"
expect_not_in stderr "marker"

t "an unknown key is registered in our account, once"
expect_eq "$(api alice GET /user | jq '.user.adbKeys | length')" 1 keys
FIRST=$(endpoint)
walk --visit title
expect_status 0
expect_eq "$(api alice GET /user | jq '.user.adbKeys | length')" 1 keys

t "a phone without shell v2 is walked by the marker"
PLAN_AT=$(variant 's/Pixel 7/Pixel 6/')
walk
expect_status 0
expect_sound out
expect_all_visited
expect_err "marker"
PLAN_AT=''

t "a key of another account is told, and the phone given back"
api_is 200 bob POST /user/devices "{\"serial\": \"$PLAIN\"}"
release bob "$PLAIN"
STF_TOKEN=bob-token
walk --visit title
STF_TOKEN=alice-token
expect_status 3
jq_is out/result.json '.reason == "adb_key_elsewhere"'
expect_eq "$(owner "$OURS")" nobody owner

t "a phone unplugged in the walk ends the run, and nothing is left behind"
PLAN_AT=$(staying)
PATROL_BUDGET_PHONE_LOST=5s walk_away --visit title
shown 'ok *capture'
unplug "$OURS"
finish
expect_status 3
expect_sound out
jq_is out/result.json '.outcome == "infra_error" and .crashes == []'
GONE=$(endpoint)

t "an absent phone skips the day"
PLAN_AT=''
walk
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .reason == "device_absent"'

t "plugged in again it is walked, at another port"
plug "$OURS"
await_free "$OURS"
walk --visit title
expect_status 0
expect_sound out
jq_is out/result.json '.outcome == "passed"'
[ "$(endpoint)" != "$GONE" ] || fail "the port is $GONE again"
[ -n "$FIRST" ] || fail "no endpoint was told"

# The least idle timeout that a plan can have.
SHORT='s/when_busy: skip/when_busy: skip, reserve: 30s/'

t "a hold longer than the idle timeout keeps the phone"
PLAN_AT=$(variant -e "$SHORT" -e 's/hold: 0ms/hold: 40s/' \
	-e 's/deadline: 60s/deadline: 5m/')
walk --visit title
expect_status 0
expect_sound out
jq_is out/result.json '.outcome == "passed" and .duration_ms > 40000'

t "a patrol that gave no sign of life has lost the phone, and says so"
PLAN_AT=$(staying -e "$SHORT")
walk_away --visit title
shown 'ok *capture'
STOPPED=$(processes_of "$D/state" | cut -d ' ' -f 1)
# The patrol and its adb server.
# shellcheck disable=SC2086
kill -STOP $STOPPED
await_owner "$OURS" nobody 60
# shellcheck disable=SC2086
kill -CONT $STOPPED
finish
expect_status 3
expect_sound out
jq_is out/result.json '.outcome == "infra_error" and .reason == "lease_lost"'
