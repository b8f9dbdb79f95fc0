#!/bin/sh
# patrol watch: a measurement that stops is told, once, and nothing else is.

. "${0%/*}/lib.sh"

command -v jq >/dev/null || { echo "skip - no jq"; exit 0; }

# past ITEM...: a scenario whose GitHub has these artifacts; prints its path.
past()
{
	p_file=$T/past-$(printf '%s' "$*" | cksum | tr ' ' -).yaml
	{
		echo 'github:'
		echo '  past:'
		for p_item in "$@"; do
			printf '    - {%s}\n' "$p_item"
		done
	} >"$p_file"
	printf '%s\n' "$p_file"
}

# result FOLDER ENDED MEASURED: as a patrol leaves it.
result()
{
	mkdir -p "$1"
	jq --arg at "$2" --argjson m "$3" '.ended_at = $at | .measured = $m |
		.started_at = $at' "$ROOT/tests/data/results/${4:-passed}.json" \
		>"$1/result.json"
}

FRI='at: "2026-11-27T04:12:00Z"'
MON='at: "2026-11-30T04:12:00Z", run: 5009'
BUSY='outcome: skipped, measured: false, reason: device_busy, message: "Pixel 7 is held by qa-team"'

t "a fresh measurement is one line and status 0"
farm "$(past "$MON" "$FRI")" -- patrol watch --at 2026-11-30T09:00:00Z
expect_status 0
expect_eq "$(wc -l <stdout)" 1 "lines"
expect_out "measured Mon 30 Nov 04:12 UTC, 4 h 48 min of expected time ago (run 5009)"
expect_count slack.post 0

t "on Monday morning nobody misses Sunday"
farm "$(past "$FRI")" -- patrol watch --at 2026-11-30T05:30:00Z
expect_status 0
farm "$(past "$FRI")" -- patrol watch --at 2026-11-29T23:00:00Z
expect_status 0
farm "$(past "$FRI")" -- patrol watch --at 2026-11-30T05:30:00Z --days daily
expect_status 1

t "no run since Friday is told on Monday, with what to do"
farm "$(past "$FRI")" -- patrol watch --at 2026-11-30T09:00:00Z
expect_status 1
expect_count slack.post 1
expect_out "NOTHING MEASURED since Fri 27 Nov 04:12 UTC: 28 h 48 min on days when"
expect_out "No patrol has run since then."
expect_out "To do: See whether the patrol's workflow still runs"
jq_is slack-1.json '.text | test("^NOTHING MEASURED since Fri 27 Nov")'
jq_is slack-1.json '.blocks | tostring | test("No patrol has run since then") and
	test("To do: See whether") and test("example/starfall/actions")'

t "patrols that measured nothing are told with the newest one's reason"
farm "$(past "$MON, $BUSY" "$FRI")" -- patrol watch --at 2026-11-30T09:00:00Z
expect_status 1
expect_out "1 patrol since then measured nothing; the newest says: Pixel 7 is held by qa-team."
expect_out "To do: Free the phone"
jq_is slack-1.json '.blocks | tostring | test("qa-team")'

t "a repository without any such artifact is told as never measured"
farm - -- patrol watch
expect_status 1
expect_count slack.post 1
expect_out "NOTHING MEASURED at all: 'patrol-report-result' of example/starfall"

t "it is told once as long as the silence lasts, and stays status 1"
farm_up "$(past "$FRI")"
run patrol watch --at 2026-11-30T09:00:00Z
expect_status 1
expect_out "Slack was told."
run patrol watch --at 2026-12-01T09:00:00Z
expect_status 1
expect_out "Slack was told when this began."
expect_count slack.post 1
farm_down

t "on a throw-away runner the alert's own artifact keeps it from being repeated"
farm "$(past 'name: patrol-watch-patrol-report-20261127T041200Z' "$FRI")" -- \
	patrol watch --at 2026-11-30T09:00:00Z
expect_status 1
expect_out "Slack was told when this began."
expect_count slack.post 0
# Of another silence, expired, or a stranger's: it says nothing.
for other in 'name: patrol-watch-patrol-report-20261126T041200Z' \
	'name: patrol-watch-patrol-report-20261127T041200Z, expired: true' \
	'name: patrol-watch-patrol-report-20261127T041200Z, fork: true'; do
	farm "$(past "$other" "$FRI")" -- patrol watch --at 2026-11-30T09:00:00Z
	expect_status 1
	expect_count slack.post 1
done

