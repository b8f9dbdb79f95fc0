#!/bin/sh
# What is made of Unity's files once the phone is back: memory beside that of
# an earlier day, graphics states merged with the repository's.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

MERGED=graphics-states/merged.graphicsstate
cp "$ROOT/plans/starfall.graphicsstate" "$T/base"

# day N RUN [GAME-LINES]: a world of that day.
day()
{
	world "day: $1
${3-}" "github: {run: {id: $2}}"
}

# patrol_day OUT WORLD RUN [OPTION]...
patrol_day()
{
	p_out=$1 p_world=$2 p_run=$3
	shift 3
	farm "$p_world" -- patrol run --plan "$PULLS" --run-id "$p_run" \
		--out "$p_out" --visit title --visit home "$@"
}

# Snapshots are pulled, and there is a base.
PULLS=$(variant -e 's/^  snapshot: take_snapshot/  snapshot: {use: unity.snapshot}/' \
	-e 's/^    pull: .*/&\n    base: base/')
EARLIER=$T/earlier

t "a first run has nothing to be compared with, and says so"
patrol_day "$EARLIER/4241" "$(day 0 4241)" 4241 --previous "$EARLIER"
expect_status 0
expect_sound_result "$EARLIER/4241/result.json"
jq_is "$EARLIER/4241/result.json" '.previous.compared == false and
	(.previous.message | test("no earlier run"))'
jq_is "$EARLIER/4241/result.json" 'any(.stages[]; .name == "compare")'

t "the next day's memory is told beside it, by type and by area"
patrol_day out "$(day 2 4242)" 4242 --previous "$EARLIER"
expect_status 0
expect_sound out
jq_is out/result.json '.previous | .compared and .run_id == "4241"'
screen_is home '.snapshot.growth | .from == "files" and
	(.types[0].bytes_grown > 0) and (.areas | length > 0) and
	(.types == (.types | sort_by(-.bytes_grown)))'
screen_is home '.snapshot | (.types | length) > 3 and (.areas | length) > 3'
expect_in out/report.html 'Compared with'
expect_in out/report.html 'decided otherwise than in the editor'
jq_is out/result.json '[.stages[].name] | index("return") < index("compare")'

t "the setting names the folder, too, and results alone will do"
rm "$EARLIER"/4241/snapshots/*
PATROL_PREVIOUS=$EARLIER
export PATROL_PREVIOUS
patrol_day out "$(day 1 4243)" 4243
unset PATROL_PREVIOUS
expect_status 0
screen_is home '.snapshot.growth | .from == "results" and
	(.totals | length > 3) and (.types[0].bytes_grown > 0)'

t "another Unity is not compared, and why is said"
patrol_day out "$(day 1 4244 'unity: 6000.1.2f1')" 4244 --previous "$EARLIER"
expect_status 0
jq_is out/result.json '.previous | .compared == false and
	.message == "another Unity version: 6000.0.40f1 then, 6000.1.2f1 now"'
screen_is home '.snapshot.totals and (.snapshot.growth | not)'
expect_err "not compared: another Unity version"

t "what a run traced is merged beside the base, which stays"
jq_is out/result.json '.captures.graphics_states.merged |
	.added_variants == 3 and .base_variants == 4 and .variants == 7 and
	.pruned == 0 and .file == $f' --arg f "$MERGED"
cmp -s "$T/base" "$ROOT/plans/starfall.graphicsstate" || fail "the base changed"
run patrol graphics-states merge "$T/base" \
	out/graphics-states/patrol.graphicsstate -o byhand
cmp -s byhand out/$MERGED || fail "the merged file is not the command's"

t "what warm-up did not find is dropped from it"
patrol_day out "$(day 1 4245 'says: ["Shader Starfall/Hologram, subshader 0, pass 0, stage pixel: variant _SCANLINES not found."]')" 4245
expect_status 0
jq_is out/result.json '.captures.graphics_states.merged |
	.not_found == 1 and .pruned == 1 and .variants == 6'
grep -q Hologram out/$MERGED && fail "the variant is still there"
expect_in out/report.html '1 was dropped'

t "a refused merge is a warning that names both, and no failed day"
cp "$ROOT/tests/data/graphicsstate/metal-mobile.graphicsstate" "$T/base"
patrol_day out "$(day 1 4246)" 4246
expect_status 0
expect_sound out
jq_is out/result.json '.outcome == "passed" and
	(.warnings[0] | .reason == "graphics_states_not_merged" and
	(.message | test("base") and test("patrol.graphicsstate"))) and
	(.captures.graphics_states.merged | .message and (.file | not))'
[ ! -e out/$MERGED ] || fail "it was written all the same"
cp "$ROOT/plans/starfall.graphicsstate" "$T/base"

t "a run that did not pass is not merged"
patrol_day out "$(day 1 4247 'snapshot: cut')" 4247
expect_status 1
jq_is out/result.json '.reason == "not_measured" or
	.reason == "snapshot_unfinished" or .reason == "snapshot_damaged"'
jq_is out/result.json '.captures.graphics_states.merged |
	(.message | test("not merged")) and (.file | not)'
[ ! -e out/$MERGED ] || fail "it was written all the same"

t "half a snapshot is not the measurement server's fault"
jq_is out/result.json 'all(.uploads[] | select(.name | test("snapshot"));
	.reason == "snapshot_unfinished")'
expect_not_in out/summary.md "measurement server"
