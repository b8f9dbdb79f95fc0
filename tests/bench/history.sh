#!/bin/sh
# The history in a folder: a day is added to it, compared and drawn, when it has
# 100, 1,000 and 10,000 days of 300 values.  What the days before cost is how
# the times grow; from 1,000 on a comparison looks at all of its 180 runs.  It is
# CPU time: all is in memory, and others may want the machine.

set -eu

values=300
turns=9

# best COMMAND...: the fastest of some turns, since what disturbs only adds, each
# with another run.json; sets ms and, the largest, peak_mib.
turn=0
best()
{
	: >"$TMPDIR/turns"
	i=0
	while [ $i -lt $turns ]; do
		i=$((i + 1)) turn=$((turn + 1))
		make_history --run $turn $values >"$TMPDIR/run.json"
		timed "$TMPDIR/timed" "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" ||
			{ cat "$TMPDIR/err" >&2; exit 1; }
		cat "$TMPDIR/timed" >>"$TMPDIR/turns"
	done
	ms=$(sort -n -k 2 "$TMPDIR/turns" |
		awk 'NR == 1 { printf "%.1f", $2 / 1000 }')
	# shellcheck disable=SC2034
	peak_mib=$(awk '$3 > p { p = $3 } END { printf "%.1f", p / 1024 }' \
		"$TMPDIR/turns")
}

for days in 100 1000 10000; do
	store=dir:$TMPDIR/$days
	make_history "$store" $days $values
	best patrol history import --history "$store" "$TMPDIR/run.json"
	printf 'history.add_%s %s ms\n' $days "$ms"
	eval "add_$days=\$ms"
	best patrol compare --history "$store" --json
	printf 'history.compare_%s %s ms\n' $days "$ms"
	eval "compare_$days=\$ms peak_$days=\$peak_mib"
done
# Their names are put together above.
# shellcheck disable=SC2154
awk -v a="$add_1000" -v c="$compare_1000" -v p="$peak_1000" \
	-v a0="$add_100" -v a1="$add_10000" -v c0="$compare_1000" \
	-v c1="$compare_10000" 'BEGIN {
	printf "history.add %s ms\n", a
	printf "history.compare %s ms\n", c
	printf "history.compare_peak %s MiB\n", p
	printf "history.add_growth %.2f x\n", a1 / a0
	printf "history.compare_growth %.2f x\n", c1 / c0
}'

# Four phones in one store, as many records in all: a comparison reads its own.
for days in 250 2500; do
	store=dir:$TMPDIR/phones$days
	make_history "$store" $days $values 4
	best patrol history import --history "$store" "$TMPDIR/run.json"
	best patrol compare --history "$store" --json
	printf 'history.phones_compare_%s %s ms\n' $days "$ms"
	eval "phones_$days=\$ms"
done
# shellcheck disable=SC2154
awk -v c0="$phones_250" -v c1="$phones_2500" \
	'BEGIN { printf "history.phones_growth %.2f x\n", c1 / c0 }'

turns=3
best patrol history report --history "dir:$TMPDIR/1000" \
	--html "$TMPDIR/page.html"
printf 'history.page %s ms\nhistory.page_peak %s MiB\n' "$ms" "$peak_mib"
printf 'history.page_size %s MB\n' "$(wc -c <"$TMPDIR/page.html" |
	awk '{ printf "%.2f", $1 / 1e6 }')"
