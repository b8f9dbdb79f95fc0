#!/bin/sh
# A patrol of ten screens on the simulated farm with no time of its own in it
# (patrol.yaml) and an APK of 200 MiB: medians of five runs, in memory.  Then
# where the time goes: each stage of the run that took the median.

set -eu

here=${0%/*}
rounds=${PATROL_BENCH_ROUNDS:-5}
shm=$TMPDIR

cat >"$shm/scenario.yaml" <<YAML
artifact: {apk: $PWD/build/fixture/starfall-200.apk}
game: {loads_scale: 0, popups: []}
YAML

for i in $(seq "$rounds"); do
	rm -rf "$shm/farm" "$shm/out"
	patrol-farm --dir "$shm/farm" --scenario "$shm/scenario.yaml" -- \
		timed "$shm/timed" \
		patrol run --plan "$here/patrol.yaml" --run-id 4242 \
		--out "$shm/out" >"$shm/said" 2>&1 ||
		{ cat "$shm/said" >&2; exit 1; }
	read -r wall cpu peak _ <"$shm/timed"
	echo "$wall $cpu $peak $i" >>"$shm/all"
	mv "$shm/out/result.json" "$shm/result-$i.json"
done

sort -n "$shm/all" | sed -n "$(((rounds + 1) / 2))p" >"$shm/median"
read -r wall cpu _ i <"$shm/median"
peak=$(awk '$3 > p { p = $3 } END { print p }' "$shm/all")
awk -v w="$wall" -v c="$cpu" -v p="$peak" 'BEGIN {
	printf "patrol.wall %.0f ms\n", w / 1000
	printf "patrol.cpu %.0f ms\n", c / 1000
	printf "patrol.peak %.1f MiB\n", p / 1024
}'
# One stage a line, whatever the layout of the JSON.
tr -d '\n\t' <"$shm/result-$i.json" | sed 's/[{}]/\
/g' |
	sed -n 's/^"name": *"\([a-z_]*\)", *"status": *"[a-z]*", *"ms": *\([0-9]*\).*/patrol.stage.\1 \2 ms/p'
