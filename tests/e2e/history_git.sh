#!/bin/sh
# The history in a branch of the repository whose checkout a run is in.
. "${0%/*}/lib.sh"

export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Jane GIT_AUTHOR_EMAIL=jane@example.com
export GIT_COMMITTER_NAME=Jane GIT_COMMITTER_EMAIL=jane@example.com

fresh
git init -q --bare -b main far.git
git clone -q far.git work 2>/dev/null
for n in 1 2 3; do
	echo $n >work/game
	git -C work add game
	git -C work commit -qm $n
done
git -C work push -q origin HEAD:main
git clone -q --depth 1 "file://$D/far.git" checkout

PATROL_HISTORY=git:patrol-history
PATROL_STATE_DIR=$D/state
export PATROL_HISTORY PATROL_STATE_DIR

# here WORD...: in the checkout, as on a runner.
here()
{
	run sh -c 'cd checkout && exec "$@"' sh "$@"
}

# day N: the result of that day's run, in dN/.
day()
{
	mkdir -p "d$1"
	jq --arg n "$1" '.build.run_id = "42" + $n |
		.ended_at = "2026-11-" + $n + "T10:46:00Z"' \
		"$ROOT/tests/data/results/passed.json" >"d$1/result.json"
}

sums()
{
	(cd checkout && find . -type f -exec sha256sum {} + | sort)
}

t "an empty history is empty"
here patrol history list --json
expect_status 0
jq_is stdout 'length == 0'

t "runs are added from a shallow checkout, which stays as it is"
echo changed >checkout/game
echo staged >checkout/new
git -C checkout add new
sums >before
day 10
day 11
here patrol history add ../d10 ../d11
expect_status 0
expect_out 'added 2, 0 were there already'
here patrol history add ../d10 ../d11
expect_out 'added 0, 2 were there already'
sums | cmp -s - before || fail "the checkout changed"

t "the branch has nothing else, and the game's is not touched"
expect_eq "$(git -C far.git ls-tree -r --name-only patrol-history |
	sed 's|-[0-9]*-[0-9a-f.]*\.json$||')" '2026-11/20261110T104600Z
2026-11/20261111T104600Z'
expect_eq "$(git -C far.git rev-list --count patrol-history)" 1 commits
expect_eq "$(git -C far.git rev-list --count main)" 3 commits

t "a runner that has nothing of it yet reads and compares"
rm -rf state
here patrol history list --json --all
jq_is stdout '[.[].run_id] | sort == ["4210", "4211"]'
here patrol compare --json
expect_status 0
fits_schema compare stdout
jq_is stdout '.run.run_id == "4211" and .base.run_id == "4210"'

t "the oldest are dropped, in a commit on top"
here patrol history prune --keep 1
expect_status 0
here patrol history list --json --all
jq_is stdout '[.[].run_id] == ["4211"]'
expect_eq "$(git -C far.git rev-list --count patrol-history)" 2 commits

t "a branch that was removed is made anew"
git -C far.git update-ref -d refs/heads/patrol-history
here patrol history list --json --all
jq_is stdout '. == []'
here patrol history add ../d10
expect_out 'added 1'

t "what can't be is told with its cure"
run patrol history list --history 'git:a b'
expect_status 2
expect_err "no branch's name"
mkdir -p "$T/bare" && run sh -c 'cd "$1" && exec patrol history list' sh \
	"$T/bare"
expect_status 2
expect_err PATROL_HISTORY_REMOTE
run env PATROL_HISTORY_REMOTE="$D/none.git" patrol history list
expect_status 3
expect_err 'does not appear to be a git repository'
