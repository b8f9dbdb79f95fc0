#!/bin/sh
# How long until a command answers: the median of 31 starts.

set -eu

now_us()
{
	echo $(($(date +%s%N) / 1000))
}

patrol version >/dev/null
i=0
while [ $i -lt 31 ]; do
	began=$(now_us)
	patrol version >/dev/null
	echo $(($(now_us) - began))
	i=$((i + 1))
done | sort -n | awk '
	{ v[NR] = $1 }
	END { printf "startup.version %.1f ms\n", v[int((NR + 1) / 2)] / 1000 }'
