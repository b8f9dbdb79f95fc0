#!/bin/sh
# What a patrol can be asked to do otherwise.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "an app of another commit is patrolled, and is not comparable"
patrol_in "$(world 'commit: "9999999deadbeef"')"
expect_status 0
jq_is out/result.json '.comparable == false and .not_comparable_reason and
	.build.embedded_commit == "9999999deadbeef"'
expect_all_visited

t "an app of the run's own commit is comparable"
patrol_in "$(world 'commit: a1b2c3d')"
expect_status 0
jq_is out/result.json '.comparable and .build.embedded_commit == "a1b2c3d"'

t "--visit visits these screens alone"
patrol_in "$(world)" --visit shop --visit gacha
expect_status 0
jq_is out/result.json '[.screens[].name] == ["shop", "gacha"] and
	all(.screens[]; .status == "visited")'

t "--visit of a screen that the plan lacks is refused, with the nearest one"
patrol_in "$(world)" --visit shpo
expect_status 2
expect_err shop

t "--var fills what the plan leaves open"
plan=$(variant 's/Session.Start({run_id})/Session.Start({var.WHO})/')
patrol_plan "$plan" "$(world)" --var 'WHO=the "night" shift'
expect_status 0
journal_is 'any(.[]; .event == "control.call" and
	.target == "Perf.Session.Start(\"the \\\"night\\\" shift\")")'

t "a variable without a value is told before the phone is taken"
patrol_plan "$plan" "$(world)"
expect_status 2
expect_err var.WHO
expect_count stf.reserve 0

t "--measure snapshot takes snapshots and captures nothing"
patrol_in "$(world)" --measure snapshot
expect_status 0
expect_count snapshot.taken 9
expect_count capture.start 0
expect_count gsc.start 0
jq_is out/result.json .measured

t "--measure profiler,graphics_states takes no snapshot"
patrol_in "$(world)" --measure profiler,graphics_states
expect_status 0
expect_count snapshot.taken 0
expect_count capture.stop 1
expect_count gsc.saved 1

t "--measure of something else is a usage error"
patrol_bad()
{
	farm "$(world)" -- patrol run --plan "$QUICK" --run-id 4242 \
		--out out "$@"
}
patrol_bad --measure frames
expect_status 2
expect_err frames

t "a local build on a phone at hand needs neither GitHub nor a farm"
# shellcheck disable=SC2016
farm "$(world)" -- sh -c 'unset STF_URL STF_TOKEN GITHUB_TOKEN \
	GITHUB_REPOSITORY GITHUB_API_URL; exec patrol run --plan "$1" \
	--device "adb:$PATROL_FARM_PHONE" --apk "$PATROL_FARM_APK" --out out' \
	sh "$QUICK"
expect_status 0
expect_all_visited
expect_count stf.reserve 0
expect_count github.get 0
expect_count phone.install 1
expect_sound out

t "--attach walks the app that runs, and does not end it"
farm_up "$(world 'token: 0123456789abcdef')"
spawn patrol try --device "adb:$PATROL_FARM_PHONE" --for 5m --out try \
	--apk "$PATROL_FARM_APK"
need await '[ "$(journal_count app.start)" = 1 ]'
STATUS=0
PATROL_CONTROL_TOKEN=0123456789abcdef patrol run --plan "$QUICK" --attach \
	--device "adb:$PATROL_FARM_PHONE" --out out >stdout 2>stderr \
	</dev/null || STATUS=$?
expect_status 0
expect_sound_result out/result.json
expect_all_visited
expect_count app.start 1
expect_count app.stop 0
expect_not_in stderr 0123456789abcdef
signal INT
finish 60
expect_status 5
farm_down

t "patrol try reports on an APK without any plan"
# shellcheck disable=SC2016
farm "$(world)" -- sh -c 'unset STF_URL STF_TOKEN GITHUB_TOKEN; \
	exec patrol try --apk "$PATROL_FARM_APK" --for 1s \
	--device "adb:$PATROL_FARM_PHONE" --out out'
expect_status 0
jq_is out/result.json '.kind == "try" and .outcome == "passed" and
	.startup_ms.process >= 0 and (.timeline | length >= 1) and
	(.screens | length == 0 or all(.screenshot))'
expect_file out/logs/logcat.txt
expect_count phone.install 1
expect_sound out

t "patrol try tells of a crash"
# shellcheck disable=SC2016
farm "$(world 'crash_at: title')" -- sh -c 'exec patrol try \
	--apk "$PATROL_FARM_APK" --for 5s \
	--device "adb:$PATROL_FARM_PHONE" --out out'
expect_status 1
jq_is out/result.json '.reason == "crash" and (.crashes | length == 1)'
expect_sound out
