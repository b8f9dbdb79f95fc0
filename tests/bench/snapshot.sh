#!/bin/sh
# patrol snapshot summary on a snapshot of 4 GiB in memory, side by side with
# `cat` of just the bytes that it has to read.  The managed heap is a hole: its
# bytes are not summed up, so neither of the two reads them.  What patrol takes
# to start at all is measured beside it and taken off (startup.sh has a limit
# for it).

set -eu

rounds=${ROUNDS:-15}
in=$TMPDIR/in.snap need=$TMPDIR/in.need
make_snap "$in" "$need"

# us NAME COMMAND...: the time of one run goes to NAME's list.  It is CPU time:
# all is in memory, and others may want the machine.
us()
{
	us_name=$1
	shift
	timed "$TMPDIR/timed" "$@" >/dev/null
	read -r _ cpu peak _ <"$TMPDIR/timed"
	echo "$cpu" >>"$TMPDIR/$us_name"
	echo "$peak" >>"$TMPDIR/peaks.$us_name"
}

i=0
while [ $i -lt "$rounds" ]; do
	us cat cat "$need"
	us start patrol version
	us sum patrol snapshot summary "$in"
	i=$((i + 1))
done

# What disturbs only adds.
best()
{
	sort -n "$TMPDIR/$1" | head -n 1
}
awk -v file="$(wc -c <"$in")" -v need="$(wc -c <"$need")" \
	-v cat="$(best cat)" -v all="$(best sum)" -v start="$(best start)" 'BEGIN {
	sum = all - start
	printf "snapshot.file %.2f GiB\n", file / 1024 / 1024 / 1024
	printf "snapshot.need %.0f MiB\n", need / 1024 / 1024
	printf "snapshot.speed %.2f GB/s\n", need / sum / 1000
	printf "snapshot.cat_ratio %.2f x\n", cat / sum
	printf "snapshot.with_start %.2f x\n", cat / all
}'
sort -n "$TMPDIR/peaks.sum" | awk '{ p = $1 }
	END { printf "snapshot.peak %.1f MiB\n", p / 1024 }'
