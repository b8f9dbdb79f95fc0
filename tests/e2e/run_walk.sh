#!/bin/sh
# Ways that do not work, screens that nobody knows, popups.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "an interrupt before the first screen marks that screen"
patrol_in "$(world 'popups: {login_bonus: {on: title, times: 1}}')" --visit title
expect_status 0
screen_is title '.off_route and .off_route_reason == "interrupt login_bonus"'

t "what comes over a screen in its hold marks that visit, not the next alone"
plan=$(variant 's/hold: 0ms/hold: 900ms/')
patrol_plan "$plan" "$(world 'popups: {login_bonus: {delay: 300ms}}')" \
	--visit home --visit party
expect_status 0
screen_is home '.status == "visited" and .off_route and
	.off_route_reason == "interrupt login_bonus"'

t "a broken transition is walked around, and the screen still visited"
patrol_in "$(world 'broken: ["result->home"]')"
expect_status 0
expect_all_visited
screen_is gacha '.off_route and .off_route_reason and
	any(.attempts[]; .status == "timeout")'
screen_is shop '.off_route == false'
jq_is out/result.json 'any(.transitions[]; .detour)'
expect_count stf.release 1

t "a screen that can't be reached is unreached, and the rest is visited"
patrol_in "$(world 'broken: ["*->shop"]')"
expect_status 0
screen_is shop '.status == "unreached" and (.message | length > 0)'
jq_is out/result.json '.outcome == "passed" and
	([.screens[] | select(.status == "visited")] | length == 9)'

t "fail_on: [unreached] makes that a finding"
plan=$(variant '/^connect:/i fail_on: [crash, not_measured, unreached]')
patrol_plan "$plan" "$(world 'broken: ["*->shop"]')"
expect_status 1
jq_is out/result.json '.outcome == "failed" and .reason == "unreached"'

t "limits.unreachable: fail ends the walk there"
plan=$(variant 's/stop_margin: 5s/stop_margin: 5s, unreachable: fail/')
patrol_plan "$plan" "$(world 'broken: ["*->shop"]')" --visit shop --visit home
screen_is shop '.status == "unreached"'
screen_is home '.status == "not_visited"'

t "a transition that fails once is tried again, and the sample is marked"
patrol_in "$(world 'flaky: {"home->party": 1}')"
expect_status 0
expect_all_visited
screen_is party '.off_route and ([.attempts[].status] == ["timeout", "ok"])'
screen_is unit '.off_route == false'

t "landing on another known screen is recorded and planned from there"
patrol_in "$(world 'misroute: {"home->party": gacha}')"
expect_status 0
screen_is party '.off_route and any(.attempts[]; .status == "elsewhere" and
	.landed == "gacha")'
screen_is gacha '.status == "visited"'

t "on a screen that the plan does not know BACK is pressed"
patrol_in "$(world 'misroute: {"home->gacha": notice}')"
expect_status 0
journal_is 'any(.[]; .event == "phone.key" and .key == "BACK")'
screen_is shop '.status == "visited"'
expect_at_most "$(journal_count app.start)" 3 "starts of the app"

t "a popup in the settle is closed and recorded"
patrol_in "$(world 'popups: {login_bonus: {on: party, times: 1}}')"
expect_status 0
expect_all_visited
screen_is party '.off_route'
jq_is out/result.json '[.interrupts[] | [.name, .status]] ==
	[["login_bonus", "handled"]]'
expect_count game.popup 1

t "a popup that comes late, over a screen that has settled, is closed"
patrol_in "$(world 'popups: {login_bonus: {on: party, times: 1, delay: 100ms}}')"
expect_status 0
expect_all_visited

t "an interrupt is handled so often as it may, and not for ever"
plan=$(variant 's|max: 10$|max: 2|')
patrol_plan "$plan" "$(world 'popups: {login_bonus: {on: "*", times: 99}}')"
jq_is out/result.json '[.interrupts[] | select(.name == "login_bonus")] |
	length == 2'
expect_at_most "$STATUS" 1 "status"

t "stop: maintenance ends the walk, and says so"
patrol_in "$(world 'popups: [maintenance]')"
jq_is out/result.json 'any(.interrupts[]; .name == "maintenance" and
	.status == "stopped")'
screen_is title '.status == "visited"'
screen_is party '.status == "not_visited"'
expect_count capture.stop 1
jq_is out/result.json '.message + (.errors | tostring) | test("maintenance")'

t "a network dialog is retried and recorded"
patrol_in "$(world 'popups: [network]')"
expect_status 0
expect_all_visited
jq_is out/result.json 'any(.interrupts[]; .name == "network" and
	.record == "network")'

# The shop is reached from anywhere, and by a short cut of the quest's page.
SHORT='/to: gacha, tap/a\  - {from: quest, to: shop, js: "Nav.push(\x27Shop\x27)", cost: 1, when: {js: "PASS"}}'

t "a transition whose when holds is taken"
plan=$(variant "$(printf '%s' "$SHORT" | sed 's/PASS/1 === 1/')")
patrol_plan "$plan" "$(world)" --visit quest --visit shop
expect_status 0
screen_is shop '.off_route == false and .attempts[-1].from == "quest"'

t "one whose when does not hold is gone around, and never tried"
plan=$(variant -e "$(printf '%s' "$SHORT" | sed 's/PASS/1 === 2/')" \
	-e 's/except: .title, battle./except: [title, battle, quest]/')
patrol_plan "$plan" "$(world)" --visit quest --visit shop
expect_status 0
screen_is shop '.status == "visited" and .off_route_reason == "detour" and
	([.attempts[] | [.from, .to, .status]] ==
		[["quest", "home", "ok"], ["home", "shop", "ok"]])'

t "a screen that goes elsewhere in its hold marks the visit, and where it is"
users_adb
farm_up "$(world)"
spawn patrol run --plan "$(variant 's/hold: 0ms/hold: 5s/')" --run-id 4242 \
	--out out --device "adb:$PATROL_FARM_PHONE" --adb-server "$server" \
	--visit shop
need await 'happened game.screen '"'"'.name == "shop"'"'"
adb -P "${server#*:}" -s "$PATROL_FARM_PHONE" shell input keyevent \
	KEYCODE_BACK
finish 20
adb -P "${server#*:}" kill-server >/dev/null 2>&1
expect_status 0
screen_is shop '.status == "visited" and .off_route and
	.off_route_reason == "it went to home by itself"'
