#!/bin/sh
# What a run traced, proposed to the repository as one pull request.
. "${0%/*}/lib.sh"
# shellcheck source=tests/e2e/lib_run.sh
. "${0%/*}/lib_run.sh"

# 15 variants; those of Bloom differ by their pass.
REAL=$ROOT/tests/data/graphicsstate/metal-mobile.graphicsstate
ASSET=Assets/Graphics/Mobile.graphicsstate
BRANCH=patrol/graphics-states
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=Jane GIT_AUTHOR_EMAIL=jane@example.com
export GIT_COMMITTER_NAME=Jane GIT_COMMITTER_EMAIL=jane@example.com

# not_found PASS...: a log that says so of these.
not_found()
{
	for n_pass; do
		printf '%s, subshader 0, pass %s, stage pixel: %s\n' \
			'Shader Hidden/Universal Render Pipeline/Bloom' \
			"$n_pass" 'variant _BLOOM_HQ not found.'
	done
}

# without PASS...: the collection without these, on stdout.
without()
{
	not_found "$@" >lacks.txt
	patrol graphics-states prune --log lacks.txt "$REAL" 2>/dev/null
}

# main FILE: the asset in the repository's main branch from now on.
main()
{
	cp "$1" "work/$ASSET"
	git -C work commit -qam "$1" --allow-empty
	git -C work push -q origin HEAD:main
}

# hub [PULLS-LINES]: a farm whose GitHub has the repository far.git, and a run
# in out/ that traced all 15.
hub()
{
	farm_up "$(world '' "github: {pulls: {git: far.git${1:+, $1}}}")"
	git init -q --bare -b main far.git
	git clone -q far.git work 2>/dev/null
	mkdir -p "work/${ASSET%/*}" out/graphics-states out/logs
	without 1 >w1
	without 3 >w3
	without 1 3 >w13
	echo game >work/game
	cp w13 "work/$ASSET"
	git -C work add .
	main w13
	traced "$REAL"
}

# traced FILE [JQ]: that is what the run traced; its result, changed.
traced()
{
	cp "$1" out/graphics-states/patrol.graphicsstate
	jq "${2-.}" "$ROOT/tests/data/results/passed.json" >out/result.json
	: >out/logs/logcat.txt
}

far()
{
	git -C far.git "$@"
}

propose()
{
	run env PATROL_DEBUG=1 patrol graphics-states propose --out out \
		--asset "$ASSET" --remote "$D/far.git" "$@"
}

# has BRANCH FILE: the asset is that file there.
has()
{
	far show "$1:$ASSET" | cmp -s - "$2" || fail "$1 has another file"
}

expect_no_branch()
{
	! far rev-parse --verify -q "refs/heads/$1" >/dev/null ||
		fail "there is a branch '$1'"
}

t "a dry run tells what it would do, and does nothing"
hub 'checks: required'
propose --dry-run
expect_status 0
expect_out "would propose for '$ASSET': 2 new variants"
expect_no_branch $BRANCH
expect_count github.change 0
expect_eq "$(find out/graphics-states -type f | wc -l)" 2 "files left"
cmp -s out/graphics-states/proposed.graphicsstate "$REAL" ||
	patrol graphics-states diff --json "$REAL" \
		out/graphics-states/proposed.graphicsstate >diff.json
jq_is diff.json '.added.variants + .removed.variants == 0'

t "what is new is one commit on a branch, and one pull request"
traced w1
propose --json
expect_status 0
fits_schema propose stdout
jq_is stdout '.state == "proposed" and .pull_request.state == "opened" and
	.auto_merge.state == "enabled" and .merged.variants == 14 and
	.merged.base_variants == 13'
expect_eq "$(jq -r .commit stdout)" "$(far rev-parse $BRANCH)" commit
expect_eq "$(far log --format='%an %ae %s' main..$BRANCH)" \
	'patrol patrol@localhost Graphics states: 1 new variant'
expect_eq "$(far diff --name-only main $BRANCH)" "$ASSET" "what changed"
jq_is github/pulls.json '.pulls | length == 1 and (.[0] | .number == 41 and
	.head == $b and .base == "main" and .state == "open" and
	.title == "Graphics states: 1 new variant" and
	.auto_merge == "SQUASH" and (.body | contains("variants | 13 | 14")))' \
	--arg b $BRANCH

t "without a token of its own, that no checks start is said"
expect_err 'no checks start'
expect_err 'PATROL_PR_TOKEN'
expect_no_secret out

t "the run's result and message link to the request"
jq_is out/result.json '.pull_requests | length == 1 and .[0].number > 0'
fits_schema result out/result.json
run patrol notify --out out --dry-run
expect_out "PR #$(jq -r '.pull_requests[0].number' out/result.json)"

t "the same once more changes nothing"
before=$(far rev-parse $BRANCH)
propose
expect_status 0
expect_out 'pull request #41 unchanged'
expect_eq "$(far rev-parse $BRANCH)" "$before" commit

t "the next day's is put into the open request, on what main is by then"
echo more >>work/game
main w13
traced w3
propose --json
expect_status 0
jq_is stdout '.pull_request.state == "updated" and .merged.variants == 15'
jq_is github/pulls.json '.pulls | length == 1 and
	.[0].title == "Graphics states: 2 new variants"'
