#!/bin/sh
# A plan of 10,000 screens and 50,000 transitions, checked and routed; and the
# same ten times smaller, since what matters is how the time grows.

set -eu

# big SCREENS FILE: five transitions a screen, a hundred visits.
big()
{
	awk -v n="$1" 'BEGIN {
		print "patrol: 1"
		print "screens:"
		for (i = 0; i < n; i++)
			printf "  s%d: {is: {nav: Page%d}}\n", i, i
		print "transitions:"
		step[0] = 1; step[1] = 7; step[2] = 61; step[3] = 613
		step[4] = 4001
		for (i = 0; i < n; i++)
			for (k = 0; k < 5; k++)
				printf "  - {from: s%d, to: s%d, tap: \"//B%d\"}\n",
					i, (i + step[k] + (n - 1) * \
					(step[k] % n == 0)) % n, k
		printf "route: {start: s0, visit: [s0"
		for (i = 1; i < 100; i++)
			printf ", s%d", i * n / 100
		print "]}"
	}' >"$2"
}

# median COMMAND...: of five turns; sets ms and, the largest, peak_mib.
median()
{
	for _ in 1 2 3 4 5; do
		timed "$TMPDIR/timed" "$@" >/dev/null 2>"$TMPDIR/err" ||
			{ cat "$TMPDIR/err" >&2; exit 1; }
		cat "$TMPDIR/timed"
	done | sort -n >"$TMPDIR/turns"
	ms=$(awk 'NR == 3 { printf "%.1f", $1 / 1000 }' "$TMPDIR/turns")
	peak_mib=$(awk '$3 > p { p = $3 } END { printf "%.1f", p / 1024 }' \
		"$TMPDIR/turns")
}

big 1000 "$TMPDIR/small.yaml"
big 10000 "$TMPDIR/big.yaml"
median patrol plan check "$TMPDIR/big.yaml"
printf 'plan.check %s ms\n' "$ms"
median patrol plan route "$TMPDIR/small.yaml"
small=$ms
median patrol plan route "$TMPDIR/big.yaml"
printf 'plan.route %s ms\nplan.peak %s MiB\n' "$ms" "$peak_mib"
# 1 is linear; the start of the process is not the route.
awk -v s="$small" -v b="$ms" 'BEGIN {
	printf "plan.growth %.2f x\n", b / (10 * (s > 5 ? s : 5))
}'
