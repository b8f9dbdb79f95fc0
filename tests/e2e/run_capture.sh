#!/bin/sh
# The app's whole log, filtered while a patrol runs: here.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"
. "${0%/*}/lib_capture.sh"

t "segments are pulled between the stays and filtered here"
# A new file of the log is so long after a frame not to blame for it.
held='s/hold: 0ms/hold: 200ms/'
capture_in "$(filtered host "$held")" "$(short)"
expect_captured host
expect_spikes

t "its frames are those that patrol frames lists"
run patrol frames out/capture/patrol-1.raw --json
expect_status 0
cp stdout frames.json
jq_is out/result.json '[.captures.profiler.spikes[].frame] | sort ==
	($f[0].frames | map(.original_index) | sort)' --slurpfile f frames.json

t "a script starts the log where the server has no profiler of its own"
capture_in "$(filtered host)" "$(short 'capabilities: [ui, tree, nav, wait, screenshot, script, call, action, gsc, log]')"
expect_captured host

t "a log without allocations says so, and time alone decides"
capture_in "$(filtered host)" "$(short 'raw_gc: none')"
expect_status 0
jq_is out/result.json '.captures.profiler.recordings[0] |
	.gc_source == null and .kept >= 2 and
	any(.warnings[]; test("time alone decided"))'
expect_in out/report.html "time alone decided"

t "the counter of the app is a source, too"
capture_in "$(filtered host 's/frame_time: 300ms/frame_time: 10s/')" \
	"$(short 'raw_gc: counter')"
expect_status 0
jq_is out/result.json '.captures.profiler.recordings[0] |
	.gc_source == "counter" and .reasons.gc >= 2 and .reasons.time == 0'

t "the file in which the app counts allocations decides where the log knows none"
capture_in "$(counted host)" "$(counting)"
expect_status 0
jq_is out/result.json '.captures.profiler.recordings[0].reasons.gc >= 2'
jq_is out/result.json '.captures.profiler.spikes |
	any(.[]; .gc_bytes >= 2000000 and .from == "title")'
expect_counted
run patrol frames out/capture/patrol-1.raw --json --by gc
expect_status 0
jq_is stdout '.summary.gc_source == "file" and
	all(.frames[]; .gc_bytes >= 2000000)'

t "and is none of an earlier run, nor of the process before"
farm_up "$(counting 'crash_at: {screen: party, times: 1}')"
mkdir -p "${COUNTER%/*}"
# On the clock of this run's frames, all of them too large.
seq -f '%.0f 9000000' 90000000000 5000000 99000000000 >"$COUNTER"
spawn patrol run --plan "$(counted host)" --run-id 4242 --out out \
	--visit title --visit home --visit party --visit home
finish
expect_status 1
expect_sound out
jq_is out/result.json '.captures.profiler |
	([.recordings[].ok] == [true, true]) and
	all(.recordings[]; .kept * 4 < .frames)'
expect_counted
farm_down

t "without the file time alone decides, and everybody is told"
capture_in "$(counted host)" "$(short 'raw_gc: none')"
expect_uncounted "gc.txt.: No such file" "gc.txt"

t "so when there is no line in it"
capture_in "$(counted host)" "$(counting 'gc_garbage: true')"
expect_uncounted "gc.txt. has no values" "has no values"

t "so when an old one can't be removed"
farm_up "$(short 'raw_gc: none')"
mkdir -p "$COUNTER"
spawn patrol run --plan "$(counted host)" --run-id 4242 --out out --visit title
finish
expect_status 6
jq_is out/result.json '.captures.profiler.recordings[0].gc_source == null and
	any(.warnings[]; .reason == "gc_unknown") and
	any(.errors[]; .where == "gc counter") and
	any(.left_behind[]; .name == "raw capture")'
expect_err "it is not used"
rmdir "$COUNTER"
farm_down

t "one that is begun anew while it is read ends there, and that is told"
farm_up "$(counting)"
spawn patrol run --plan "$(counted host 's/hold: 0ms/hold: 400ms/')" \
	--run-id 4242 --out out --visit title --visit home --visit party \
	--visit home --visit party
need await '[ -s out/.work-raw/1.gc ]'
rm "$COUNTER"
finish
expect_status 0
expect_sound out
jq_is out/result.json '.captures.profiler.recordings[0] |
	.ok and any(.warnings[]; test("became shorter while it was read"))'
expect_clean_phone
farm_down

