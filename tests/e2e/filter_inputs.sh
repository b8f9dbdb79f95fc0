#!/bin/sh
# patrol filter and patrol frames on all that may be given to them: other
# formats and versions, cut logs, segments that come faster than they are read,
# and on ways out that take nothing.
. "${0%/*}/lib.sh"

fresh
head -c -1 "$ROOT/tests/fuzz/corpus/raw/20220328_aligned" >in.raw

# le32 NUMBER...: each as four bytes, little endian.
le32()
{
	for l_n in "$@"; do
		# The format is made of the number.
		# shellcheck disable=SC2059
		printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $((l_n & 255)) \
			$((l_n >> 8 & 255)) $((l_n >> 16 & 255)) \
			$((l_n >> 24 & 255)))"
	done
}

# data_frame INDEX START_NS CPU_US: of an editor's .data of Unity 2022.3.
data_frame()
{
	le32 $((0x20220328)) 32 2022 3 10 2 1
	le32 "$1" "$1" $(($2 & 0xffffffff)) $(($2 >> 32)) "$3" 0 0
	le32 $((0xafafafaf))
}

t "what is no raw log of a device is told with its cure"
: >zero.raw
{
	printf '\125\063\104\120\0\1\0\0'
	head -c 100 /dev/zero
} >big.raw
{
	data_frame 7 5000000000 16000
	data_frame 8 5016000000 350000
	le32 $((0xdeadfeed))
} >editor.data
printf 'PK\003\004 and so on, which is no log' >other.raw
for case in "zero.raw|Autoconnect Profiler" "big.raw|big-endian machine" \
	"editor.data|.patrol frames. lists its frames" "other.raw|other.raw"; do
	run patrol filter "${case%%|*}" -o x.raw --frame-time 1ms
	expect_status 2
	grep -q "${case#*|}" stderr || fail "${case%%|*}: $(cat stderr)"
	expect_eq "$(ls x.raw* 2>/dev/null)" ""
done

t "frames of the editor's .data are listed as far as the header goes"
run patrol frames editor.data --json
expect_status 0
jq_is stdout '[.frames[] | [.index, .start_ns, .ms, .gc_bytes]] ==
	[[7, 5000000000, 16, null], [8, 5016000000, 350, null]]'
jq_is stdout '.summary.gc_source == null'
expect_err "only its times are listed"
head -c 100 editor.data >cut.data
run patrol frames cut.data --json
expect_status 0
jq_is stdout '.frames | length == 1'
expect_err "it ends within a frame"

t "a newer version is read by blocks, and its sums are called unverified"
cp in.raw newer.raw
le32 $((0x20271230)) | dd of=newer.raw bs=1 seek=8 conv=notrunc 2>/dev/null
run patrol filter newer.raw -o out.raw --frame-time 300ms --gc-alloc 2MB
expect_status 0
expect_err "version 0x20271230 is newer than those patrol knows"
expect_err "allocations are unverified"
jq_is out.raw.json '.summary.verified == false and .summary.kept == 2'
run patrol frames newer.raw
expect_status 0
expect_err "allocations are unverified"

t "a log that the app's end has cut is filtered as far as it is whole"
head -c -5 in.raw >cut.raw
run patrol filter cut.raw -o out.raw --frame-time 0ms
expect_status 0
expect_err "ends within a block, as when the app was ended"
jq_is out.raw.json '.summary.bytes_in == .summary.bytes_out and
	.summary.bytes_in + .summary.bytes_lost == $n' \
	--argjson n "$(wc -c <cut.raw)"
run patrol frames out.raw --json
expect_status 0

t "segments become one file, in the order of their numbers, each definition once"
mkdir parts
for n in 2 10 9; do
	cp in.raw parts/s_$n.raw
done
run patrol filter parts -o out.raw --frame-time 0ms
expect_status 0
jq_is out.raw.json '.summary.segments == 3 and
	.summary.definitions_repeated > 0 and
	.summary.definitions_repeated % 2 == 0 and
	.summary.blocks_in == .summary.blocks_out +
		.summary.definitions_repeated'

t "--gaps keep leaves the indices as they were"
run patrol filter in.raw -o out.raw --frame-time 300ms --gc-alloc 2MB \
	--gaps keep
