#!/bin/sh
# What a user sees first: help, version, completion, schema.
. "${0%/*}/lib.sh"
fresh

t "--help, -h and help say the same"
run patrol --help
expect_status 0
cp stdout overview
for words in -h help; do
	run patrol $words
	expect_status 0
	cmp -s stdout overview || fail "patrol $words differs"
done

t "the overview has commands in groups, examples, statuses and a way on"
for text in "Usage: patrol COMMAND" "  run " "  devices " "  probe " \
	"  doctor " "Examples:" "Exit status:" "patrol COMMAND --help" \
	"patrol doctor"; do
	expect_in overview "$text"
done

t "lists of commands fit 80 columns"
for group in "" snapshot graphics-states; do
	# shellcheck disable=SC2086
	run patrol help $group
	awk 'length > 80 { print "# " $0; bad = 1 } END { exit bad }' stdout ||
		fail "a line is too long"
done

t "nothing at all is a mistake, with the overview on stderr"
run patrol
expect_status 2
expect_eq "$(cat stdout)" ""
cmp -s stderr overview || fail "stderr is not the overview"

t "--version and version print the version, whatever follows"
run patrol --version
expect_status 0
expect_eq "$(cat stdout)" "patrol $(cat "$ROOT/VERSION")"
cp stdout version
run patrol version
cmp -s stdout version || fail "patrol version differs"

t "every command has help with usage, options and no line over 100 columns"
patrol help --list >commands
while IFS= read -r command; do
	# shellcheck disable=SC2086
	run patrol $command --help
	expect_status 0
	expect_out "Usage: patrol $command"
	expect_out "Options:"
	awk -v c="$command" 'length > 100 { print "# " c ": " $0; bad = 1 }
		END { exit bad }' stdout || fail "$command: a line is too long"
	cp stdout one
	# shellcheck disable=SC2086
	run patrol help $command
	cmp -s stdout one || fail "patrol help $command differs"
done <commands
expect_eq "$(sort commands | uniq -d)" ""

t "the help of run has examples and every exit status"
run patrol run --help
for text in "patrol run --plan" "--device adb" "--run-id" "Exit status" \
	"0 passed" "1 the patrol" "2 usage" "3 could" "4 out" "5 canc" \
	"6 something" "docs/settings.md"; do
	expect_out "$text"
done

t "help of a group lists its commands"
run patrol help plan
expect_status 0
expect_out "plan check"
cp stdout plan
for word in --help -h; do
	run patrol plan $word
	expect_status 0
	cmp -s stdout plan || fail "patrol plan $word differs"
done
run patrol plan
expect_status 2
expect_err "one more word: check, route, graph"

t "an unknown command or option names the next step"
run patrol rnu
expect_status 2
expect_err "did you mean \`patrol run\`?"
run patrol run --paln x
expect_status 2
expect_err "patrol run --help"

t "help after -- is no question for help"
run patrol version -- --help
expect_not_in stdout "Usage:"

t "the completion of each shell knows every command"
for shell in bash zsh fish; do
	run patrol completion $shell
	expect_status 0
	while IFS= read -r command; do
		expect_out "${command%% *}"
	done <commands
done

t "every schema is JSON Schema 2020-12, and an unknown one lists them"
run patrol schema nosuch
expect_status 2
expect_err result
expect_err pcp
for name in result pcp; do
	run patrol schema $name
	expect_status 0
	jq_is stdout '."$schema" == "https://json-schema.org/draft/2020-12/schema"'
done

t "output that can't be written is an error"
if [ -w /dev/full ]; then
	STATUS=0
	patrol schema result >/dev/full 2>stderr || STATUS=$?
	expect_status 3
	expect_err "write to stdout"
	expect_eq "$(wc -l <stderr)" 1
	STATUS=0
	patrol version >&- 2>stderr || STATUS=$?
	expect_status 3
	expect_eq "$(wc -l <stderr)" 1
	STATUS=0
	patrol help >/dev/full 2>stderr || STATUS=$?
	expect_status 3
else
	skip "no /dev/full"
fi

t "a usage error says what to type instead"
run_words()
{
	# The words of a line are arguments.
	# shellcheck disable=SC2086
	run patrol $1
	expect_status 2
	expect_err "$2"
}
while IFS='|' read -r args instead; do
	run_words "$args" "$instead"
done <<'EOF'
runn|did you mean `patrol run`?
nonsense|`patrol help` lists them
help runn|did you mean `patrol run`?
history|one more word: add, list, show, import, prune, report
history lst|did you mean `patrol history list`?
histry list|did you mean `patrol history`?
plan chek x|did you mean `patrol plan check`?
run|Give --plan FILE
run --plan a.yaml|Give --run-id N of a GitHub Actions run, or a local one with --apk FILE
run --plann a.yaml|did you mean '--plan'?
run --plan|`patrol run --help` lists the options
run a.yaml|did you mean '--plan a.yaml'?
run --plan a.yaml --run-id 1 --apk b.apk|give one
run --plan a.yaml --run-id 1/attempts/2|it is N in the run's address, .../actions/runs/N
run --plan a.yaml --apk b.apk --device usb|adb or adb:SERIAL
try|Give --apk FILE
try a.apk b.apk|one APK at a time
try a.apk --for soon|write it like 300ms, 5s, 50m or 1h
devices a.yaml|did you mean '--plan a.yaml'?
devices|set STF_URL or the plan's farm.stf, or use a phone at hand with --device adb
history list|give --history, or PATROL_HISTORY: dir:PATH, git:BRANCH or clickhouse:URL
history list --history here|write dir:PATH, git:BRANCH or clickhouse:URL
history list x|`patrol history list --help` lists the options
history prune --history dir:h|Give --keep, --older-than
compare|give --history, or PATROL_HISTORY
compare --history dir:h --fail-on x|write regression or creep
compare --history dir:h --json --html|give one
verify --run-id 4|Give --issue N
verify --run-id 4 --issue #3|write 318 for #318
EOF

t "what is not there says how it comes there"
run patrol history report --history dir:h --html page.html
expect_status 3
expect_err '`patrol history add` adds one'
run patrol why nothing
expect_status 3
expect_err "name an output folder, a result.json or the id of a run"
