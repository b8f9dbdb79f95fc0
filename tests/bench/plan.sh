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

# timed COMMAND...: sets ms and peak_mib.
timed()
{
	began=$(date +%s%N)
	/usr/bin/time -f '%M' -o "$TMPDIR/peak" "$@" >"$TMPDIR/out" \
		2>"$TMPDIR/err" || { cat "$TMPDIR/err" >&2; exit 1; }
	ms=$((($(date +%s%N) - began) / 1000000))
	peak_mib=$(($(tail -n 1 "$TMPDIR/peak") / 1024))
}

big 1000 "$TMPDIR/small.yaml"
big 10000 "$TMPDIR/big.yaml"
timed patrol plan check "$TMPDIR/big.yaml"
printf 'plan.check %s ms\n' $ms
timed patrol plan route "$TMPDIR/small.yaml"
small=$ms
timed patrol plan route "$TMPDIR/big.yaml"
printf 'plan.route %s ms\nplan.peak %s MiB\n' $ms $peak_mib
# 1 is linear; the start of the process is not the route.
awk -v s=$small -v b=$ms 'BEGIN {
	printf "plan.growth %.2f x\n", b / (10 * (s > 5 ? s : 5))
}'