expect_status 0
jq_is out.raw.json '[.frames[].index] == [102, 104] and
	[.frames[].original_index] == [102, 104] and .summary.gaps == "keep"'
run patrol frames out.raw --json
jq_is stdout '[.frames[].index] == [102, 104] and .summary.frames == 2'
# Who has no summary sees the begin that ends the first one as an empty frame.
mv out.raw.json away.json
run patrol frames out.raw --json
jq_is stdout '[.frames[] | [.original_index, .ms, .gc_bytes > 1000000]] ==
	[[102, 350, false], [103, 16, false], [104, 16, true]]'

t "--max-output ends it before the frame that would pass it, with status 0"
run patrol filter in.raw -o out.raw --frame-time 0ms --max-output 3kB
expect_status 0
expect_err "stopped before --max-output was passed"
jq_is out.raw.json '.summary.complete == false and
	.summary.bytes_out <= 3000 and .summary.kept >= 1'
run patrol frames out.raw --json
expect_status 0

t "threads that are named leave no block, and the main thread stays"
run patrol filter in.raw -o out.raw --frame-time 0ms \
	--exclude-thread "Worker 1" --exclude-thread "Main Thread"
expect_status 0
jq_is out.raw.json '.summary.blocks_omitted > 0 and .summary.kept == 6'
expect_in out.raw "Main Thread"

t "one that falls behind says by how many segments"
mkdir live
for n in 1 2 3 4 5; do
	cp in.raw live/s_$n.raw
done
spawn patrol filter live -o out.raw --follow --consume --frame-time 300ms
await '! ls live/s_4.raw >/dev/null 2>&1' || fail "it does not read on"
signal TERM
finish 30
expect_status 0
expect_err "falling behind: 4 segments are unread"
expect_eq "$(ls live)" ""
jq_is out.raw.json '.summary.most_unread_segments == 4 and
	any(.summary.warnings[]; test("fell behind by up to 4 segments"))'

t "a full disk or a pipe that nobody reads is no list of frames"
mkfifo pipe
for how in --json --csv "--top 3"; do
	# The options are words.
	# shellcheck disable=SC2086
	run sh -c 'exec patrol frames in.raw "$@" >/dev/full' - $how
	expect_status 3
	expect_err "No space left on device"
	exec 8<>pipe
	exec 7>pipe 8<&-
	# shellcheck disable=SC2086
	run sh -c 'exec patrol frames in.raw "$@" >&7' - $how
	expect_status 3
	expect_err "Broken pipe"
	exec 7>&-
done
run sh -c 'ulimit -f 1; exec patrol frames in.raw --html page.html'
expect_status 3
expect_err "File too large"
expect_no_file page.html

t "a consumed input that is also the output or the summary stays"
cp in.raw same.raw
ln same.raw linked.raw
for out in "-o ./same.raw" "-o linked.raw" "-o gone.out --summary same.raw"; do
	# The words of the options.
	# shellcheck disable=SC2086
	run patrol filter same.raw $out --frame-time 0ms --consume -q
	expect_status 2
	expect_err "is a part of the input and would be replaced"
	cmp -s in.raw same.raw || fail "$out took the input"
done

t "output and summary are two files"
run patrol filter in.raw -o one --summary ./one --frame-time 0ms
expect_status 2
expect_err "both the output and the summary"
expect_eq "$(ls one* 2>/dev/null)" ""

t "an output is not a segment of the folder that is read"
mkdir segments
cp in.raw segments/s_0001.raw
run patrol filter segments -o segments/out.raw --frame-time 0ms
expect_status 2
expect_err "would be a segment"
expect_eq "$(ls segments)" "s_0001.raw"

t "a named pipe is opened once and ends with who writes it"
mkfifo pipe
for reader in "filter pipe -o piped.raw --frame-time 0ms --consume -q" \
	"frames pipe --json"; do
	cat in.raw >pipe &
	# The words of one command.
	# shellcheck disable=SC2086
	run patrol $reader
	wait $! || fail "the writer lost its reader: $reader"
	expect_status 0
	[ -p pipe ] || fail "the pipe was deleted"
done
