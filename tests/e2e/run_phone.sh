#!/bin/sh
# The farm's phone is somebody else's, or not there: the day is skipped, and
# that is said.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

quick_farm()
{
	farm "$1" -- patrol run --plan "${PLAN_AT:-$QUICK}" --run-id 4242 \
		--out out
	expect_sound out
}

t "a busy phone skips the day, and Slack reads that nothing was measured"
quick_farm busy
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .measured == false'
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'
expect_count stf.reserve 0
expect_count phone.install 0

t "it says which phone, who holds it and since when"
jq_is out/result.json '.device | .serial == "SIM0PHONE01" and
	.model == "Pixel 7" and (.held_by.name | test("qa-team")) and
	.held_by.since'
jq_is out/slack.json '.text + (.blocks | tostring) | test("qa-team")'
jq_is out/slack.json '.text + (.blocks | tostring) | test("Pixel 7")'
expect_in out/junit.xml skipped
expect_in out/summary.md qa-team

t "an absent phone skips the day"
quick_farm absent
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .device.serial'
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'

t "a phone that the farm still prepares skips the day"
quick_farm not_ready
expect_status 0
jq_is out/result.json '.outcome == "skipped"'
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'

t "when_busy: fail makes the busy phone an error"
PLAN_AT=$(variant 's/when_busy: skip/when_busy: fail/')
quick_farm busy
expect_status 3
jq_is out/result.json '.outcome == "infra_error"'
expect_err qa-team

t "when_busy: wait takes the phone when it gets free"
PLAN_AT=$(variant 's/when_busy: skip/when_busy: {wait: 30s}/')
patrol_plan "$PLAN_AT" "$(world '' 'stf:
  phone: {owner: bob, since: 10m}
  events:
    - {when: start, after: 1s, do: release}')" --visit title
expect_status 0
jq_is out/result.json '.outcome == "passed"'
expect_count stf.reserve 1

t "when_busy: wait skips the day when the wait was for nothing"
PLAN_AT=$(variant 's/when_busy: skip/when_busy: {wait: 1s}/')
quick_farm busy
expect_status 0
jq_is out/result.json '.outcome == "skipped"'
PLAN_AT=$QUICK

t "a model that the farm has never had is an error of the plan, not a skip"
quick_farm other_model
expect_status 2
jq_is out/result.json '.outcome == "invalid_input" and
	.reason == "no_device_fits"'
expect_err "Pixel 7"
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'

t "a failed build skips the day, and the day is told"
quick_farm build_failed
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .reason == "build_failed"'
expect_count stf.reserve 0
jq_is out/slack.json '.text | test("nothing (was )?measured"; "i")'

t "a phone taken by another team in the walk ends the run, not the app"
patrol_plan "$(variant 's/hold: 0ms/hold: 1s/')" \
	"$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: takeover, by: qa-team}')"
expect_status 3
jq_is out/result.json '.outcome == "infra_error" and
	.reason == "lease_lost" and .crashes == []'
expect_err qa-team

t "a lease that was ended in the walk ends the run as lost"
patrol_plan "$(variant 's/hold: 0ms/hold: 1s/')" \
	"$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: release}')"
expect_status 3
jq_is out/result.json '.outcome == "infra_error" and
	.reason == "lease_lost" and .crashes == []'

t "a phone that is unplugged in the walk is an error of the farm"
export PATROL_BUDGET_PHONE_LOST=2s
patrol_plan "$(variant 's/hold: 0ms/hold: 1s/')" "$(world '' 'stf:
  events:
    - {when: walk, after: 100ms, do: unplug}')"
expect_status 3
jq_is out/result.json '.outcome == "infra_error" and .crashes == []'
jq_is out/slack.json '.text + (.blocks | tostring) | test("measured"; "i")'
