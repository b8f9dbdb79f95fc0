# shellcheck shell=sh
# For tests of a whole patrol, after lib.sh: a world without load times, the
# quick plan, and what must hold after every run, whatever became of it.

QUICK=$ROOT/tests/data/plans/quick.yaml

# The user's own adb server, which a patrol joins; sets `server`.
users_adb()
{
	HOME=$T/home ADB_EMU=0
	export HOME ADB_EMU
	mkdir -p "$HOME"
	server=127.0.0.1:$(adb_port)
	adb -P "${server#*:}" start-server >/dev/null 2>&1
}

# world [GAME-LINES [TOP-LINES]]: a scenario without load times; prints its
# path.  GAME-LINES go below `game:`, TOP-LINES beside it.
world()
{
	w_file=$T/world-$(printf '%s' "$*" | cksum | tr ' ' -).yaml
	{
		printf 'game:\n  loads_scale: 0\n  boot: 0ms\n'
		case ${1-} in
		*popups:*) ;;
		*) printf '  popups: []\n' ;;
		esac
		[ -z "${1-}" ] || printf '%s\n' "$1" | sed 's/^/  /'
		[ -z "${2-}" ] || printf '%s\n' "$2"
	} >"$w_file"
	printf '%s\n' "$w_file"
}

# variant SED-SCRIPT: the quick plan, changed; prints its path.
variant()
{
	w_plan=$T/plan-$(printf '%s' "$*" | cksum | tr ' ' -).yaml
	sed "$@" "$QUICK" >"$w_plan"
	! cmp -s "$QUICK" "$w_plan" || echo "variant changes nothing: $*" >&2
	printf '%s\n' "$w_plan"
}

# patrol_in WORLD [OPTION]...: run 4242 by the quick plan.
patrol_in()
{
	w_world=$1
	shift
	farm "$w_world" -- patrol run --plan "$QUICK" --run-id 4242 --out out \
		"$@"
	expect_sound out
}

# The same with another plan.
patrol_plan()
{
	w_plan=$1 w_world=$2
	shift 2
	farm "$w_world" -- patrol run --plan "$w_plan" --run-id 4242 --out out \
		"$@"
	expect_sound out
}

# happened EVENT [JQ-CONDITION]: an event is in the farm's journal.
happened()
{
	if [ $# -eq 1 ]; then
		grep -qF "\"event\":\"$1\"" "$D/journal.ndjson" 2>/dev/null
		return
	fi
	jq -es --arg e "$1" "any(.[]; .event == \$e and ($2))" \
		"$D/journal.ndjson" >/dev/null
}

# No process that was started for this run is alive: all of them have the
# farm's state folder in their environment or their command line.
expect_no_process()
{
	await "! processes_of '$D/state'" 5 || {
		processes_of "$D/state" | sed 's/^/# alive: /'
		fail "a process was left behind"
	}
}

processes_of()
{
	w_found=1
	# Some are gone before they are read.
	# shellcheck disable=SC2013
	for w_pid in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do
		w_pid=${w_pid#/proc/}
		w_pid=${w_pid%/environ}
		[ "$w_pid" != $$ ] || continue
		[ "$w_pid" != "${FARM_PID:-}" ] || continue
		w_line=$(tr '\0' ' ' 2>/dev/null <"/proc/$w_pid/cmdline")
		case $w_line in
		*adb*acceptfd* | *'patrol run'* | *'patrol try'*) ;;
		*'patrol verify'*) ;;
		*) continue ;;
		esac
		printf '%s %s\n' "$w_pid" "$w_line"
		w_found=0
	done
	return $w_found
}

# No secret of the farm in what a run wrote and printed.
expect_no_secret()
{
	# What tells the runner to hide a secret has to say it.
	sed '/^::add-mask::/d' stdout >stdout.shown
	for w_secret in $(sed -n \
		"s/^export \(STF_TOKEN\|GITHUB_TOKEN\|PATROL_FARM_SLACK_TOKEN\)='\(.*\)'/\2/p" \
		env) hook0000farm0000 $(control_tokens); do
		w_where=$(grep -rlF -e "$w_secret" "$1" stdout.shown stderr state \
			2>/dev/null)
		[ -z "$w_where" ] ||
			fail "a secret ($w_secret) is in" "$w_where"
	done
}

# The tokens that the app was started with.
control_tokens()
{
	sed -n '/"event":"app\.start"/s/.*"token":"\([^"]*\)".*/\1/p' \
		journal.ndjson 2>/dev/null
}

# sound PARTS [DIR]: what sound.jq finds of them is a failure each.
sound()
{
	jq -nr --arg parts "$1" --argjson s "$STATUS" \
		--slurpfile schema "$ROOT/docs/schema/result.schema.json" \
		--slurpfile result "$(there "${2:-}/result.json")" \
		--slurpfile slack "$(there "${2:-}/slack.json")" \
		--slurpfile journal "$(there "$D/journal.ndjson")" \
		-f "$ROOT/tests/e2e/sound.jq" >sound.out 2>&1 ||
		echo "jq failed" >>sound.out
	while read -r w_line; do
		fail "$w_line"
	done <sound.out
}

there()
{
	if [ -f "$1" ]; then
		printf '%s\n' "$1"
	else
		echo /dev/null
	fi
}

# What must hold after every run: a result that says what the exit status
# says, all files for others, nothing left behind, no secret.
expect_sound()
{
	[ "$STATUS" -lt 128 ] || fail "ended by a signal: status $STATUS"
	expect_file "$1/junit.xml"
	expect_file "$1/summary.md"
	expect_file "$1/report.html"
	[ -z "$(find "$1" -name '.work*' -o -name '*.tmp*' -o -name '*.part')" ] ||
		fail "temporary files: $(find "$1" -name '.*' -o -name '*.tmp*')"
	if [ "$STATUS" -ne 6 ]; then
		[ ! -d state ] || [ -z "$(find state -mindepth 1)" ] ||
			fail "the state folder has $(find state -mindepth 1)"
		sound 'result slack journal' "$1"
	else
		sound 'result slack' "$1"
	fi
	expect_no_process
	expect_no_secret "$1"
}

# Each reservation of ours has ended, and adb let go of the phone before.
expect_returned()
{
	sound journal
}

# DIR/result.json, in the words of docs/schema/result.schema.json.
expect_sound_result()
{
	sound result "${1%/result.json}"
}

# screen NAME: its first visit in the result, for jq.
screen()
{
	jq -c --arg n "$1" 'first(.screens[] | select(.name == $n))' \
		out/result.json
}

# screen_is NAME EXPR
screen_is()
{
	screen "$1" >screen.json
	jq_is screen.json "$2"
}

# All of the plan's ten visits were made, one picture and at most one snapshot
# each.
expect_all_visited()
{
	jq_is out/result.json '[.screens[].name] == ["title", "home", "party",
		"unit", "quest", "battle", "result", "gacha", "shop", "home"] and
		all(.screens[]; .status == "visited")'
}
