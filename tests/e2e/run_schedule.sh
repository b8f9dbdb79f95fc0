#!/bin/sh
# Who gets which phone when: candidates in order, bookings, and two patrols on
# one machine.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

TWO=$(world '' 'stf:
  devices:
    - {serial: OTHER1, model: "Pixel 6", owner: qa-team}
    - {serial: OTHER2, model: "Pixel 8", present: false}')
MATCH='s/^device: .*/device: {match: [{model: "Pixel 6"}, {model: "Pixel 8"}, {model: "Pixel 7"}]}/'
SERIALS='s/^device: .*/device: {serial: [OTHER1, OTHER2, SIM0PHONE01]}/'

t "a candidate that is busy or absent gives way to the next of the plan"
patrol_plan "$(variant "$MATCH")" "$TWO" --visit title
expect_status 0
jq_is out/result.json '.device.serial == "SIM0PHONE01"'
patrol_plan "$(variant "$SERIALS")" "$TWO" --visit title
expect_status 0
jq_is out/result.json '.device.serial == "SIM0PHONE01"'

t "of several free phones the plan's first is taken"
# Nothing answers behind the first one: it is enough who was asked for.
FREE=$(world '' 'stf:
  devices:
    - {serial: AAA, model: "Pixel 6"}
    - {serial: ZZZ, model: "Pixel 8"}')
farm "$FREE" -- patrol devices --json --plan \
	"$(variant 's/^device: .*/device: {match: [{model: "Pixel 8"}, {model: "Pixel 7"}, {model: "Pixel 6"}]}/')"
jq_is stdout '.choice.take == "ZZZ"'
farm "$FREE" -- patrol devices --json --plan \
	"$(variant 's/^device: .*/device: {serial: [SIM0PHONE01, ZZZ, AAA]}/')"
jq_is stdout '.choice.take == "SIM0PHONE01"'

t "when all are busy the plan's first is the one that is told"
farm "$(world '' 'stf:
  phone: {owner: bob}
  devices:
    - {serial: AAA, model: "Pixel 6", owner: qa-team}')" -- \
	patrol run --plan "$(variant 's/^device: .*/device: {match: [{model: "Pixel 7"}, {model: "Pixel 6"}]}/')" \
	--run-id 4242 --out out
expect_status 0
jq_is out/result.json '.outcome == "skipped" and
	.device.serial == "SIM0PHONE01" and .device.held_by.name == "bob"'

t "a fixed serial waits for that phone, though another fits"
patrol_plan "$(variant 's/^device: .*/device: {serial: OTHER1}/')" "$TWO"
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .device.serial == "OTHER1"'
expect_count stf.reserve 0

t "a serial that the farm has never had is a mistake of the plan"
patrol_plan "$(variant 's/^device: .*/device: {serial: NONE}/')" "$TWO"
expect_status 2
jq_is out/result.json '.reason == "no_device_fits"'

t "a booking that ends before the deadline is a warning, everywhere"
patrol_in "$(world '' 'stf:
  phone: {slot_ends: 30s}')" --visit title
expect_status 0
jq_is out/result.json '.outcome == "passed" and (.warnings | length) == 1 and
	.warnings[0].reason == "booking_ends" and
	(.warnings[0].message | test("ends in (2[0-9]|30)"))'
expect_err "the booking of 'SIM0PHONE01' ends in"
expect_in out/report.html "the booking of"
expect_in out/summary.md "the booking of"

t "a booking that lasts longer is none"
patrol_in "$(world '' 'stf:
  phone: {slot_ends: 2h}')" --visit title
expect_status 0
jq_is out/result.json '(.warnings // []) == []'
expect_not_in stderr "booking"

# The farm's answer is lost and the phone comes late: until then it looks free
# to every run, and then it is the account's, so both would have it.
SLOW=$(world '' 'stf:
  faults:
    - {call: "POST /user/devices", nth: 1, status: 504, effect_after: 3s}')
locked()
{
	ls state/phone-SIM0PHONE01-*.lock >/dev/null
}
first_asks()
{
	spawn patrol run --plan "$QUICK" --run-id 4242 --out out --visit title
	need await locked
}

t "a second patrol on the machine is told that the first has the phone"
farm_up "$SLOW"
first_asks
patrol run --plan "$QUICK" --run-id 4242 --out out2 --visit title \
	>stdout2 2>stderr2 && STATUS=0 || STATUS=$?
expect_status 0
jq_is out2/result.json '.outcome == "skipped" and .reason == "device_busy" and
	(.message | test("another patrol on this machine: process [0-9]+"))'
finish
expect_status 0
expect_count stf.reserve 1
expect_count stf.release 1
expect_eq "$(find state -name '*.lock')" "" "locks left"

t "when_busy: fail makes that an error, and names the first one's folder"
farm_up "$SLOW"
first_asks
patrol run --plan "$(variant 's/when_busy: skip/when_busy: fail/')" \
	--run-id 4242 --out out2 >stdout2 2>stderr2 && STATUS=0 || STATUS=$?
expect_status 3
jq_is out2/result.json '.outcome == "infra_error"'
expect_in stderr2 "$(pwd -P)/out'"
finish
expect_status 0

t "when_busy: wait runs the second one after the first"
farm_up "$SLOW"
first_asks
patrol run --plan "$(variant 's/when_busy: skip/when_busy: {wait: 60s}/')" \
	--run-id 4242 --out out2 --visit title >stdout2 2>stderr2 &&
	STATUS=0 || STATUS=$?
expect_status 0
jq_is out2/result.json '.outcome == "passed"'
finish
expect_status 0
expect_eq "$(journal '[.[] | select(.event | test("stf.re(serve|lease)")) |
	.event[4:]] | join(" ")')" "reserve release reserve release" "order"

t "while the first one walks, the second hears which process it is"
farm_up "$(world)"
spawn patrol run --plan "$(variant 's/hold: 0ms/hold: 3s/')" --run-id 4242 \
	--out out --visit title
need await 'grep -q adb.connect journal.ndjson'
patrol run --plan "$QUICK" --run-id 4242 --out out2 \
	>stdout2 2>stderr2 && STATUS=0 || STATUS=$?
expect_status 0
jq_is out2/result.json '.outcome == "skipped" and
	(.message | test("on this machine: process [0-9]+ since"))'

t "and patrol devices says so too"
patrol devices --json >devices.json
fits_schema devices devices.json
jq_is devices.json '.devices[0] | .state == "mine" and
	.held_by.name == "alice" and (.since | test("^20")) and
	(.local_run | test("process [0-9]+ since"))'
finish
expect_status 0
expect_given_back

t "the lock of a killed run blocks nobody"
farm_up "$SLOW"
first_asks
signal KILL
finish 8
need locked
run patrol run --plan "$(variant 's/when_busy: skip/when_busy: {wait: 30s}/')" \
	--run-id 4242 --out out2 --visit title
expect_status 0
jq_is out2/result.json '.outcome == "passed"'
expect_eq "$(find state -name '*.lock')" "" "locks left"
