#!/bin/sh
# What breaks in a genuine STF while a patrol asks for a phone or has it.

. "${0%/*}/lib_stf.sh"

farm_up "$(world)"
OURS=$PATROL_FARM_PHONE
stf_up "$OURS"
PATROL_DEBUG=1
export PATROL_DEBUG

# freeze PROCESS: it is there and does nothing.
freeze()
{
	kill -STOP "$1"
	await "grep -q '^State:.T' /proc/$1/status"
}

thaw()
{
	kill -CONT "$1"
}

t "a phone that becomes ours after a 504 is taken"
WORKER=$(worker "$OURS")
need [ -n "$WORKER" ]
freeze "$WORKER"
walk_away --visit title
shown 'reserve .*Device is not responding'
thaw "$WORKER"
finish
expect_status 0
expect_sound out
jq_is out/result.json '.outcome == "passed"'
expect_eq "$(owner "$OURS")" nobody owner

t "a worker that hangs is told, and what it does later is undone by reap"
freeze "$WORKER"
walk --visit title
expect_status 0
jq_is out/result.json '.outcome == "skipped" and
	.reason == "device_not_responding"'
thaw "$WORKER"
await_owner "$OURS" alice
run patrol reap
expect_status 0
await_free "$OURS"

t "a release answered with 504 is told as left behind, and reap repeats it"
PLAN_AT=$(staying)
walk_away --visit title
shown 'ok *capture'
freeze "$WORKER"
signal TERM
finish
expect_status 6
expect_err "release device '$OURS'"
jq_is out/result.json '.left_behind | length > 0'
expect_no_process
spawn patrol reap
shown 'release .*Device is not responding'
thaw "$WORKER"
finish
expect_status 0
await_free "$OURS"
expect_eq "$(find state -name 'run-*')" '' journals

t "a worker that is killed in the walk ends the run, nothing is left behind"
PATROL_BUDGET_PHONE_LOST=5s walk_away --visit title
shown 'ok *capture'
kill -KILL "$WORKER"
finish
expect_status 3
expect_sound out
jq_is out/result.json '.outcome == "infra_error" and .crashes == []'

t "and the phone is absent until somebody plugs it in anew"
PLAN_AT=''
walk
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .reason == "device_absent"'
unplug "$OURS"
plug "$OURS"
await_free "$OURS"
walk --visit title
expect_status 0
jq_is out/result.json '.outcome == "passed"'

t "by the front proxy the same patrol passes"
STF_URL=$STF_FRONT walk --visit title
expect_status 0
expect_sound out

t "a front proxy that never answers ends within the budget of the phone"
API=$(cat "$STF_DIR/api.pid")
freeze "$API"
BEGAN=$(date +%s)
STF_URL=$STF_FRONT PATROL_BUDGET_TAKE=5s walk
expect_at_most $(($(date +%s) - BEGAN)) 20 seconds
expect_status 3
jq_is out/result.json '.outcome == "infra_error"'
expect_err "$STF_FRONT"
thaw "$API"

t "an API that is gone behind the front proxy is an error of the farm"
kill -KILL "$API"
await "! kill -0 $API"
STF_URL=$STF_FRONT PATROL_BUDGET_TAKE=5s walk
expect_status 3
jq_is out/result.json '.outcome == "infra_error"'
expect_err "$STF_FRONT"
walk
expect_status 3
expect_err "$STF_API"
