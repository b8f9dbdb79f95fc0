#!/bin/sh
# patrol filter on a large raw log in memory, side by side with the plainest
# ways to touch the same bytes, on one core: blocks of 12 KiB, 8 threads, Unity
# 6000.0's version.  Thresholds keep a frame in 500, as a day's run would.
# Times are the core's, of all processes of a command: with everything in
# memory and one core that is how long it takes where nothing else runs.

set -eu

rounds=${ROUNDS:-7}
in=$TMPDIR/in.raw out=$TMPDIR/out.raw
core='' # the last one, where it can be chosen
! taskset -c $(($(nproc) - 1)) true 2>/dev/null ||
	core="taskset -c $(($(nproc) - 1))"
"$PATROL_BUILD/tests/tools/make_raw" "$in" "${BYTES:-4294967296}" samples \
	>"$TMPDIR/frames"
bytes=$(wc -c <"$in")
# The n-th largest of a column, so that one frame in 500 is kept.
threshold()
{
	awk -v column="$1" '{ print $column }' "$TMPDIR/frames" | sort -rn |
		awk '{ v[NR] = $1 } END { print v[int(NR / 500) + 1] }'
}
slow=$(($(threshold 2) / 1000000))ms
much=$(($(threshold 3) / 1000))kB
patrol='patrol filter -q'

# us NAME COMMAND...: the time of one run goes to NAME's list.
us()
{
	us_name=$1
	shift
	rm -f "$out"
	# The command to choose a core is words.
	# shellcheck disable=SC2086
	$core timed "$TMPDIR/timed" "$@" >/dev/null
	read -r _ cpu peak _ <"$TMPDIR/timed"
	echo "$cpu" >>"$TMPDIR/$us_name"
	echo "$peak" >>"$TMPDIR/peaks.$us_name"
}

i=0
while [ $i -lt "$rounds" ]; do
	# The options are words.
	# shellcheck disable=SC2086
	{
		us hop raw_hop hop "$in"
		us time $patrol "$in" -o "$out" --frame-time "$slow"
		cp "$out.json" "$TMPDIR/time.json"
		us read raw_hop read "$in"
		us gc $patrol "$in" -o "$out" --frame-time "$slow" \
			--gc-alloc "$much"
		cp "$out.json" "$TMPDIR/gc.json"
		us cat cat "$in"
		# Both write as much: into memory that a host has just given,
		# not the first of the two into what it has to give yet.
		$core cp "$in" "$out" && rm "$out"
		# In turns, since the first of the two is often the slower one.
		[ $((i % 2)) -eq 0 ] || us cp cp "$in" "$out"
		us all $patrol "$in" -o "$out" --frame-time 0ms
		[ $((i % 2)) -eq 1 ] || us cp cp "$in" "$out"
		us pipe sh -c "cat '$in' | $patrol - -o '$out' \
			--frame-time $slow"
		us wc sh -c "cat '$in' | wc -c"
	}
	i=$((i + 1))
done
rm -f "$out"

# A quarter of it, ended within a block, for how time grows; and a log of
# 64 GiB of which almost nothing is on the disk, for how memory does not.
head -c $((bytes / 4)) "$in" >"$TMPDIR/quarter.raw"
rm "$in"
raw_hop sparse "$TMPDIR/sparse.raw" 68719476736
i=0
while [ $i -lt "$rounds" ]; do
	# shellcheck disable=SC2086
	us quarter $patrol "$TMPDIR/quarter.raw" -o "$out" --frame-time "$slow"
	i=$((i + 1))
done
# shellcheck disable=SC2086
us sparse $patrol "$TMPDIR/sparse.raw" -o "$out" --frame-time "$slow"

median()
{
	sort -n "$TMPDIR/$1" |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
# Of the rounds' ratios the middle one: a slow minute is slow for both.
ratio()
{
	paste "$TMPDIR/$2" "$TMPDIR/$3" | awk '{ print $1 / $2 }' | sort -n |
		awk -v name="$1" '{ v[NR] = $1 } END {
			printf "%s %.2f x\n", name, v[int((NR + 1) / 2)] }'
}
speed()
{
	awk -v bytes="$bytes" -v us="$(median "$2")" -v name="$1" \
		'BEGIN { printf "%s %.2f GB/s\n", name, bytes / us / 1000 }'
}
# Payloads that were opened, and so much of each block: head, footer, begin.
touched()
{
	awk -v name="$1" -v of_each="$3" '
		/"bytes_opened":/ { bytes += $2 }
		/"blocks_in":/ { bytes += of_each * $2 }
		END { printf "%s %.1f MB\n", name, bytes / 1000000 }' "$2"
}

awk -v bytes="$bytes" 'BEGIN { printf "raw.bytes %.1f MB\n", bytes / 1e6 }'
touched raw.time_touched "$TMPDIR/time.json" 60
touched raw.gc_touched "$TMPDIR/gc.json" 28
speed raw.time_speed time
ratio raw.hop_ratio hop time
ratio raw.read_ratio read time
ratio raw.bare_ratio read hop # what nothing but a read a block would reach
speed raw.gc_speed gc
ratio raw.cat_ratio cat gc
ratio raw.cp_ratio cp all
ratio raw.pipe_ratio wc pipe
awk -v whole="$(median time)" -v quarter="$(median quarter)" \
	'BEGIN { printf "raw.growth %.2f x\n", whole / quarter / 4 }'
for p in time gc all pipe sparse; do
	cat "$TMPDIR/peaks.$p"
done | sort -n | awk '{ p = $1 } END { printf "raw.peak %.1f MiB\n", p / 1024 }'
awk -v bytes="$bytes" -v us="$(median gc)" 'BEGIN {
	printf "raw.public_reader 21 to 73 MB/s\n"
	printf "raw.times_it %.0f x\n", bytes / us / 73 }'
