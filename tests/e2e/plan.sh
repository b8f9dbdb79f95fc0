#!/bin/sh
# plan check, plan route, plan graph: the commands.

. "${0%/*}/lib.sh"

fresh

t "a plan from a pipe that nobody writes to can be given up"
fresh
mkfifo nobody
exec 9<>nobody
patrol plan check - <nobody >stdout 2>stderr &
BG_PID=$!
need await 'grep -q "^SigCgt:.*[1-9a-f]" /proc/$BG_PID/status && grep -q S /proc/$BG_PID/stat && [ "$(cat /proc/$BG_PID/comm)" = patrol ]'
signal INT
finish 10
exec 9<&-
expect_status 5

t "a good plan is counted"
run patrol plan check "$PLAN"
expect_status 0
expect_out "ok: 9 screens, "

t "faults are told by place, with exit status 2"
printf 'patrol: 1\nscrens: {}\nroute: {start: a, visit: [a]}\n' >bad.yaml
run patrol plan check bad.yaml
expect_status 2
expect_err "bad.yaml:2:1: unknown key 'screns' in the plan; did you mean 'screens'?"
expect_err "bad.yaml:3:16: start: there is no screen 'a'"

t "warnings leave the exit status alone"
sed 's/^limits:.*/limits: {deadline: 2m, stop_margin: 1m}/' "$PLAN" >slow.yaml
run patrol plan check slow.yaml
expect_status 0
expect_err "in the worst case the route takes"

t "a plan that is not there is named"
run patrol plan check nowhere.yaml
expect_status 2
expect_err "nowhere.yaml"

t "the route is the same every time"
run patrol plan route "$PLAN"
expect_status 0
cp stdout first
expect_out "title -> home"
run patrol plan route "$PLAN"
expect_eq "$(cat stdout)" "$(cat first)" "second route"

t "the route is JSON for programs"
run patrol plan route "$PLAN" --json
expect_status 0
cp stdout route.json
jq_is route.json '.visits | length == 10'
jq_is route.json '.hash | test("^[0-9a-f]{12}$")'

t "visits can be chosen"
run patrol plan route "$PLAN" --visit unit --visit home --json
expect_status 0
cp stdout route.json
jq_is route.json '[.visits[].screen] == ["unit", "home"]'
run patrol plan route "$PLAN" --visit unti
expect_status 2
expect_err "did you mean 'unit'?"

t "the graph comes in every format"
run patrol plan graph "$PLAN" --format dot -o g.dot
expect_status 0
grep -q '^digraph' g.dot || fail "no digraph in g.dot"
run patrol plan graph "$PLAN" --format mermaid
expect_out "flowchart LR"
run patrol plan graph "$PLAN"
expect_out "from any screen"
run patrol plan graph "$PLAN" --format gif
expect_status 2
if command -v dot >/dev/null; then
	run patrol plan graph "$PLAN" --format svg -o g.svg
	expect_status 0
	grep -q '</svg>' g.svg || fail "no svg in g.svg"
fi
