#!/bin/sh
# patrol doctor: each setting, each service, what is wrong and its cure.
. "${0%/*}/lib.sh"

unset SSL_CERT_FILE CURL_CA_BUNDLE PATROL_CA_FILE
HOME=$T/home
export HOME
mkdir "$HOME"

# status_is CHECK STATUS
status_is()
{
	# shellcheck disable=SC2016
	jq_is stdout '[.checks[] | select(.name == $n) | .status] == [$s]' \
		--arg n "$1" --arg s "$2"
}

# says CHECK message|cure TEXT
says()
{
	# shellcheck disable=SC2016
	jq_is stdout '.checks[] | select(.name == $n) | .[$k] // "" |
		contains($t)' --arg n "$1" --arg k "$2" --arg t "$3"
}

t "on the whole farm nothing is broken, and nothing is touched"
farm - -- patrol doctor --plan "$PLAN" --json
expect_status 0
jq_is stdout '.failed == 0'
for check in "state folder" "dead runs" "adb key" "STF account" "STF key" \
	"STF phones" GitHub; do
	status_is "$check" ok
done
says "STF phones" message "would take SIM0PHONE01"
expect_count stf.reserve 0
expect_count slack.post 0
expect_count github.change 0

t "each setting tells its value and where it came from, secrets never"
# setting NAME: as the farm gave it
setting()
{
	# shellcheck disable=SC1091
	(. ./env && eval "printf %s \"\$$1\"")
}
jq_is stdout '.settings[] | select(.name == "STF_TOKEN") |
	.value == "***" and .from == "environment"'
jq_is stdout '.settings[] | select(.name == "PATROL_BUDGET_SHELL") |
	.value == "20.0 s" and .from == "default"'
expect_not_in stdout "$(setting STF_TOKEN)"
expect_not_in stdout "$(setting SLACK_WEBHOOK_URL)"

t "a secret from a file says so"
farm_up -
printf '%s' "$STF_TOKEN" >token
STF_TOKEN_FILE=$D/token
export STF_TOKEN_FILE
unset STF_TOKEN
run patrol doctor --json
expect_status 0
jq_is stdout '.settings[] | select(.name == "STF_TOKEN") | .from == "file"'
status_is "STF account" ok
unset STF_TOKEN_FILE

t "the plan's farm stands before the default and behind the environment"
printf 'farm: {stf: "http://127.0.0.1:1"}\n' | cat - "$PLAN" >plan.yaml
run patrol doctor --plan plan.yaml --json
jq_is stdout '.settings[] | select(.name == "STF_URL") |
	.from == "environment"'
run env -u STF_URL patrol doctor --plan plan.yaml --json
expect_status 3
jq_is stdout '.settings[] | select(.name == "STF_URL") |
	.from == "plan" and .value == "http://127.0.0.1:1"'
farm_down
unset STF_URL GITHUB_TOKEN GITHUB_REPOSITORY GITHUB_API_URL \
	SLACK_WEBHOOK_URL SLACK_API_URL PATROL_ADB_KEY PATROL_STATE_DIR

t "with nothing set up nothing is broken, and the next steps are told"
fresh
run patrol doctor --json
expect_status 0
status_is "STF account" off
status_is GitHub off
status_is Slack off
says "STF account" cure "set STF_URL and STF_TOKEN"
says "adb key" cure "patrol doctor --make-key PATH"

t "a refused STF token is broken, with its cure"
farm bad_token -- patrol doctor
expect_status 3
expect_out "fail  STF account"
expect_out "make a token in STF"
expect_out "ok    GitHub"
expect_out "broken"

t "an administrator's token is a hazard"
farm admin_token -- patrol doctor --json
status_is "STF account" warn
says "STF account" cure "ordinary user"

t "a key that the account lacks is a warning"
farm key_unknown -- patrol doctor --json
expect_status 0
status_is "STF key" warn

