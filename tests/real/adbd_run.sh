#!/bin/sh
# Whole patrols through the genuine daemon, and with adb 34 as the program.
. "${0%/*}/lib.sh"
. "${0%/*}/lib_adbd.sh"

# What holds after each: nothing of a run is left on this machine.
expect_clean()
{
	expect_no_process
	expect_no_secret out
	[ -z "$(find state -mindepth 1)" ] ||
		fail "the state folder has $(find state -mindepth 1)"
}

for A in "$OWN" 'adb 34'; do
	PATH=$BASE_PATH
	# shellcheck disable=SC2119
	relay "$(world)"
	adb_is "$A"

	t "$A: a whole patrol walks through the genuine daemon"
	run patrol run --plan "$THROUGH" --device "adb:$PHONE" \
		--apk "$PATROL_FARM_APK" --out out
	expect_status 0
	expect_sound_result out/result.json
	expect_all_visited
	expect_clean

	t "$A: the control server is probed through it"
	run patrol probe --plan "$THROUGH" --device "adb:$PHONE" \
		--apk "$PATROL_FARM_APK"
	expect_status 0
	expect_not_in stdout 'fail '

	t "$A: an app is tried through it"
	run patrol try --apk "$PATROL_FARM_APK" --device "adb:$PHONE" \
		--for 2s --out tried
	expect_status 0
	expect_file tried/report.html

	# A world with load times, to be in the middle of.
	relay_down
	PATH=$BASE_PATH
	relay -
	adb_is "$A"
	t "$A: a daemon that dies in mid-walk and returns leaves a sound run"
	port=${PHONE#*:}
	spawn patrol run --plan "$THROUGH" --device "adb:$PHONE" \
		--apk "$PATROL_FARM_APK" --out out
	need await 'grep -q "\[3/10\]" stderr'
	daemon_dies
	daemon "$port"
	finish 90
	expect_status 0
	expect_sound_result out/result.json
	expect_clean

	t "$A: a daemon that dies for good ends the run, and says so"
	rm -rf out stderr
	spawn patrol run --plan "$THROUGH" --device "adb:$PHONE" \
		--apk "$PATROL_FARM_APK" --out out
	need await 'grep -q "\[3/10\]" stderr'
	daemon_dies
	finish 90
	# 4: the plan's deadline came first.  6: what it set can't be set back.
	case $STATUS in
	3 | 4 | 6) ;;
	*) fail "exit status $STATUS, expected 3, 4 or 6" ;;
	esac
	expect_sound_result out/result.json
	expect_no_process
	relay_down
done
t_end

# --- adb 34 as the program, the simulated phone behind STF -----------------

adb_is 'adb 34'
# Without words of a game.
# shellcheck disable=SC2119
patrol_in "$(world)"
t "$A: a whole patrol of the farm's phone, found, leased and given back"
expect_status 0
expect_all_visited
expect_sound out
expect_given_back

# direct AUTH: a phone of no farm that treats keys so; STATUS of a run on it.
direct()
{
	farm_up "$(world '' "phone: {direct: $1}")"
	run patrol run --plan "$QUICK" --device "adb:$PATROL_FARM_PHONE" \
		--apk "$PATROL_FARM_APK" --out out
	expect_sound_result out/result.json
	expect_no_process
}

t "$A: a key that somebody has to accept is waited for"
direct '{auth: pending, accept_after: 1s}'
expect_status 0
expect_all_visited

t "$A: a key that the phone refuses is named"
direct '{auth: refuse}'
expect_status 3
jq_is out/result.json '.reason == "unauthorized"'
expect_err "$(journal 'first(.[].fingerprint // empty) // ":"')"

farm_up -
t "$A: the doctor names it"
run patrol doctor
expect_status 0
expect_out '34.0'

t "$A: the phones of its server are listed"
HOME=$D ANDROID_ADB_SERVER_PORT=$(adb_port) ADB_EMU=0 ADB_USB=0
export ANDROID_ADB_SERVER_PORT ADB_EMU ADB_USB
mkdir -p "$HOME/.android" && cp adbkey adbkey.pub "$HOME/.android"
adb server nodaemon >server.log 2>&1 </dev/null &
BG_PID=$!
# Not by adb, which would start another where none answers yet.
need await 'patrol devices --device adb'
need await 'adb connect "$PATROL_FARM_PHONE" &&
	adb -s "$PATROL_FARM_PHONE" get-state'
run patrol devices --device adb --json
expect_status 0
jq_is stdout '.devices | length == 1'
