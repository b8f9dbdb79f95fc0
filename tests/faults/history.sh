# shellcheck shell=sh disable=SC2154
# For cell.sh: runs that look at the days before and register what got worse.
# `with`, the last column of steps, is what such a run has:
#
#	dir, git, clickhouse	a history of two days whose app was smaller
#	fresh			the ClickHouse has not even its tables
#	issues			a history, and --file-issues
#	again			the same, and there is a closed issue of it
#	confirm			twenty days in which a screen was faster

# In prepare.sh's folder lies what each of them begins with.
history_fill()
{
	mkdir "$D/github"
	case $with in
	dir | issues) cp -r "$FAULTS_WORK/past/days" "$D/days" ;;
	git) cp -r "$FAULTS_WORK/past/far.git" "$D/far.git" ;;
	clickhouse) cp -r "$FAULTS_WORK/past/clickhouse" "$D/clickhouse" ;;
	again)
		cp -r "$FAULTS_WORK/past/days" "$D/days"
		cp "$FAULTS_WORK/past/issues.json" "$D/github/issues.json"
		;;
	confirm) cp -r "$FAULTS_WORK/past/faster" "$D/days" 2>/dev/null ;;
	esac
}

# Its settings, for the run and for all that looks at it later.
history_settings()
{
	case $with in
	git)
		PATROL_HISTORY=git:patrol-history
		PATROL_HISTORY_REMOTE=file://$D/far.git
		export PATROL_HISTORY_REMOTE
		;;
	clickhouse | fresh)
		PATROL_HISTORY=clickhouse:$PATROL_FARM_CLICKHOUSE
		PATROL_CLICKHOUSE_USER=patrol
		PATROL_CLICKHOUSE_PASSWORD=history0secret0word
		export PATROL_CLICKHOUSE_USER PATROL_CLICKHOUSE_PASSWORD
		;;
	*) PATROL_HISTORY=dir:$D/days ;;
	esac
	export PATROL_HISTORY
}

# What it has, and then what its run's folder adds when it is asked to: a
# record, and an issue.
history_look()
{
	patrol history list --all --json >"$D/listed" 2>"$D/listed.err"
	jq -e '.outcome == "passed" and .reason != "killed"' \
		"$D/out/result.json" >/dev/null 2>&1 || return 0
	patrol history add "$D/out" >"$D/added" 2>&1 ||
		echo "'history add' ends with $?" >"$D/cure"
	patrol history list --all --json >"$D/listed.after" 2>&1
	case $with in
	issues | again) ;;
	*) return ;;
	esac
	cp "$D/github/issues.json" "$D/issues.before"
	patrol compare --result "$D/out/result.json" --file-issues \
		>"$D/filed" 2>&1 || echo "'compare --file-issues' ends with $?" \
		>>"$D/cure"
}

# history_is FILE EXPR WHAT: else it is bad.
history_is()
{
	jq -e --slurpfile r "$D/out/result.json" --arg stderr "$(cat "$D/stderr")" \
		"$2" "$1" >/dev/null 2>&1 || bad "$3"
}

history_kept()
{
	old=2
	[ "$with" != fresh ] || old=0
	[ "$with" != confirm ] || old=20
	mine='map(select(.run_id == "4242")) | length'
	history_is "$D/listed" "length - ($mine) == $old and ($mine) <= 1" \
		"the history: $(head -c 300 "$D/listed.err") $(jq -c \
			'map(.run_id)' "$D/listed" 2>&1)"
	[ ! -e "$D/cure" ] || bad "$(cat "$D/cure")"
	if [ "$status" -ne 137 ] && [ -n "$(find "$D" -path "$D/days/*" \
		-name '.*' -o -path "$D/state/git/*/*" -name '*.lock')" ]; then
		bad 'half files in the history'
	fi
	[ -e "$D/listed.after" ] || return
	history_is "$D/listed.after" "($mine) == 1 and length == $old + 1" \
		"there twice, or not, after 'history add'"
	# A killed one could not tell what it had not yet done.
	[ "$status" -ne 137 ] || return
	history_is "$D/listed" "($mine) == 1 or
		any(\$r[0].warnings[]?; .reason == \"not_recorded\") and
		(\$stderr | contains(\"patrol history add\"))" \
		'not recorded, and nobody was told'
	[ -s "$D/out/comparison.json" ] || [ "$with" = fresh ] ||
		history_is "$D/listed" 'any($r[0].warnings[]?;
			.reason == "history_failed")' \
			'not compared, and nobody was told'
	case $with in
	issues | again) history_filed ;;
	esac
}

# One issue, and one word about this day.
history_filed()
{
	jq . "$D/issues.before" >/dev/null 2>&1 || echo '{"issues": []}' \
		>"$D/issues.before"
	history_is "$D/issues.before" '.issues | length <= 1 and
		all(.[]; .comments | length <= 1)' 'registered twice'
	history_is "$D/issues.before" '
		any($r[0].warnings[]?; .reason == "issues_failed" or
			.reason == "history_failed") or
		([$r[0].regressions[]? | select(.metric == "apk_size") | .issue]
		== ["318"] and (.issues | length) == 1 and
		.issues[0].state == "open")' \
		'not registered, and nobody was told'
	history_is "$D/github/issues.json" '.issues | length == 1 and
		(.[0] | .state == "open" and
		(.labels | index("awaiting-verification")) and
		(.labels | index("verified") | not) and
		(.comments | length) == '"$([ "$with" = again ] && echo 1 ||
			echo 0)"')' "after 'compare --file-issues': $(jq -c \
		'.issues | map([.number, .state, .labels, (.comments | length)])' \
		"$D/github/issues.json" 2>&1)"
}