t "the step's outputs name the artifact to leave behind, only when it was told"
farm_up "$(past "$FRI")"
GITHUB_ACTIONS=true GITHUB_OUTPUT=$D/outputs
export GITHUB_ACTIONS GITHUB_OUTPUT
run patrol watch --at 2026-11-30T09:00:00Z
expect_in outputs "fresh=false"
expect_in outputs "alert=patrol-watch-patrol-report-20261127T041200Z"
expect_err "::error title=patrol::NOTHING MEASURED since"
rm outputs
run patrol watch --at 2026-11-30T10:00:00Z
expect_eq "$(grep alert outputs)" "alert=" "output"
unset GITHUB_ACTIONS GITHUB_OUTPUT
farm_down

t "what Slack does not take is told the next time"
farm_up "$ROOT/fixtures/scenarios/slack_gone.yaml"
mkdir past && result past/a 2026-11-27T04:12:00Z true
run patrol watch --from past --at 2026-11-30T09:00:00Z
expect_status 1
expect_err "nobody was told"
expect_out "Slack was NOT told"
expect_eq "$(find state -name '*.told')" "" "note"
farm_down

t "an artifact of a fork's commit is not believed"
farm "$(past "$MON, fork: true" "$FRI")" -- patrol watch \
	--at 2026-11-30T09:00:00Z
expect_status 1

t "another report's artifacts are another watch"
farm "$(past "$MON, name: night-result" "$FRI")" -- patrol watch \
	--at 2026-11-30T09:00:00Z --report-name night
expect_status 0

t "the newest result that can't be read is status 3, and no alarm"
farm "$(past "$MON, broken: true" "$FRI")" -- patrol watch \
	--at 2026-11-30T09:00:00Z
expect_status 3
expect_err "can't tell whether anything was measured"
expect_err "run 5009"
expect_count slack.post 0

t "a GitHub that can't be asked is status 3"
fresh
run env GITHUB_API_URL=http://127.0.0.1:1 GITHUB_REPOSITORY=a/b \
	GITHUB_TOKEN=ghs_1234567890 PATROL_STATE_DIR="$D/state" patrol watch
expect_status 3
expect_err "can't tell whether anything was measured"
run env -u GITHUB_REPOSITORY PATROL_STATE_DIR="$D/state" patrol watch
expect_status 2
expect_err "GITHUB_REPOSITORY is not set"

t "a folder of output folders does as well, however deep they lie"
farm_up -
result store/2026/11/27 2026-11-27T04:12:00Z true
result store/2026/11/30 2026-11-30T04:12:00Z true
run patrol watch --from store --at 2026-11-30T09:00:00Z
expect_status 0
expect_out "store/2026/11/30/result.json"
result store/2026/11/30 2026-11-30T04:12:00Z false skipped_busy
run patrol watch --from store --at 2026-11-30T09:00:00Z
expect_status 1
expect_out "qa-team"
run patrol watch --from store --at 2026-12-01T09:00:00Z
expect_status 1
expect_count slack.post 1

t "a try is no patrol"
rm -r store/2026/11/30
mkdir store/try && jq '.ended_at = "2026-11-30T04:12:00Z" | .measured = true' \
	"$ROOT/tests/data/results/try.json" >store/try/result.json
run patrol watch --from store --at 2026-11-30T09:00:00Z
expect_status 1
farm_down

t "a folder that is not there is status 3, an empty one an alarm"
fresh
run env PATROL_STATE_DIR="$D/state" patrol watch --from nowhere
expect_status 3
expect_err "there is no folder 'nowhere'"
ln -s round round
run env PATROL_STATE_DIR="$D/state" patrol watch --from round
expect_err "look into 'round': Too many levels of symbolic links"
mkdir empty
run env -u SLACK_WEBHOOK_URL PATROL_STATE_DIR="$D/state" patrol watch --from empty
expect_status 1
expect_err "nobody was told: no address in Slack"

t "--dry-run prints the message, sends nothing and forgets it"
farm_up "$(past "$FRI")"
run patrol watch --at 2026-11-30T09:00:00Z --dry-run
expect_status 1
head -1 stdout >message.json
jq_is message.json '.blocks | length > 1'
expect_count slack.post 0
expect_eq "$(find state -name '*.told')" "" "note"

t "--json says the same to machines, and stdout is nothing else"
run patrol watch --at 2026-11-30T09:00:00Z --json --tz +09:00
expect_status 1
jq_is stdout '.fresh == false and .told == "now" and
	.last_measured == "2026-11-27T04:12:00Z" and
	.alert == "patrol-watch-patrol-report-20261127T041200Z" and
	.patrols_since == 0 and .days == "mon-fri" and .time_zone == "+09:00"'
cp stdout "$T/watch.json"
run patrol watch --at 2026-11-27T09:00:00Z --json
expect_status 0
jq_is stdout '.fresh and .alert == null and .told == null'
farm_down

t "wrong words on the command line are refused"
for words in '--days moonday' '--tz Europe/Nowhere' '--at monday' \
	'--max-age 26' 'extra'; do
	# shellcheck disable=SC2086
	run patrol watch --from "$T" $words
	expect_status 2
done
