#!/bin/sh
# The scripts within the action, as its runner calls them.

. "${0%/*}/lib.sh"

# step FILE NAME: the script of a step of that name.
step()
{
	awk -v head="    - name: $2" '
		$0 == head { on = 1; next }
		/^    - name: / { on = body = 0 }
		on && /^      run: [|]$/ { body = 1; next }
		body { sub(/^        /, ""); print }' "$ROOT/ci/$1" >step.sh
	need [ -s step.sh ]
	run env OUT=out PLAN="$plan" RUN_ID=4242 APK= OPTIONS="${OPTIONS-}" \
		FILE_ISSUES=false bash -eo pipefail step.sh
}

t "what an earlier day left is not told as today's, where patrol can't begin"
fresh
plan=$PLAN
mkdir out
printf '{"outcome": "passed", "measured": true}\n' >out/result.json
OPTIONS=--nonsense step action.yml Patrol
expect_status 2
[ ! -e out/result.json ] || fail "the old result is there"
run patrol notify --dry-run
expect_status 0
expect_out 'did not even start'

t "reap gets the plan, which may name the farm and its bastion"
fresh
mkdir bin
cat >bin/patrol <<'PATROL'
#!/bin/sh
[ "$1" != reap ] || echo "$*"
[ "$1" = reap ] || exec "$REAL" "$@"
PATROL
chmod +x bin/patrol
REAL=$(command -v patrol)
PATH=$PWD/bin:$PATH
export REAL PATH
for file in action.yml verify/action.yml; do
	plan=$PLAN
	step "$file" 'Give back what is left'
	expect_status 0
	expect_out "reap --plan $PLAN"
	plan=missing.yaml
	step "$file" 'Give back what is left'
	expect_status 0
	expect_eq "$(cat stdout)" reap "without a plan"
done
