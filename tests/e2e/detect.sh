#!/bin/sh
# patrol detect on files: which runs of any series began a new level.
. "${0%/*}/lib.sh"

fresh
# 40 runs about 100, 12 about 130, run 45 missing.
awk 'BEGIN {
	print "t,value"
	for (i = 0; i < 52; i++)
		print i "," (i == 45 ? "" : (i < 40 ? 100 : 130) + i * 7 % 5)
}' >loads.csv

t "a step is said once, with the runs at which it began and was seen"
run patrol detect loads.csv
expect_status 0
jq_is stdout '.["loads.csv"] | length == 1'
jq_is stdout '.["loads.csv"][0] | .index == 40 and .seen >= 42 and
	.seen <= 45 and .kind == "regression" and .after > .before'

t "suspects are said when they are asked for"
run patrol detect --suspects loads.csv
expect_status 0
fits_schema detect stdout
jq_is stdout '[.["loads.csv"][] | select(.kind == "suspect")][0].index == 40'

t "which way is worse can be told"
run patrol detect --higher-is-better loads.csv
jq_is stdout '.["loads.csv"][0].kind == "improvement"'

t "values without noise need no second run"
printf '5\n5\n6\n6\n' >sizes.csv
run patrol detect --deterministic sizes.csv
jq_is stdout '.["sizes.csv"] == [{"index": 2, "seen": 2,
	"kind": "regression", "before": 5, "after": 6, "noise": 0,
	"runs_before": 1, "runs_after": 1}]'

t "several series, one from stdin; a name with dots is a name"
jq -n '{name: "a.b", points: [range(40) | {t: ., value: 7}]}' >ab.json
run sh -c 'patrol detect - sizes.csv <ab.json'
expect_status 0
jq_is stdout '.["a.b"] == [] and .["sizes.csv"] == []'

t "the public series are read, day by day, with the same answer twice"
run patrol detect "$ROOT"/tests/data/series/inj_*.json
expect_status 0
cp stdout once.json
run patrol detect "$ROOT"/tests/data/series/inj_*.json
cmp -s once.json stdout || fail "another answer"
jq_is stdout '[to_entries[] | select(.key | startswith("inj_control")) |
	.value[]] == []'

t "what is no series is named by its place"
printf 't,value\n1,2\n2,two\n' >bad.csv
run patrol detect bad.csv
expect_status 2
expect_err "'bad.csv': line 3 does not end in a number"
run patrol detect none.csv
expect_status 3
run patrol detect
expect_status 2
run patrol detect sizes.csv sizes.csv
expect_status 2
expect_err "two series are named 'sizes.csv'"
