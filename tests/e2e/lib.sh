# shellcheck shell=sh
# Helpers of the end-to-end tests.  A test is a POSIX script:
#
#	. "${0%/*}/lib.sh"
#
#	farm busy -- patrol run --plan "$PLAN" --run-id 4242 --out out
#	t "a busy phone skips the day"
#	expect_status 0
#	jq_is out/result.json '.outcome == "skipped"'
#
# Each farm has a folder of its own, $D, which is also where commands run:
# paths in expectations are relative to it.  patrol and patrol-farm are the
# ones under test.  An expectation notes a failure and the test goes on.

set -u

ROOT=$(cd "${0%/*}/../.." && pwd)
PATROL_BUILD=${PATROL_BUILD:-$ROOT/build/plain}
PLAN=$ROOT/tests/data/plans/sdk.yaml
PATH=$PATROL_BUILD:$PATH
T=$(mktemp -d "${TMPDIR:-/tmp}/e2e.XXXXXX") || exit 2
KEYS=${RUN_DIR:-$T}/keys
export ROOT PATROL_BUILD PLAN PATH T

D=$T		# folder of the farm at hand
STATUS=''	# of the last command
FARM_PID=''	# of farm_up
BG_PID=''	# of spawn
t_name='' t_bad=0 t_any_bad=0 d_count=0

# Nothing of the caller's may reach the program under test.
unset STF_URL STF_TOKEN GITHUB_TOKEN GITHUB_REPOSITORY GITHUB_API_URL \
	SLACK_WEBHOOK_URL SLACK_BOT_TOKEN GITHUB_OUTPUT GITHUB_STEP_SUMMARY \
	GITHUB_ACTIONS GITHUB_RUN_ID PATROL_ADB_KEY PATROL_STATE_DIR \
	PATROL_SSH PATROL_SSH_KEY PATROL_SSH_KNOWN_HOSTS SSH_AUTH_SOCK \
	PATROL_HISTORY PATROL_HISTORY_REMOTE PATROL_HISTORY_TOKEN \
	PATROL_PR_TOKEN GITHUB_SERVER_URL \
	PATROL_STORE PATROL_PREVIOUS ANDROID_SERIAL ADB_VENDOR_KEYS ANDROID_ADB_SERVER_PORT CI
export NO_COLOR=1

t_end()
{
	[ -n "$t_name" ] || return 0
	if [ $t_bad -eq 0 ]; then
		printf 'ok - %s\n' "$t_name"
	else
		printf 'not ok - %s\n' "$t_name"
		t_any_bad=1
	fi
	t_name=''
}

# Begin a case, named by what must hold; the one before ends.
t()
{
	t_end
	t_name=$1
	t_bad=0
}

# End the case at hand without judging it.
skip()
{
	printf 'skip - %s: %s\n' "$t_name" "$1"
	t_name=''
}

fail()
{
	printf '# %s\n' "$*"
	t_bad=1
	# Outside of any case it still must not pass.
	[ -n "$t_name" ] || t_any_bad=1
}

# A condition without which the rest makes no sense.
need()
{
	"$@" && return 0
	fail "needed: $*"
	exit 1
}

