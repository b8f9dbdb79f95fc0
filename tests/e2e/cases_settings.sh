#!/bin/sh
# Values of the environment that are wrong: one line with the place and the
# cure, the exit status, a result, and nothing left behind.

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

# with VAR=VALUE...: a patrol in which these are different.
with()
{
	rm -rf out
	run env "$@" patrol run --quiet --plan "$T/plan.yaml" --run-id 4242 \
		--out out
}

# refused STATUS TEXT...: it ended so, and said these.
refused()
{
	expect_status "$1"
	jq_is out/result.json '.exit_status == ($s | tonumber)' --arg s "$1"
	for f in slack.json junit.xml summary.md report.html events.ndjson; do
		[ -e "out/$f" ] || fail "no out/$f"
	done
	expect_no_file out/.work
	shift
	for text in "$@"; do
		expect_err "$text"
		jq_is out/result.json '.message | contains($t)' --arg t "$text"
	done
}

# As often as taken; the order is another test's.
given_back()
{
	expect_eq "$(journal_count stf.release)" \
		"$(journal_count stf.reserve)" "count of releases"
}

BAD_BYTES=$(printf '\377\376')
LONG=$(head -c 5000 /dev/zero | tr '\0' a)

farm_up -

t "a farm's address that is none is refused by name"
for url in nonsense ftp://x/ 'http://a b/' "http://$LONG/" \
	"http://$BAD_BYTES/" "http://127.0.0.1:1/
x" 'http://127.0.0.1:99999/' 'http://x/?a=b'; do
	with "STF_URL=$url"
	refused 2 "is not the URL of an STF farm" "expected https://HOST"
done

t "a password in an address is refused and shown nowhere"
with "STF_URL=http://bob:sesame99@127.0.0.1:1/"
refused 2 "STF_URL has a user name or a password in it" "STF_TOKEN"
with "GITHUB_API_URL=https://bob:sesame99@127.0.0.1:1/"
refused 2 "GITHUB_API_URL has a user name or a password" "GITHUB_TOKEN"
! grep -rq sesame99 out stdout stderr || fail "the password is shown"

t "what is empty counts as not set, and the cure is told"
with STF_URL=
refused 2 "set STF_URL"
with STF_TOKEN=
refused 2 "STF_TOKEN is not set" "Settings, Keys"
with GITHUB_REPOSITORY=
refused 2 "GITHUB_REPOSITORY is not set" "owner/name"
with GITHUB_TOKEN=
refused 3 "GITHUB_TOKEN: \${{ github.token }}"

t "a token with a line in it is refused, without being shown"
with "STF_TOKEN=sesame99
X-Evil: 1"
refused 2 "STF_TOKEN has a control character in it" "copy the value again"
! grep -rq sesame99 out stdout stderr || fail "the token is shown"
with "GITHUB_TOKEN=$(printf 'a\tb')"
refused 2 "GITHUB_TOKEN has a control character in it"

t "a line end behind a token does no harm"
with "STF_TOKEN=$STF_TOKEN
" GITHUB_TOKEN="$GITHUB_TOKEN
"
expect_status 0
printf '%s\n' "$STF_TOKEN" >token
with STF_TOKEN= STF_TOKEN_FILE=token
expect_status 0

t "a token's file that cannot be read is named"
with STF_TOKEN= STF_TOKEN_FILE=no/where
refused 2 "STF_TOKEN_FILE: open 'no/where'"
with STF_TOKEN= STF_TOKEN_FILE=/
refused 2 "STF_TOKEN_FILE: read '/'"
head -c 3000 /dev/zero >zeros
with STF_TOKEN= STF_TOKEN_FILE=zeros
refused 2 "STF_TOKEN is no token"
with STF_TOKEN= STF_TOKEN_FILE=/dev/zero
refused 2 "STF_TOKEN_FILE: /dev/zero is larger than"

t "a token of strange bytes is refused by the farm, not by us"
with "STF_TOKEN=abc$BAD_BYTES"
refused 3 "the farm refuses the token"

t "an adb key that is none is named, with the setting"
printf 'no key\n' >garbage
openssl genrsa -aes128 -passout pass:x -out locked 2048 2>openssl.err
for key in garbage locked / /dev/full no/where/key; do
	with "PATROL_ADB_KEY=$key"
	refused 2 "$key" "set PATROL_ADB_KEY to"
	given_back
done

t "GitHub's address must be https, unless it is this machine"
with GITHUB_API_URL=hello
refused 2 "GITHUB_API_URL 'hello' is not a URL"
with GITHUB_API_URL=http://github.example/
refused 2 "GITHUB_API_URL 'http://github.example/'" "must be https"

t "a repository that is none is refused"
for name in a a/../b a/b/c 'a/b?x' / "$BAD_BYTES/x"; do
	with "GITHUB_REPOSITORY=$name"
	refused 2 "GITHUB_REPOSITORY to OWNER/NAME"
done

t "a budget that is no duration is named"
for value in abc -1s 5 1h30m 99999999999999999h; do
	with "PATROL_BUDGET_TAKE=$value"
	refused 2 "PATROL_BUDGET_TAKE: '$value'"
done

t "a state folder that cannot be written has a cure"
for dir in /proc/x /dev/null /etc/passwd/x; do
	with "PATROL_STATE_DIR=$dir"
	refused 3 "set PATROL_STATE_DIR to a folder that can be written"
done
given_back

t "links that are no addresses are not linked"
with 'PATROL_REPORT_URL=javascript:alert(1)' \
	"PATROL_DASHBOARD_URL=$BAD_BYTES\"><script>alert(1)</script>"
expect_status 0
expect_not_in out/report.html '"javascript:'
expect_not_in out/report.html '><script>alert'
expect_not_in out/slack.json '<javascript:'
jq_is out/result.json '.outcome == "passed"'

t "without PATH, HOME or TMPDIR a patrol works or says what is missing"
with TMPDIR=/no/where HOME= XDG_STATE_HOME=
expect_status 0

t "what GitHub reads and cannot be written is a warning"
with GITHUB_ACTIONS=true GITHUB_OUTPUT=/dev/full GITHUB_STEP_SUMMARY=/no/where/x
expect_status 0
expect_err "GITHUB_OUTPUT: write '/dev/full'"
jq_is out/result.json '.exit_status == 0 and .left_behind == []'

t "a results folder that cannot be made ends at once, with a cure"
run patrol run --quiet --plan "$T/plan.yaml" --run-id 4242 --out /proc/x/out
expect_status 3
expect_err "give another folder with --out"
: >file
run patrol run --quiet --plan "$T/plan.yaml" --run-id 4242 --out file
expect_status 3
expect_err "'file'"
run patrol run --quiet --plan "$T/plan.yaml" --run-id 4242 --out ''
[ "$STATUS" -ge 2 ] || fail "an empty --out is taken"

t "results that cannot be written are no passed day"
mkdir -p kept/result.json
run patrol run --quiet --plan "$T/plan.yaml" --run-id 4242 --out kept
expect_status 3
expect_err "results are missing in 'kept'"
expect_file kept/slack.json
given_back

t "a closed or full stdout and stderr stop nothing"
rm -rf out
STATUS=0
patrol run --plan "$T/plan.yaml" --run-id 4242 --out out \
	>/dev/full 2>/dev/full </dev/null || STATUS=$?
expect_status 0
rm -rf out
STATUS=0
patrol run --plan "$T/plan.yaml" --run-id 4242 --out out \
	>&- 2>&- <&- || STATUS=$?
expect_status 0
jq_is out/result.json '.outcome == "passed"'

t "everything that was taken is given back"
given_back
