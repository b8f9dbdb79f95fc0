#!/bin/sh
# A day on which all is well: what a patrol does, and what it leaves.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"

t "the plan of the demo passes on the farm as it is"
farm - -- patrol run --plan "$PLAN" --run-id 4242 --out out --notify
expect_status 0
expect_sound out
expect_all_visited
jq_is out/result.json '.outcome == "passed" and .measured'
jq_is out/result.json '[.interrupts[].name] == ["login_bonus"]'
screen_is home '.off_route'
screen_is party '.off_route == false'
# The loads of the world (1.5 s and 0.6 s) begin when the app takes the tap,
# which a busy machine tells us late: there is no lower bound to test.
screen_is battle '.hold_ms > 0 and .reached_ms > 0'
screen_is unit '.reached_ms > 0'

t "a hold is silent: no call, no screenshot, no shell in it"
journal_is '
	[.[] | select(.event == "control.call")] as $c |
	[range(1; $c | length) | $c[.].t_ms - $c[. - 1].t_ms] | max >= 1000'

t "a patrol without waits visits every screen"
patrol_in "$(world '')" --notify
expect_status 0
expect_all_visited
jq_is out/result.json '.outcome == "passed" and .reason == null and
	.comparable and .errors == [] and .crashes == []'
jq_is out/result.json 'all(.screens[]; .off_route == false)'

t "one snapshot a screen is taken, by screen and commit, and arrives"
jq_is out/result.json '[.screens[].snapshot | select(.) | .name] ==
	(["title", "home", "party", "unit", "quest", "battle", "result",
	"gacha", "shop"] | map(. + "-a1b2c3d"))'
jq_is out/result.json 'all(.screens[].snapshot | select(.);
	.status == "taken" and .size_bytes > 0)'
expect_count snapshot.taken 9
journal_is '[.[] | select(.event == "measure.upload" and
	.kind == "snapshots") | .name] | length == 9'
journal_is 'all(.[] | select(.event == "measure.upload");
	.status == "201" and .run == "4242" and .device == "Pixel 7" and
	(.commit | startswith("a1b2c3d")))'

t "the capture is stopped, with fewer frames kept than there were"
jq_is out/result.json '.captures.profiler | .status == "stopped" and
	.frames_kept >= 0 and .frames_kept < .frames_total and .uploaded and
	(.url | startswith("http")) and .started_at <= .stopped_at'
expect_count capture.start 1
expect_count capture.stop 1
jq_is out/result.json '.measured and all(.uploads[]; .status == "ok")'

t "the graphics states are pulled, after the trace has ended"
jq_is out/result.json '.captures.graphics_states | .status == "pulled" and
	.file == "graphics-states/patrol.graphicsstate"'
expect_file out/graphics-states/patrol.graphicsstate
expect_order gsc.stop phone.pull

t "the phone is reserved once, and returned after adb has let go of it"
expect_count stf.reserve 1
expect_count stf.release 1
expect_count adb.connect 1
expect_count phone.install 1
expect_count app.start 1
expect_order adb.disconnect stf.release
expect_order stf.release slack.post

t "one Slack message is sent, and is the one in slack.json"
expect_count slack.post 1
journal_is 'any(.[]; .event == "slack.post" and .status == "ok")'
expect_eq "$(jq -c .text out/slack.json)" "$(jq -c .text slack-1.json)" "text"

t "the metadata are registered once, before the capture"
expect_count metadata.set 1
expect_order metadata.set capture.start

t "each screenshot is a picture"
for f in $(jq -r '.screens[].screenshot' out/result.json); do
	case $(head -c 4 "out/$f" | od -An -tx1 | tr -d ' ') in
	89504e47 | ffd8ff*) ;;
	*) fail "$f is neither PNG nor JPEG" ;;
	esac
done
expect_eq "$(jq '[.screens[].screenshot] | unique | length' out/result.json)" \
	10 "screenshots"

t "the phone's state is known before and after each screen"
jq_is out/result.json 'all(.screens[].phone | .before, .after;
	.battery_c > 20 and .battery_pct == 87 and .thermal_status == 0 and
	(.cpu_khz | length == 8) and .free_bytes > 0 and .brightness >= 0)'

t "build, phone and start-up are in the result"
jq_is out/result.json '.build | .run_id == "4242" and .branch == "main" and
	(.commit | startswith("a1b2c3d")) and
	(.artifact.digest | startswith("sha256:")) and
	.apk.package == "com.example.starfall" and .apk.debuggable and
	(.apk.sha256 | test("^[0-9a-f]{64}$"))'
jq_is out/result.json '.device | .serial == "SIM0PHONE01" and
	.model == "Pixel 7" and .sdk == 33 and .abi == "arm64-v8a" and .gpu'
jq_is out/result.json '.startup_ms | .process >= 0 and .first_hello >= 0 and
	.first_screen >= .first_hello'
jq_is out/result.json '.plan | .route_hash and
	(.sha256 | test("^[0-9a-f]{64}$"))'

t "the same plan gives the same route on another day"
first=$(jq -r '.plan.route_hash' out/result.json)
patrol_in "$(world '')"
expect_status 0
expect_eq "$(jq -r '.plan.route_hash' out/result.json)" "$first" "route hash"

t "GitHub is told the outcome, and nothing begins a line unasked"
farm "$(world '')" -- env GITHUB_ACTIONS=true GITHUB_OUTPUT=gh.out \
	GITHUB_STEP_SUMMARY=gh.md patrol run --plan "$QUICK" --run-id 4242 \
	--out out
expect_status 0
expect_in gh.out passed
expect_in gh.out measured
expect_file gh.md
expect_sound out
