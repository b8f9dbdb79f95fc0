#!/bin/sh
# Plans of several shapes (gen/plan.sh), ten times as large: what `plan route`
# takes and how that grows.  Every screen is visited; 1 is linear.

set -eu

gen=${0%/*}/gen/plan.sh

# route_ms FILE: prints the milliseconds of user and system time.
route_ms()
{
	timed "$TMPDIR/timed" patrol plan route "$1" >/dev/null \
		2>"$TMPDIR/err" || { cat "$TMPDIR/err" >&2; exit 1; }
	awk '{ printf "%d", $2 / 1000 }' "$TMPDIR/timed"
}

for shape in near hub jump dead far; do
	sh "$gen" $shape 1000 5000 1000 >"$TMPDIR/small.yaml"
	sh "$gen" $shape 10000 50000 10000 >"$TMPDIR/big.yaml"
	small=$(route_ms "$TMPDIR/small.yaml")
	big=$(route_ms "$TMPDIR/big.yaml")
	printf 'plan.%s %s ms\n' $shape "$big"
	awk -v n="plan.$shape.growth" -v s="$small" -v b="$big" 'BEGIN {
		printf "%s %.2f x\n", n, b / (10 * (s > 20 ? s : 20))
	}'
done
