#!/bin/sh
# prepare.sh RESULT DAYS FOLDER: what the histories of the matrix have in them
# when a run begins, made of a run's result.json and, for `confirm`, of a history
# that has only a run with its visits; started by run.
set -eu

result=$1
days=$2
past=$3
unset PATROL_HISTORY
mkdir "$past"
cd "$past"

# before DAYS SIZE [COMMIT]: the run as of so many days ago, its app of SIZE
# times the size.
before()
{
	mkdir "old-$1"
	jq --argjson days "$1" --argjson size "$2" --arg commit "${3-}" '
		.started_at |= (fromdate - 86400 * $days | todate) |
		.ended_at |= (fromdate - 86400 * $days | todate) |
		.build.run_id = 4242 - $days |
		.build.apk.size_bytes |= (. * $size | floor) |
		if $commit == "" then . else .build.commit = $commit end
		' "$result" >"old-$1/result.json"
}

# on_farm COMMAND: by the shell, in our folder.
on_farm()
{
	(cd "$ROOT" && exec patrol-farm --dir "$past/farm" -- \
		sh -c "cd '$past' && $1")
}

before 2 0.8
before 1 0.8
PATROL_HISTORY=dir:days patrol history add old-2 old-1

git init -q --bare far.git
PATROL_HISTORY=git:patrol-history PATROL_HISTORY_REMOTE=file://$past/far.git \
	PATROL_STATE_DIR=state patrol history add old-2 old-1

on_farm 'PATROL_HISTORY=clickhouse:$PATROL_FARM_CLICKHOUSE \
	patrol history add old-2 old-1'
mv farm/clickhouse clickhouse

# An issue of a month ago, which was verified and closed.
before 32 0.8
before 31 0.8
before 30 1 b1b2c3d4e5f60718293a4b5c6d7e8f9001122334
PATROL_HISTORY=dir:month patrol history add old-32 old-31
on_farm 'PATROL_HISTORY=dir:month patrol compare \
	--result old-30/result.json --file-issues'
jq '.issues[0] |= (.state = "closed" | .labels |=
	map(if . == "awaiting-verification" then "verified" else . end))' \
	farm/github/issues.json >issues.json

# Twenty days in which party came within 200 ms, give or take 100.
PATROL_HISTORY=dir:$days patrol history show --json 4242 >record.json
jq '.key as $key | [range(1; 21) | {
	at: "2026-01-\(if . < 10 then "0" else "" end)\(.)T09:00:00Z",
	run_id: "\(5000 + .)", key: $key,
	metrics: [{name: "load", subject: "home>party", unit: "ms",
		value: (200 + (. % 3 - 1) * 100)}]}]' record.json >faster.json
PATROL_HISTORY=dir:faster patrol history import faster.json
