#!/bin/sh
# The farm and adb: what they are known to do to a run.

. "${0%/*}/lib.sh"

cat >"$T/plan.yaml" <<'PLAN'
patrol: 1
app: {package: com.example.starfall}
artifact: {name: android-patrol}
device: {match: {model: "Pixel 7"}}
defaults: {hold: 0s, settle: {stable_for: 0s, timeout: 5s}}
screens:
  title: {is: {scene: Title}}
route: {start: title, visit: [title]}
PLAN

# patrol_with [VAR=VALUE]... <SCENARIO: a patrol on that farm.
patrol_with()
{
	cat >"$T/scenario.yaml"
	farm "$T/scenario.yaml" -- env "$@" patrol run --quiet \
		--plan "$T/plan.yaml" --run-id 4242 --out out
}

# STATUS REASON
expect_reason()
{
	expect_status "$1"
	jq_is out/result.json '.exit_status == ($s | tonumber) and .reason == $r' \
		--arg s "$1" --arg r "$2"
	expect_no_file out/.work
}

t "an address that comes late is asked for again"
patrol_with A=1 <<'END'
stf: {connect_without_url: 2}
END
expect_status 0
expect_given_back

t "an address that never comes is an error, and the phone is free"
patrol_with PATROL_BUDGET_TAKE=4s <<'END'
stf: {connect_without_url: 1000}
END
expect_status 3
expect_count stf.release 1
expect_at_most "$(journal_count stf.connect)" 20 "count of stf.connect"

t "a key that is checked late becomes a device"
patrol_with A=1 <<'END'
stf: {auth_delay: 700ms}
END
expect_status 0
expect_given_back

t "a key that is never accepted ends in time, and is named"
patrol_with PATROL_BUDGET_ADB_CONNECT=2s <<'END'
stf: {auth_delay: 1h}
END
expect_status 3
jq_is out/result.json '.message | test("([0-9a-f]{2}:){15}[0-9a-f]{2}")'
expect_count stf.release 1
expect_count phone.install 0

t "what releasing answers does not change the verdict"
for fault in 'status: 403, effect: true' 'status: 404, effect: true'; do
	patrol_with A=1 <<-END
	stf: {faults: [{call: "DELETE /user/devices/*", $fault}]}
	END
	expect_status 0
	jq_is out/result.json '.outcome == "passed" and .left_behind == []'
	expect_count stf.release 1
done

t "a release that is refused once is repeated"
patrol_with A=1 <<'END'
stf: {faults: [{call: "DELETE /user/devices/*", nth: 1, status: 500}]}
END
expect_status 0
expect_count stf.release 1

t "a reservation whose connection is reset is ours, and given back"
patrol_with A=1 <<'END'
stf: {faults: [{call: "POST /user/devices", nth: 1, reset: true}]}
END
expect_status 0
jq_is out/result.json '.outcome == "passed" and .left_behind == []'
expect_count stf.reserve 1
expect_count stf.release 1

t "a proxy's page in place of an answer does not cost the phone"
patrol_with A=1 <<'END'
stf: {faults: [{call: "DELETE /user/devices/SIM0PHONE01", nth: 1, html: true}]}
END
expect_status 0
expect_count stf.release 1
jq_is out/result.json '.left_behind == []'

t "a phone that cannot be released is named as left behind"
for fault in 'status: 500' 'never: true'; do
	patrol_with A=1 <<-END
	stf: {faults: [{call: "DELETE /user/devices/*", $fault}]}
	END
	expect_status 6
	jq_is out/result.json '.outcome == "passed" and
		(.left_behind | length) == 1 and
		(.left_behind[0].message | contains("SIM0PHONE01"))'
	expect_err "left behind"
done

t "each state of a phone skips the day with a reason of its own"
while IFS='|' read -r state reason; do
	patrol_with A=1 <<-END
	stf: {phone: {$state}}
	END
	expect_reason 0 "$reason"
	jq_is out/result.json '.outcome == "skipped" and
		(.message | contains("SIM0PHONE01"))'
	expect_count stf.reserve 0
done <<'END'
present: false|device_absent
ready: false|device_not_ready
owner: qa-team|device_busy
status: 1|device_not_ready
status: 2|device_unauthorized
END

t "of two phones of a model the free one is taken, and spoken to by serial"
patrol_with A=1 <<'END'
stf:
  devices: [{serial: AAA0000001, owner: bob}, {serial: ZZZ0000001, present: false}]
END
expect_status 0
jq_is out/result.json '.device.serial == "SIM0PHONE01"'
journal_is '[.[] | select(.event == "stf.reserve").serial] == ["SIM0PHONE01"]'

t "a server in the app that listens late is waited for"
patrol_with A=1 <<'END'
game: {refuse_for: 1500ms}
END
expect_status 0

t "an adb program that is missing is named, with the cure"
mkdir -p "$T/bin"
printf 'stf: {}\n' >"$T/s.yaml"
for tool in env sh; do
	ln -sf "$(command -v $tool)" "$T/bin/$tool"
done
farm "$T/s.yaml" -- env PATH="$T/bin" ANDROID_HOME= ANDROID_SDK_ROOT= \
	"$PATROL_BUILD/patrol" run --quiet --plan "$T/plan.yaml" \
	--run-id 4242 --out out
expect_status 3
jq_is out/result.json '.message | contains("adb")'
expect_count stf.release 1

t "an adb program that never answers ends in time and is named"
cat >"$T/bin/adb" <<END
#!/bin/sh
echo \$\$ >>"$T/adb.pids"
exec sleep 1000
END
chmod +x "$T/bin/adb"
farm "$T/s.yaml" -- env PATH="$T/bin:$PATH" PATROL_BUDGET_ADB_START=1s \
	"$PATROL_BUILD/patrol" run --quiet --plan "$T/plan.yaml" \
	--run-id 4242 --out out
expect_status 3
jq_is out/result.json '.message | contains("adb")'
expect_count stf.release 1
while read -r pid; do
	! kill -0 "$pid" 2>/dev/null || fail "adb, pid $pid, is still there"
done <"$T/adb.pids"
