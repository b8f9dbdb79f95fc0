# shellcheck shell=sh
# Names for the tests that read this.
# shellcheck disable=SC2034,SC2119,SC2120
# Adb 34 and adbd 34 for the tests adbd*.sh, over lib.sh.

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

# The system's adb, by the name that cases have.
OWN="adb $(adb version | sed -n 's/^Version \([0-9]*\).*/\1/p')"

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
	need env HOME="$RELAY" ADB_EMU=0 ADB_USB=0 adb start-server \
		>/dev/null 2>&1
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
