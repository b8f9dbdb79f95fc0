#!/bin/sh
# The genuine daemon (adbd 34, which runs on phones) and the genuine server,
# the system's and that of adb 34: each adb operation of ours through both.
. "${0%/*}/lib.sh"
. "${0%/*}/../e2e/lib_run.sh"

HERE=$ROOT/tests/real
A34=$REAL/adbd34
BASE_PATH=$PATH

t "adb 34 and adbd 34"
if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
	skip "this is no Debian"
	exit 0
fi
fetched adbd34 "$HERE/adbd/fetch.sh" || {
	skip "Debian's next release can't be had: $(tail -n 1 "$A34.log")"
	exit 0
}
unshare --mount --pid --fork true 2>/dev/null ||
	unshare --map-root-user --mount --pid --fork true 2>/dev/null || {
	skip "no namespace for a phone's file system"
	exit 0
}
export OPS_PHONE="$HERE/adbd/phone.sh" OPS_ADBD="$A34/adbd"

# adb_is NAME: whose adb is in PATH from here on.
adb_is()
{
	A=$1
	case $A in
	'adb 34') PATH=$A34/bin:$BASE_PATH ;;
	*) PATH=$BASE_PATH ;;
	esac
}

# ops PROGRAM [NAME]: its cases, each with the server's name before it.
ops()
{
	t_end
	OPS_DIR=$(mktemp -d "$T/ops.XXXXXX")
	export OPS_DIR
	ops_status=0
	timeout 200 "$PATROL_BUILD/tests/real/$1" >"$OPS_DIR/out" 2>&1 ||
		ops_status=$?
	sed "s/^\(not ok\|ok\) - /&$A${2:+, $2}: /" "$OPS_DIR/out"
	# A failed case and what is no case at all.
	[ $ops_status -eq 0 ] || t_any_bad=1
	[ $ops_status -le 1 ] || printf 'not ok - %s: %s ended with %s\n' \
		"$A" "$1" $ops_status
	rm -rf "$OPS_DIR"
}

OWN="adb $(adb version | sed -n 's/^Version \([0-9]*\).*/\1/p')"
for A in "$OWN" 'adb 34'; do
	adb_is "$A"
	ops ops_stream
	ops ops_files
	ops ops_app
	OPS_ADBD=$A34/adbd-as-is OPS_ABB=1 ops ops_app \
		'abb_exec announced and refused'
done

# --- a whole patrol through the genuine daemon ---------------------------

# daemon [PORT]: adbd in front of the farm's phone.
daemon()
{
	PATH=$BASE_PATH \
		PHONE_BEHIND=$D/phone PHONE_SERIAL=$PATROL_FARM_PHONE \
		ADB_SERVER_SOCKET=localfilesystem:$RELAY/adb \
		LOOPBACK_PORT=${1:-0} "$HERE/adbd/phone.sh" "$A34/adbd" \
		"$RELAY" >>"$RELAY/adbd.log" 2>&1 </dev/null &
	ADBD_PID=$!
	need await '[ -s "$RELAY/port" ]'
	PHONE=127.0.0.1:$(cat "$RELAY/port")
}

# As if it had crashed: its connections end, the game goes on.
daemon_dies()
{
	kill -KILL "$ADBD_PID"
	wait "$ADBD_PID" 2>/dev/null
	ADBD_PID=''
	rm -f "$RELAY/port"
}

# relay WORLD: a farm whose phone has the genuine daemon in front of it.
# Commands, files and streams all pass through adbd; behind it a server of its
# own carries them on to the simulated phone.
relay()
{
	farm_up "$1"
	RELAY=$D/relay
	mkdir "$RELAY"
	ADB_SERVER_SOCKET=localfilesystem:$RELAY/adb
	export ADB_SERVER_SOCKET
	HOME=$RELAY ADB_EMU=0 ADB_USB=0 need adb start-server >/dev/null 2>&1
	need await 'adb connect $PATROL_FARM_PHONE &&
		adb -s $PATROL_FARM_PHONE get-state'
	GAME_PORT=$(adb -s "$PATROL_FARM_PHONE" forward tcp:0 tcp:17320)
	unset ADB_SERVER_SOCKET
	daemon
	THROUGH=$(variant \
		"s/^connect: .*/connect: {timeout: 10s, port: $GAME_PORT}/")
}

relay_down()
{
	[ -z "${ADBD_PID:-}" ] || daemon_dies
	[ -z "${RELAY:-}" ] || ADB_SERVER_SOCKET=localfilesystem:$RELAY/adb \
		adb kill-server >/dev/null 2>&1
	RELAY=''
	farm_down
}
# shellcheck disable=SC2154
trap 'exit_status=$?; relay_down; (exit $exit_status); at_exit' EXIT

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
	[ "$STATUS" -eq 0 ] || [ "$STATUS" -eq 3 ] ||
		fail "exit status $STATUS, expected 0 or 3"
	expect_sound_result out/result.json
	expect_clean

	t "$A: a daemon that dies for good ends the run, and says so"
	rm -rf out stderr
	spawn patrol run --plan "$THROUGH" --device "adb:$PHONE" \
		--apk "$PATROL_FARM_APK" --out out
	need await 'grep -q "\[3/10\]" stderr'
	daemon_dies
	finish 90
	[ "$STATUS" -eq 3 ] || [ "$STATUS" -eq 6 ] ||
		fail "exit status $STATUS, expected 3 or 6"
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

farm_up -
t "$A: the doctor names it"
run patrol doctor
expect_status 0
expect_out '34.0'

t "$A: the phones of its server are listed"
HOME=$D ANDROID_ADB_SERVER_PORT=$((20000 + $$ % 20000)) ADB_EMU=0 ADB_USB=0
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
