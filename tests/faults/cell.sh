#!/bin/sh
# cell.sh 'STEP|KIND|LAYER|WHERE|NTH|HOW|WITH|OUTCOMES': one run of patrol on a
# farm where that happens, and what must hold after it.  Prints `ok|red STEP
# KIND MS OUTCOME WHY`; started by run, which sets FAULTS, FAULTS_WORK, ROOT and
# PATH.
set -u
# shellcheck source=tests/faults/history.sh
. "${0%/*}/history.sh"

IFS='|' read -r step kind layer where nth how with allowed <<EOT
$1
EOT
D=$FAULTS_WORK/$step-$kind
red='' outcome=none status=''

bad()
{
	red="$red${red:+; }$*"
}

scenario()
{
	printf 'game:\n  loads_scale: 0\n  boot: 0ms\n  popups: []\n'
	[ "$with" != confirm ] ||
		printf '  slow: {"home->party": {by: 1s, times: 1}}\n'
	times=', times: 1'
	case $how in
	*times:*) times='' ;;
	esac
	case $layer in
	pcp)
		printf '  faults:\n    - {at: %s, nth: %s, %s%s}\n' "$where" \
			"$nth" "$how" "$times"
		;;
	adb)
		printf 'phone:\n  faults:\n'
		printf '    - {service: "%s", nth: %s, %s%s}\n' "$where" "$nth" \
			"$how" "$times"
		;;
	file | read | list | git | none) ;;
	github | clickhouse)
		# Who looks at a history afterwards finds all in order.
		case ${with:-none}$how in
		none* | *while_alive*) ;;
		*) how="$how, while_alive: true" ;;
		esac
		printf '%s:\n  faults:\n' "$layer"
		printf '    - {call: "%s", nth: %s, %s}\n' "$where" "$nth" "$how"
		;;
	storage)
		printf 'github:\n  storage_faults:\n'
		printf '    - {call: "%s", nth: %s, %s}\n' "$where" "$nth" "$how"
		;;
	*)
		printf '%s:\n  faults:\n' "$layer"
		printf '    - {call: "%s", nth: %s, %s}\n' "$where" "$nth" "$how"
		;;
	esac
}

# Processes that belong to this cell: its folder is in their environment.
left_processes()
{
	grep -lszF "$D/state" /proc/[0-9]*/environ 2>/dev/null |
		while read -r f; do
			pid=${f#/proc/}
			pid=${pid%/environ}
			case $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null) in
			*acceptfd* | *patrol\ run* | *patrol\ notify* | \
			git\ *-pack\ * | */faults/bin/git\ *)
				printf '%s ' "$pid"
				;;
			esac
		done
}

# Runs inside of the farm, as its command.
inside()
{
	mkdir -p "$D/tmp"
	plan=$FAULTS_PLAN from=title to=home
	[ "$with" != confirm ] || plan=$FAULTS_PLAN.confirm from=home to=party
	set -- patrol run --plan "$plan" --run-id 4242 --visit $from \
		--visit $to --out "$D/out"
	[ "$layer" != slack ] || set -- patrol notify --out "$D/told"
	[ -z "$with" ] || history_settings
	case $with in
	issues | again) set -- "$@" --file-issues ;;
	esac
	preload='' path=$PATH
	export FAULT_MARK="$D/struck"
	case $layer in
	file | read | list)
		preload=$FAULTS_PRELOAD
		export FAULT_FILE="$where $how"
		;;
	git)
		path=$FAULTS/bin:$PATH
		export FAULT_GIT="$where $nth $how" FAULT_PID="$D/patrol.pid"
		;;
	esac
	: >"$D/github-output"
	: >"$D/github-summary"
	(
		printf '%s\n' "$(sh -c 'echo $PPID')" >"$D/patrol.pid"
		[ -z "$preload" ] || export LD_PRELOAD="$preload"
		export PATH="$path" TMPDIR="$D/tmp" GITHUB_ACTIONS=true \
			GITHUB_OUTPUT="$D/github-output" \
			GITHUB_STEP_SUMMARY="$D/github-summary"
		exec "$@" >"$D/stdout" 2>"$D/stderr" </dev/null
	) &
	status=0
	wait $! || status=$?
	date +%s%3N >"$D/ended"
	echo "$status" >"$D/status"
	rm -f "$D/patrol.pid"
	left=$(left_processes)
	# The adb server of a killed run dies with it, in its own time.
	n=0
	while [ -n "$left" ] && [ $n -lt 20 ]; do
		tail --pid="${left%% *}" -f /dev/null 2>/dev/null &
		wait_for=$!
		timeout 0.2 tail --pid="${left%% *}" -f /dev/null
		kill $wait_for 2>/dev/null
		left=$(left_processes)
		n=$((n + 1))
	done
	printf '%s' "$left" >"$D/left"
	# One that was asked for and never answered is looked for by reap.
	case $(echo "$D"/state/run-*) in
	*'*'*) unsure=0 ;;
	*) unsure=1 ;;
	esac
	if [ "$status" -eq 137 ] || [ "$status" -eq 6 ] || [ $unsure = 1 ]; then
		patrol reap >"$D/reap.out" 2>"$D/reap.err" </dev/null
		echo $? >"$D/reap.status"
	fi
	[ -z "$with" ] || history_look
}

struck()
{
	case $layer in
	file | read | list | git) [ -e "$D/struck" ] ;;
	none) : ;;
	*) grep -q '"event":"\(http\|adb\|control\).fault"' "$D/journal.ndjson" ;;
	esac
}

