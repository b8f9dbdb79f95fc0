#!/bin/sh
# Settings from the environment: that they are used, and kept to themselves.

. "${0%/*}/lib.sh"

# A patrol as short as can be, on a farm without load times.
cat >"$T/fast.yaml" <<'EOF'
game: {loads_scale: 0, popups: []}
EOF
cat >"$T/plan.yaml" <<'EOF'
patrol: 1
app: {package: com.example.starfall}
artifact: {name: android-patrol}
device: {match: {model: "Pixel 7"}}
defaults: {hold: 0s, settle: {stable_for: 0s, stable_frames: 1}}
screens: {title: {is: {scene: Title}}}
fail_on: []
route: {start: title, visit: [title]}
EOF

t "a key that comes as its text is the key that the farm sees"
# shellcheck disable=SC2016
farm "$T/fast.yaml" -- sh -c '
	PATROL_ADB_KEY=$(cat "$PATROL_ADB_KEY") exec patrol run \
		--plan "$T/plan.yaml" --run-id 4242 --out out'
expect_status 0
journal_is 'map(select(.event == "stf.auth"))
	| length > 0 and all(.verdict == "ok")'
expect_count stf.key 0
expect_given_back

t "no file keeps the text"
key_line=$(sed -n 2p adbkey)
[ "$(grep -rlF -e "$key_line" . | tr '\n' ' ')" = "./adbkey " ] ||
	fail "found in: $(grep -rlF -e "$key_line" .)"

t "the doctor says that it has the text, and shows none"
# shellcheck disable=SC2016
farm - -- sh -c 'PATROL_ADB_KEY=$(cat "$PATROL_ADB_KEY") exec patrol doctor'
expect_status 0
grep -qE '^PATROL_ADB_KEY +\*\*\* ' stdout || fail "not so on stdout"
expect_not_in stdout "$(sed -n 2p adbkey)"

t "a text that is no key is told, and not shown"
# shellcheck disable=SC2016
farm "$T/fast.yaml" -- sh -c '
	PATROL_ADB_KEY=$(printf -- "-----BEGIN %s-----\\nc2VjcmV0\\n" KEY) \
		exec patrol run --plan "$T/plan.yaml" --run-id 4242 --out out'
expect_status 2
expect_err "adb key"
expect_not_in stderr c2VjcmV0
expect_not_in out/result.json c2VjcmV0

t "a download that stalls goes on after PATROL_BUDGET_DOWNLOAD_STALL"
export PATROL_BUDGET_DOWNLOAD_STALL=300ms
cat >"$T/stalls.yaml" <<'EOF'
game: {loads_scale: 0, popups: []}
github:
  storage_faults:
    - {call: "GET /artifacts/*", nth: 1, stall_after: 5000}
EOF
farm "$T/stalls.yaml" -- patrol run --plan "$T/plan.yaml" --run-id 4242 --out out
unset PATROL_BUDGET_DOWNLOAD_STALL
expect_status 0
jq_is out/result.json '.stages[] | select(.name == "artifact") | .ms < 20000'
expect_count storage.get 2

t "a duration without a unit is told with its name"
fresh
PATROL_BUDGET_SHELL=20 run patrol run --plan "$T/plan.yaml" --run-id 4242
expect_status 2
expect_err PATROL_BUDGET_SHELL
expect_err "50m or 1h"
