#!/bin/sh
# The app's whole log, filtered while a patrol runs: on the phone, by the program
# that is put there, which qemu-aarch64 runs.

. "${0%/*}/lib.sh"
. "${0%/*}/lib_run.sh"
. "${0%/*}/lib_capture.sh"

t "a missing program is told before a phone is taken"
export PATROL_DEVICE_FILTER="$T/none"
capture_in "$(filtered device)" "$(short)"
expect_status 2
jq_is out/result.json '.reason == "no_device_filter"'
expect_err "make device-filter"
expect_count stf.reserve 0

t "a program for another processor is told, and the walk goes on"
export PATROL_DEVICE_FILTER=/bin/true
capture_in "$(filtered device)" "$(short)"
expect_status 1
jq_is out/result.json '.captures.profiler.status == "failed" and
	any(.errors[]; .reason == "no_device_filter") and
	all(.screens[]; .status == "visited")'
expect_clean_phone
unset PATROL_DEVICE_FILTER

# From here on the program itself.
t "the program on the phone filters beside the app"
if ! command -v qemu-aarch64 >/dev/null; then
	skip "no qemu-aarch64"
	exit 0
fi
if ! make -s -C "$ROOT" device-filter >"$T/make.out" 2>&1; then
	if command -v aarch64-linux-gnu-gcc >/dev/null; then
		fail "make device-filter: $(tail -n 1 "$T/make.out")"
	else
		skip "no aarch64-linux-gnu-gcc"
	fi
	exit 0
fi
capture_in "$(filtered device 's/hold: 0ms/hold: 200ms/')" "$(short)"
expect_captured device
expect_spikes
expect_count phone.program 1
expect_count phone.program_end 1
journal_is 'any(.[]; .event == "phone.program" and
	.as == "com.example.starfall")'

t "it reads the file in which the app counts allocations"
capture_in "$(counted device)" "$(counting)"
expect_status 0
jq_is out/result.json '.captures.profiler.recordings[0].reasons.gc >= 2'
expect_counted

t "one in the app's own folder, too"
own=/data/data/com.example.starfall/files/gc.txt
capture_in "$(counted device "s|{files}/gc.txt|$own|")" "$(short "raw_gc: none
gc_file: $own")"
expect_status 0
expect_counted
expect_no_file "phone$own"

t "but none of an earlier run, nor of the process before"
farm_up "$(counting 'crash_at: {screen: party, times: 1}')"
mkdir -p "${COUNTER%/*}"
seq -f '%.0f 9000000' 90000000000 5000000 99000000000 >"$COUNTER"
spawn patrol run --plan "$(counted device)" --run-id 4242 --out out \
	--visit title --visit home --visit party --visit home
finish
expect_status 1
expect_sound out
jq_is out/result.json '.captures.profiler |
	([.recordings[].ok] == [true, true]) and
	all(.recordings[]; .kept * 4 < .frames)'
expect_counted
farm_down

t "a file that is not there is told"
capture_in "$(counted device)" "$(short 'raw_gc: none')"
expect_uncounted "gc.txt.: No such file" "gc.txt"

t "so is one without a line in it"
capture_in "$(counted device)" "$(counting 'gc_garbage: true')"
expect_uncounted "gc.txt. has no values" "has no values"

t "it is started anew for an app that crashed"
capture_in "$(filtered device)" "$(short 'crash_at: {screen: party, times: 1}')" \
	--visit home
expect_status 1
jq_is out/result.json '.captures.profiler |
	([.recordings[].ok] == [true, true])'
expect_count phone.program 2
expect_count phone.program_end 2
expect_clean_phone

t "it ends with a signal, and nothing stays on the phone"
held=$(filtered device 's/hold: 0ms/hold: 3s/')
farm_up "$(short)"
spawn patrol run --plan "$held" --run-id 4242 --out out
need await 'happened game.screen '"'"'.name == "home"'"'"
signal TERM
finish 8
expect_status 5
expect_sound out
expect_clean_phone

t "it ends by itself when patrol is killed"
farm_up "$(short)"
spawn patrol run --plan "$held" --run-id 4242 --out out
need await 'happened game.screen '"'"'.name == "home"'"'"
signal KILL
finish 8
await 'happened phone.program_end' || fail "the program still runs"
expect_eq "$(programs)" "" "what runs on the phone"

t "and what it left is gone with reap, and the next run has it again"
run patrol reap
expect_status 0
expect_clean_phone
spawn patrol run --plan "$(filtered device)" --run-id 4242 --out out \
	--visit title
finish
expect_status 0
expect_sound out
expect_clean_phone
farm_down

t "a filter that dies is told, and the walk goes on"
farm_up "$(short)"
spawn patrol run --plan "$held" --run-id 4242 --out out --visit title \
	--visit home
need await '[ -n "$(programs)" ]'
# Several numbers are words.
# shellcheck disable=SC2046
kill -KILL $(programs)
finish
expect_status 1
expect_sound out
jq_is out/result.json '.captures.profiler.status == "failed" and
	any(.errors[]; .reason == "filter_failed") and
	all(.screens[]; .status == "visited")'
expect_err "the filter on the phone has ended"
expect_order capture.stop app.stop
expect_clean_phone
farm_down

t "a filter that falls behind is told, and the recording is stopped"
many=$(filtered device 's/^  visit: .*/  visit: [title, home, party, home, party, home, party, home, party, home, party, home, party, home, party, home, party, home, party, home, party, home]/')
farm_up "$(short)"
spawn patrol run --plan "$many" --run-id 4242 --out out
need await '[ -n "$(programs)" ] && happened game.screen'
# shellcheck disable=SC2046
kill -STOP $(programs)
await 'grep -q "fell behind" stderr' || fail "nobody says it"
# shellcheck disable=SC2046
kill -CONT $(programs)
finish
expect_status 0
expect_sound out
expect_err "falls behind"
jq_is out/result.json '.captures.profiler | .status == "pulled" and
	(.message | test("fell behind"))'
expect_clean_phone
farm_down

t "a phone that is full is told, and the walk goes on"
capture_in "$(filtered device)" "$(short '' 'phone: {free_bytes: 5000000}')"
expect_status 1
jq_is out/result.json '.captures.profiler.status == "failed" and
	any(.errors[]; .message | test("[Nn]o space left")) and
	all(.screens[]; .status == "visited")'
expect_clean_phone

t "a connection that breaks ends one recording, and another one follows"
capture_in "$(filtered device 's/hold: 0ms/hold: 700ms/')" \
	"$(short '' 'phone: {adbd_restarts: {walking: true, after: 300ms}}')" --visit home
expect_status 0
jq_is out/result.json '.captures.profiler | .status == "pulled" and
	([.recordings[].ok] | length >= 2 and all) and
	(.recordings[0].message | test("was lost"))'
expect_clean_phone

t "and so when it breaks again while that is done"
capture_in "$(filtered device 's/hold: 0ms/hold: 700ms/')" "$(short '' \
	'phone: {adbd_restarts: {walking: true, after: 300ms, down: 100ms, times: 4}}')" \
	--visit home
expect_status 0
jq_is out/result.json '.captures.profiler | .status == "pulled" and
	([.recordings[].ok] | length >= 2 and all)'
expect_clean_phone
