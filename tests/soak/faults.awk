# What goes wrong in a soak of `runs` patrols, from `seed` alone.
#
#	awk -v seed=N -v runs=N -v what=scenario -f faults.awk
#	awk -v seed=N -v runs=N -v what=mishaps -f faults.awk
#
# The scenario counts calls over the farm's whole life, so that a fault strikes
# in some run.  A mishap is a line "RUN DOES STAGE": to a run, when it enters
# the stage.

function any(n) { return int(rand() * n) }
function one(list,   a, n) { n = split(list, a, "|"); return a[1 + any(n)] }

# COUNT rules for calls that come about PER_RUN times a run.
function http(key, calls, kinds, count, per_run,   i)
{
	print key
	for (i = 0; i < count; i++)
		printf "    - {call: \"%s\", nth: %d, times: 1, %s}\n",
			one(calls), 1 + any(runs * per_run), one(kinds)
}

function scenario(   i)
{
	print "stf:"
	http("  faults:", "GET /devices*|GET /user|POST /user/devices|" \
		"POST /user/devices/*/remoteConnect|DELETE /user/devices/*",
		"status: 502|status: 503|status: 504, effect: true|" \
		"reset: true|trickle: true|garbage: true|cut_at: 20|" \
		"delay: 1s|html: true", runs / 3, 1)
	print "github:"
	http("  faults:", "GET /repos/*/runs/*|GET /repos/*/artifacts/*",
		"status: 502|status: 500|reset: true|trickle: true|" \
		"cut_at: 30|delay: 500ms", runs / 6, 2)
	http("  storage_faults:", "GET /artifacts/*",
		"status: 503|cut_at: 4000|reset: true, cut_at: 9000",
		runs / 12, 1)
	print "measure:"
	http("  faults:", "POST /captures|POST /snapshots*",
		"status: 500|reset: true|delay: 1s|cut_at: 3", runs / 6, 6)
	print "slack:"
	http("  faults:", "POST *", "status: 500|reset: true|never: true",
		2, 1)
	print "phone:\n  faults:"
	for (i = 0; i < runs / 4; i++)
		printf "    - {kind: %s, service: \"%s\", after_bytes: %d, " \
			"times: 1}\n", one("drop|reset|garbage|no_exit"),
			one("shell|tcp:|sync:|exec:|shell,v2"),
			100 + any(2000000) * (rand() < 0.5)
	print "game:\n  loads_scale: 0\n  boot: 0ms\n  faults:"
	for (i = 0; i < 60; i++)
		printf "    - {kind: %s, at: %s, nth: %d, delay: 500ms}\n",
			one("disconnect|reset|half_frame|garbage|double_reply" \
			"|late_reply|wrong_id|bad_json|wrong_length"),
			one("wait|ui.click|screenshot|script.eval|app.state"),
			1 + any(runs * 9)
}

function mishaps(   i)
{
	for (i = 1; i <= runs; i++)
		if (rand() < 0.3)
			print i, one("TERM|INT|INT+TERM|KILL|server-KILL|" \
				"server-STOP"), one("artifact|phone|adb|" \
				"prepare|install|control|walk|walk|stop|pull")
		else
			print i, "-", "-"
}

BEGIN {
	srand(seed)
	if (what == "scenario")
		scenario()
	else
		mishaps()
}