t "the log's own allocations decide where the counter tells nothing"
capture_in "$(counted host)" "$(short)"
expect_status 0
jq_is out/result.json '.captures.profiler.recordings[0] |
	.gc_source == "samples" and .reasons.gc >= 2'
jq_is out/result.json 'any(.warnings[]; .reason == "gc_counter_unused")'

t "an app that crashes and is started again makes two recordings"
capture_in "$(filtered host)" "$(short 'crash_at: {screen: party, times: 1}')" \
	--visit home
expect_status 1
jq_is out/result.json '.reason == "crash" and (.captures.profiler |
	.status == "pulled" and ([.recordings[].ok] == [true, true]) and
	(.recordings[0].message | length > 0) and
	.recordings[0].bytes_lost > 0 and .recordings[1].message == null)'
jq_is out/result.json '[.captures.profiler.spikes[].recording] | unique ==
	[1, 2]'
expect_file out/capture/patrol-2.raw
expect_clean_phone

t "a capture that ends with the app is kept as far as it went"
capture_in "$(filtered host 's/max_restarts: .*//')" \
	"$(short 'crash_at: {screen: party, times: always}')"
expect_status 1
jq_is out/result.json '.measured and .captures.profiler.frames_kept >= 1'
expect_clean_phone

t "max_output stops it, and the walk goes on"
capture_in "$(filtered host 's/^    gc_alloc: 2MB/&\
    max_output: 2kB/')" "$(short)" --visit home
expect_status 0
jq_is out/result.json '.captures.profiler.recordings[0] |
	.ok and .complete == false and .bytes_out <= 2000'
jq_is out/result.json 'all(.screens[]; .status == "visited")'
expect_clean_phone

t "a signal in the walk leaves nothing on the phone"
farm_up "$(short)"
spawn patrol run --plan "$(filtered host 's/hold: 0ms/hold: 3s/')" \
	--run-id 4242 --out out
need await 'happened game.screen '"'"'.name == "home"'"'"
signal INT
finish 8
expect_status 5
expect_sound out
expect_clean_phone
farm_down

t "after SIGKILL reap ends the app and removes its segments before it gives back"
held=$(filtered host 's/hold: 0ms/hold: 3s/')
killed()
{
	farm_up "$(short)"
	spawn patrol run --plan "$held" --run-id 4242 --out out
	need await 'happened game.screen '"'"'.name == "home"'"'"
	signal KILL
	finish 8
	need [ -d "$RAW" ]
}
killed
run patrol reap
expect_status 0
expect_err "capture 127.0.0.1"
expect_clean_phone
expect_order app.stop stf.release
expect_count stf.release 1

t "so does the next run"
killed
run patrol run --plan "$QUICK" --run-id 4242 --out out2 --visit title
expect_status 0
expect_sound out2
expect_clean_phone

t "the file in which the app counts goes with reap, too"
farm_up "$(counting)"
spawn patrol run --plan "$(counted host 's/hold: 0ms/hold: 3s/')" \
	--run-id 4242 --out out
need await 'happened game.screen '"'"'.name == "home"'"'"
signal KILL
finish 8
need [ -e "$COUNTER" ]
run patrol reap
expect_status 0
expect_err "gc_counter 127.0.0.1"
expect_no_file "$COUNTER"
expect_clean_phone

t "reap says when the phone is not ours any more, and its files stay there"
killed
curl -s -X DELETE -H "Authorization: Bearer $STF_TOKEN" \
	"$STF_URL/api/v1/user/devices/SIM0PHONE01" >/dev/null
run patrol reap
expect_status 0
expect_err "left as it is: the phone is not ours any more"
need [ -d "$RAW" ]
farm_down

t "a plan that filters what the app filters is refused"
run patrol plan check "$(variant 's/^    stop: capture_stop/&\
    filter: device/')"
expect_status 2
expect_err "use: unity.profiler"
run patrol plan check "$(variant 's/^    stop: capture_stop/&\
    around: 3/')"
expect_status 2
expect_err "needs 'filter"
run patrol plan check "$(variant 's/^    stop: capture_stop/&\
    gc_counter: "{files}\/gc.txt"/')"
expect_status 2
expect_err "'gc_counter' needs 'filter"
for path in gc.txt /sdcard/gc.txt '{files}/' '{files}/../gc.txt'; do
	run patrol plan check "$(filtered host "s|^    gc_alloc: 2MB|&\\
    gc_counter: '$path'|")"
	expect_status 2
	expect_err "is no file of the app"
done
