#!/bin/sh
# What a history meets that is not as it should be: clear words, and no loss.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_history.sh
. "${0%/*}/lib_history.sh"

PATROL_HISTORY=dir:days
export PATROL_HISTORY

# fill: a history of 30 days, 20 % worse from the 25th on, in a fresh folder.
fill()
{
	fresh
	days in.json 1 30 'if (d > 24) load *= 1.2'
	need patrol history import in.json >imported
}

listed()
{
	run patrol history list --all --json
	expect_status 0
}

# What the days say, whatever else lies there.
expect_as_usual()
{
	run patrol compare --run 5028 --json
	expect_status 0
	jq_is stdout '.verdict == "regression" and
		.series[0].step.first_bad.run_id == "5025"'
}

fill
N=days/2026-10/20261015T120000Z-1
SOME=$(find days -name '*-5024-*.json')
ID=${SOME##*/} ID=${ID%.json}

t "a record of a newer patrol is left out, told with its cure, and kept"
sed "s/$ID/20261015T120000Z-1-00000001/; s/\"schema_version\":1/\"schema_version\":99/" \
	"$SOME" >$N-00000001.json
listed
jq_is stdout 'length == 30'
expect_err "1 of the records can't be used"
expect_err "20261015T120000Z-1-00000001 was written by a newer patrol"
expect_as_usual
run patrol history prune --broken
expect_out "dropped 0 runs"
expect_file $N-00000001.json
rm $N-00000001.json

t "half-written, empty, mistaken and overlong ones are left out, and can go"
size=$(wc -c <"$SOME")
head -c $((size / 2)) "$SOME" >$N-00000002.json
: >$N-00000003.json
cp "$SOME" $N-00000004.json
echo '[1, 2]' >$N-00000005.json
head -c 50000000 /dev/zero >$N-00000006.json
head -c 300000 /dev/zero | tr '\0' '[' >$N-00000007.json
sed "s/$ID/20261015T120000Z-1-00000008/; s/\"home>shop\":[0-9]*/\"home>shop\":1e999/" \
	"$SOME" >$N-00000008.json
sed "s/$ID/20261015T120000Z-1-00000009/; s/\"home>shop\":[0-9]*/\"home>shop\":NaN/" \
	"$SOME" >$N-00000009.json
sed "s/$ID/20261015T120000Z-1-0000000a/; s/\"home>shop\":[0-9]*/\"home>shop\":null/" \
	"$SOME" >$N-0000000a.json
listed
jq_is stdout 'length == 30'
expect_err "9 of the records can't be used, the first: 20261015T120000Z-1-00000002"
expect_as_usual
expect_err "9 of the records can't be used"
run patrol history prune --broken --dry-run
expect_out "would drop 9 runs"
run patrol history prune --broken
expect_out "dropped 9 runs"
listed
jq_is stdout 'length == 30'
expect_not_in stderr "can't be used"

t "names that are not ours are not looked at"
mkdir -p days/2026-10/x days/notes days/2026-99
echo '{}' >days/2026-10/readme.json
echo '{}' >days/2026-10/.20261015T120000Z-1-00000001.77.part
echo '{}' >days/2026-99/20269915T120000Z-1-00000001.json
cp "$SOME" days/2026-99/
cp "$SOME" days/notes/
listed
jq_is stdout 'length == 30'
expect_not_in stderr "can't be used"
rm -r days/2026-99 days/notes

t "a record that is a folder, a pipe or a device is told by its path"
for made in mkdir mkfifo 'ln -s /dev/zero'; do
	$made $N-0000000b.json
	run patrol history list --all
	expect_status 3
	expect_err "$N-0000000b.json' is no file"
	rm -r $N-0000000b.json
done

t "a day whose clock ran ahead is left out and told, one from the past is old"
cat >skew.json <<'J'
[{"at": "2099-01-01T00:00:00Z", "run_id": "1", "key": {"model": "Pixel 6", "os": "14"},
  "metrics": [{"name": "load", "subject": "home>shop", "unit": "ms", "value": 9999}]},
 {"at": "1970-01-01T00:00:00Z", "run_id": "2", "key": {"model": "Pixel 6", "os": "14"},
  "metrics": [{"name": "load", "subject": "home>shop", "unit": "ms", "value": 1810}]}]
J
run patrol history import skew.json
expect_status 2
expect_err "skew.json: [0]: 'at' is a day to come"
jq '.[1:]' skew.json >past.json
run patrol history import past.json
expect_status 0
# As that runner would have added it.
ahead=20990101T000000Z-1-00000000
mkdir -p "${PATROL_HISTORY#dir:}/2099-01"
find "${PATROL_HISTORY#dir:}" -name '1970*.json' -exec jq -c --arg id "$ahead" \
	'.id = $id | .run_id = "1" | .at = "2099-01-01T00:00:00Z"' {} \; \
	>"${PATROL_HISTORY#dir:}/2099-01/$ahead.json"
listed
expect_err "20990101T000000Z-1-"
expect_err "the clock of its runner was wrong"
jq_is stdout 'length == 31 and .[0].run_id == "2"'
expect_as_usual

t "days in any order, and twice, say what they say in order"
fill
run patrol compare --json
cp stdout usual
mv days in-order
jq -c '[.[] | select((.run_id | tonumber) % 3 == 0)] + . + reverse' in.json >mixed.json
run patrol history import mixed.json
expect_out "added 30, 40 were there already"
run patrol compare --json
expect_eq "$(cat stdout)" "$(cat usual)"

t "two runs of a day are two runs"
jq -c '[.[] | .at |= sub("09:45"; "15:00")]' in.json >again.json
run patrol history import again.json
expect_out "added 30, 0 were there already"
listed
jq_is stdout 'length == 60'

t "a screen that has a new name has a new series, and no verdict is guessed"
fill
days renamed.json 31 31 ''
sed 's/home>shop/home>market/; s/"value": [0-9]*}, {"name": "apk/"value": 9999}, {"name": "apk/' \
	renamed.json >new.json
run patrol history import new.json
run patrol compare --json
expect_status 0
jq_is stdout '[.series[] | select(.subject == "home>market")] |
	length == 1 and .[0].state == "too_little_history" and .[0].base == null'
jq_is stdout '[.series[] | select(.subject == "home>shop")] | length == 0'

t "what is no number is refused with its place, and the rest of the file, too"
fresh
numbers()
{
	jq -cn '[{at: "2026-10-01T00:00:00Z", metrics: [{name: "x", value: 1}]},
		{at: "2026-10-02T00:00:00Z", metrics: [{name: "x", value: 1},
		{name: "y", value: "@@"}]}]' | sed "s/\"@@\"/$1/" >bad.json
	run patrol history import bad.json
	expect_no_file days
}
for value in 1e999 null '"5"' '[1]'; do
	numbers "$value"
	expect_status 2
	expect_err "bad.json: [1]: metrics[1].value is "