# The words of the rules for what happened.
what_happened()
{
	if [ "$layer" = slack ]; then
		posts=$(grep -c '"slack.post".*"status":"ok"' "$D/journal.ndjson")
		outcome=told
		[ "$status" -eq 0 ] || outcome=told_not
		[ "$posts" -le 1 ] || bad "the message was sent $posts times"
		[ "$status" -ne 0 ] || [ "$posts" -eq 1 ] ||
			bad "status 0, and nobody was told"
		return
	fi
	[ -s "$D/out/result.json" ] || {
		outcome=no_result
		[ "$status" -ge 3 ] || bad "status $status without a result"
		[ "$status" -eq 137 ] || grep -q 'result.json' "$D/stderr" ||
			bad 'no result.json, and nobody is told'
		return
	}
	{
		read -r outcome
		read -r left_behind
		read -r wrong
	} <<EOT
$(jq -nr -L "$FAULTS" -f "$FAULTS/result.jq" --arg s "$status" \
	--slurpfile schema "$ROOT/docs/schema/result.schema.json" \
	--slurpfile value "$D/out/result.json" 2>&1)
EOT
	[ -z "$wrong" ] || bad "result.json: $wrong"
	case $status in
	137)
		[ "$reaped" = 0 ] || bad 'reap failed'
		;;
	6)
		[ "$left_behind" -gt 0 ] ||
			bad 'status 6, and nothing is left behind'
		[ "$reaped" = 0 ] || bad 'reap failed'
		outcome=left
		;;
	esac
}

given_back()
{
	# A journal is kept on purpose only when the user was told so.
	if [ -n "$reaped" ] && [ "$status" -ne 137 ]; then
		grep -q 'patrol reap' "$D/stderr" ||
			bad 'a journal is left, and nobody was told'
	fi
	[ "$(grep -c '"event":"stf.reserve"' "$D/journal.ndjson")" -eq \
		"$(grep -c '"event":"stf.release"' "$D/journal.ndjson")" ] ||
		bad 'the phone is not released'
	[ ! -s "$D/left" ] || bad "processes are left: $(cat "$D/left")"
	left=$(find "$D/state" "$D/tmp" -mindepth 1 -not -path "$D/state/git" \
		-not -path "$D/state/git/*" 2>/dev/null | head -n 3)
	[ -z "$left" ] || bad "left: $left"
	[ -z "$(find "$D/out" -name '.*' -o -name '*.part' -o -name '*.tmp' \
		2>/dev/null)" ] || bad 'temporary files in the results'
}

no_secret()
{
	{
		sed -n "s/^export \(STF_TOKEN\|GITHUB_TOKEN\|PATROL_FARM_SLACK_TOKEN\)='\(.*\)'/\2/p" "$D/env"
		echo hook0000farm0000
		echo history0secret0word
		sed -n 5p "$D/adbkey"
		sed -n 's/.*"event":"app.start".*"token":"\([^"]*\)".*/\1/p' \
			"$D/journal.ndjson"
	} | grep -v '^$' >"$D/secrets"
	# The one place where a secret belongs: what hides it from here on.
	sed '/^::add-mask::/d' "$D/stdout" >"$D/stdout.shown"
	found=$(cd "$D" && grep -rlFf secrets out stdout.shown stderr state tmp \
		github-output github-summary reap.out reap.err days far.git \
		clickhouse github listed.err added filed 2>/dev/null)
	[ -z "$found" ] || bad "a secret is in $found"
}

# How long it may take: 8 s after a signal, and a moment to end in.
in_time()
{
	limit=30000
	case $kind in
	INT | TERM | INT+TERM | KILL)
		at=$(sed -n 's/.*"t_ms":\([0-9]*\),"event":"patrol.signal".*/\1/p' \
			"$D/journal.ndjson" | head -n 1)
		[ "$layer" != git ] || at=$(($(cat "$D/struck") - began))
		limit=$((${at:-0} + 10000))
		;;
	esac
	[ "$ms" -le $limit ] || bad "took $ms ms, must be within $limit"
}

if [ "${2-}" = inside ]; then
	inside
	exit 0
fi
rm -rf "$D"
mkdir -p "$D"
cp "$FAULTS_WORK/adbkey" "$FAULTS_WORK/adbkey.pub" "$D/" 2>/dev/null
[ "$layer" != slack ] || cp -r "$FAULTS_WORK/told" "$D/told"
[ -z "$with" ] || history_fill
scenario >"$D/scenario.yaml"
began=$(date +%s%3N)
timeout -k 2 60 patrol-farm --dir "$D" --scenario "$D/scenario.yaml" -- \
	sh "$0" "$1" inside >"$D/farm.log" 2>&1 </dev/null ||
	bad "the farm: $(head -n 1 "$D/farm.log")"
ms=$(($(cat "$D/ended" 2>/dev/null || date +%s%3N) - began))
status=99 reaped=''
[ ! -e "$D/status" ] || read -r status <"$D/status"
[ ! -e "$D/reap.status" ] || read -r reaped <"$D/reap.status"
struck || bad 'the fault did not strike'
what_happened
given_back
[ -z "$with" ] || history_kept
no_secret
in_time
[ "$status" -le 6 ] || [ "$status" -eq 137 ] || bad "status $status"
! grep -q 'runtime error:\|Sanitizer' "$D/stderr" || bad 'a sanitizer spoke'
case "/$allowed/" in
*"/$outcome/"*) ;;
*) bad "is $outcome, must be $allowed" ;;
esac
if [ -z "$red" ]; then
	[ -n "${FAULTS_KEEP-}" ] || rm -rf "$D"
	echo "ok $step $kind $ms $outcome"
else
	echo "red $step $kind $ms $outcome $red"
fi
