#!/bin/sh
# GitHub's own description of its API, with prism as a proxy that validates by
# it: every request of patrol passes, and so does every answer of the simulated
# GitHub, so that the two can't drift from what GitHub says.
#
#	patrol -> prism -> between.js -> patrol-farm
#
# between.js damages answers when it is asked to, which prism has to notice.
. "${0%/*}/lib.sh"
. "${0%/*}/../e2e/lib_run.sh"

HERE=$ROOT/tests/real/github
G=$REAL/github

t "GitHub's description compiles and prism starts with it"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	skip "no node and npm"
	exit 0
fi
# Prism, and of the description's half a gigabyte the one file.
fetch()
{
	npm_install @stoplight/prism-cli@5.14.2 &&
		archive=$(npm pack --silent @octokit/openapi@23.0.2) &&
		tar -xzf "$archive" --strip-components=2 \
			package/generated/api.github.com.json &&
		mv api.github.com.json api.json && rm "$archive"
}
fetched github fetch || {
	skip "npm's packages can't be had: $(tail -n 1 "$G.log")"
	exit 0
}
need node "$HERE/slice.js" "$G/api.json" "$HERE/paths.txt" "$T/slice.json"

# Its log without colours.
prism_log()
{
	sed 's/\x1b\[[0-9;]*m//g' "$T/prism.raw"
}

: >"$T/farm-url"
node "$HERE/between.js" "$T/farm-url" "$T/asked" >"$T/between" 2>&1 </dev/null &
BETWEEN_PID=$!
PRISM_PID=''
# shellcheck disable=SC2154
trap 'exit_status=$?; kill $BETWEEN_PID $PRISM_PID 2>/dev/null
	(exit $exit_status); at_exit' EXIT
need await '[ -s "$T/between" ]'
NODE_PATH=$G/node_modules NO_COLOR=1 node -r "$HERE/preload.js" \
	"$G/node_modules/@stoplight/prism-cli/dist/index.js" proxy --errors \
	-h 127.0.0.1 -p 0 "$T/slice.json" "$(cat "$T/between")" \
	>>"$T/prism.raw" 2>&1 </dev/null &
PRISM_PID=$!
need await 'prism_log | grep -q "listening on"' 120
PRISM=$(prism_log | sed -n 's/.*listening on \(http[^ ]*\).*/\1/p')

# behind SCENARIO: a farm whose GitHub is reached through prism only.
behind()
{
	farm_up "$1"
	printf '%s\n' "$GITHUB_API_URL" >"$T/farm-url"
	GITHUB_API_URL=$PRISM
	: >"$T/prism.raw"
}

# All that the farm saw has passed prism, which has no complaint.
expect_valid()
{
	prism_log >prism.log
	expect_eq "$(grep -c 'Request received' prism.log)" \
		"$(journal 'map(select(.event == "github.get" or
			.event == "github.change")) | length')" \
		'count of requests'
	grep -i 'violation\|terminated\|not compiled' prism.log |
		sed 's/^/# /'
	! grep -qi 'violation\|terminated\|not compiled' prism.log ||
		fail "prism complains"
}

# ask PATH [CURL-OPTION]...: prints the status; body and headers in files.
ask()
{
	ask_path=$1
	shift
	curl -sS -o body -D headers -w '%{http_code}\n' \
		-H "Authorization: Bearer $GITHUB_TOKEN" "$@" \
		"$PRISM/repos/example/starfall$ask_path"
}

behind -
t "a request that the description does not know is refused"
expect_eq "$(ask /issues -H "Content-Type: application/json" \
	-d '{"titel": "x"}')" 422
expect_in body "must have required property 'title'"
expect_eq "$(ask /issues -H "Content-Type: application/json" \
	-d '{"title": "x", "labels": "bug"}')" 422
expect_eq "$(ask /actions/runs/abc)" 422
expect_eq "$(ask '/actions/runs/4242/artifacts?per_page=many')" 422
expect_eq "$(ask /nothing)" 404
expect_count github.get 0
expect_count github.change 0

t "a request without its headers is refused by the farm"
expect_eq "$(curl -sS -o body -w '%{http_code}' \
	"$PRISM/repos/example/starfall")" 404
expect_eq "$(curl -sS -o body -w '%{http_code}' -A '' \
	-H "Authorization: Bearer $GITHUB_TOKEN" \
	"$(cat "$T/farm-url")/repos/example/starfall")" 403
expect_count github.get 2

# damage PATH MEMBER: with this member replaced the answer is refused.
damage()
{
	expect_eq "$(ask "$1")" 200 "status of '$1'"
	expect_eq "$(ask "$1" -H "X-Damage: $2")" 500 "status without '$2'"
	grep -i '^sl-violations:' headers | grep -q "${2##*.}" ||
		fail "'$2' is not missed"
}

t "an answer that the description does not know is refused"
damage '' full_name
damage '' owner.login
damage /actions/runs/4242 head_sha
damage /actions/runs/4242 head_repository.full_name
damage /actions/runs/4242 conclusion
damage '/actions/runs?per_page=1' workflow_runs.0.id
damage /actions/runs/4242/artifacts artifacts.0.archive_download_url
damage /actions/runs/4242/artifacts artifacts.0.workflow_run.head_sha
damage "/compare/0f1e2d3c...a1b2c3d4" commits.0.sha
damage "/compare/0f1e2d3c...a1b2c3d4" commits.0.commit.message
expect_eq "$(ask /actions/artifacts/9000000002/zip)" 302
expect_eq "$(ask /actions/artifacts/9000000002/zip -H 'X-Status: 200')" 500