at_exit()
{
	status=$?
	trap - EXIT INT TERM
	t_end
	if [ -n "$BG_PID" ]; then
		kill -KILL "$BG_PID" 2>/dev/null
		wait "$BG_PID" 2>/dev/null
	fi
	farm_down
	# What the last command returned means nothing; a script that does not
	# parse or meets an unset variable ends with 2.
	[ $status -ne 1 ] || status=0
	if [ $t_any_bad -ne 0 ]; then
		[ $status -ne 0 ] || status=1
		for f in stdout stderr farm.log; do
			[ -s "$D/$f" ] || continue
			printf '# --- %s\n' "$f"
			tail -n 25 "$D/$f" | sed 's/^/# /'
		done
	fi
	rm -rf "$T"
	exit $status
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A fresh folder $D, and go there.
fresh()
{
	d_count=$((d_count + 1))
	D=$T/$d_count
	mkdir "$D" && cd "$D" || exit 2
	# Making a key takes longer than most cases: all farms share one, those
	# of the other scripts of a run, too.
	[ ! -s "$KEYS/adbkey" ] || cp "$KEYS/adbkey" "$KEYS/adbkey.pub" .
}

keep_key()
{
	[ ! -s "$KEYS/adbkey" ] && [ -s "$D/adbkey" ] || return 0
	mkdir "$KEYS.$$" && cp "$D/adbkey" "$D/adbkey.pub" "$KEYS.$$" || return
	# Another may have been faster.
	mv -T "$KEYS.$$" "$KEYS" 2>/dev/null || rm -rf "$KEYS.$$"
}

# "busy" is fixtures/scenarios/busy.yaml, "-" none, a path itself.
scenario_file()
{
	case $1 in
	*/*) printf '%s\n' "$1" ;;
	*) printf '%s\n' "$ROOT/fixtures/scenarios/$1.yaml" ;;
	esac
}

# farm SCENARIO -- COMMAND...: a farm for one command; sets STATUS.
farm()
{
	farm_scenario=$1
	[ "$2" = -- ] || { echo "farm: '--' expected" >&2; exit 2; }
	shift 2
	fresh
	if [ "$farm_scenario" = - ]; then
		set -- --dir "$D" -- "$@"
	else
		set -- --dir "$D" \
			--scenario "$(scenario_file "$farm_scenario")" -- "$@"
	fi
	STATUS=0
	patrol-farm "$@" >stdout 2>stderr </dev/null || STATUS=$?
	keep_key
}

# farm_up SCENARIO: a farm that stays; its settings enter the environment.
farm_up()
{
	farm_down
	fresh
	if [ "$1" = - ]; then
		set -- --dir "$D"
	else
		set -- --dir "$D" --scenario "$(scenario_file "$1")"
	fi
	patrol-farm "$@" >farm.log 2>&1 </dev/null &
	FARM_PID=$!
	need await '[ -s env ] || ! kill -0 $FARM_PID'
	need [ -s env ]
	keep_key
	set -a
	# shellcheck disable=SC1091
	. ./env
	set +a
}

farm_down()
{
	[ -n "$FARM_PID" ] || return 0
	kill -TERM "$FARM_PID" 2>/dev/null
	wait "$FARM_PID" 2>/dev/null
	FARM_PID=''
}

# run COMMAND...: sets STATUS; output in stdout and stderr.
run()
{
	STATUS=0
	"$@" >stdout 2>stderr </dev/null || STATUS=$?
}

# spawn COMMAND...: in the background; then signal, finish.
spawn()
{
	"$@" >stdout 2>stderr </dev/null &
	BG_PID=$!
}

signal()
{
	kill -"$1" "$BG_PID" || fail "signal $1: the command is gone"
}

# Wait for the spawned command; sets STATUS (128 + N for a signal).
finish()
{
	STATUS=0
	await '! kill -0 $BG_PID' "${1:-60}" || {
		fail "the command is still running after ${1:-60} s"
		kill -KILL "$BG_PID"
	}
	wait "$BG_PID" || STATUS=$?
	BG_PID=''
}

# adb can't be told to take any port for its server: ours, by our pid, of those
# that the kernel gives to nobody.
adb_port()
{
	echo $((20000 + $$ % 12000))
}

# await 'CONDITION' [SECONDS]: ask again until it holds; 1 when it never does.
await()
{
	await_until=$(($(date +%s) + ${2:-30}))
	until eval "$1" >/dev/null 2>&1; do
		if [ "$(date +%s)" -ge "$await_until" ]; then
			printf '# never came: %s\n' "$1"
			return 1
		fi
		sleep 0.05
	done
}

# --- expectations --------------------------------------------------------

expect_status()
{
	[ "$STATUS" -eq "$1" ] || fail "exit status $STATUS, expected $1"
}

# expect_in FILE TEXT: the file has this text somewhere.
expect_in()
{
	grep -qF -e "$2" "$1" 2>/dev/null || fail "'$1' lacks '$2'"
}

expect_not_in()
{
	! grep -qF -e "$2" "$1" 2>/dev/null || fail "'$1' has '$2'"
}

expect_out()
{
	expect_in stdout "$1"
}

expect_err()
{
	expect_in stderr "$1"
}

expect_file()
{
	[ -s "$1" ] || fail "'$1' is missing or empty"
}

expect_no_file()
{
	[ ! -e "$1" ] || fail "'$1' is there"
}

# expect_eq GOT WANTED [WHAT]
expect_eq()
{
	[ "$1" = "$2" ] || fail "${3:-value} is '$1', expected '$2'"
}

expect_at_most()
{
	[ "$1" -le "$2" ] || fail "${3:-value} is $1, at most $2 expected"
}

# jq_is FILE EXPR [JQ-OPTION]...: the expression is true.
jq_is()
{
	jq_file=$1 jq_expr=$2
	shift 2
	# Of nothing at all it says that all is well.
	[ -s "$jq_file" ] &&
		jq -e "$@" "$jq_expr" "$jq_file" >/dev/null 2>jq.err && return
	fail "'$jq_file': not so: $jq_expr $(cat jq.err 2>/dev/null)" \
		"$(jq -c '{outcome, reason, message} | select(any)' \
			"$jq_file" 2>/dev/null)"
}

# jq_get FILE EXPR: print it raw.
jq_get()
{
	jq -r "$2" "$1"
}

# fits_schema NAME FILE: it is what `patrol schema NAME` describes.
fits_schema()
{
	patrol schema "$1" >"$T/schema.json" || fail "no schema '$1'"
	# Debian's python3 has Debian's python3-jsonschema.
	/usr/bin/python3 - "$T/schema.json" "$2" <<'PY' || fail "'$2' does not fit '$1'"
import json, sys
try:
    from jsonschema import Draft202012Validator
except ImportError:
    sys.exit("# python3-jsonschema is missing: ci/packages test")
schema, data = (json.load(open(name)) for name in sys.argv[1:])
Draft202012Validator.check_schema(schema)
errors = list(Draft202012Validator(schema).iter_errors(data))
for e in errors[:10]:
    print("# /%s: %s" % ("/".join(map(str, e.path)), e.message[:300]))
sys.exit(bool(errors))
PY
}

# --- the farm's journal --------------------------------------------------

# journal EXPR: a jq expression on the array of all events, printed.
journal()
{
	jq -rs "$1" "$D/journal.ndjson"
}

# journal_is EXPR: the expression on the array of all events is true.
journal_is()
{
	jq_is "$D/journal.ndjson" "$1" -s
}

# journal_count EVENT: how often it happened.  A line is an event, and a quote
# within a string is never bare.
journal_count()
{
	grep -cF "\"event\":\"$1\"" "$D/journal.ndjson" 2>/dev/null
}

# expect_count EVENT N
expect_count()
{
	expect_eq "$(journal_count "$1")" "$2" "count of $1"
}

# expect_order A B: the last A comes before the first B, and both are there.
expect_order()
{
	awk -v a="\"event\":\"$1\"" -v b="\"event\":\"$2\"" '
		index($0, a) { last = NR }
		index($0, b) && !first { first = NR }
		END { exit !(last && first && last < first) }' \
		"$D/journal.ndjson" || fail "'$1' does not come before '$2'"
}

# Everything taken has been given back.
expect_given_back()
{
	expect_eq "$(journal_count stf.release)" "$(journal_count stf.reserve)" \
		"count of releases"
	[ "$(journal_count adb.connect)" -eq 0 ] ||
		expect_order adb.disconnect stf.release
}
