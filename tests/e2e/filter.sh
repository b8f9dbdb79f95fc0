#!/bin/sh
# patrol filter and patrol frames on files: raw profiler logs of six frames, of
# which one is slow and one allocates.
. "${0%/*}/lib.sh"

# The stored inputs of the fuzz target have a byte of its own behind the log.
log()
{
	head -c -1 "$ROOT/tests/fuzz/corpus/raw/$1" >"$2"
}

fresh
log 20220328_aligned in.raw

t "what is slow or allocates is kept, and the summary says why"
run patrol filter in.raw -o out.raw --frame-time 300ms --gc-alloc 2MB
expect_status 0
expect_err "2 of 6 frames kept"
jq_is out.raw.json '[.frames[].original_index] == [102, 104]'
jq_is out.raw.json '[.frames[].index] == [100, 101]'
jq_is out.raw.json '[.frames[].reasons] == [["time"], ["gc"]]'
jq_is out.raw.json '.summary | .kept + .dropped == .frames and .complete'
jq_is out.raw.json '.summary.gc_source == "samples"'

t "filtering twice is filtering once"
run patrol filter out.raw -o again.raw --frame-time 300ms --gc-alloc 2MB
expect_status 0
cmp -s out.raw again.raw || fail "the second pass changed it"

t "frames are listed by the app's own indices"
run patrol frames out.raw --json --markers
expect_status 0
jq_is stdout '[.frames[].original_index] == [102, 104]'
jq_is stdout '.frames[0].ms == 350 and .frames[1].gc_bytes > 3000000'
jq_is stdout '.frames[0].markers[0].marker == "WaitForTargetFPS"'
jq_is stdout '.summary.from_50_ms == 1 and .summary.worst == [102, 104]'
run patrol frames out.raw --by gc --top 1
expect_out "104"
run patrol frames in.raw --csv
expect_eq "$(wc -l <stdout)" 7
run patrol frames in.raw --html page.html
expect_status 0
expect_in page.html "<svg"
expect_in page.html "width=device-width"
expect_in page.html "of 16.67 to 33.3 ms"

t "what was kept stands beside all, and its times count from the same begin"
run patrol frames in.raw
cut=$(awk '$1 == 104 { print $2 }' stdout)
[ "$cut" ] || fail "frame 104 is not listed"
run patrol frames out.raw
expect_out "2 frames kept: p50 "
expect_out "all 6 frames: p50 "
expect_out " ms, to 1 %"
expect_eq "$(awk '$1 == 104 { print $2 }' stdout)" "$cut"
run patrol frames in.raw --top 1
expect_out "the 1 slowest; --top N lists more"
expect_out "0 of 33.3 to 50 ms"

t "a summary of another recording that lies beside is not believed"
cp in.raw strange.raw
jq '.frames[].start_ns += 1000 | .frames[].index = 102' out.raw.json >strange.raw.json
run patrol frames strange.raw --json
expect_status 0
jq_is stdout '[.frames[] | .index == .original_index] | all and length == 6'
run patrol frames strange.raw
expect_out "6 frames: p50 "

t "nothing kept has no times"
run patrol filter in.raw -o none.raw --frame-time 1h
expect_status 0
expect_err "the summary is none.raw.json"
run patrol frames none.raw
expect_status 0
expect_out "no whole frame kept"
expect_eq "$(grep -c 'p50 0.00' stdout)" 0

t "the input is never written over"
cp in.raw own.raw
ln own.raw other.raw
mkdir folder
cp in.raw folder/s_1.raw
for to in own.raw other.raw; do
	run patrol filter own.raw -o "$to" --frame-time 300ms
	expect_status 2
	expect_err "'$to' is a part of the input"
done
run patrol filter folder -o folder/s_1.raw --frame-time 300ms --follow
expect_status 2
run patrol filter own.raw -o y.raw --summary own.raw --frame-time 300ms
expect_status 2
cmp -s in.raw own.raw || fail "it was changed"
cmp -s in.raw folder/s_1.raw || fail "the segment was changed"

t "a thread that is not there is told with the ones that are"
run patrol filter in.raw -o y.raw --exclude-thread Nobody --frame-time 300ms
expect_status 0
expect_err "no thread to leave out is called 'Nobody'; they are: 'Main Thread'"
run patrol filter in.raw -q -o y.raw --exclude-thread "Main Thread" --frame-time 300ms
expect_eq "$(cat stderr)" ""

t "a limit that leaves room for nothing is the only thing told"
run patrol filter in.raw -o y.raw --max-output 50B --frame-time 300ms
expect_status 0
expect_err "allow more, or raise the thresholds"
expect_eq "$(grep -c 'began no frame' stderr)" 0

t "the most allocating frames of a log that tells none are not made up"
log small_counter mute.raw
run patrol frames mute.raw --by gc --top 1
expect_status 0
expect_err "nobody tells what these frames allocated"
printf '1 5\n' >late.txt
run patrol frames mute.raw --by gc --gc late.txt
expect_err "no value of 'late.txt' lies in a frame"
run patrol filter mute.raw -o y.raw --gc-alloc 1MB
expect_err "no frame could be kept for them"
run patrol filter mute.raw -o y.raw --gc-alloc 1MB --frame-time 1ms
expect_err "time alone decided"
run patrol frames in.raw --json --csv
expect_status 2
run patrol frames in.raw --fps 0
expect_status 2
expect_err "--fps is 1 to 1000, not '0'"

