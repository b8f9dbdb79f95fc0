#!/bin/sh
# patrol devices: what phones there are, and what a run would take.
. "${0%/*}/lib.sh"

t "a free phone is listed with model, Android and state"
farm - -- patrol devices
expect_status 0
expect_out "SIM0PHONE01  Pixel 7  13  free"
expect_count stf.reserve 0

t "a busy phone tells who holds it since when, and is not taken"
farm busy -- patrol devices --plan "$PLAN" --json
expect_status 3
jq_is stdout '.devices | length == 1'
jq_is stdout '.devices[0] | .state == "busy" and .fits and (.taken | not) and
	.held_by.email == "qa-team@example.com" and
	(.since | test("^20..-..-..T"))'
jq_is stdout '.choice | .take == null and .reason == "device_busy" and
	(.message | test("qa-team"))'

t "the phone that a run would take is marked, and only that"
farm two_phones -- patrol devices --plan "$PLAN" --json
expect_status 0
jq_is stdout '.choice.take == "SIM0PHONE01"'
jq_is stdout '[.devices[] | select(.taken) | .serial] == ["SIM0PHONE01"]'
jq_is stdout '[.devices[] | select(.fits)] | length > 1'

t "what differs from the plan is told for each phone"
farm other_model -- patrol devices --plan "$PLAN"
expect_status 2
expect_out "model is 'Galaxy S23', not 'Pixel 7'"
expect_out "a run would take none"

t "a booking tells its end"
printf 'stf:\n  phone: {slot_ends: 2h, owner: bob}\n' >"$T/slot.yaml"
farm "$T/slot.yaml" -- patrol devices --json
expect_status 0
jq_is stdout '.devices[0].booked_until | test("^20..-..-..T")'

t "a refused token is an error with its cure"
farm bad_token -- patrol devices
expect_status 3
expect_err "make a token in STF"

t "without a farm the two ways out are told"
fresh
run patrol devices
expect_status 2
expect_err "set STF_URL or the plan's farm.stf"
expect_err "--device adb"

t "a farm that is down is told, and nothing is listed"
farm stf_login_page -- patrol devices
expect_status 3
expect_eq "$(cat stdout)" "" "stdout"
fresh
run env STF_URL=http://127.0.0.1:1 STF_TOKEN=abcdef patrol devices
expect_status 3
expect_err "127.0.0.1:1"
expect_eq "$(cat stdout)" "" "stdout"

t "a plan with faults is refused before anybody is asked"
fresh
printf 'patrol: 1\nscreens: 3\n' >plan.yaml
run patrol devices --plan plan.yaml
expect_status 2
expect_err "plan.yaml:"

t "without an adb program --device adb says how to get one"
fresh
HOME=$D ANDROID_ADB_SERVER_PORT=$(adb_port)
export HOME ANDROID_ADB_SERVER_PORT
STATUS=0
env -u ANDROID_HOME -u ANDROID_SDK_ROOT PATH=/nonexistent \
	"$PATROL_BUILD/patrol" devices --device adb >stdout 2>stderr ||
	STATUS=$?
expect_status 3
expect_err "adb"

t "the phones of an adb server are listed with model and Android"
command -v adb >/dev/null || {
	skip "no adb"
	exit 0
}
farm_up -
HOME=$T/home ADB_EMU=0
export HOME ADB_EMU
mkdir "$HOME"
# shellcheck disable=SC2154
trap 'exit_status=$?; adb kill-server >/dev/null 2>&1; (exit $exit_status); at_exit' EXIT
adb start-server >/dev/null 2>&1
adb connect "$PATROL_FARM_PHONE" >/dev/null 2>&1
run patrol devices --device adb --json
expect_status 0
jq_is stdout '.source == "adb" and (.devices | length) == 1'
jq_is stdout '.devices[0] | .model == "Pixel 7" and .android == "13" and
	.state == "device"'
