#!/bin/sh
# Thirty days of a game on the simulated farm, one patrol a day, today's the
# last: from the 20th on the shop loads a fifth slower, and the party's screen
# loads a little slower every day since the 4th.  Each patrol is a real one; the
# wall clock that it sees is that day's.

set -eu

farm=build/demo-history
days=${DAYS:-30}
export PATROL_HISTORY="dir:$farm/days"
# Only the wall clock is another: waits are real.
export FAKETIME_DONT_FAKE_MONOTONIC=1

for tool in adb faketime; do
	command -v $tool >/dev/null || {
		echo "$tool is missing; on Debian 'ci/packages test' installs" \
			"it" >&2
		exit 1
	}
done
rm -rf "$farm"
mkdir -p "$farm/runs"

# Percent by which a day's loads stray, the same in each demo.
stray()
{
	echo "$1 $2" | awk '{ srand($1 * 97 + $2); rand()
		printf "%.4f", 1 + (rand() + rand() - 1) * 0.04 }'
}

# load BASE FACTOR DAY SERIES: "351ms"
load()
{
	awk -v ms="$1" -v factor="$2" -v stray="$(stray "$3" "$4")" \
		'BEGIN { printf "%.0fms", ms * factor * stray }'
}

# Of that day's build.
commit()
{
	printf '%07x%033d' $((1000 * $1 + 4242)) "$1"
}

# It may run over midnight.
last=$(date +%F)
i=1
while [ "$i" -le "$days" ]; do
	day=$(date -d "$last - $((days - i)) days" +%F)
	worse=1
	[ "$i" -lt 20 ] || worse=1.3
	creep=$(awk -v d="$i" 'BEGIN { print 1 + 0.006 * (d > 3 ? d - 3 : 0) }')
	cat >"$farm/day.yaml" <<-YAML
		github: {run: {id: $((5000 + i)), head_sha: $(commit "$i")}}
		game:
		  popups: []
		  loads: {shop: $(load 800 $worse "$i" 2), party: $(load 800 "$creep" "$i" 1)}
	YAML
	printf '%s  ' "$day"
	build/patrol-farm --dir "$farm/farm" --scenario "$farm/day.yaml" -- \
		faketime "$day 09:45:00" build/patrol run \
		--plan plans/starfall.yaml --run-id $((5000 + i)) \
		--visit party --visit shop --quiet \
		--out "$farm/runs/$i" 2>"$farm/said" || {
		cat "$farm/said" >&2
		exit 1
	}
	patrol_says=$(jq -r .comparison.message "$farm/runs/$i/result.json")
	echo "$patrol_says"
	i=$((i + 1))
done

build/patrol history report --html "$farm/dashboard.html" 2>/dev/null
echo
echo "What was said, on the day on which it was new:"
for says in "$farm"/runs/*/comparison.json; do
	jq -r '.run.at[0:10] as $day | .series[] | .line as $line | .step |
		values | select(.new and .kind != "improvement") |
		"\($day)  \($line)\n            commits \(.last_good.commit[0:7])..\(.first_bad.commit[0:7])"' \
		"$says"
done
echo
echo "  $farm/dashboard.html  all of it"
echo "  $farm/runs/$days/report.html  the last day"
