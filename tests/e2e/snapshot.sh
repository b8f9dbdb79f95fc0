#!/bin/sh
# The snapshot commands on files that the game wrote on three screens.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "a patrol brings snapshots that are complete"
patrol_plan "$(variant 's/^  snapshot: .*/  snapshot: {use: unity.snapshot}/')" \
	"$(world)" --visit title --visit home --visit party
expect_status 0
before=$(find out/snapshots -name 'home-*.snap')
after=$(find out/snapshots -name 'party-*.snap')
run patrol snapshot check "$before" "$after"
expect_status 0
expect_eq "$(grep -c '^complete: .*: format 17, ' stdout)" 2

t "one that is cut, empty, no snapshot or not finished says why"
head -c 3000 "$before" >cut.snap
cp cut.snap cut.tmpsnap
cp "$before" whole.tmpsnap
: >empty.snap
echo text >other.snap
run patrol snapshot check --json "$before" cut.snap cut.tmpsnap whole.tmpsnap \
	empty.snap other.snap
expect_status 1
jq_is stdout '[.[].complete] == [true, false, false, true, false, false]'
jq_is stdout '[.[].reason] == [null, "snapshot_unfinished",
	"snapshot_unfinished", null, "snapshot_empty", "snapshot_not_one"]'
jq_is stdout '[.[].temporary] == [false, false, true, true, false, false]'
run patrol snapshot check cut.tmpsnap whole.tmpsnap
expect_status 1
expect_out "a .tmpsnap gets its name .snap when it is whole"
expect_out "it still has its temporary name"
run patrol snapshot check empty.snap other.snap
expect_out "  The app made the file and wrote nothing: look at its log."
expect_out "  Name a .snap file of Unity's Memory Profiler."
run patrol snapshot check nothing.snap
expect_status 3
expect_err "open 'nothing.snap': No such file"
run patrol snapshot check --json nothing.snap cut.snap "$before"
expect_status 3
jq_is stdout '[.[].complete] == [null, false, true]'

t "a summary has the target, totals, regions, types, areas and allocators"
run patrol snapshot summary "$before"
expect_status 0
for words in "Starfall, Unity 6000.0" "on Android, Vulkan, 8.0 GiB of memory" \
	"committed " "resident " "managed heap " "graphics " "private " \
	"mapped " "GameObject " "Rendering " "ALLOC_DEFAULT_MAIN " \
	"otherwise than in the editor"; do
	expect_out "$words"
done
for words in "native objects, size " "native objects, count " \
	"native allocations, count " "root references, size "; do
	expect_out "$words"
done
run patrol snapshot summary --json "$before"
expect_status 0
jq_is stdout '.[0] | .totals.committed_bytes == ([.regions[].committed_bytes] |
	add) and .totals.resident_bytes == ([.regions[].resident_bytes] | add)'
jq_is stdout '.[0] | .totals.native_object_bytes == ([.types[].bytes] | add) and
	.totals.root_bytes == ([.areas[].bytes] | add)'
run patrol snapshot summary --top 1 "$before"
expect_eq "$(grep -c GameObject stdout)" 0
run patrol snapshot summary cut.snap
expect_status 2
expect_err "cut.snap: it has no end"

t "what grew comes first, what shrank last"
run patrol snapshot compare "$before" "$after"
expect_status 0
expect_out "in all "
expect_out "resident "
expect_out "native objects, count "
run patrol snapshot compare --json "$before" "$after"
expect_status 0
cp stdout grown.json
jq_is grown.json '.same_session and
	([.types[].bytes_grown] | . == (sort | reverse) and .[0] > 0)'
jq_is grown.json 'all(.types[], .areas[];
	.bytes_grown == .bytes_after - .bytes_before)'
run patrol snapshot compare "$after" "$before"
expect_status 0
expect_out "one session"
run patrol snapshot compare "$before" "$before"
expect_status 0
run patrol snapshot compare "$before" cut.snap
expect_status 2
expect_err "cut.snap: it has no end"
run patrol snapshot compare "$before"
expect_status 2

t "a full disk and a pipe that nobody reads are errors"
for command in "check" "summary" "summary --json" "compare $after"; do
	# The options are words.
	# shellcheck disable=SC2086
	run sh -c 'exec patrol snapshot "$@" >/dev/full' - $command "$before"
	expect_status 3
	expect_err "No space left on device"
done
mkfifo pipe
exec 8<>pipe
: <pipe
exec 7>pipe 8<&-
run sh -c 'exec patrol snapshot summary "$1" >&7' - "$before"
expect_status 3
expect_err "Broken pipe"
exec 7>&-
