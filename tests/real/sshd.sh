#!/bin/sh
# The farm behind a genuine sshd: who is let in, what is refused and how it is
# said, and a patrol whose only way to the farm is cut, stopped, or killed.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_run.sh
. "${0%/*}/../e2e/lib_run.sh"

[ -x /usr/sbin/sshd ] || {
	t "the farm is reached through a bastion"
	skip "there is no sshd (openssh-server)"
	exit 0
}

# bastion LINES: a world behind a bastion; prints its path.
bastion()
{
	world '' "bastion:
  known: plain
$(printf '%s\n' "$1" | sed 's/^/  /')"
}

# devices LINES [COMMAND...]: ask STF through a bastion.
devices()
{
	d_world=$(bastion "$1")
	shift
	farm "$d_world" -- "$@" patrol devices
}

expect_reached()
{
	expect_status 0
	expect_out SIM0PHONE01
	expect_count bastion.stranger 0
}

fingerprint()
{
	ssh-keygen -lf "$1" | cut -d ' ' -f 2
}

# --- the way in ------------------------------------------------------------

t "nothing but the bastion leads to STF"
farm_up "$(bastion '')"
run env -u PATROL_SSH patrol devices
expect_status 3
expect_count bastion.stranger 1

t "a host that is known is trusted, in a file of known hosts and in its text"
run patrol devices
expect_reached_up()
{
	expect_status 0
	expect_out SIM0PHONE01
}
expect_reached_up
run env PATROL_SSH_KNOWN_HOSTS="$(cat bastion/known_hosts)" patrol devices
expect_reached_up

t "a hashed name is a name"
ssh-keygen -q -H -f bastion/known_hosts >/dev/null 2>&1
expect_in bastion/known_hosts '|1|'
run patrol devices
expect_reached_up