done
for value in NaN Infinity -; do
	numbers "$value"
	expect_status 3
	expect_err "bad.json is not JSON (stopped at byte"
done

t "a file that is cut, empty, missing or no list of runs is refused by its name"
days in.json 1 30 ''
head -c 5000 in.json >cut.json
: >empty.json
for file in cut.json empty.json missing.json /dev/null .; do
	run patrol history import in.json $file
	expect_status 3
	expect_err "$file"
done
echo '{"runs": []}' >other.json
run patrol history import in.json other.json
expect_status 2
expect_err "other.json: 'at' is no time of a run"
expect_no_file days

t "a result.json that is cut, or of a run that goes on, is not added"
mkdir out
head -c 700 "$ROOT/tests/data/results/passed.json" >out/result.json
run patrol history add out
expect_status 3
expect_err "out/result.json is not JSON"
jq 'del(.ended_at)' "$ROOT/tests/data/results/passed.json" >out/result.json
run patrol history add out
expect_status 2
expect_err "no result.json of a run that has ended"
run patrol history add nowhere
expect_status 3
expect_err "nowhere"

t "of eight that add and read at once nothing is lost or doubled"
fresh
days in.json 1 30 ''
i=0 pids=''
while [ $i -lt 8 ]; do
	days "in$i.json" 1 30 "os = \"w$i\""
	{
		patrol history import in.json &&
			patrol history import "in$i.json" &&
			patrol compare --json >"compared$i" &&
			jq -e '.runs > 0' "compared$i" >/dev/null
	} >"out$i" 2>&1 &
	pids="$pids $!"
	i=$((i + 1))
done
for pid in $pids; do
	wait "$pid" || fail "one of eight: $(cat out?)"
done
listed
jq_is stdout 'length == 30 + 8 * 30 and
	(group_by(.key.os) | map(length) | unique == [30])'
expect_eq "$(find days -type f | wc -l)" 270 "count of files"

# Root may do all: without that.
as_user()
{
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --bounding-set=-dac_override,-dac_read_search "$@"
	else
		"$@"
	fi
}

