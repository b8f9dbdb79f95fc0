# shellcheck shell=sh
# For tests of a way to the app that breaks and comes back, after lib_run.sh.

export PATROL_BUDGET_SHELL=5s
# shellcheck disable=SC2034
SLOW=$(variant 's/hold: 0ms/hold: 300ms/')
# shellcheck disable=SC2034
HELD=$(variant 's/hold: 0ms/hold: 3s/')

walking()
{
	need await "happened game.screen '.name == \"${1:-home}\"'"
}

# The app was never started again, and the visits all came, some of them
# marked.
expect_went_on()
{
	expect_status 0
	expect_sound out
	expect_all_visited
	expect_count app.start 1
	jq_is out/result.json '.crashes == [] and .measured'
	jq_is out/result.json 'any(.screens[]; .off_route and
		.off_route_reason == "connection lost")'
	jq_is out/result.json 'any(.screens[]; .off_route | not)'
}

# The farm's words: one reservation, one release, and that by us.
expect_lease_kept()
{
	expect_count stf.reserve 1
	expect_count stf.release 1
	journal_is 'any(.[]; .event == "stf.release" and .why == "asked")'
}

# Send a signal to the adb server, which is patrol's only child by then.
hit_server()
{
	need await '[ -n "$(cat "/proc/$BG_PID/task/$BG_PID/children")" ]'
	# shellcheck disable=SC2013
	for hit_pid in $(cat "/proc/$BG_PID/task/$BG_PID/children"); do
		kill -"$1" "$hit_pid"
	done
}
