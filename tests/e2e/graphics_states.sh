#!/bin/sh
# The graphics-states commands on files.

. "${0%/*}/lib.sh"

fresh
real=$ROOT/tests/data/graphicsstate/metal-mobile.graphicsstate
printf '{}' >empty
# Another quality level, and a state that leads nowhere.
sed 's/"m_QualityLevelName": "Mobile"/"m_QualityLevelName": "PC"/' "$real" >pc
sed '0,/"vertexLayout": [0-9]*/s//"vertexLayout": 7/' "$real" >nowhere

t "a collection merged with itself or into nothing is the same file"
run patrol graphics-states merge "$real" "$real" -o same
expect_status 0
cmp -s same "$real" || fail "the file changed"
run patrol graphics-states merge empty "$real"
expect_status 0
cmp -s stdout "$real" || fail "the file changed"

t "what is refused leaves the file that was there"
echo before >kept
run patrol graphics-states merge "$real" pc -o kept
expect_status 2
expect_err "another quality level: 'Mobile' in $real, 'PC' in pc"
expect_in kept before

t "a full disk leaves no half file"
run patrol graphics-states merge "$real" "$real" -o /dev/full
expect_status 3
expect_err "No space left on device"

t "a key that leads nowhere is named"
run patrol graphics-states check "$real" nowhere
expect_status 2
expect_err "nowhere: state 1 of variant 1 (17d1b31122ee247891b98cc45f85cf2d) leads to vertex layout 7, which is not there"

t "stats count by shader, and how much each file covers"
run patrol graphics-states stats --json "$real" "$real"
expect_status 0
jq_is stdout '.files[0].variants == 15 and .files[0].states == 20'
jq_is stdout '.files[0].platform == "macOS" and .files[0].graphics_api == "Metal"'
jq_is stdout '[.files[0].shaders[].variants] | add == 15'
jq_is stdout '.coverage | length == 3 and .[2].variants == 15'

t "stats of two kinds name both files"
run patrol graphics-states stats "$real" pc
expect_status 2
expect_err "'Mobile' in $real, 'PC' in pc; only traces of one kind go together"

t "prune drops what the log names, diff shows it, merge brings it back"
cat >logcat.txt <<'L'
11-30 07:00:01.000  812  840 W Unity   : Shader Hidden/Universal Render Pipeline/Bloom, subshader 0, pass 1, stage pixel: variant _BLOOM_HQ not found.
11-30 07:00:01.100  812  840 W Unity   : Shader Hidden/Universal Render Pipeline/Bloom, subshader 0, pass 3, stage pixel: variant _OTHER not found.
11-30 07:00:01.200  812  840 I Unity   : nothing
L
run patrol graphics-states prune --log logcat.txt -o pruned "$real"
expect_status 0
expect_err "kept, only near: Hidden/Universal Render Pipeline/Bloom, subshader 0, pass 3: _OTHER"
expect_err "3 lines read, 2 variants not found: 1 dropped, 1 near misses"
run patrol graphics-states diff --json "$real" pruned
expect_status 0
jq_is stdout '.removed.variants == 1 and .added.variants == 0'
jq_is stdout '.removed.rows[0].keywords == "_BLOOM_HQ"'
run patrol graphics-states merge pruned "$real" -o back
expect_status 0
run patrol graphics-states diff --json "$real" back
jq_is stdout '.removed.states + .added.states == 0'

t "stats of several runs tell what each screen adds"
# visited FOLDER COLLECTION SCREEN...: what a patrol leaves that matters here.
visited()
{
	mkdir -p "$1/graphics-states"
	cp "$2" "$1/graphics-states/patrol.graphicsstate"
	v_out=$1
	shift 2
	jq -n '{captures: {graphics_states: {
			file: "graphics-states/patrol.graphicsstate"}},
		screens: ([$ARGS.positional[] | {name: ., status: "visited"}] +
			[{name: "shop", status: "not_visited"}])}' \
		--args "$@" >"$v_out/result.json"
}
visited short pruned title home
visited long "$real" title home battle home
run patrol graphics-states stats --json short long
expect_status 0
jq_is stdout '[.coverage_by_screen[] | [.screen, .runs, .variants,
	.only_variants]] == [["title", 2, 15, 15], ["home", 2, 15, 15],
	["battle", 1, 15, 1]]'
jq_is stdout '.coverage_by_shader | ([.[].variants] | add) == 15 and
	any(.[]; .shader | test("Bloom")) and
	([.[] | .variants - .files[0].variants] | add) == 1 and
	all(.[]; .files[1].variants == .variants)'
run patrol graphics-states stats short long
expect_status 0
expect_out "variants only there"
expect_out "file 2"
expect_eq "$(grep -c '^battle  *1  *15  *100%' stdout)" 1
run patrol graphics-states stats short
expect_status 0
jq -n '{screens: []}' >short/result.json
run patrol graphics-states stats short
expect_status 2
expect_err "the run 'short' has no collection"

t "a full disk leaves what was there, and a closed pipe is an error"
echo before >kept
for command in "merge $real $real" "prune $real"; do
	# The options are words.
	# shellcheck disable=SC2086
	run sh -c 'ulimit -f 8; exec patrol graphics-states "$@" -o kept' - \
		$command
	expect_status 3
	expect_err "File too large"
	expect_in kept before
	expect_no_file kept.part
done
mkfifo pipe
for command in "stats $real" "diff $real pruned" "merge $real $real" "prune $real"; do
	exec 8<>pipe
	exec 7>pipe 8<&-
	# shellcheck disable=SC2086
	run sh -c 'exec patrol graphics-states "$@" >&7' - $command
	expect_status 3
	expect_err "Broken pipe"
	exec 7>&-
done

t "lines of a log in other words are counted, players' and logcat's taken"
cat >player.log <<'L'
Shader Hidden/Universal Render Pipeline/Bloom, subshader 0, pass 1, stage pixel: variant _BLOOM_HQ not found.
[Warning] Shader Hidden/Universal Render Pipeline/Bloom, subshader 0, pass 1, stage pixel: variant _BLOOM_HQ not found.
Shader A, subshader 0, pass 1, variant _B not found.
L
run patrol graphics-states prune --log player.log --log logcat.txt -o pruned2 \
	"$real"
expect_status 0
cmp -s pruned pruned2 || fail "another log drops something else"
expect_err "1 lines not understood"

t "a file that is none is refused with its place"
printf '{"m_VariantInfoMap": [' >./cut
run patrol graphics-states check cut
expect_status 2
expect_err "cut: 1:23: it ends in the middle"
