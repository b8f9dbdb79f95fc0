#!/bin/sh
# Who gets which phone of a genuine STF, and with which token.

. "${0%/*}/lib_stf.sh"

farm_up "$(world)"
OURS=$PATROL_FARM_PHONE
phone_up other 'model: Pixel 6' 'sdk: 31'
OTHER=$PHONE
stf_up "$OURS" "$OTHER"

# The plan names the phones, the best first.
serials()
{
	variant "s/device: {match: .*}, when/device: {serial: [$1], when/"
}

t "the phone that fits the plan is chosen of those that are free"
run patrol devices --plan "$QUICK" --json
expect_status 0
jq_is stdout '.user == "alice@example.com" and (.devices | length) == 2 and
	.choice.take == $s' --arg s "$OURS"

t "the plan's second phone is taken when the first is busy"
reserve bob "$OTHER"
PLAN_AT=$(serials "'$OTHER', '$OURS'")
walk --visit title
expect_status 0
expect_sound out
jq_is out/result.json '.device.serial == $s' --arg s "$OURS"
release bob "$OTHER"

t "a busy phone skips the day and tells who has it"
reserve bob "$OURS"
PLAN_AT=''
walk
expect_status 0
expect_sound out
jq_is out/result.json '.outcome == "skipped" and .reason == "device_busy" and
	.device.held_by.name == "bob" and
	(.device.held_by.since | test("^20"))'
expect_eq "$(owner "$OURS")" bob@example.com owner

t "a phone that nobody knows is an error of the plan"
PLAN_AT=$(serials NOPE)
walk
expect_status 2
jq_is out/result.json '.outcome == "invalid_input" and
	.reason == "no_device_fits"'
expect_err NOPE
PLAN_AT=''

t "an admin's token does not release another's phone"
STF_TOKEN=admin-token
walk
expect_status 0
jq_is out/result.json '.outcome == "skipped"'
expect_eq "$(owner "$OURS")" bob@example.com owner
release bob "$OURS"
PLAN_AT=$(staying)
PATROL_ADB_KEY=$T/adminkey walk_away --visit title
shown 'ok *phone'
signal KILL
finish
await_owner "$OURS" admin
# Then the admin's lease ends, and bob gets the phone.
release admin "$OURS"
await_free "$OURS"
reserve bob "$OURS"
run patrol reap
expect_status 0
expect_eq "$(owner "$OURS")" bob@example.com owner
expect_eq "$(find state -name 'run-*')" '' journals
release bob "$OURS"
STF_TOKEN=alice-token

t "what a killed run held is given back by reap"
walk_away --visit title
shown 'ok *phone'
signal KILL
finish
await_owner "$OURS" alice
run patrol reap
expect_status 0
expect_eq "$(owner "$OURS")" nobody owner

t "a phone that the account took anew elsewhere is not taken from it by reap"
walk_away --visit title
shown 'ok *phone'
signal KILL
finish
await_owner "$OURS" alice
release alice "$OURS"
await_free "$OURS"
reserve alice "$OURS"
run patrol reap
expect_status 0
expect_eq "$(owner "$OURS")" alice@example.com owner
expect_eq "$(find state -name 'run-*')" '' journals
release alice "$OURS"
PLAN_AT=''

t "a token signed with a former secret, expired, or of nobody is a stale one"
for token in former expired gone; do
	STF_TOKEN=$token-token
	expect_eq "$(api $token GET /user >/dev/null; cat api.status)" 500 \
		"$token"
	walk
	expect_status 3
	jq_is out/result.json '.outcome == "infra_error" and
		.reason == "stale_token"'
	expect_err "a token that has expired; make a"
	expect_not_in stderr "$STF_TOKEN"
done

t "a token that the farm does not know is refused with its cure"
STF_TOKEN=foreign-token
run patrol devices
expect_status 3
expect_err "make a token in STF"
STF_TOKEN=alice-token