t "a model that no phone is of is broken, one in use is not"
farm other_model -- patrol doctor --plan "$PLAN" --json
expect_status 3
says "STF phones" message "Galaxy"
farm busy -- patrol doctor --plan "$PLAN" --json
expect_status 0
status_is "STF phones" warn
says "STF phones" message qa-team

t "a GitHub token that may not read is broken"
farm - -- env GITHUB_TOKEN=ghp_0123456789 patrol doctor --json
expect_status 3
status_is GitHub fail
says GitHub message "classic personal token"

t "a farm that does not answer ends in time, and the rest is looked at"
printf 'stf:\n  faults: [{call: "GET /user", never: true}]\n' >"$T/s.yaml"
farm "$T/s.yaml" -- patrol doctor --json
expect_status 3
status_is "STF account" fail
status_is GitHub ok
# Waiting for it once is enough.
status_is "STF key" off
status_is "STF phones" off
says "STF phones" message "does not answer"

t "a store that can't be reached is broken, and the place is named"
fresh
run patrol doctor --json
status_is store off
run env PATROL_STORE=sftp://me@127.0.0.1:1/runs patrol doctor --json
expect_status 3
status_is store fail
says store message "sftp://me@127.0.0.1:1/runs"

t "without an adb program the cure is told"
fresh
STATUS=0
env -u ANDROID_HOME -u ANDROID_SDK_ROOT PATH=/nonexistent \
	"$PATROL_BUILD/patrol" doctor --json >stdout 2>stderr || STATUS=$?
expect_status 3
status_is "adb program" fail
says "adb program" message "apt-get install adb"
status_is graphviz off

t "a key is made private and never replaced"
fresh
run patrol doctor --make-key key --json
expect_status 0
status_is "adb key" ok
expect_eq "$(stat -c %a key)" 600 "mode"
expect_in key "PRIVATE KEY"
expect_err "set PATROL_ADB_KEY"
cp key before
run patrol doctor --make-key key
expect_status 3
cmp -s key before || fail "the key was replaced"

t "a key that others can read is a warning"
chmod 644 key
run env PATROL_ADB_KEY=key patrol doctor --json
status_is "adb key" warn
says "adb key" cure "chmod 600 key"

t "a key that comes as text is read and not shown"
run env PATROL_ADB_KEY="$(cat key)" patrol doctor --json
expect_status 0
status_is "adb key" ok
says "adb key" message "given as text, fingerprint"
jq_is stdout '.settings[] | select(.name == "PATROL_ADB_KEY") | .value == "***"'
expect_not_in stdout "$(sed -n 3p key)"

t "a key that is none is broken, one that is not there is made by a run"
echo nonsense >bad
run env PATROL_ADB_KEY=bad patrol doctor --json
expect_status 3
status_is "adb key" fail
run env PATROL_ADB_KEY=absent patrol doctor --json
expect_status 0
status_is "adb key" warn
says "adb key" message "there is no 'absent'"

t "a state folder that can't be is broken"
fresh
: >file
run env PATROL_STATE_DIR=file/state patrol doctor --json
expect_status 3
status_is "state folder" fail
says "state folder" message PATROL_STATE_DIR

t "what a dead run still holds is told, with the way to give it back"
fresh
mkdir state
printf '%s\n' '{"run":{"pid":1}}' '{"take":"stf","id":"PHONE9","at":"x"}' \
	>state/run-1-abc.ndjson
run env PATROL_STATE_DIR=state patrol doctor --json
status_is "dead runs" warn
says "dead runs" message PHONE9
says "dead runs" cure "patrol reap"

t "certificates that can't be read are broken"
fresh
run env PATROL_CA_FILE=absent.pem patrol doctor --json
expect_status 3
status_is certificates fail

t "a proxy's password is not shown"
run env https_proxy=http://me:geheim@127.0.0.1:3128 patrol doctor --json
expect_in stdout "127.0.0.1:3128"
expect_not_in stdout geheim
