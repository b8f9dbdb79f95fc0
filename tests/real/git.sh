#!/bin/sh
# git:BRANCH over a genuine sshd with the genuine git behind it, and over https
# with git's own http-backend.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_run.sh
. "${0%/*}/../e2e/lib_run.sh"

HERE=$ROOT/tests/real/git
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

if [ ! -x /usr/sbin/sshd ] || ! command -v git >/dev/null; then
	t "the history is kept in a branch behind sshd"
	skip "there is no sshd or no git (openssh-server, git)"
	exit 0
fi

far()
{
	git -C "$D/far.git" "$@"
}

# day N: the result of a run of that day, in dN.json.
day()
{
	jq --arg n "$1" '.build.run_id = "42" + $n |
		.ended_at = "2026-11-" + $n + "T10:46:00Z"' \
		"$ROOT/tests/data/results/passed.json" >"d$1.json"
}

# history WORD...: by PATROL_HISTORY and its remote.
history()
{
	run patrol history "$@"
}

runs()
{
	history list --all --json
	expect_status 0
	jq -r '[.[].run_id] | sort | join(" ")' stdout
}

# --- ssh -------------------------------------------------------------------

t "runs are added over ssh, and read by another machine"
farm_up "$(world '' 'bastion: {front: false}')"
git init -q --bare far.git
WHO=${PATROL_FARM_STORE#sftp://}
WHO=${WHO%%/*}
export PATROL_HISTORY=git:days
export PATROL_HISTORY_REMOTE="ssh://$WHO$D/far.git"
day 10
day 11
day 12
history list --json
expect_status 0
jq_is stdout '. == []'
history add d10.json d11.json
expect_status 0
expect_out 'added 2'
expect_eq "$(far rev-list --count days)" 1 commits
PATROL_STATE_DIR=$D/other history add d12.json d11.json
expect_out 'added 1, 1 were there'
expect_eq "$(runs)" '4210 4211 4212'
expect_eq "$(far log -1 --format='%an <%ae>' days)" \
	'patrol <patrol@localhost>'
expect_eq "$(far fsck --strict 2>&1 | grep -v '^notice')" '' fsck

port=${WHO##*:}
t "the key may come as text, and is in no file and no stream"
run env PATROL_SSH_KEY="$(cat "$PATROL_SSH_KEY")" PATROL_DEBUG=1 \
	PATROL_STATE_DIR="$D/third" patrol history list --all
expect_status 0
expect_not_in stderr "$(sed -n 2p "$PATROL_SSH_KEY")"
! grep -rqF -e "$(sed -n 2p "$PATROL_SSH_KEY")" third ||
	fail "the key is in the cache"

t "an unknown host is refused with its fingerprint, and nothing is sent"
: >none
print=$(ssh-keygen -lf bastion/host_ed25519.pub | cut -d ' ' -f 2)
run env PATROL_SSH_KNOWN_HOSTS="$D/none" patrol history list
expect_status 3
expect_err 'the host key is not known'
expect_err "$print"
expect_err "ssh-keyscan -p $port 127.0.0.1"

t "a changed key is refused with both fingerprints"
ssh-keygen -q -t ed25519 -N '' -f other_key
printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d ' ' -f 1,2 other_key.pub)" \
	>changed
run env PATROL_SSH_KNOWN_HOSTS="$D/changed" patrol history list
expect_status 3
expect_err 'the host key has changed'
expect_err "$print"
expect_err "$(ssh-keygen -lf other_key.pub | cut -d ' ' -f 2)"

t "a key that is not let in is told"
run env PATROL_SSH_KEY="$D/other_key" patrol history list
expect_status 3
expect_err 'authorized_keys'

t "a repository that is not there is told in git's words"
run env PATROL_HISTORY_REMOTE="ssh://$WHO$D/none.git" \
	patrol history list
expect_status 3
expect_err 'does not appear to be a git repository'

t "eight machines add at once, and nothing is lost"
for n in 21 22 23 24 25 26 27 28; do
	day $n
	PATROL_STATE_DIR=$D/m$n patrol history add "d$n.json" \
		>"added$n" 2>&1 &
	eval "pid$n=\$!"
done
for n in 21 22 23 24 25 26 27 28; do
	eval "wait \$pid$n" || fail "day $n: $(cat "added$n")"
	expect_in "added$n" 'added 1'
done
expect_eq "$(runs)" \
	'4210 4211 4212 4221 4222 4223 4224 4225 4226 4227 4228'
expect_eq "$(far rev-list --count days)" 10 commits

t "a server that hangs in the push ends with the budget, and nothing is half"
mkfifo never
printf '#!/bin/sh\nexec cat %s/never\n' "$D" >far.git/hooks/pre-receive
chmod +x far.git/hooks/pre-receive
day 29
run env PATROL_BUDGET_HISTORY=3s patrol history add d29.json
expect_status 4
rm far.git/hooks/pre-receive
expect_eq "$(far rev-list --count days)" 10 commits
history add d29.json
expect_status 0

t "a branch that is protected by a hook is told in its words"
printf '#!/bin/sh\necho "nobody pushes here" >&2\nexit 1\n' \
	>far.git/hooks/pre-receive
chmod +x far.git/hooks/pre-receive
day 30
history add d30.json
expect_status 3
expect_err 'nobody pushes here'
rm far.git/hooks/pre-receive

# --- https -----------------------------------------------------------------

t "runs are added over https, with a token in a header alone"
command -v node >/dev/null || {
	skip "no node"
	exit 0
}
TOKEN=ghp_historytokenhistorytokenhistorytoken
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem \
	-days 2 -subj /CN=127.0.0.1 -addext 'subjectAltName=IP:127.0.0.1' \
	2>/dev/null
git init -q --bare web.git
git -C web.git config http.receivepack true
node "$HERE/https.js" "$D" cert.pem key.pem $TOKEN >url 2>requests \
	</dev/null &
WEB_PID=$!
# shellcheck disable=SC2154
trap 'exit_status=$?; kill $WEB_PID 2>/dev/null; (exit $exit_status); at_exit' \
	EXIT
need await '[ -s url ]'
URL=$(cat url)
export PATROL_HISTORY_REMOTE="$URL/web.git" PATROL_CA_FILE="$D/cert.pem"
export PATROL_HISTORY_TOKEN=$TOKEN
run env PATROL_DEBUG=1 patrol history add d10.json d11.json
expect_status 0
cat stderr >said
run env PATROL_DEBUG=1 PATROL_STATE_DIR="$D/web-other" patrol history add \
	d12.json
expect_status 0
cat stderr >>said
expect_eq "$(runs)" '4210 4211 4212'
expect_eq "$(git -C web.git fsck --strict 2>&1 | grep -v '^notice')" '' fsck
expect_not_in said $TOKEN
expect_not_in said "$(printf 'x-access-token:%s' $TOKEN | base64 -w 0)"
! grep -rqF $TOKEN state web-other web.git ||
	fail "the token is in a file"

t "a checkout whose origin is https is used, and stays as it was"
git init -q checkout
git -C checkout remote add origin "$URL/web.git"
find checkout -type f -exec sha256sum {} + | sort >before
(cd checkout && env -u PATROL_HISTORY_REMOTE patrol history list --all) \
	>stdout 2>stderr
STATUS=$?
expect_status 0
find checkout -type f -exec sha256sum {} + | sort | cmp -s - before ||
	fail "the checkout changed"

t "files are fetched when they are read, where the server can"
git -C web.git config uploadpack.allowFilter true
git -C web.git config uploadpack.allowAnySHA1InWant true
PATROL_STATE_DIR=$D/lazy history show --json 2026-11-12
expect_status 0
jq_is stdout '.run_id == "4212"'

t "a certificate that nobody vouches for is refused, before a token is sent"
before=$(wc -l <requests)
run env -u PATROL_CA_FILE patrol history list
expect_status 3
expect_err 'certificate'
expect_eq "$(wc -l <requests)" "$before" requests

t "a token that is wrong, or none, is told with its setting"
run env PATROL_HISTORY_TOKEN=ghp_wrong_wrong_wrong patrol history list
expect_status 3
expect_err 'HTTP 401'
expect_err 'PATROL_HISTORY_TOKEN'
run env -u PATROL_HISTORY_TOKEN -u GITHUB_TOKEN patrol history list
expect_status 3
expect_err 'it wants a token: set PATROL_HISTORY_TOKEN'

t "who was moved is told, and the token does not go along"
run env PATROL_HISTORY_REMOTE="$URL/moved/web.git" patrol history list
expect_status 3
expect_err 'was the repository renamed?'
