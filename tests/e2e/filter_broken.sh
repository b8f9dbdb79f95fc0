#!/bin/sh
# patrol filter while the world breaks: a recording that shrinks or is replaced
# while it is read, a disk without room, a pipe that nobody reads.
. "${0%/*}/lib.sh"

fresh
# The log and a block of definitions behind it that is larger than one read.
zeros=400000
head -c -1 "$ROOT/tests/fuzz/corpus/raw/20220328_aligned" >log.raw
{
	cat log.raw
	printf '\255\176\014\261\0\0\0\0\377\377\377\377\377\377\377\377'
	# 400000, little endian, and the footer behind so many zeros.
	printf '\200\032\006\0'
	head -c $zeros /dev/zero
	printf '\001\0\0\0\007\360\014\261'
} >in.raw
cp in.raw whole.raw
run patrol filter in.raw -o whole_out.raw --frame-time 300ms --gc-alloc 2MB
expect_status 0

# A filter that has the recording open and waits for the app's own counter.
waiting_filter()
{
	rm -f counter
	mkfifo counter
	spawn patrol filter in.raw -o out.raw --frame-time 300ms \
		--gc-alloc 2MB --gc counter
	exec 7>counter
	await 'ls -l /proc/$BG_PID/fd | grep -q in.raw &&
		grep -q "^State:.S" /proc/$BG_PID/status' ||
		fail "it does not wait"
}

t "a recording that shrinks while it is read is an error with its cure"
waiting_filter
: >in.raw
exec 7>&-
finish
expect_status 2
expect_err "became shorter while it was read; filter it again"
expect_no_file out.raw
expect_no_file out.raw.part
expect_no_file out.raw.json

t "one that is replaced while it is read is read to its own end"
cp whole.raw in.raw
waiting_filter
: >other
mv other in.raw
exec 7>&-
finish
expect_status 0
cmp -s out.raw whole_out.raw || fail "other bytes than of the first one"

t "a disk without room leaves no half file"
rm -f ./*.part
for limit in 1 2; do
	run sh -c "ulimit -f $limit
		exec patrol filter whole.raw -o small.raw --frame-time 0ms"
	expect_status 3
	expect_err "small.raw': File too large"
	expect_no_file small.raw
	expect_no_file small.raw.part
	expect_no_file small.raw.json
done
run patrol filter log.raw -o /dev/full --frame-time 0ms
expect_status 3
expect_err "No space left"
run patrol filter log.raw -o fine.raw --summary /dev/full --frame-time 0ms
expect_status 3
expect_err "No space left"

t "a pipe that nobody reads is an error"
mkfifo pipe
: >pipe.status
{
	STATUS=0
	patrol filter whole.raw -o - --summary pipe.json --frame-time 0ms \
		2>stderr >pipe || STATUS=$?
	echo $STATUS >pipe.status
} &
head -c 10 pipe >/dev/null
await '[ -s pipe.status ]' || fail "it goes on"
wait
expect_eq "$(cat pipe.status)" 3
expect_err "Broken pipe"
expect_no_file pipe.json
expect_no_file pipe.json.part

t "a folder or a name that is not there is told"
run patrol filter nothing.raw -o x.raw --frame-time 1ms
expect_status 3
expect_err "nothing.raw"
expect_no_file x.raw
run patrol filter whole.raw -o no/such/folder.raw --frame-time 1ms
expect_status 3
expect_err "no/such/folder.raw"

t "one that is begun anew while it is followed is an error, too"
rm -f out.raw*
cp whole.raw grow.raw
spawn patrol filter grow.raw -o out.raw --follow --frame-time 0ms
await 'ls -l /proc/$BG_PID/fd | grep -q grow.raw &&
	grep -q "^State:.S" /proc/$BG_PID/status' || fail "it does not wait"
: >grow.raw
finish
expect_status 2
expect_err "became shorter while it was read"
expect_eq "$(ls out.raw* 2>/dev/null)" ""

t "a reader of the output that does not read holds nobody after a signal"
mkfifo slow
exec 7<>slow
patrol filter whole.raw -o - --frame-time 0ms >slow 2>stderr </dev/null &
BG_PID=$!
await 'ls -l /proc/$BG_PID/fd | grep -q whole.raw &&
	grep -q "^State:.S" /proc/$BG_PID/status' || fail "it does not wait"
signal INT
finish
expect_status 5
exec 7>&-

t "an output that is closed is said, and no file of ours takes its place"
run sh -c 'patrol filter whole.raw -o - --frame-time 0ms --summary s.json >&-'
expect_status 3
expect_err "write 'standard output': Bad file descriptor"
expect_eq "$(ls s.json* 2>/dev/null)" ""
run sh -c 'patrol filter - -o closed.raw --frame-time 0ms <&-'
expect_status 3
expect_err "read the input: Bad file descriptor"

t "what was kept of segments that are deleted is not lost by an error"
mkdir live
cp log.raw live/s_1.raw
cp log.raw live/s_2.raw
spawn patrol filter live -o out.raw --frame-time 300ms --follow --consume
await '[ ! -e live/s_1.raw ]' || fail "the first was not consumed"
: >live/s_2.raw
finish
expect_status 2
expect_err "the kept frames are in 'out.raw.part'"
expect_no_file out.raw
run patrol frames out.raw.part --json
expect_status 0
jq_is stdout '.summary.frames > 0'

# A disk that fails at each step of each file that these commands write.
preload=$PATROL_BUILD/tests/faults/preload.so
case $PATROL_BUILD in
*/plain) ;;
*) preload='' ;;
esac
real=$ROOT/tests/data/graphicsstate/metal-mobile.graphicsstate

