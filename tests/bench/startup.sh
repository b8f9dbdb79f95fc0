#!/bin/sh
# How long until a command answers: the median of 51 starts.

set -eu

i=0
while [ $i -lt 51 ]; do
	timed "$TMPDIR/timed" patrol version >/dev/null
	cat "$TMPDIR/timed"
	i=$((i + 1))
done | sort -n | awk '
	{ v[NR] = $1 }
	END { printf "startup.version %.1f ms\n", v[int((NR + 1) / 2)] / 1000 }'
