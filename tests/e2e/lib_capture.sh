# shellcheck shell=sh
# For tests of the whole log's capture, after lib_run.sh.

OWN=phone/data/data/com.example.starfall/code_cache/patrol
RAW=phone/storage/emulated/0/Android/data/com.example.starfall/files/patrol-raw
COUNTER=phone/storage/emulated/0/Android/data/com.example.starfall/files/gc.txt
VISITS="--visit title --visit home --visit party"

# filtered WHERE [SED-COMMAND]: the quick plan with the whole log.
filtered()
{
	variant -e "s/^    start: capture_start/    use: unity.profiler/" \
		-e "s/^    stop: capture_stop/    filter: $1\\n    segment: 0ms/" \
		-e 's/first_visit/never/' -e 's/^  snapshot: .*//' -e "${2-}"
}

# Spikes long enough to be kept, and no longer.
short()
{
	world "spike: 310ms
${1-}" "${2-}"
}

# counted WHERE [SED-COMMAND]: the same with the app's own counter, and no frame
# is long enough.
counted()
{
	filtered "$1" "s/frame_time: 300ms/frame_time: 10s/;
		s/^    gc_alloc: 2MB/&\\
    gc_counter: \"{files}\/gc.txt\"/;${2-}"
}

# The log of this game tells no allocations; its own file does.
counting()
{
	short "raw_gc: none
gc_file: gc.txt
${1-}"
}

# The counter decided in each recording, about nearly all frames.
expect_counted()
{
	fits_schema result out/result.json
	jq_is out/result.json '.captures.profiler | .status == "pulled" and
		all(.recordings[]; .gc_source == "file" and
			.gc_frames.file > .gc_frames.none and
			.gc_frames.counter + .gc_frames.samples == 0 and
			.reasons.time == 0)'
	jq_is out/result.json 'all(.warnings[]?; .reason | test("^gc_") | not)'
	expect_no_file "$COUNTER"
	expect_clean_phone
}

# expect_uncounted REGEX WORDS: that the counter told nothing is said
# everywhere, and time alone decided.
expect_uncounted()
{
	expect_status 0
	jq_is out/result.json '.captures.profiler.recordings[0] |
		.ok and .gc_source == null and .gc_frames.file == 0 and
		.kept == 0 and any(.warnings[]; test($w))' --arg w "$1"
	jq_is out/result.json 'any(.warnings[]; .reason == "gc_unknown" and
		(.message | test("gc.txt.*time alone decided")))'
	expect_err "$2"
	expect_err "time alone decided"
	expect_in out/report.html "$2"
	expect_no_file "$COUNTER"
	expect_clean_phone
}

# shellcheck disable=SC2086 # words
capture_in()
{
	c_plan=$1 c_world=$2
	shift 2
	patrol_plan "$c_plan" "$c_world" $VISITS "$@"
}

# Neither program nor segment nor folder is on the phone, and nothing runs.
expect_clean_phone()
{
	expect_no_file "$OWN"
	expect_no_file "$RAW"
	expect_no_file phone/data/local/tmp/patrol-filter
	await '[ -z "$(programs)" ]' 10 || fail "on the phone runs $(programs)"
	expect_no_file out/.work-raw
}

# The filters that run on the phone: their folder was it, even when removed.
programs()
{
	for p_pid in $(pgrep -f patrol-filter); do
		case $(readlink "/proc/$p_pid/cwd" 2>/dev/null) in
		"$D/$OWN"*) echo "$p_pid" ;;
		esac
	done
}

# What must hold of a capture that went well.
expect_captured()
{
	expect_status 0
	fits_schema result out/result.json
	jq_is out/result.json '.measured and (.captures.profiler |
		.status == "pulled" and .filter == $w and .frames_kept >= 2 and
		.frames_total > .frames_kept and (.trend | length > 0))' \
		--arg w "$1"
	jq_is out/result.json '.captures.profiler.recordings | length == 1 and
		(.[0] | .ok and .segments >= 3 and .gc_source == "samples" and
		.times.max_ms >= 310 and .times.p50_ms < 100 and
		.bytes_out < .bytes_in)'
	expect_file out/capture/patrol-1.raw
	fits_schema filter out/capture/patrol-1.raw.json
	expect_clean_phone
}

expect_spikes()
{
	jq_is out/result.json '.captures.profiler.spikes |
		all(.[]; .ms >= 310 or .gc_bytes >= 2000000) and
		any(.[]; .from == "title" and .screen == "home" and
			.screenshot == "screens/02-home.png" and
			.marker.name == "Loading.Read" and
			(.disturbed_by | not)) and
		any(.[]; .from == "home" and .screen == "party")'
	expect_in out/report.html 'id="frames"'
	expect_in out/report.html "title→home"
	expect_in out/report.html "Loading.Read"
}
