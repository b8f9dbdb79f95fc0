#!/bin/sh
# The harness itself: a runner or a helper that passes everything would make
# every other test worthless.

. "${0%/*}/lib.sh"

# A suite of two scripts and a fake unit binary.
fresh
mkdir -p s/e2e s/unit b/plain/tests/unit
cat >s/e2e/good.sh <<'E'
echo "ok - first"
echo "skip - second: no phone"
E
cat >s/e2e/bad.sh <<'E'
echo "ok - first"
echo "# where it went wrong"
echo "not ok - second"
exit 1
E
: >s/unit/test_crash.c
printf '#!/bin/sh\necho "ok - one"\nkill -SEGV $$\n' \
	>b/plain/tests/unit/test_crash
chmod +x b/plain/tests/unit/test_crash

suite()
{
	run env -u RUN_DIR -u RUN_KEPT "$ROOT/tests/run" --tests s --build b "$@"
}

t "the runner counts cases, not files"
suite good
expect_status 0
expect_eq "$(tail -n 1 stdout)" "1 passed, 0 failed, 1 skipped" "last line"
expect_no_file b/plain/failed

t "a failed case fails the run, and its output is shown and kept"
suite bad
expect_status 1
expect_eq "$(tail -n 1 stdout)" "1 passed, 1 failed" "last line"
expect_out "where it went wrong"
expect_in b/plain/failed/e2e.bad.out "not ok - second"

t "a crash without a failed case is a failure"
suite unit
expect_status 1
expect_eq "$(tail -n 1 stdout)" "1 passed, 1 failed" "last line"
expect_out "exit status 139"

t "a test file that runs no case is a failure"
echo 'exit 0' >s/e2e/empty.sh
suite empty
expect_status 1
expect_out "no case ran"

t "an expectation that is no command is a failure"
printf 'expect_nothing 1\necho "ok - one"\n' >s/e2e/typo.sh
suite typo
expect_status 1
expect_out "a command was not found"
rm s/e2e/typo.sh

t "a hang ends at the limit"
echo 'echo "ok - one"; while :; do read -r x <&3; done 3<>fifo' >s/e2e/hang.sh
mkfifo fifo
suite --timeout 1 hang
expect_status 1
expect_out "ended after 1 s"

t "a signal ends the tests that run, and no other begins"
cat >s/e2e/long.sh <<'S'
echo $$ >>pids
read -r x <fifo
S
cp s/e2e/long.sh s/e2e/longer.sh
: >pids
spawn env -u RUN_DIR -u RUN_KEPT "$ROOT/tests/run" --tests s --build b \
	--jobs 1 long
need await '[ -s pids ]'
signal TERM
finish
expect_status 143
expect_eq "$(wc -l <pids)" 1 "tests begun"
! kill -0 "$(cat pids)" 2>/dev/null || fail "the test is still there"
rm s/e2e/long*.sh

t "a filter that fits nothing is an error, not a pass"
suite nothing-like-it
expect_status 2
expect_err "no test fits"

t "all at once give one sum"
rm s/e2e/hang.sh s/e2e/empty.sh
suite --jobs 2
expect_eq "$(tail -n 1 stdout)" "3 passed, 2 failed, 1 skipped" "last line"

# The helpers, in scripts of their own.
helper()
{
	printf '%s\n' "$1" >h.sh
	run env TMPDIR="$D" sh -c '. "$1"' "$ROOT/tests/e2e/x" "$D/h.sh"
}

t "an expectation that does not hold fails its case only"
helper '. "$ROOT/tests/e2e/lib.sh"
t one; expect_eq 1 2
t two; expect_eq 1 1'
expect_status 1
expect_out "not ok - one"
expect_out "ok - two"
expect_out "value is '1', expected '2'"

t "a failed need ends the test and fails it"
helper '. "$ROOT/tests/e2e/lib.sh"
t one; need false
t two'
expect_status 1
expect_out "not ok - one"
expect_not_in stdout "two"

t "of an empty file nothing is so"
cat >s/e2e/empty_file.sh <<E
. "$ROOT/tests/e2e/lib.sh"
fresh
: >nothing.json
t "one"
jq_is nothing.json '.a == 1'
E
suite empty_file
expect_status 1
expect_out "'nothing.json': not so: .a == 1"
rm s/e2e/empty_file.sh

t "a failed expectation outside of a case fails the test"
helper '. "$ROOT/tests/e2e/lib.sh"
expect_file nothing
t one; expect_eq 1 1'
expect_status 1

t "await sees a condition come and gives up when it does not"
helper '. "$ROOT/tests/e2e/lib.sh"
fresh
spawn sh -c "until [ -e go ]; do :; done; : >gone"
t comes; : >go; need await "[ -e gone ]"; finish; expect_status 0
t never; await "[ -e no ]" 1 && fail "it came"'
expect_status 0

# A farm of the same manners as the real one.
mkdir bin
cat >bin/patrol-farm <<'E'
#!/bin/sh
while [ "$1" != -- ]; do
	case $1 in
	--dir) dir=$2 ;;
	--scenario) scenario=$2 ;;
	esac
	shift 2
	[ $# -gt 0 ] || break
done
cat >"$dir/journal.ndjson" <<J
{"seq":1,"event":"stf.reserve"}
{"seq":2,"event":"adb.connect"}
{"seq":3,"event":"adb.disconnect"}
{"seq":4,"event":"stf.release"}
J
echo "STF_URL='http://127.0.0.1:1/${scenario##*/}'" >"$dir/env"
if [ "${1:-}" = -- ]; then
	shift
	. "$dir/env"
	export STF_URL
	exec "$@"
fi
exec tail -f /dev/null
E
chmod +x bin/patrol-farm

t "farm runs the command in the farm's environment and keeps its status"
helper 'export PATROL_BUILD='"$D/bin"'
. "$ROOT/tests/e2e/lib.sh"
farm busy -- sh -c "echo \$STF_URL; exit 3"
t one
expect_status 3
expect_out /busy.yaml
expect_given_back
expect_count stf.reserve 1
journal_is "length == 4"
t two
expect_order stf.release adb.connect'
expect_status 1
expect_out "ok - one"
expect_out "not ok - two"

t "farm_up stays until the test ends"
helper 'export PATROL_BUILD='"$D/bin"'
. "$ROOT/tests/e2e/lib.sh"
farm_up -
t one
need kill -0 $FARM_PID
echo $FARM_PID >'"$D/pid"'
expect_eq "$STF_URL" http://127.0.0.1:1/'
expect_status 0
expect_file pid
await '! kill -0 $(cat pid)' || fail "the farm is still there"
