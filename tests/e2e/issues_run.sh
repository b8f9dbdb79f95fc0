#!/bin/sh
# A run and `patrol compare` register what got worse, and its issue is told
# wherever the day is: result.json, Slack, report and summary.
. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

PATROL_HISTORY=dir:$T/days
export PATROL_HISTORY

# before DAYS: the run in out/ as of so many days ago, with a smaller APK.
before()
{
	mkdir -p "old-$1"
	jq --argjson s $((86400 * $1)) --arg n $((4242 - $1)) '
		.started_at |= (fromdate - $s | todate) |
		.ended_at |= (fromdate - $s | todate) |
		.build.run_id = $n | .build.apk.size_bytes |= (. * 0.8 | floor)
		' out/result.json >"old-$1/result.json"
	need patrol history add "old-$1"
}

# A run is known by the second it began in: no two in one.
another_second()
{
	await "[ \"\$(date +%s)\" -gt $(date +%s) ]" 10 || fail "the clock stands"
}

t "a run that got worse registers it and tells of it"
farm_up "$(world)"
run env -u PATROL_HISTORY patrol run --plan "$QUICK" --run-id 4242 --out out
expect_status 0
before 2
before 1
run patrol run --plan "$QUICK" --run-id 4242 --out out --file-issues
expect_status 0
expect_sound out
expect_err '#318 created'
jq_is out/result.json '.outcome == "passed" and
	[.regressions[] | select(.metric == "apk_size") |
	.issue == "318" and
	.url == "https://github.com/example/starfall/issues/318"] == [true]'
jq_is github/issues.json '.issues | length == 1 and
	(.[0].title | startswith("apk_size "))'
for file in slack.json report.html summary.md; do
	expect_in out/$file https://github.com/example/starfall/issues/318
done
expect_no_secret out

t "the comparison of the same run says nothing twice"
run patrol compare --result out/result.json --file-issues --json
expect_status 0
fits_schema compare stdout
jq_is stdout '.registered | length == 1 and (.[0] |
	.number == 318 and .action == "known" and .metric == "apk_size")'
jq_is stdout ".runs == 3"
jq_is github/issues.json '.issues | length == 1 and .[0].comments == []'

t "a failure to file is a warning and no verdict"
rm -rf "$T/days"
printf 'github: {issues: {forbidden: true}}\n' >"$T/forbidden.yaml"
farm_up "$(world '' 'github: {issues: {forbidden: true}}')"
run env -u PATROL_HISTORY patrol run --plan "$QUICK" --run-id 4242 --out out
before 1
run patrol run --plan "$QUICK" --run-id 4242 --out out --file-issues
expect_status 0
jq_is out/result.json '.outcome == "passed" and
	([.warnings[] | select(.reason == "issues_failed") | .message |
	contains("permissions: issues: write")] == [true]) and
	.regressions[0].issue == null'
run patrol compare --result out/result.json --file-issues --fail-on regression
expect_status 1
expect_err 'issues: write'
run patrol compare --result out/result.json --file-issues --dry-run
expect_status 0
expect_err 'apk_size of the run: issue not yet created'

t "what GitHub did not take on its day is filed by the next run, and then no more"
rm -rf "$T/days"
farm_up "$(world '' 'github: {faults: [{call: "POST */issues", times: 1,
  status: 503, effect: false}]}')"
run env -u PATROL_HISTORY patrol run --plan "$QUICK" --run-id 4242 --out out
before 2
before 1
run patrol run --plan "$QUICK" --run-id 4242 --out out --file-issues
expect_status 0
expect_count issue.write 0
jq_is out/result.json '.regressions[0] | .new and .issue == null'
another_second
run patrol run --plan "$QUICK" --run-id 4242 --out out2 --file-issues
expect_status 0
expect_count issue.write 1
jq_is out2/result.json '.regressions[0] | .new == false and .days == 2 and
	.issue == "318"'
jq_get out2/result.json '.started_at[:10]' >today
jq_get github/issues.json '.issues[0].body' >body
expect_in body "last good: $(date -u -d "$(cat today) -1 day" +%F), build"
expect_in body "first bad: $(cat today), build"
another_second
run patrol run --plan "$QUICK" --run-id 4242 --out out3 --file-issues
expect_status 0
expect_count issue.write 1
expect_err '#318 known'
jq_is out3/result.json '.regressions[0] | .days == 3 and .issue == "318"'

t "a later comparison names the plan of its run"
cp out/result.json "$T/worse.json"
farm_up "$(world)"
run patrol compare --result "$T/worse.json" --file-issues
expect_status 0
jq_is github/issues.json '.issues[0].body | contains("quick.yaml")'

t "a run without a regression asks nothing of GitHub's issues"
rm -rf "$T/days"
farm_up "$(world)"
run patrol run --plan "$QUICK" --run-id 4242 --out out --file-issues
expect_status 0
journal_is 'all(.[]; .path // "" | contains("/issues") | not)'
run patrol compare --dry-run
expect_status 2