expect_eq "$(far rev-list --count main..$BRANCH)" 1 commits
expect_eq "$(far diff --name-only main $BRANCH)" "$ASSET" "what changed"

t "with a token of its own nothing is warned of"
run env PATROL_PR_TOKEN="$GITHUB_TOKEN" patrol graphics-states propose \
	--out out --asset "$ASSET" --remote "$D/far.git"
expect_status 0
expect_eq "$(cat stderr)" ''

t "a branch with commits of others is built upon while its request is open"
git -C work fetch -q origin $BRANCH
git -C work checkout -q -b theirs FETCH_HEAD
echo note >work/NOTE
git -C work add NOTE
git -C work commit -qm note
git -C work push -q origin HEAD:$BRANCH
not_found 0 >out/logs/logcat.txt
propose
expect_status 0
expect_eq "$(far show "$BRANCH:NOTE")" note NOTE
expect_eq "$(far log -1 --format=%s $BRANCH)" \
	'Graphics states: 2 new variants, 1 dropped'

t "and is left alone when none is open"
git -C work push -qf origin theirs:other
propose --branch other
expect_status 2
expect_err "commit of 'jane@example.com'"
expect_err 'name another with --branch'

t "a day that did not pass is skipped, and so is one without a collection"
traced "$REAL" '.outcome = "failed"'
propose
expect_status 0
expect_out 'skipped: the run is failed'
traced "$REAL" '.errors = [{"code": "io", "message": "x"}]'
propose
expect_status 0
expect_out 'skipped: the run ended with an error'
traced "$REAL" '.captures.graphics_states.status = "failed"'
propose --json
expect_status 0
jq_is stdout '.state == "skipped" and (.message | contains("failed"))'
fits_schema propose stdout

t "nothing new is no branch and no request"
hub
traced w13
propose
expect_status 0
expect_out "nothing to propose: '$ASSET' has all of it"
expect_no_branch $BRANCH
expect_count github.change 0

t "where nothing is to be waited for, it is merged at once"
traced "$REAL"
propose
expect_status 0
expect_out 'merged at once'
jq_is github/pulls.json '.pulls[0] | .merged and .state == "closed"'
expect_eq "$(far rev-parse main)" "$(far rev-parse $BRANCH)" main

t "the branch of a request that is done is in no way of the next one"
git -C work pull -q origin main
main w13
propose
expect_status 0
expect_out 'pull request #42 opened'
expect_eq "$(far log -1 --format=%s $BRANCH^)" w13 "its parent"

t "what the log says was not found is dropped from the asset"
git -C work pull -q origin main
main "$REAL"
traced "$REAL"
not_found 0 3 >out/logs/logcat.txt
propose
expect_status 0
jq_is github/pulls.json '.pulls[-1] |
	.title == "Graphics states: 2 dropped" and
	(.body | contains("not found"))'

t "who may not merge leaves it to people, who are told why"
hub 'auto_merge: false'
propose --json
expect_status 0
jq_is stdout '.auto_merge.state == "refused" and
	(.auto_merge.message | contains("not allowed"))'
fits_schema propose stdout
hub 'checks: unstable'
propose
expect_out 'left to people: '
expect_out 'unstable status'
hub
propose --no-auto-merge --json
jq_is stdout '.auto_merge.state == "not_asked"'
jq_is github/pulls.json '.pulls[0].state == "open"'

t "who may not open one is told where that is allowed"
hub 'forbidden: true'
propose
expect_status 3
expect_err 'pull-requests: write'
expect_err 'Allow GitHub Actions to create and approve pull requests'

t "a status that GitHub does not know yet is asked for again"
hub 'unknown: 1'
propose
expect_status 0
expect_out 'merged at once'

t "below a path, as on a GitHub Enterprise Server, GraphQL lies beside"
farm_up "$(world '' 'github: {prefix: /api/v3, pulls: {checks: required}}')"
git init -q --bare -b main far.git
git clone -q far.git work 2>/dev/null
mkdir -p "work/${ASSET%/*}" out/graphics-states out/logs
without 1 >"work/$ASSET"
git -C work add .
git -C work commit -qm game
git -C work push -q origin HEAD:main
traced "$REAL"
propose --json
expect_status 0
jq_is stdout '.auto_merge.state == "enabled"'

t "what is wrong is told with its cure"
propose --base trunk
expect_status 3
expect_err "no branch 'trunk'"
expect_err '--base'
run patrol graphics-states propose --out out --asset Assets/none \
	--remote "$D/far.git"
expect_status 3
expect_err "branch 'main' has no 'Assets/none'"
run patrol graphics-states propose --out out --asset ../x
expect_status 2
run patrol graphics-states propose --out out
expect_status 2
expect_err '--asset'
propose --branch main
expect_status 2
propose --branch 'a b'
expect_status 2
expect_err "no branch's name"
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n' \
	>pointer
main pointer
propose
expect_status 2
expect_err 'Git LFS'
sed 's/"m_QualityLevelName": "Mobile"/"m_QualityLevelName": "PC"/' "$REAL" >pc
main pc
propose
expect_status 2
expect_err 'another quality level'