# breaks FILE OP COMMAND...: it fails by a disk that fails at OP of FILE, says
# so, and nothing of its files has its final name.
breaks()
{
	b_file=$1 b_op=$2
	shift 2
	rm -f b_out* mark
	run env FAULT_FILE="*$b_file* $b_op ENOSPC" FAULT_MARK="$D/mark" \
		LD_PRELOAD="$preload" "$@"
	[ -e mark ] || fail "$b_op of $b_file did not strike: $*"
	expect_status 3
	expect_err "No space left on device"
	expect_eq "$(find . -name "b_out*")" "" "what is left of $*"
}

t "a disk that fails at any step leaves no file under its final name"
if [ ! -e "$preload" ]; then
	skip "only in the plain build, where make test has made preload.so"
	exit 0
fi
for op in open write short fsync close rename; do
	# What may have gigabytes is not waited for until it is on the disk.
	[ $op = fsync ] || breaks b_out.raw $op patrol filter log.raw \
		-o b_out.raw --frame-time 0ms --summary summary.json
	breaks b_out.html $op patrol frames log.raw --html b_out.html
	breaks b_out.gs $op patrol graphics-states merge "$real" "$real" \
		-o b_out.gs
	breaks b_out.gs $op patrol graphics-states prune "$real" -o b_out.gs
done

t "what was consumed is on the disk before it is deleted"
cp log.raw once.raw
breaks b_out.raw fsync patrol filter once.raw -o b_out.raw --consume \
	--frame-time 0ms --summary summary.json
cmp -s once.raw log.raw || fail "the only copy is gone"

t "a summary that can't be written leaves no summary"
for op in open write short close rename; do
	rm -f mark sum.json* fine.raw
	run env FAULT_FILE="*sum.json* $op ENOSPC" FAULT_MARK="$D/mark" \
		LD_PRELOAD="$preload" \
		patrol filter log.raw -o fine.raw --frame-time 0ms --summary sum.json
	[ -e mark ] || fail "$op did not strike"
	expect_status 3
	expect_err "No space left on device"
	expect_eq "$(ls sum.json* 2>/dev/null)" ""
	[ ! -e fine.raw ] || cmp -s fine.raw log.raw || fail "half an output"
done
