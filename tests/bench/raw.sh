#!/bin/sh
# patrol filter on a large raw log in memory, side by side with the plainest
# ways to touch the same bytes.  `raw_log BYTES FILE` makes the log: 12 KiB
# blocks, 8 threads, Unity 6000.0's version, a slow frame in 500.

set -eu

if ! command -v raw_log >/dev/null; then
	echo "raw: no raw_log to make the recording" >&2
	exit 0
fi
rounds=${ROUNDS:-5}
in=$TMPDIR/in.raw out=$TMPDIR/out.raw
raw_log "${BYTES:-4294967296}" "$in"
bytes=$(wc -c <"$in")
patrol='patrol filter -q'

# us NAME COMMAND...: the time of one run goes to NAME's list.
us()
{
	us_name=$1
	shift
	rm -f "$out"
	timed "$TMPDIR/timed" "$@" >/dev/null
	read -r wall _ peak _ <"$TMPDIR/timed"
	echo "$wall" >>"$TMPDIR/$us_name"
	echo "$peak" >>"$TMPDIR/peaks.$us_name"
}

i=0
while [ $i -lt "$rounds" ]; do
	# The options are words.
	# shellcheck disable=SC2086
	{
		us hop raw_hop hop "$in"
		us time $patrol "$in" -o "$out" --frame-time 300ms
		us read raw_hop read "$in"
		us gc $patrol "$in" -o "$out" --frame-time 300ms \
			--gc-alloc 2MB
		us cat cat "$in"
		us all $patrol "$in" -o "$out" --frame-time 0ms
		us cp cp "$in" "$out"
		us pipe sh -c "cat '$in' | $patrol - -o '$out' \
			--frame-time 300ms"
		us wc sh -c "cat '$in' | wc -c"
	}
	i=$((i + 1))
done

median()
{
	sort -n "$TMPDIR/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
ratio()
{
	awk -v theirs="$(median "$2")" -v ours="$(median "$3")" -v name="$1" \
		'BEGIN { printf "%s %.2f x\n", name, theirs / ours }'
}
speed()
{
	awk -v bytes="$bytes" -v us="$(median "$2")" -v name="$1" \
		'BEGIN { printf "%s %.2f GB/s\n", name, bytes / us / 1000 }'
}

speed raw.time_speed time
ratio raw.hop_ratio hop time
ratio raw.read_ratio read time
speed raw.gc_speed gc
ratio raw.cat_ratio cat gc
ratio raw.cp_ratio cp all
ratio raw.pipe_ratio wc pipe
sort -n "$TMPDIR/peaks.time" "$TMPDIR/peaks.gc" "$TMPDIR/peaks.all" \
	"$TMPDIR/peaks.pipe" | awk '{ p = $1 }
	END { printf "raw.peak %.1f MiB\n", p / 1024 }'
