#!/bin/sh
# patrol why: each day's cause, what shows it, and the next step.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

command -v jq >/dev/null || { echo "skip - no jq"; exit 0; }
RESULTS=$ROOT/tests/data/results

t "a skipped day names the holder, the stage and what to do"
patrol_in "$ROOT/fixtures/scenarios/busy.yaml"
run patrol why out
expect_status 0
expect_eq "$(head -c 25 stdout)" "SKIPPED, nothing measured"
expect_out "[device_busy]"
expect_out "is held by qa-team"
expect_out "stage: phone: skipped"
expect_out "next      Free the phone"
expect_out "patrol devices --plan "
expect_at_most "$(wc -l <stdout)" 16 "lines"

t "without a word it reads patrol-out, and a file by its name"
mv out patrol-out
run patrol why
expect_status 0
expect_out "[device_busy]"
run patrol why patrol-out/result.json
expect_out "patrol-out/report.html"

t "--json has the same in keys"
run patrol why --json
expect_status 0
jq_is stdout '.outcome == "skipped" and .measured == false and
	.reason == "device_busy" and (.cause | test("qa-team")) and
	(.evidence | length > 1) and (.next[0] | test("Free the phone"))'
cp stdout "$T/why.json"

t "a farm that is down sends to the doctor"
fresh
cp "$PLAN" plan.yaml
env STF_URL=http://127.0.0.1:1 STF_TOKEN=abcdefgh PATROL_STATE_DIR="$D/state" \
	patrol run --plan plan.yaml --apk "$ROOT/build/fixture/starfall.apk" \
	--out out >stdout 2>stderr
run patrol why out
expect_status 0
expect_out "COULD NOT RUN"
expect_out "patrol doctor"

t "every outcome has a cause and, unless it passed, a next step"
for f in "$RESULTS"/*.json; do
	run patrol why --json "$f"
	expect_status 0
	jq_is stdout '(.cause | length) > 0 and
		(.outcome == "passed" or (.next | length) > 0)'
done

t "a folder without a result says that the patrol did not even start"
fresh
mkdir patrol-out
run patrol why
expect_status 0
expect_out "NO RESULT"
expect_out "patrol reap"

# ended SIGNAL COMMAND: a run that gets it on the way to its third screen, and
# then the command.
ended()
{
	farm "$(world "faults: [{kind: nothing, at: ui.click, nth: 2, signal: $1}]")" \
		-- sh -c "patrol run --plan '$QUICK' --run-id 4242 --out out &
			echo \$! >\$PATROL_FARM_DIR/patrol.pid; wait \$!; $2"
}

t "of a run that was killed it tells where that was, and what it holds still"
ended KILL 'patrol why out >why; patrol why --json out >why.json
	patrol reap; patrol why out >after'
expect_status 0
expect_in why "the patrol was killed, or its machine ended, after"
expect_in why "in walk, at party or on the way there [killed]"
expect_in why "phone: not given back yet: the lock of"
expect_in why "the phone SIM0PHONE01"
expect_in why "next      patrol reap"
fits_schema why why.json
jq_is why.json '.reason == "killed" and .outcome == null'

t "when reap has given back what it held, that is told"
expect_in after "what it held was given back by patrol reap [killed]"
expect_in after "in walk, at party or on the way there"

t "without its journal nothing is held that is known of"
rm out/result.json
run env PATROL_STATE_DIR="$D/state" patrol why out
expect_out "in walk, at party"
expect_out "phone: nothing is held"
expect_not_in stdout "patrol reap"
run env PATROL_STATE_DIR="$D/out/events.ndjson" patrol why out
expect_status 0
expect_out "phone: not known whether it is back"
expect_out "next      patrol reap"

t "of one that still runs it tells where it is"
farm "$(world 'faults: [{kind: silent, at: ui.click, nth: 2}]')" -- sh -c "
	patrol run --plan '$QUICK' --run-id 4242 --out out & pid=\$!
	until grep -q '\"screen\":\"party\"' out/events.ndjson 2>/dev/null ||
		! kill -0 \$pid 2>/dev/null; do sleep 0.05; done
	patrol why out >why; kill \$pid; wait \$pid; true"
expect_in why "RUNNING · "
expect_in why "the patrol still runs: after"
expect_in why "phone: in use by it"
expect_not_in why "nothing measured"

t "what is no result is refused"
echo '{"a": 1}' >x.json
run patrol why x.json
expect_status 2
run patrol why nowhere
expect_status 3
expect_err "nowhere"

t "a broken result is not taken for a patrol that did not start"
echo '{"outcome":' >x.json
run patrol why x.json
expect_status 2
expect_eq "$(cat stdout)" ""
expect_err "not JSON"
expect_err "once more"
mkdir -p folder/result.json
run patrol why folder
expect_status 3

t "a signal ends the wait for a pipe that nobody writes to"
mkfifo pipe
timeout -s TERM 1 patrol why pipe >stdout 2>stderr
expect_eq "$(cat stdout)" ""
expect_err "cancelled by a signal"

t "a run's id is found in a folder of output folders, by its build"
mkdir -p store/mon store/tue
cp "$RESULTS/skipped_busy.json" store/mon/result.json
jq '.build.run_id = "777"' "$RESULTS/upload_failed.json" >store/tue/result.json
run patrol why --from store 777
expect_status 0
expect_out "[not_measured]"
run patrol why --from store 778
expect_status 3
expect_err "'store' has no patrol of run 778; 2 were looked at"

t "a run's id is found among GitHub's artifacts, the patrol's or the build's"
cat >"$T/past.yaml" <<'YAML'
github:
  past:
    - {run: 5009, build: "41", outcome: skipped, measured: false, reason: device_busy, message: "Pixel 7 is held by bob"}
    - {run: 5008, build: "40", outcome: infra_error, measured: false, reason: farm_unreachable, message: "the farm is down"}
YAML
farm "$T/past.yaml" -- patrol why 5008
expect_status 0
expect_out "the farm is down [farm_unreachable]"
farm "$T/past.yaml" -- patrol why 41
expect_status 0
expect_out "Pixel 7 is held by bob [device_busy]"
farm "$T/past.yaml" -- patrol why 99
expect_status 3
expect_err "has no patrol of run 99; 2 were looked at"
