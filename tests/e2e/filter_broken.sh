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
