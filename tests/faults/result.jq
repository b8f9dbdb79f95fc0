# A result in three lines: its outcome in the words of rules, how much was left
# behind, and what is wrong with it.  $s is the status of the process.

include "schema";

$value[0] as $r
| (if $r.reason == "killed" then "killed" else $r.outcome end),
  ($r.left_behind | length),
  ([($r | schema_check($schema[0]; $schema[0]; "result")),
    (if $s == "137" or ($r.exit_status == ($s | tonumber) and
	($s == "6" or {passed: 0, skipped: 0, failed: 1, invalid_input: 2,
	infra_error: 3, timed_out: 4, cancelled: 5}[$r.outcome] ==
	($s | tonumber))) then empty
     else "status \($s) does not fit \($r.outcome) \($r.exit_status)" end),
    (if ($r.message | length) > 0 then empty else "no message" end),
    (if $r.outcome == "passed" or ($r.reason | type) == "string" then empty
     else "no reason" end)] | join("; "))