t "the doctor's requests and their answers are valid"
behind -
run patrol doctor
expect_status 0
expect_valid
expect_count github.get 2

t "a whole patrol's are"
behind "$(world)"
run patrol run --plan "$QUICK" --run-id 4242 --out out
expect_status 0
expect_all_visited
expect_valid
expect_no_secret out
expect_count storage.get 1

t "those of the message's post are: there are none"
run patrol notify --out out
expect_status 0
expect_valid

t "those of an artifact on the last of many pages are"
behind "$(world '' "artifact: {count: 250, position: 249, name: android-x,
  next_host: \"$PRISM/repos/example/starfall\"}")"
run patrol run --plan "$(variant 's/android-patrol/android-?/')" \
	--run-id 4242 --out out
expect_status 0
expect_valid
[ "$(journal 'map(select(.path // "" | endswith("/artifacts"))) | length')" \
	-ge 3 ] || fail "it was found without paging"

t "those of a signed address that expired are"
behind "$(world '' 'artifact: {url_lifetime: 0ms}')"
run patrol run --plan "$QUICK" --run-id 4242 --out out
expect_status 3
expect_valid

t "those of a run that is waited for, with nulls, are"
behind "$(world '' 'github: {run: {completes_after: 2s, head_branch: null,
  name: null, fork: true}}')"
run patrol run --plan "$QUICK" --run-id 4242 --out out
expect_sound_result out/result.json
expect_valid

t "those of an expired artifact are"
behind "$(world '' 'artifact: {expired: true}')"
run patrol run --plan "$QUICK" --run-id 4242 --out out
[ "$STATUS" -ne 0 ] || jq_is out/result.json '.outcome == "skipped"'
expect_eq "$(ask /actions/artifacts/9000000002/zip)" 410
expect_valid

t "those of a pull request, opened, changed and merged, are"
# propose FILE: as if a run had traced this.
propose()
{
	cp "$1" out/graphics-states/patrol.graphicsstate
	run patrol graphics-states propose --out out --asset states \
		--remote "$D/far.git"
	expect_status 0
}
# proposed LINES FILE: of a world with such pull requests, in it a run.
proposed()
{
	behind "$(world '' "github: {pulls: {git: far.git, $1}}")"
	git init -q --bare -b main far.git
	git clone -q far.git work 2>/dev/null
	echo '{}' >work/states
	git -C work add .
	git -C work -c user.name=x -c user.email=x@example.com \
		commit -qm states
	git -C work push -q origin HEAD:main
	mkdir -p out/graphics-states
	cp "$ROOT/tests/data/results/passed.json" out/result.json
	propose "$2"
}
states=$ROOT/tests/data/graphicsstate/metal-mobile.graphicsstate
echo 'Shader Skybox/Procedural, subshader 0, pass 0, stage pixel: variant _SUNDISK_SIMPLE not found.' >"$T/lacks"
need patrol graphics-states prune --log "$T/lacks" -o "$T/fewer" "$states" \
	2>/dev/null
: >"$T/asked"
proposed 'checks: required' "$T/fewer"
propose "$states"
expect_out 'pull request #41 updated'
expect_valid
proposed 'checks: none' "$states"
expect_out 'merged at once'
expect_valid
damage "/pulls/41" merged
damage "/pulls/41" head.repo.full_name
damage "/pulls?state=all" 0.node_id

t "what GraphQL is asked is in its schema"
if fetched graphql npm_install graphql@16.15.0 @octokit/graphql-schema@15.26.1
then
	NODE_PATH=$REAL/graphql/node_modules node "$HERE/graphql.js" \
		"$REAL/graphql/node_modules/@octokit/graphql-schema/schema.graphql" \
		"$T/asked" >graphql.log || fail "$(cat graphql.log)"
	expect_eq "$(grep -o enablePullRequestAutoMerge "$T/asked" | wc -l)" 3
else
	skip "npm's packages can't be had: $(tail -n 1 "$REAL/graphql.log")"
fi

# file JQ-EXPRESSION: registers what a comparison of ours says.
file()
{
	jq "$1" "$ROOT/tests/data/comparisons/worse.json" >comparison.json
	run patrol regressions file --comparison comparison.json
}

t "an issue's, its comment's and its reopening's are"
behind -
file .
expect_status 0
expect_out 'created #318'
# It happens anew: to the open one, and to the closed one.
anew='.run.run_id = "4243" |
	(.series[].step | select(. != null)).first_bad.run_id = .run.run_id'
file "$anew"
expect_out 'commented #318'
expect_eq "$(ask /issues/318 -X PATCH -H 'Content-Type: application/json' \
	-d '{"state": "closed", "labels": ["performance-regression",
	"verified"]}')" 200
file "$(printf '%s\n' "$anew" | sed s/4243/4244/)"
expect_out 'reopened #318'
expect_valid

t "an answer about issues that the description does not know is refused"
damage '/issues?state=all' 0.number
damage '/issues?state=all' 0.labels.0.name
damage /issues/318 html_url
damage /issues/318 state
damage /issues/318/comments 0.html_url
damage /labels/performance-regression name

t "those of a repository without issues are"
behind "$(world '' 'github: {issues: {disabled: true}}')"
file .
expect_err 'Issues are disabled'
expect_valid

t_end
behind -
"$PATROL_BUILD/tests/real/ops_github" || t_any_bad=1
t "the library's further calls are valid"
# The one wrong body stops at prism.
expect_eq "$(prism_log | grep -c 'Request received')" 7 'count of requests'
expect_count github.get 2
expect_count github.change 4