t "a phone that others have booked skips the day, with the booking's end"
# Only what is in a bookable group can be booked.
DAY=$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%SZ)
HOUR=$(date -u -d '+1 hour' +%Y-%m-%dT%H:%M:%SZ)
api admin POST /groups '{"name": "lab", "class": "bookable",
	"state": "ready", "startTime": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'",
	"stopTime": "'"$DAY"'"}' >lab.json
LAB=$(jq_get lab.json .group.id)
for who in alice bob; do
	api_is 200 admin PUT "/groups/$LAB/users/$who@example.com"
done
api_is 200 admin PUT "/devices/$OURS/groups/$LAB"
api bob POST /groups '{"name": "mine", "class": "once", "state": "ready",
	"startTime": "'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'",
	"stopTime": "'"$HOUR"'"}' >mine.json
MINE=$(jq_get mine.json .group.id)
api_is 200 bob PUT "/groups/$MINE/devices/$OURS"
api_is 200 bob PUT "/groups/$MINE" '{"state": "ready"}'
await 'api alice GET "/devices/$OURS" >/dev/null;
	[ "$(cat api.status)" = 404 ]' ||
	fail "the booking never began: $(cat mine.json)"
walk
expect_status 0
jq_is out/result.json '.outcome == "skipped" and .reason == "device_busy" and
	(.message | test("booked by bob.*until 20"))'
run patrol devices --json
jq_is stdout '.devices[] | select(.serial == $s) |
	.held_by.email == "bob@example.com" and
	(.booked_until | test("^20"))' --arg s "$OURS"

t "after the booking it can be had again"
api_is 200 bob DELETE "/groups/$MINE"
await_free "$OURS"
walk --visit title
expect_status 0
jq_is out/result.json '.outcome == "passed"'

# --- two patrols and one phone -----------------------------------------------

# racer NAME USER: a patrol of its own machine.
racer()
{
	mkdir -p "$1"
	rm -rf "$1/out"
	PATROL_STATE_DIR=$D/$1/state PATROL_ADB_KEY=$T/key-$2 \
		STF_TOKEN=$2-token patrol run --plan "$STAYING" \
		--run-id 4242 --out "$1/out" --visit title \
		>"$1/stdout" 2>"$1/stderr" </dev/null &
	RACER=$!
}

has_phone()
{
	grep -q 'ok *phone' "$1/stderr"
}

# One has the phone and the other gave up, or both have ended.
decided()
{
	if kill -0 "$A" && kill -0 "$B"; then
		return 1
	fi
	has_phone a && has_phone b ||
	{ has_phone a || ! kill -0 "$A"; } &&
		{ has_phone b || ! kill -0 "$B"; }
}

# round USER USER: exactly one gets it; the other skips.
round()
{
	racer a "$1"
	A=$RACER
	racer b "$2"
	B=$RACER
	await decided 60 || fail "round $1 $2 was never decided"
	kill -TERM $A $B 2>/dev/null
	A_STATUS=0 B_STATUS=0
	wait $A || A_STATUS=$?
	wait $B || B_STATUS=$?
	case $A_STATUS$B_STATUS in
	05) LOSER=a ;;
	50) LOSER=b ;;
	*) fail "round $1 $2 ended with $A_STATUS and $B_STATUS" ;;
	esac
	jq_is "$LOSER/out/result.json" '.outcome == "skipped" and
		.reason == "device_busy"'
	await_free "$OURS"
}

for who in alice bob; do
	run patrol doctor --make-key "$T/key-$who"
	keep_key
done
api_is 200 alice GET /user
STAYING=$(staying)

t "two patrols race for one phone: 15 rounds, one winner each"
round=0
while [ $round -lt 15 ]; do
	round alice bob
	round=$((round + 1))
done

t "two patrols of one account race for it: 8 rounds, one winner each"
while [ $round -lt 23 ]; do
	round alice alice
	round=$((round + 1))
done
