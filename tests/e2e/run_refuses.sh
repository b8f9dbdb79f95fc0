#!/bin/sh
# Plans, builds and apps that a patrol refuses, before or on the phone.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "a bad plan is refused with up to 20 places, before anything is taken"
{
	cat "$QUICK"
	echo "escape:"
	i=0
	while [ $i -lt 25 ]; do
		echo "  - {tpa: \"//X$i\"}"
		i=$((i + 1))
	done
} >"$T/bad.yaml"
patrol_plan "$T/bad.yaml" "$(world)"
expect_status 2
jq_is out/result.json '.outcome == "invalid_input" and .reason == "bad_plan" and
	([.errors[] | select(.where and (.where | test("bad.yaml:[0-9]+:[0-9]+")))] |
	length >= 20 and length <= 22)'
expect_err "bad.yaml:"
expect_count github.get 0
expect_count stf.reserve 0

t "a plan that is no file is refused"
patrol_plan "$T/none.yaml" "$(world)"
expect_status 2
expect_err none.yaml
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'

t "a build that is not debuggable is refused, with the reason and the cure"
patrol_in not_debuggable
expect_status 2
jq_is out/result.json '.reason == "not_debuggable" and
	(.message | test("development build"; "i"))'
expect_err "Development Build"
expect_count stf.reserve 0

t "without snapshots a release build is patrolled"
patrol_in not_debuggable --measure profiler,graphics_states --visit title
[ "$STATUS" -ne 2 ] || expect_not_in stderr not_debuggable

t "an APK of another package is refused, with both names"
patrol_plan "$(variant 's/package: com.example.starfall/package: com.example.other/')" \
	"$(world)"
expect_status 2
jq_is out/result.json '.reason == "wrong_package"'
expect_err com.example.starfall
expect_err com.example.other
expect_count stf.reserve 0

t "an APK without code for the phone is refused, before it is sent"
patrol_in "$(world '' 'phone: {abi: x86_64}')"
expect_status 2
jq_is out/result.json '.reason == "wrong_abi" and (.message |
	test("arm64-v8a") and test("x86_64"))'
expect_count phone.install 0
expect_count stf.release 1

t "an APK for a later Android is refused, before it is sent"
patrol_plan "$(variant 's/, sdk: ">=29"//')" "$(world '' 'phone: {sdk: 21}')"
expect_status 2
jq_is out/result.json '.reason == "sdk_too_old"'
expect_count phone.install 0

t "a capability that the app lacks is told with each place of the plan"
patrol_in "$(world 'capabilities: [ui, tree, nav, wait, screenshot, call]')"
expect_status 2
jq_is out/result.json '.reason == "capability_missing" and
	([.message | scan("quick.yaml:[0-9]+:[0-9]+")] | length >= 3)'
expect_err script
expect_count capture.start 0
expect_count stf.release 1

t "an install that the phone refuses is told with its reason"
patrol_in "$(world '' 'phone:
  install: {verdict: "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user"}')"
expect_status 3
expect_err INSTALL_FAILED_USER_RESTRICTED
expect_count stf.release 1
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'

t "an artifact with a wrong digest is not installed"
patrol_in bad_digest
expect_at_most "$STATUS" 3 "status"
[ "$STATUS" -ge 2 ] || fail "status $STATUS"
expect_err "is not what the build uploaded"
expect_count stf.reserve 0

t "an app whose server speaks another version is refused, with both"
patrol_in "$(world 'old_version: true')"
[ "$STATUS" -eq 2 ] || expect_status 3
expect_count stf.release 1

t "an APK that is no APK is one clear line"
echo "no apk" >"$T/no.apk"
# shellcheck disable=SC2016
farm "$(world)" -- sh -c 'exec patrol run --plan "$1" --apk "$2" \
	--device "adb:$PATROL_FARM_PHONE" --out out' sh "$QUICK" "$T/no.apk"
expect_status 2
expect_err no.apk
expect_sound out
