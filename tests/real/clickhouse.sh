#!/bin/sh
# The history in a genuine ClickHouse: Debian's server, of 2018.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_history.sh
. "${0%/*}/../e2e/lib_history.sh"

t "a history is kept in ClickHouse"
PATH=$PATH:/usr/sbin
if ! command -v clickhouse-server >/dev/null || ! command -v curl >/dev/null; then
	skip "no clickhouse-server or curl (ci/packages test)"
	exit 0
fi
# shellcheck source=tests/real/lib_clickhouse.sh
. "${0%/*}/lib_clickhouse.sh"
ch_up
fresh
days in.json 1 30 'if (d > 24) load *= 1.2; if (d > 29) size *= 1.1'
run patrol history list
expect_status 0
expect_out "no runs in clickhouse:"
run patrol history import in.json
expect_status 0
expect_out "added 30, 0 were there already"

t "what is added again is there once"
run patrol history import in.json
expect_out "added 0, 30 were there already"
expect_eq "$(sql 'SELECT count(), uniq(id) FROM patrol.patrol_records')" \
	"$(printf '30\t30')"

# the_same COMMAND...: says the same of both stores.
the_same()
{
	run "$@"
	expect_status 0
	cp stdout other
	run "$@" --history dir:beside
	expect_status 0
	cmp stdout other || fail "'$*' differs from what a folder says"
}

t "it says what a folder of the same runs says"
run patrol history import --history dir:beside in.json
the_same patrol history list --all --json
the_same patrol history list --last 3 --json
the_same patrol history show --json 2026-10-24
the_same patrol compare --json
the_same patrol compare --run 5028 --json

t "each value is a row for people's own queries"
expect_eq "$(sql "SELECT metric, subject, unit, count(), sum(value), min(used)
	FROM patrol.patrol_metrics WHERE model = 'Pixel 6' AND os = '14'
	GROUP BY metric, subject, unit ORDER BY metric FORMAT TSV")" \
"$(printf 'apk_size\t\tbytes\t30\t12040000000\t1\nload\thome>shop\tms\t30\t%s\t1' \
	"$(jq '[.[].metrics[0].value] | add' in.json)")"
expect_eq "$(sql "SELECT toString(at), commit FROM patrol.patrol_metrics
	WHERE run_id = '5024' AND metric = 'load' FORMAT TSV")" \
	"$(printf '2026-10-24 09:45:02\t00000240000000000000000000000000000000000')"

t "what is pruned is gone at once, values too"
run patrol history prune --keep 10
expect_status 0
expect_out "dropped 20 runs"
run patrol history list --all --json
jq_is stdout '[.[].run_id] == [range(5021; 5031) | tostring]'
expect_eq "$(sql 'SELECT uniq(id) FROM patrol.patrol_metrics')" 10
run patrol history prune --keep 10
expect_out "dropped 0 runs"

t "and can be added again"
run patrol history import in.json
expect_out "added 20, 10 were there already"
the_same patrol history list --all --json

t "of eight that add at once nothing is lost or doubled"
i=0 pids=''
while [ $i -lt 8 ]; do
	days "in$i.json" 1 30 "os = \"w$i\""
	{
		patrol history import "in$i.json" &&
			patrol history import in.json
	} >"out$i" 2>&1 &
	pids="$pids $!"
	i=$((i + 1))
done
for pid in $pids; do
	wait "$pid" || fail "one of eight: $(cat out?)"
done
run patrol history list --all --json
jq_is stdout 'length == 30 + 8 * 30 and
	(group_by(.key.os) | map(length) | unique == [30])'

t "an add that is killed is done again, with nothing twice"
i=0
while [ $i -lt 6 ]; do
	days big.json 1 30 "os = \"k$i\""
	spawn patrol history import big.json
	await "[ -n \"\$(sql \"SELECT 1 FROM patrol.patrol_metrics
		WHERE os = 'k$i' LIMIT 1\")\" ] ||
		! kill -0 $BG_PID" || fail "it never began"
	kill -KILL "$BG_PID" 2>/dev/null
	finish
	run patrol history import big.json
	expect_status 0
	i=$((i + 1))
done
run patrol history list --all --json
jq_is stdout '[.[] | select(.key.os | startswith("k"))] | length == 180'
expect_eq "$(sql "SELECT count() FROM patrol.patrol_metrics FINAL
	WHERE os LIKE 'k%'")" 360

t "a server that is killed has what it said that it has"
ch_down KILL
run patrol history list
expect_status 3
expect_err "is the server up"
ch_up
run patrol history list --all --json
jq_is stdout '[.[] | select(.key.os | startswith("k"))] | length == 180'
run patrol history import in.json
expect_out "added 0, 30 were there already"

t "a server that is down takes no record, and says where it was looked for"
days late.json 1 3 'os = "late"'
ch_down
run patrol history import late.json
expect_status 3
expect_err "127.0.0.1:$CH_PORT"
farm busy -- patrol run --plan "$ROOT/tests/data/plans/quick.yaml" \
	--run-id 4242 --out out
expect_status 0
jq_is out/result.json '.outcome == "skipped" and
	([.warnings[].reason] | index("not_recorded"))'
