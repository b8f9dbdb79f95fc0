#!/bin/sh
# The app crashes, hangs, loses its connection.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "after a crash the app is restarted and the next screen visited"
patrol_in "$(world 'crash_at: gacha')"
expect_status 1
jq_is out/result.json '.outcome == "failed" and .reason == "crash"'
screen_is gacha '.status == "crashed"'
screen_is shop '.status == "visited" and .off_route'
expect_count app.start 2

t "its tombstone and the log are kept"
jq_is out/result.json '.crashes | length == 1 and (.[0] |
	.kind == "crash" and .screen == "gacha" and .restarted and
	(.excerpt | length > 0))'
expect_file "out/$(jq -r '.crashes[0].tombstone' out/result.json)"
expect_file "out/$(jq -r '.crashes[0].logcat' out/result.json)"
expect_in "out/$(jq -r '.crashes[0].tombstone' out/result.json)" \
	com.example.starfall
expect_in out/logs/logcat.txt com.example.starfall
jq_is out/slack.json '.text | test("crash"; "i")'

t "a crash at every start of a screen ends in the restarts' limit"
patrol_in "$(world 'crash_at: {screen: home, times: always}')"
expect_status 1
expect_at_most "$(journal_count app.start)" 3 "starts of the app"
jq_is out/result.json '.crashes | length == 3'

t "a crash at the first screen is a crash, not a missing server"
patrol_in "$(world 'crash_at: title')"
expect_status 1
jq_is out/result.json '.crashes | length == 1'
screen_is home '.status == "visited"'

t "an ANR is Android's verdict: recorded, and the walk goes on"
patrol_in "$(world 'anr_at: shop
anr_for: 3s')"
jq_is out/result.json 'any(.crashes[]; .kind == "anr") or
	any(.interrupts[]; .record == "anr")'
expect_at_most "$STATUS" 1 "status"

t "a main thread that hangs is seen, and the app restarted"
patrol_in "$(world 'hang_at: shop')"
expect_status 1
jq_is out/result.json '[.crashes[] | [.kind, .screen]] == [["hung", "shop"]]'
expect_count app.start 2
screen_is home '.status == "visited"'

t "a connection that is lost while the app lives is taken up again"
patrol_in "$(world 'disconnect_at: screenshot')"
expect_status 0
expect_all_visited
expect_count app.start 1
jq_is out/result.json '.crashes == [] and any(.screens[]; .off_route)'

t "an app that started anew by itself is noticed"
patrol_in "$(world 'faults: [{kind: pid_change, at: screenshot, nth: 3}]')"
expect_at_most "$STATUS" 1 "status"
jq_is out/result.json '[.screens[] | select(.status == "visited")] |
	length >= 8'

t "an app without a server is an error, after connect.timeout"
patrol_plan "$(variant 's/timeout: 10s}/timeout: 1s}/')" \
	"$(world 'no_server: true')"
expect_status 3
jq_is out/result.json '.reason == "no_control_server" and .measured == false'

# calls TEXT: how often the app was asked for a script that has it.
calls()
{
	journal "map(select(.event == \"control.call\" and
		((.target // \"\") | contains(\"$1\")))) | length"
}

t "an app that was restarted is told the plan's set-up again"
patrol_in "$(world 'crash_at: gacha')"
expect_count app.start 2
expect_count metadata.set 2
expect_count capture.start 2
expect_eq "$(calls Perf.Session.Start)" 2 "set-ups"

t "a crash in the set-up restarts the app, and the walk is whole"
patrol_plan "$(variant "s,^setup:,setup:\\n  - {tap: //TapToStart}\\n  - {sleep: 300ms},")" \
	"$(world 'crash_at: home')" --visit home --visit party
expect_status 1
jq_is out/result.json '[.crashes[] | [.kind, .restarted]] ==
	[["crash", true]]'
jq_is out/result.json 'all(.screens[]; .status == "visited")'