t "a folder without rights is told by its path, and what was there stays"
fill
days more.json 1 3 'os = "15"'
chmod 555 days days/2026-10
run as_user patrol history import more.json
expect_status 3
expect_err "days/2026-10"
expect_err "ermission denied"
run as_user patrol history list --all --json
jq_is stdout 'length == 30'
run as_user patrol history prune --keep 1
expect_status 3
expect_err "ermission denied"
chmod 000 days/2026-10
run as_user patrol history list
expect_status 3
expect_err "days/2026-10"
run as_user patrol compare
expect_status 3
chmod 755 days days/2026-10
listed
jq_is stdout 'length == 30'
run patrol history import more.json
expect_out "added 3, 0 were there already"

t "a history that is a file is told as one"
fresh
: >days
days in.json 1 3 ''
for what in list 'import in.json' 'prune --keep 1' 'show 5001'; do
	# shellcheck disable=SC2086
	run patrol history $what
	expect_status 3
	expect_err "days"
	expect_err "ot a directory"
done
run patrol compare
expect_status 3
expect_eq "$(wc -c <days)" 0 "what is in it"

t "a month that is a file is told as one"
rm days
mkdir days
: >days/2026-10
run patrol history import in.json
expect_status 3
expect_err "days/2026-10"

t "a full disk is told, and the same again with room adds what is missing"
# Sanitizers want to be loaded first.
preload=$PATROL_BUILD/tests/faults/preload.so
case $PATROL_BUILD in
*/plain) ;;
*) preload='' ;;
esac
if [ -e "$preload" ]; then
	fill
	days more.json 1 5 'os = "15"'
	for op in 'open ENOSPC' 'write ENOSPC' 'short ENOSPC' 'fsync EIO' \
		'close ENOSPC' 'rename ENOSPC'; do
		rm -f struck
		run env FAULT_FILE="*5003* $op" FAULT_MARK="$D/struck" \
			LD_PRELOAD="$preload" patrol history import more.json
		expect_status 3
		expect_err "days/2026-10"
		listed
		jq_is stdout '[.[] | select(.key.os == "15")] | length == 2'
		expect_not_in stderr "can't be used"
		expect_eq "$(find days -name '.*' -type f | wc -l)" 0 "half files"
	done
	run patrol history import more.json
	expect_out "added 3, 2 were there already"
else
	skip "only in the plain build, where make test has made preload.so"
fi

t "one that was killed while it wrote is no trouble, and is done again"
if [ -e "$preload" ]; then
	fill
	days more.json 1 5 'os = "15"'
	for op in 'write KILL' 'rename KILL'; do
		run env FAULT_FILE="*5003* $op" FAULT_MARK="$D/struck" \
			LD_PRELOAD="$preload" patrol history import more.json
		expect_status 137
		listed
		jq_is stdout 'length == 32'
		expect_not_in stderr "can't be used"
	done
	run patrol history import more.json
	expect_out "added 3, 2 were there already"
else
	skip "only in the plain build, where make test has made preload.so"
fi

t "half a file that a crash left goes with the next add or prune, not before an hour"
fresh
days in.json 1 3 ''
need patrol history import in.json >imported
left=days/2026-10/.20261015T120000Z-1-00000001.000000000000.77-0123456789abcdef
for end in '' .part; do
	echo '{' >"$left$end"
	touch -d '2 hours ago' "$left$end"
done
for other in .note .20261015T120000Z-1-00000001 .x.77-0123456789abcdef; do
	echo x >"days/2026-10/$other"
	touch -d '2 hours ago' "days/2026-10/$other"
done
echo '{' >"${left%f}0"
run patrol history prune --keep 100 --dry-run
expect_file "$left"
run patrol history prune --keep 100
expect_out "dropped 0 runs"
expect_out "removed 2 half-written files"
expect_file "${left%f}0"
touch -d '2 hours ago' "${left%f}0"
days in.json 4 4 ''
run patrol history import in.json
expect_status 0
expect_eq "$(cd days/2026-10 && find . -name '.?*' -type f | sort | tr '\n' ' ')" \
	'./.20261015T120000Z-1-00000001 ./.note ./.x.77-0123456789abcdef '

t "a stdin that nobody writes to is left at Ctrl-C"
mkfifo in
exec 8<>in
patrol history import - <in >stdout 2>stderr &
BG_PID=$!
await 'grep -q "^SigCgt:.*[2367abef]$" /proc/$BG_PID/status' ||
	fail "it catches no SIGINT"
signal INT
finish 10
exec 8>&-
expect_status 5