t "a host that is only known with another port is unknown"
port=${PATROL_SSH##*:}
cut -d ' ' -f 2- bastion/host_ed25519.pub >key
printf '[127.0.0.1]:%d ssh-ed25519 %s\n' "$((port ^ 1))" "$(cat key)" >other
run env PATROL_SSH_KNOWN_HOSTS="$D/other" patrol devices
expect_status 3
expect_err "the host key is not known"

t "an unknown host is refused with its fingerprint and the cure"
: >none
run env PATROL_SSH_KNOWN_HOSTS="$D/none" patrol devices
expect_status 3
expect_err "the host key is not known"
expect_err "$(fingerprint bastion/host_ed25519.pub)"
expect_err "ssh-keyscan -p $port 127.0.0.1"

t "the key may come as text, and then is in no file and no stream"
run env PATROL_SSH_KEY="$(cat "$PATROL_SSH_KEY")" PATROL_DEBUG=1 patrol devices
expect_reached_up
expect_not_in stderr "$(sed -n 2p "$PATROL_SSH_KEY")"

t "a key that is no key is told by its name"
run env PATROL_SSH_KEY="$D/none" patrol devices
[ "$STATUS" -ne 0 ] || fail "it was taken"
expect_err "none': it is no private key"

t "doctor has a row for it"
run patrol doctor
expect_out SSH
farm_down
# The next farms tell their own.
unset PATROL_SSH PATROL_SSH_KEY PATROL_SSH_KNOWN_HOSTS

t "a changed key is refused with both fingerprints"
farm "$(world '' 'bastion: {known: other}')" -- patrol devices
expect_status 3
expect_err "the host key has changed"
expect_err "$(fingerprint bastion/host_ed25519.pub)"
expect_err "$(fingerprint bastion/host_ed25519.other.pub)"

t "a server with an ECDSA key only"
devices 'host_keys: [ecdsa]'
expect_reached

t "of several host keys the one that is known is asked for"
farm_up "$(bastion 'host_keys: [ecdsa, ed25519]')"
grep ed25519 bastion/known_hosts >known
run env PATROL_SSH_KNOWN_HOSTS="$D/known" patrol devices
expect_status 0
grep ecdsa bastion/known_hosts >known
run env PATROL_SSH_KNOWN_HOSTS="$D/known" patrol devices
expect_status 0
farm_down
unset PATROL_SSH PATROL_SSH_KEY PATROL_SSH_KNOWN_HOSTS

t "a server with an RSA key only is told to get another"
devices 'host_keys: [rsa]'
expect_status 3
expect_err "RSA alone is not enough"
expect_err ed25519

t "an RSA key of the user is told to be replaced"
devices 'user_key: rsa'
expect_status 3
expect_err "make an ed25519 key: ssh-keygen -t ed25519"

t "an encrypted key, with its passphrase and without"
devices 'passphrase: open sesame'
expect_reached
devices 'passphrase: open sesame' env -u PATROL_SSH_KEY_PASSPHRASE
[ "$STATUS" -ne 0 ] || fail "it was taken"
expect_err "set PATROL_SSH_KEY_PASSPHRASE"
devices 'passphrase: open sesame' env PATROL_SSH_KEY_PASSPHRASE=wrong
[ "$STATUS" -ne 0 ] || fail "it was taken"
expect_not_in stderr wrong

t "an agent's key"
farm "$(bastion 'agent: true')" -- ssh-agent sh -c \
	'ssh-add -q "$PATROL_FARM_SSH_KEY" && patrol devices'
expect_reached

t "an agent without a key, and none at all"
farm "$(bastion 'agent: true')" -- ssh-agent patrol devices
expect_status 3
expect_err "ssh-add one"
devices 'agent: true' env -u SSH_AUTH_SOCK
[ "$STATUS" -ne 0 ] || fail "it was let in"
expect_err "set PATROL_SSH_KEY"

t "a login that is refused says what the server offers"
devices 'config: [AuthorizedKeysFile none]'
expect_status 3
expect_err "it offers publickey"
expect_err authorized_keys

t "a bastion that forwards nothing is told how to"
devices 'config: [AllowTcpForwarding no]'
expect_status 3
expect_err "AllowTcpForwarding"

t "STF's name is resolved behind the bastion, not here"
devices 'host: stf.farm.invalid'
expect_status 3
expect_err "through the tunnel: connect to stf.farm.invalid"

# --- a patrol through it ---------------------------------------------------

# A walk that takes long enough to be met in it.
SLOW=$(variant 's/hold: 0ms/hold: 700ms/')

patrol_slowly()
{
	spawn env PATROL_BUDGET_SSH_KEEP="${KEEP:-15s}" \
		PATROL_BUDGET_SSH=10s PATROL_BUDGET_PHONE_LOST="${LOST:-30s}" \
		patrol run --plan "$SLOW" --run-id 4242 --out out
}

# walking_up LINES: a patrol behind such a bastion is at home.
walking_up()
{
	farm_up "$(bastion "$1")"
	patrol_slowly
	need await 'happened game.screen '"'"'.name == "home"'"'"
}

session()
{
	jq -rs 'map(select(.event == "bastion.session")) | last | .pid' \
		journal.ndjson
}

# listening PID: "ADDRESS:PORT", in the kernel's hex, of its listeners.
listening()
{
	for l_fd in "/proc/$1/fd"/*; do
		l_inode=$(readlink "$l_fd" 2>/dev/null |
			sed -n 's/^socket:\[\(.*\)\]$/\1/p')
		[ -z "$l_inode" ] || awk -v i="$l_inode" \
			'$4 == "0A" && $10 == i { print $2 }' \
			/proc/net/tcp /proc/net/tcp6
	done
}

# Nobody listens any more where the patrol did.
expect_no_listener()
{
	for l_at in $1; do
		awk -v at="$l_at" '$4 == "0A" && $2 == at' /proc/net/tcp |
			grep -q . && fail "somebody listens at $l_at"
	done
	[ -n "$1" ] || fail "no listener was seen"
}

t "a whole patrol through a bastion"
patrol_in "$(bastion '')"
expect_status 0
jq_is out/result.json '.outcome == "passed" and .measured'
expect_count bastion.session 1
expect_count bastion.stranger 0

t "an address that adb gets is reached through it, and on loopback only"
walking_up ''
before=$(listening "$BG_PID")
[ -n "$before" ] || fail "no listener"
for at in $before; do
	expect_eq "${at%:*}" 0100007F "address of a listener"
done
finish
expect_status 0
expect_sound out
expect_no_listener "$before"
expect_count bastion.stranger 0

t "a tunnel that is cut in the walk is made again, and the phone stays ours"
walking_up ''
kill -KILL "$(session)"
finish
expect_status 0
expect_sound out
jq_is out/result.json '.outcome == "passed"'
jq_is out/result.json '[.screens[] | select(.status == "visited")] |
	length == 10'
jq_is out/result.json 'any(.screens[]; .off_route)'
jq_is out/result.json '.screens[-1].off_route | not'
expect_count stf.reserve 1
expect_count bastion.session 2

t "and three times"
walking_up ''
for i in 1 2 3; do
	need await "[ \"\$(journal_count bastion.session)\" -ge $i ]"
	need await "[ \"\$(journal_count game.screen)\" -ge $((3 * i)) ]" 60
	kill -KILL "$(session)"
done
finish 90
expect_status 0
expect_sound out
expect_count stf.reserve 1

t "a session that falls silent is left and made again"
KEEP=1s walking_up ''
kill -STOP "$(session)"
finish 90
expect_status 0
expect_sound out
expect_count stf.reserve 1
expect_count bastion.session 2

t "a bastion that is gone for good ends the run in time and names the phone"
LOST=5s walking_up 'sessions: 1'
kill -KILL "$(session)"
finish 90
expect_status 6
expect_sound out
jq_is out/result.json '.left_behind | length > 0'
[ -n "$(find state -type f)" ] || fail "no journal for reap"

t "SIGTERM gives the phone back through it, within 8 s"
walking_up ''
before=$(listening "$BG_PID")
signal TERM
finish 8
expect_status 5
expect_sound out
expect_count stf.release 1
expect_order adb.disconnect stf.release
expect_no_listener "$before"

t "SIGINT to the whole group, as from a terminal"
farm_up "$(bastion '')"
setsid env patrol run --plan "$SLOW" --run-id 4242 --out out \
	>stdout 2>stderr </dev/null &
BG_PID=$!
need await 'happened game.screen '"'"'.name == "home"'"'"
kill -INT -"$(ps -o pgid= -p "$BG_PID" | tr -d ' ')"
finish 8
expect_status 5
expect_sound out
expect_count stf.release 1

t "after SIGKILL nothing listens, no process stays, and reap gives back"
walking_up ''
before=$(listening "$BG_PID")
signal KILL
finish
expect_no_process
expect_no_listener "$before"
need await "[ \"\$(journal_count bastion.end)\" = \
	\"\$(journal_count bastion.session)\" ]"
run patrol reap
expect_status 0
expect_given_back
expect_count bastion.stranger 0