ch_up
run patrol history add out
expect_out "added 1, 0 were there already"
run patrol history import ../1/late.json
expect_out "added 3, 0 were there already"

# Somebody is connected to the server.
asked()
{
	awk -v port="$(printf ':%04X' "$CH_PORT")" '
		$4 == "01" && substr($3, 9) == port { found = 1 }
		END { exit !found }' /proc/net/tcp
}

t "a server that hangs is left in time, and has what it took once"
days hangs.json 1 3 'os = "hangs"'
kill -STOP "$CH_PID"
run env PATROL_BUDGET_HISTORY=300ms patrol history list
expect_status 4
run env PATROL_BUDGET_HISTORY=300ms patrol history import hangs.json
expect_status 4
spawn patrol history import hangs.json
await asked || fail "it never asked"
signal INT
finish
expect_status 5
kill -CONT "$CH_PID"
run patrol history import hangs.json
expect_status 0
run patrol history list --all --json
jq_is stdout '[.[] | select(.key.os == "hangs")] | length == 3'

t "a wrong password is told, and none is shown"
run env PATROL_CLICKHOUSE_PASSWORD=open-barley patrol history list
expect_status 3
expect_err "look at PATROL_CLICKHOUSE_USER and PATROL_CLICKHOUSE_PASSWORD"
run env PATROL_CLICKHOUSE_PASSWORD=open-barley PATROL_DEBUG=1 \
	patrol history import in.json
expect_status 3
expect_not_in stderr open-barley
run env -u PATROL_CLICKHOUSE_USER PATROL_DEBUG=1 patrol history list
expect_status 0
expect_not_in stderr open-sesame

t "who may only read does, and is told what is missing to add"
run env PATROL_CLICKHOUSE_USER=reader patrol history list --all --json
jq_is stdout 'length > 200'
run env PATROL_CLICKHOUSE_USER=reader patrol compare --json
expect_status 0
days more.json 1 1 'os = "more"'
run env PATROL_CLICKHOUSE_USER=reader patrol history import more.json
expect_status 3
expect_err "the user 'reader' has to be allowed to read, insert"
run env PATROL_CLICKHOUSE_USER=reader patrol history prune --keep 1
expect_status 3

t "a record of a newer patrol, half a one and others' rows spoil nothing"
row()
{
	sql "INSERT INTO patrol.patrol_records FORMAT JSONEachRow
{\"id\": \"$1\", \"at\": 1, \"record\": \"$2\"}"
}
NEWER=20261101T000000Z-1-aaaaaaaa
HALF=20261102T000000Z-1-aaaaaaaa
LONG=20261103T000000Z-1-aaaaaaaa
row $NEWER "{\\\"schema_version\\\": 99, \\\"id\\\": \\\"$NEWER\\\"}"
row $HALF "{\\\"schema_version\\\": 1, \\\"id\\\": \\\"$HALF\\\", \\\"me"
row "somebody else's" '{}'
row 'zzzz' '{}'
{
	printf 'INSERT INTO patrol.patrol_records FORMAT JSONEachRow\n'
	printf '{"id": "%s", "at": 1, "record": "' $LONG
	head -c 100000000 /dev/zero | tr '\0' x
	printf '"}\n'
} >long.sql
expect_eq "$(sql @long.sql)" ""
run patrol history list --all --json
expect_status 0
jq_is stdout '[.[] | select(.key.os == "14")] | length == 30'
expect_err "3 of the records can't be used"
rm long.sql

t "the damaged ones can be dropped, and only those"
run patrol history prune --broken
expect_status 0
expect_out "dropped 2 runs"
expect_eq "$(sql "SELECT id FROM patrol.patrol_records
	WHERE id IN ('$NEWER', '$HALF', '$LONG', 'zzzz') ORDER BY id")" \
	"$(printf '%s\nzzzz' $NEWER)"

t "a server without memory says so, and a day's own question is small enough"
sql "INSERT INTO patrol.patrol_records SELECT
	concat('20250101T', toString(100000 + number), 'Z-1-a'), 1,
	arrayStringConcat(arrayMap(x -> 'xxxxxxxxxx', range(10000)))
	FROM numbers(400)" >/dev/null
run env PATROL_CLICKHOUSE_USER=narrow patrol history list --all
expect_status 3
expect_err "Memory limit"
run env PATROL_CLICKHOUSE_USER=narrow patrol history list --last 5 --json
expect_status 0
ch_down

t "a server whose disk is full says so, and takes all when there is room"
mkdir "$T/small"
if mount -t tmpfs -o size=2m none "$T/small" 2>/dev/null; then
	ch_up "$T/small"
	: >full
	i=0
	while [ $i -lt 60 ] && [ ! -s full ]; do
		days "f$i.json" 1 30 "os = \"f$i\""
		run patrol history import "f$i.json"
		[ "$STATUS" -eq 0 ] || echo $i >full
		i=$((i + 1))
	done
	expect_status 3
	expect_err "make room on the server"
	mount -o remount,size=200m "$T/small"
	run patrol history import "f$(cat full).json"
	expect_status 0
	run patrol history list --all --json
	jq_is stdout "length == ($(cat full) + 1) * 30"
	ch_down
	umount "$T/small"
else
	skip "mounting a tmpfs is not allowed"
fi