t "allocations that only the app's own counter knows stand in the list"
# A value in the midst of each frame of the log, of which the fourth is large.
patrol frames in.raw --csv | awk -F, 'NR > 1 {
	printf "%.0f %d\n", $3 + 1000, NR == 5 ? 7000000 : 64 }' >gc.txt
run patrol filter in.raw -o gc.raw --gc-alloc 5MB --gc gc.txt
expect_status 0
jq_is gc.raw.json '.summary.gc_source == "file" and
	.summary.gc_frames == {file: 6, counter: 0, samples: 0, none: 0}'
jq_is gc.raw.json '[.frames[].gc_bytes] == [7000000]'
run patrol frames gc.raw --json --by gc
expect_status 0
jq_is stdout '.summary.gc_source == "file" and
	[.frames[] | [.original_index, .gc_bytes]] == [[103, 7000000]]'

t "values on another clock than the log's are told"
sed 's/ /0000 /' gc.txt >far.txt
run patrol filter in.raw -o far.raw --gc-alloc 5MB --gc far.txt
expect_status 0
expect_err "are their times ticks of the log's clock"
jq_is far.raw.json '.summary.gc_source == "samples"'

t "what a patrol disturbed is named, and not among the worst"
cat >result.json <<'JSON'
{"marks": [{"kind": "snapshot", "screen": "menu", "frame": 102, "at_ms": 9000}],
 "screens": [{"name": "battle", "screenshot": "screens/battle.png"}],
 "transitions": [
   {"from": "menu", "to": "battle", "at_ms": 9300, "ms": 200}]}
JSON
run patrol frames in.raw --json --marks result.json
expect_status 0
jq_is stdout '[.frames[] | select(.disturbed_by) | .index] == [102, 103, 104]'
jq_is stdout '.summary.worst | index(102) == null and length == 3'
jq_is stdout '.frames[2] | .from == "menu" and .to == "battle"'

run patrol frames in.raw --html marked.html --marks result.json
expect_status 0
expect_in marked.html "menu -&gt; battle"
expect_in marked.html "screens/battle.png"
expect_in marked.html "WaitForTargetFPS"
mkdir pages
run patrol frames in.raw --html pages/x.html --marks result.json
expect_in pages/x.html "$(realpath .)/screens/battle.png"
sed 's/"snapshot"/"segment"/' result.json >segment.json
run patrol frames in.raw --json --marks segment.json
expect_status 0
jq_is stdout '.frames[2].disturbed_by == "segment"'

t "through a pipe, and to one, the bytes are the same"
# The pipe belongs to the test.
# shellcheck disable=SC2002
cat in.raw | patrol filter - -q -o - --frame-time 300ms --gc-alloc 2MB >p.raw
cmp -s out.raw p.raw || fail "the pipe changed it"

t "a growing folder is read, consumed and ended by a signal"
mkdir live
spawn patrol filter live -o live.raw --follow --consume --frame-time 300ms \
	--gc-alloc 2MB
head -c 3000 in.raw >live/s_1.raw
tail -c +3001 in.raw >rest
cat rest >>live/s_1.raw
head -c 56 in.raw >live/s_2.raw
await '[ -e live.raw.part ]' || fail "it did not begin"
signal TERM
finish 30
expect_status 0
cmp -s out.raw live.raw || fail "following changed it"
expect_eq "$(ls live)" ""

t "a slip is told with its cure"
run patrol filter in.raw -o nodir/x.raw --frame-time 1ms
expect_status 3
expect_err "make the folder 'nodir' first"
run patrol filter in.raw -o x.raw
expect_status 2
expect_err "--frame-time 0ms keeps them all"
run patrol filter in.raw --frame-time 1ms
expect_status 2
run patrol filter -o x.raw --frame-time 1ms
expect_status 2
run patrol filter in.raw -o x.raw --frame-time 1ms --gaps no
expect_err "--gaps is renumber or keep"

t "what is no log leaves no output"
: >empty.raw
run patrol filter empty.raw -o x.raw --frame-time 1ms
expect_status 2
expect_err "is empty"
expect_no_file x.raw
expect_no_file x.raw.part
run patrol filter in.raw -o /dev/full --summary s.json --frame-time 0ms
expect_status 3
expect_err "No space left"
expect_no_file s.json

t "the program for the phone writes the same bytes"
device=$ROOT/build/device/patrol-filter
if ! command -v qemu-aarch64 >/dev/null; then
	skip "no qemu-aarch64"
elif ! make -s -C "$ROOT" device-filter >make.out 2>&1; then
	if command -v aarch64-linux-gnu-gcc >/dev/null; then
		fail "make device-filter: $(tail -n 1 make.out)"
	else
		skip "no aarch64-linux-gnu-gcc"
	fi
else
	for name in 20171110_packed 20220328_aligned 20260108_aligned; do
		log $name in.raw
		for how in "--frame-time 0ms" "--frame-time 300ms --around 1" \
			"--gc-alloc 2MB --gaps keep"; do
			# The options are words.
			# shellcheck disable=SC2086
			run patrol filter in.raw -o host.raw $how
			expect_status 0
			# shellcheck disable=SC2086
			run qemu-aarch64 "$device" in.raw -o phone.raw $how
			expect_status 0
			cmp -s host.raw phone.raw ||
				fail "$name $how: other bytes"
			cmp -s host.raw.json phone.raw.json ||
				fail "$name $how: another summary"
		done
	done
fi
