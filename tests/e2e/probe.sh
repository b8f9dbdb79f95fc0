#!/bin/sh
# patrol probe: what server is in the app, is it PCP/1, does it fit the plan.
. "${0%/*}/lib.sh"

APK=$ROOT/build/fixture/starfall.apk
[ -s "$APK" ] || {
	t "a server is probed"
	skip "no fixture APK"
	exit 0
}
# A server that never comes is waited for as the plan says: not for long.
sed 's/^meta:.*/&\nconnect: {timeout: 1s}/' "$PLAN" >"$T/plan.yaml"

# Within a farm: sh is needed for the phone's address.
# shellcheck disable=SC2016
probe='exec patrol probe --device "adb:$PATROL_FARM_PHONE" "$@"'

# probe 'SCENARIO LINES' OPTION...
probe()
{
	printf '%s\n' "$1" >"$T/scenario.yaml"
	shift
	farm "$T/scenario.yaml" -- sh -c "$probe" probe --json "$@"
}

# check_is NAME STATUS
check_is()
{
	# shellcheck disable=SC2016
	jq_is stdout '[.checks[] | select(.name == $n) | .status] == [$s]' \
		--arg n "$1" --arg s "$2"
}

t "a server that keeps to PCP/1 and has all of the plan passes"
probe 'game: {}' --apk "$APK" --plan "$PLAN"
expect_status 0
jq_is stdout '.failed == 0 and .skipped == 0 and .ok > 40'
jq_is stdout '.server.app.package == "com.example.starfall" and
	(.server.capabilities | index("script"))'
jq_is stdout '[.plan.checks[] | select(.needs | startswith("type ")) | .status]
	== ["ok", "ok"]'
jq_is stdout '[.plan.checks[].needs] | index("js Perf.Session.Start")'
journal_is '[.[] | select(.event == "control.call" and .method == "call" and
	(.target | test("SetCommon|Stop")))] == []'
expect_count app.stop 1

t "an installed app is probed by its name, without a plan"
probe 'phone: {installed: [{package: com.example.starfall, debuggable: true}]}' \
	--package com.example.starfall
expect_status 0
jq_is stdout '.plan == null and .failed == 0'
expect_count phone.install 0

t "the report for people says the server and every check"
printf 'game: {}\n' >"$T/scenario.yaml"
farm "$T/scenario.yaml" -- sh -c "$probe" probe --apk "$APK" --quiet
expect_status 0
expect_out "PatrolAgent-sim 1.0 (C), PCP/1"
expect_out "ok    wait, any"
expect_out " 0 failed, 0 skipped"

t "what the plan needs and the build lacks is told with its place and cure"
probe 'game: {stripped: [Perf.Sdk, Cheat]}' --apk "$APK" --plan "$PLAN"
expect_status 1
jq_is stdout '[.plan.checks[] | select(.status == "fail")] | length == 2'
jq_is stdout '.plan.checks[] | select(.needs | startswith("type Perf.Sdk")) |
	.status == "fail" and (.at | test("sdk.yaml:[0-9]+:7$")) and
	(.hint | test("link.xml")) and (.hint | test("fullname=.Perf.Sdk"))'
jq_is stdout '.plan.checks[] | select(.needs == "js Cheat.winBattle") |
	.status == "fail" and .got == "Cheat is undefined"'

t "a server without scripts still tells a missing type from a present one"
probe 'game: {stripped: [Perf.Sdk], capabilities: [ui, nav, wait, call]}' \
	--apk "$APK" --plan "$PLAN"
expect_status 1
jq_is stdout '.plan.checks[] | select(.needs | startswith("type Perf.Sdk")) |
	.status == "fail"'
jq_is stdout '.plan.checks[] | select(.needs | startswith("type Perf.Session"))
	| .status == "ok"'
jq_is stdout '.plan.checks[] | select(.needs == "capability '"'script'"'") |
	.status == "fail"'
check_is screenshot skip
check_is script.eval skip
check_is "wait, any" ok

t "an app without a server fails, and says so"
probe 'game: {no_server: true}' --apk "$APK" --plan "$T/plan.yaml"
expect_status 1
jq_is stdout '.server == null and .failed == 1'
jq_is stdout '.checks[0] | .name == "server" and
	(.got | test("no answer from a control server"))'
expect_count app.stop 1

t "a silent server fails within the plan's time"
probe 'game: {faults: [{kind: silent, at: hello, times: always}]}' \
	--apk "$APK" --plan "$T/plan.yaml"
expect_status 1
jq_is stdout '.server == null and .failed == 1'

t "a server of another version is told"
probe 'game: {old_version: true}' --apk "$APK"
expect_status 1
jq_is stdout '.checks[0].got | test("Version")'

t "a server that lets anybody in fails, and the rest goes on"
probe 'game: {wrong_token_ok: true}' --apk "$APK"
expect_status 1
check_is "hello, wrong token" fail
check_is "hello, no token" fail
check_is "a second hello" ok
check_is screenshot ok

for kind in garbage wrong_id disconnect reset half_frame too_long bad_json; do
	t "after $kind for one answer the other checks go on"
	probe "game: {faults: [{kind: $kind, at: nav.state}]}" --apk "$APK"
	expect_status 1
	check_is nav.state fail
	check_is "ui.find, absent object" ok
	jq_is stdout '.failed == 1'
done

t "another's answer is not taken for the next check's"
probe 'game: {faults: [{kind: double_reply, at: app.state}]}' --apk "$APK"
jq_is stdout '[.checks[] | select(.name == "nav.state") | .status] == ["ok"]'

t "an app that is not installed is an error of the phone's side"
probe 'game: {}' --package com.example.absent
expect_status 3
expect_err com.example.absent

t "which app is asked for before anything is done"
fresh
run patrol probe
expect_status 2
expect_err "--package NAME, --apk FILE or --plan FILE"

t "an app that does not run can't be attached to, which is told at once"
probe 'phone: {installed: [{package: com.example.starfall}]}' \
	--attach --package com.example.starfall
expect_status 3
expect_err "does not run on the phone"

t "an app that runs already is probed with its own token, and goes on"
printf 'game: {token: 0123456789abcdef}\n' >"$T/scenario.yaml"
farm_up "$T/scenario.yaml"
spawn patrol try --device "adb:$PATROL_FARM_PHONE" --apk "$APK" --for 5m \
	--out try
need await '[ "$(journal_count app.start)" = 1 ]'
STATUS=0
PATROL_CONTROL_TOKEN=0123456789abcdef patrol probe --attach --json \
	--device "adb:$PATROL_FARM_PHONE" --package com.example.starfall \
	>probe.json 2>probe.err </dev/null || STATUS=$?
expect_status 0
jq_is probe.json '.failed == 0 and .server.app.package != null'
expect_not_in probe.json 0123456789abcdef
expect_count app.start 1
expect_count app.stop 0
signal INT
finish 60
expect_status 5
