# What must hold of a run's results whatever became of it, in one call: jq takes
# longer to start than to look.  Prints what does not hold, a line each.  $s is
# the exit status, $parts says what to look at: result, slack, journal; the rest
# are files, each in a list.

def is($what): if . then empty else $what end;
def is_in($set): . as $v | any($set[]; . == $v);

# result.json in the words of docs/schema/result.schema.json.
def of_result($schema):
	. as $r
	| (.exit_status == $s | is("exit_status \($r.exit_status)")),
	(($schema.required - keys) | . == [] | is("a field is missing")),
	((keys - ($schema.properties | keys)) |
		. == [] | is("a field is too many")),
	(.schema_version == 1 and (.measured | type == "boolean") and
		(.started_at | test("^[0-9-]{10}T[0-9:]{8}Z$")) and
		(.duration_ms >= 0) and
		(.outcome | is_in(["passed", "failed", "skipped",
			"invalid_input", "infra_error", "timed_out",
			"cancelled"])) and
		(.outcome == "passed" or (.reason | type == "string")) and
		(.message | length > 0) | is("outcome, reason, message, times")),
	(.left_behind != [] or
		({passed: 0, skipped: 0, failed: 1, invalid_input: 2,
		infra_error: 3, timed_out: 4, cancelled: 5}[.outcome] == $s) |
		is("outcome \($r.outcome) has another status")),
	(all(.screens[]; .name and .visit >= 1 and
		(.status | is_in(["visited", "unreached", "crashed",
			"not_visited"]))) | is("a screen")),
	(.left_behind == [] or $s == 6 | is("left behind")),
	(all(.errors[]; (.code | length > 0) and (.message | length > 0)) |
		is("an error without code or message"));

def of_slack:
	((.text | length > 0) and (.blocks | length > 0) | is("empty"));

# Each reservation of ours has ended, and adb let go of the phone before.
def of_journal:
	([.[] | select(.user == "alice")] |
		(map(select(.event == "stf.reserve")) | length) ==
		(map(select(.event == "stf.release")) | length) |
		is("a reservation has not ended")),
	([foreach .[] as $e ({open: 0, bad: 0};
		if $e.link == "farm" and $e.event == "adb.connect"
		then .open += 1
		elif $e.link == "farm" and $e.event == "adb.disconnect"
		then .open -= 1
		elif $e.event == "stf.release" and $e.why == "asked" and
			$e.user == "alice" and .open > 0
		then .bad += 1 else . end; .bad)] | last // 0 | . == 0 |
		is("a phone was released before adb let go of it"));

def one($name; of):
	if length == 1 then .[0] | of else "there is none" end |
	"\($name): \(.)";

$parts | split(" ")[] |
if . == "result" then $result | one("result.json"; of_result($schema[0]))
elif . == "slack" then $slack | one("slack.json"; of_slack)
else $journal | of_journal | "journal: \(.)" end
