# A genuine STF for the tests beside this file, over lib.sh.
#
#	farm_up "$(world)"		our phone, and all that is not STF
#	phone_up other 'model: Pixel 6'	another phone
#	stf_up "$PATROL_FARM_PHONE" "$PHONE"
#
# patrol's settings then lead to it, as user alice.  A phone's serial in STF
# is its address.
#
# shellcheck shell=sh

# shellcheck source=tests/real/lib.sh
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_run.sh
. "${0%/*}/../e2e/lib_run.sh"

STF_VERSION=3.7.9
STF_DIR=$T/stf	# of its units: NAME.log, NAME.pid
STF_PID='' PHONE_PIDS=''

stf_exit()
{
	stf_status=$?
	[ -z "$STF_PID" ] || stf_down
	for stf_pid in $PHONE_PIDS; do
		kill -TERM "$stf_pid" 2>/dev/null
		wait "$stf_pid" 2>/dev/null
	done
	(exit $stf_status)
	at_exit
}
trap stf_exit EXIT

# What is needed for one, or one line why there is none.
t "STF $STF_VERSION"
for stf_need in node npm adb curl pgrep; do
	command -v $stf_need >/dev/null || {
		skip "no $stf_need on this machine"
		exit 0
	}
done
# Packages of these names exist, so that a failure is the network's.
fetched stf npm_install "@devicefarmer/stf@$STF_VERSION" reqlite@2.3.0 || {
	skip "npm could not fetch it: $(grep -m 1 "npm error" "$REAL/stf.log")"
	exit 0
}

# phone_up NAME [YAML-OF-PHONE]...: another simulated phone; sets PHONE.
phone_up()
{
	stf_dir=$T/phone-$1
	mkdir -p "$stf_dir"
	shift
	{
		echo 'phone:'
		printf '  %s\n' "$@"
	} >"$stf_dir/scenario.yaml"
	keep_key
	[ ! -s "$T/adbkey" ] || cp "$T/adbkey" "$T/adbkey.pub" "$stf_dir"
	patrol-farm --dir "$stf_dir" --scenario "$stf_dir/scenario.yaml" \
		>"$stf_dir/log" 2>&1 </dev/null &
	PHONE_PIDS="$PHONE_PIDS $!"
	need await "[ -s '$stf_dir/env' ]"
	# shellcheck disable=SC2034 # for the script
	PHONE=$(sed -n "s/^export PATROL_FARM_PHONE='\(.*\)'/\1/p" \
		"$stf_dir/env")
}

# stf_up PHONE...: all of it, until every phone is ready.  A dozen programs of
# node want the processor: one STF of this machine starts after the other.
stf_up()
{
	mkdir -p "$STF_DIR"
	exec 8>"$REAL/stf.start"
	flock 8
	node "$ROOT/tests/real/stf/up.js" "$REAL/stf" "$STF_DIR" "$@" \
		>"$STF_DIR/up.out" 2>&1 </dev/null 8>&- &
	STF_PID=$!
	await "[ -s '$STF_DIR/env' ] || ! kill -0 $STF_PID" 300
	exec 8>&-
	[ -s "$STF_DIR/env" ] || {
		tail -n 3 "$STF_DIR"/*.log "$STF_DIR/up.out" | sed 's/^/# /'
		fail "STF did not start"
		exit 1
	}
	# shellcheck disable=SC1091
	. "$STF_DIR/env"
	printf 'note - STF %s, %s phones, %s\n' "$STF_VERSION" $# \
		"$(cat "$STF_DIR/up.out")"
	STF_URL=$STF_API STF_TOKEN=alice-token
	export STF_URL STF_TOKEN
}

stf_down()
{
	kill -TERM "$STF_PID" 2>/dev/null
	wait "$STF_PID" 2>/dev/null
	STF_PID=''
}

# --- its API ---------------------------------------------------------------

# api USER METHOD PATH [JSON]: prints the body; the status is in $D/api.status.
api()
{
	stf_user=$1 stf_method=$2 stf_path=$3
	shift 3
	[ $# -eq 0 ] || set -- -H 'Content-Type: application/json' -d "$1"
	curl -s -m 30 -o "$D/api.body" -w '%{http_code}' -X "$stf_method" \
		-H "Authorization: Bearer $stf_user-token" "$@" \
		"$STF_API/api/v1$stf_path" >"$D/api.status"
	cat "$D/api.body"
}

# api_is STATUS USER METHOD PATH [JSON]: something that a case builds upon.
api_is()
{
	stf_want=$1
	shift
	api "$@" >/dev/null
	[ "$(cat "$D/api.status")" = "$stf_want" ] ||
		fail "$*: $(cat "$D/api.status") $(cat "$D/api.body")"
}

# record SERIAL EXPR: of the device's record, as an admin sees it.
record()
{
	api admin GET "/devices/$1" | jq -r ".device | $2"
}

owner()
{
	record "$1" '.owner.email // "nobody"'
}

# await_owner SERIAL WHO [SECONDS]; WHO is alice, bob, nobody.
await_owner()
{
	await "case \$(owner $1) in $2 | $2@example.com) ;; *) false ;; esac" \
		"${3:-30}" || fail "'$1' is $(owner "$1")'s, not $2's"
}

# Free, and ready for the next case.
await_free()
{
	await "record $1 '.present and .ready and .status == 3 and
		.owner == null and .usage == null' | grep -q true" 60 ||
		fail "'$1' never became free: $(record "$1" tojson)"
}

reserve()
{
	api_is 200 "$1" POST /user/devices \
		"{\"serial\": \"$2\", \"timeout\": ${3:-900000}}"
}

release()
{
	api_is 200 "$1" DELETE "/user/devices/$2"
}

# --- its phones --------------------------------------------------------------

# The process that serves this phone.
worker()
{
	pgrep -P "$(cat "$STF_DIR/provider.pid")" -f -- "device --serial $1"
}

unplug()
{
	adb -P "$STF_ADB" disconnect "$1" >/dev/null
}

plug()
{
	adb -P "$STF_ADB" connect "$1" >/dev/null
}

# --- patrols -----------------------------------------------------------------

# walk [OPTION]...: run 4242 by the plan in PLAN_AT, or the quick one.
walk()
{
	rm -rf out
	run patrol run --plan "${PLAN_AT:-$QUICK}" --run-id 4242 --out out "$@"
}

# The same in the background; then signal, finish.
walk_away()
{
	rm -rf out
	spawn patrol run --plan "${PLAN_AT:-$QUICK}" --run-id 4242 --out out \
		"$@"
}

# shown TEXT: the patrol in the background says so, sooner or later.
shown()
{
	await "grep -q -e '$1' stderr" 120 || fail "never said: $1"
}

# On the plan of a walk that stays on its first screen.
staying()
{
	variant -e 's/hold: 0ms/hold: 100s/' -e 's/deadline: 60s/deadline: 5m/' \
		"$@"
}
