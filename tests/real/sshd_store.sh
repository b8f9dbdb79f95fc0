#!/bin/sh
# A run's folder on a genuine SFTP server: sshd's.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_run.sh
. "${0%/*}/../e2e/lib_run.sh"

[ -x /usr/sbin/sshd ] || {
	t "a run's folder is stored"
	skip "there is no sshd (openssh-server)"
	exit 0
}

# bastion LINES: a world where sshd is beside the farm; prints its path.
bastion()
{
	world '' "bastion:
  front: false
$(printf '%s\n' "$1" | sed 's/^/  /')"
}

# made BYTES: the folder of a run that has ended, in out/.
made()
{
	mkdir -p out/screens 'out/an odd name'
	cp "$ROOT/tests/data/results/passed.json" out/result.json
	head -c "$1" /dev/urandom >out/big
	echo shot >out/screens/01-home.png
	: >'out/an odd name/-empty'
	echo odd >"out/an odd name/$(printf '%% new\nline \377')"
	echo half >out/left.part
	ln -s /etc/passwd out/link
	NAME=$(jq -r '(.started_at | gsub("[^0-9A-Za-z]"; "")) + "-" +
		.build.run_id' out/result.json)
	THERE=store/$NAME
}

stored()
{
	run env PATROL_DEBUG=1 patrol store --out out \
		--store "$PATROL_FARM_STORE" "$@"
}

# What is in out/ and belongs there is there, and nothing else.
expect_stored()
{
	jq_is out/result.json '.store.state == "stored" and .store.files == 4'
	jq_is out/result.json '.store.url == $u' \
		--arg u "$PATROL_FARM_STORE/$NAME"
	diff -r --exclude=left.part --exclude=link out "$THERE" >diff.out ||
		fail "the folders differ: $(cat diff.out)"
	[ ! -e "$THERE/link" ] || fail "a link was stored"
	# To be cut off in between must leave no lie here.
	expect_eq "$(stat -c '%.9Z %n' "$THERE/result.json" out/result.json |
		sort -sn | tail -n 1 | cut -d ' ' -f 2)" out/result.json \
		"the last to say so"
}

# resumed: bytes of big that an earlier attempt had sent.
resumed()
{
	sed -n "s/.*'big': put, [0-9]* bytes sent after \([0-9]*\).*/\1/p" \
		stderr | tail -n 1
}

# The process of the session that is open.
session()
{
	jq -rs 'map(select(.event == "bastion.session")) | last | .pid' \
		journal.ndjson
}

grown()
{
	[ "$(stat -c %s "$THERE/big.part" 2>/dev/null || echo 0)" -gt "$1" ]
}

BIG=150000000

t "the doctor looks at the store, and makes nothing there"
farm_up "$(bastion '')"
store_row()
{
	run env PATROL_STORE="$PATROL_FARM_STORE" patrol doctor --json
	jq_is stdout "[.checks[] | select(.name == \"store\") | .status,
		.message] | .[0] == \"$1\" and (.[1] | contains(\"$2\"))"
}
store_row ok "the first upload makes the folder"
expect_no_file store
: >store
store_row fail "is a file, not a folder"
rm store

t "a run's folder is there as it is here"
made 3000000
stored
expect_status 0
expect_stored
expect_out "stored 4 files"
expect_in "$THERE/result.json" '"stored"'

t "storing it again sends nothing"
stored
expect_status 0
expect_stored
expect_eq "$(grep -c 'bytes sent after' stderr)" 5 "files told"
expect_eq "$(grep -c "was there" stderr)" 4 "files that were there"

t "the doctor finds it then"
store_row ok "is there"

t "the run knows where it was told to go"
rm -rf store
run patrol store --out out
expect_status 0
expect_stored

t "a path below the user's home, and one that is a link"
mkdir elsewhere && ln -s elsewhere linked
stored --store "${PATROL_FARM_STORE%/store}/linked/deep/er"
expect_status 0
expect_file "elsewhere/deep/er/$NAME/result.json"

t "a half file of other bytes is not built upon"
rm -rf store
mkdir -p "$THERE"
head -c 2900000 /dev/urandom >"$THERE/big.part"
head -c 4000000 /dev/urandom >"$THERE/screens.part"
stored
expect_status 0
rm -f "$THERE/screens.part"
expect_stored

t "a half file that is a link leads nowhere"
rm -rf store
mkdir -p "$THERE"
echo untouched >victim
ln -s "$D/victim" "$THERE/big.part"
stored
expect_status 0
expect_stored
expect_eq "$(cat victim)" untouched victim

t "a session that is killed is opened anew, and the upload goes on"
fresh_store()
{
	rm -rf out store
	made $BIG
}
fresh_store
spawn env PATROL_DEBUG=1 patrol store --out out --store "$PATROL_FARM_STORE"
need await 'grown 30000000'
kill -KILL "$(session)"
finish
expect_status 0
expect_stored
[ "$(resumed)" -gt 20000000 ] || fail "it began anew: $(resumed)"

t "a patrol that is killed has stored no result, and says pending"
fresh_store
spawn patrol store --out out --store "$PATROL_FARM_STORE"
need await 'grown 30000000'
signal KILL
finish
expect_no_file "$THERE/result.json"
jq_is out/result.json '.store.state == "pending"'
need await "[ \"\$(journal_count bastion.end)\" = \
	\"\$(journal_count bastion.session)\" ]"

t "and is repeated by hand, from where it was"
stored
expect_status 0
expect_stored
[ "$(resumed)" -gt 20000000 ] || fail "it began anew: $(resumed)"

t "a server that falls silent is left and asked again"
fresh_store
spawn env PATROL_DEBUG=1 PATROL_BUDGET_STORE_STALL=2s \
	patrol store --out out --store "$PATROL_FARM_STORE"
need await 'grown 30000000'
kill -STOP "$(session)"
finish
expect_status 0
expect_stored
[ "$(resumed)" -gt 20000000 ] || fail "it began anew: $(resumed)"

t "a server that is too slow to let anybody in is asked again"
rm -rf out store
made 3000000
kill -STOP "$FARM_PID"
spawn env PATROL_DEBUG=1 PATROL_BUDGET_STORE_STALL=1s \
	patrol store --out out --store "$PATROL_FARM_STORE"
await 'grep -q "store: .*; again" stderr' 10 || fail "it gave up"
kill -CONT "$FARM_PID"
finish
expect_status 0
expect_stored

t "a signal ends it at once"
fresh_store
spawn patrol store --out out --store "$PATROL_FARM_STORE"
need await 'grown 1000000'
signal INT
finish 5
expect_status 5
expect_no_file "$THERE/result.json"
jq_is out/result.json '.store.state == "failed"'

t "a full disk is told as one, and nothing is lost"
rm -rf out store
made 12000000
mkdir store
if mount -t tmpfs -o size=4m none store 2>/dev/null; then
	stored
	expect_status 3
	expect_err "the disk there is full"
	expect_err "patrol store --out out"
	expect_no_file "$THERE/result.json"
	jq_is out/result.json '.store.state == "failed" and
		(.store.message | contains("is full"))'
	mount -o remount,size=40m store
	stored
	expect_status 0
	expect_stored
	umount store
else
	skip "mounting a tmpfs is not allowed"
fi

t "an unknown host is refused before anything is sent"
rm -rf store
: >none
stored_with()
{
	run env "$1" patrol store --out out --store "$PATROL_FARM_STORE"
}
stored_with PATROL_SSH_KNOWN_HOSTS="$D/none"
expect_status 3
expect_err SHA256:
expect_no_file store

t "a wrong URL is a wrong setting, and no password is shown"
run patrol store --out out --store sftp://me:geheim@host/x
expect_status 2
expect_err "no password belongs into it"
expect_not_in stderr geheim

t "without a result there is nothing to store"
run patrol store --out store --store "$PATROL_FARM_STORE"
expect_status 3

t "a server that only reads says so"
farm_up "$(bastion "config: ['ForceCommand internal-sftp -R']")"
made 1000
stored
expect_status 3
expect_err "permission denied"

t "a server without SFTP is told"
farm_up "$(bastion "config: ['ForceCommand echo nothing; exit 1']")"
made 1000
run env PATROL_BUDGET_STORE=20s patrol store --out out \
	--store "$PATROL_FARM_STORE"
expect_status 3
expect_err sftp

t "a server that is gone is given up in time"
farm_up "$(bastion 'sessions: 1')"
made $BIG
spawn env PATROL_BUDGET_STORE=60s patrol store --out out \
	--store "$PATROL_FARM_STORE"
need await 'grown 30000000'
kill -KILL "$(session)"
finish
expect_status 3
jq_is out/result.json '.store.state == "failed"'
farm_down

t "a patrol stores what it found"
patrol_in "$(bastion 'store: true')"
expect_status 0
jq_is out/result.json '.store.state == "stored" and .store.files > 5'
diff -r out store/* >diff.out || fail "the folders differ: $(cat diff.out)"

t "an upload that fails changes no verdict and is told"
patrol_in "$(bastion "store: true
config: ['ForceCommand internal-sftp -R']")"
expect_status 0
jq_is out/result.json '.outcome == "passed" and .store.state == "failed"'
expect_err "permission denied"
expect_in out/slack.json "Not stored"

t "a wrong store ends the run before it takes a phone"
patrol_in "$(bastion 'store: true')" --store ftp://x/y
expect_status 2
expect_count stf.reserve 0
jq_is out/result.json '.reason == "bad_setting"'

t "the plan may say where to"
patrol_plan "$(variant '1,/^patrol: 1/s#^patrol: 1.*#&\nstore: sftp://me@127.0.0.1:1/x#')" \
	"$(bastion '')"
expect_status 0
jq_is out/result.json '.store.state == "failed" and
	(.store.url | startswith("sftp://me@127.0.0.1:1/x/"))'
