#!/bin/sh
# From a comparison to issues on the simulated GitHub: what is written, what is
# found again, and what becomes of it when GitHub does not do what it should.
. "${0%/*}/lib.sh"

# ALL has one of an earlier day beside what is new.
ALL=$ROOT/tests/data/comparisons/worse.json
WORSE=$T/worse.json
jq '.series |= map(select(.step == null or .step.new))' "$ALL" >"$WORSE"
REPO=/repos/example/starfall

# file COMPARISON [OPTION]...
file()
{
	f_comparison=$1
	shift
	run patrol regressions file --comparison "$f_comparison" "$@"
}

# made JQ-EXPRESSION: a comparison of our own, printed as its path.
made()
{
	m_file=$T/made-$(printf '%s' "$*" | cksum | tr ' ' -).json
	jq "$@" "$WORSE" >"$m_file" || fail "jq: $*"
	printf '%s\n' "$m_file"
}

# Another run, one day later; the same regressions are new with it.
NEXT='.run.at = "2026-12-01T10:46:00Z" | .run.run_id = "4243"'
# They have other ends: it has happened anew.
ANEW="$NEXT"' | (.series[].step | select(. != null)) |=
	(.last_good.run_id = "4240" | .first_bad.run_id = "4241")'

# github METHOD PATH [CURL-OPTION]...: as a person would do it.
github()
{
	g_method=$1 g_path=$2
	shift 2
	curl -sSf -X "$g_method" -H "Authorization: Bearer $GITHUB_TOKEN" "$@" \
		"$GITHUB_API_URL$REPO$g_path" >github.out ||
		fail "$g_method $g_path"
}

close_issue()
{
	github PATCH "/issues/$1" -d '{"state": "closed"}'
}

# issues JQ-EXPRESSION: of what is on GitHub.
issues()
{
	jq_is github/issues.json "$1"
}

# done_to DO...: what was done to issues, in this order.
done_to()
{
	expect_eq "$(journal 'map(select(.event == "issue.write") |
		"\(.do) \(.number)") | join(", ")')" "$*" "what was done"
}

# world LINES: a scenario; prints its path.
world()
{
	w_file=$T/world-$(printf '%s' "$1" | cksum | tr ' ' -).yaml
	printf '%s\n' "$1" >"$w_file"
	printf '%s\n' "$w_file"
}

# --- the usual -------------------------------------------------------------

t "what got worse between two runs is one issue"
farm_up -
file "$WORSE" --plan plans/starfall.yaml \
	--result "$ROOT/tests/data/results/passed.json"
expect_status 0
done_to "created 318, created 319"
expect_out 'created #318: home>shop: load 1.84→2.21 s (+20 %) and 1 more'
expect_out 'created #319: gacha: memory'
issues '.issues | length == 2'
issues '.issues[0].labels == ["performance-regression", "awaiting-verification"]'
issues '[.labels[] | select(.description | length > 10)] | length == 2'
jq_get github/issues.json '.issues[0].body' >body
expect_in body "| \`load\` | \`home>shop\` | \`1.84 s ± 36.8 ms\` | \`2.21 s\` | +20 % | 30 → 4 | step |"
expect_in body "| \`settle\` | \`shop\` |"
expect_not_in body apk_size
expect_not_in body battle
expect_in body "\`Shop: load icons when they are shown\` by \`ren\`"
expect_in body 'compare/3f2e1d0c9b8a79685746352413021100ffeeddcc...a1b2c3d4'
expect_in body 'https://github.com/example/starfall/actions/runs/4239'
expect_in body 'https://reports.example.com/4238/report.html'
expect_in body 'Pixel 6 (1A2B3C4D), OS AP2A.240905.003, Unity 6000.0.40f1'
jq_is github/issues.json '.issues[1].body | contains("→ `home`\n3. ")'

t "its block is what the schema says"
sed -n '/^```json patrol-regression$/,/^```$/p' body | sed '1d;$d' >block.json
fits_schema issue-block block.json
jq_is block.json '.plan == "plans/starfall.yaml" and
	.series[0].baseline == {"median": 1840, "noise": 36.8, "runs": 30} and
	.first_bad.commit == "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334"'

t "the same run says nothing twice"
file "$WORSE"
expect_status 0
expect_out 'nothing to write: issues tell of it already'
done_to "created 318, created 319"

t "an open issue gets one comment a run"
next=$(made "$ANEW")
file "$next"
expect_status 0
expect_out 'commented #318'
file "$next" --json
expect_status 0
fits_schema regressions stdout
jq_is stdout '.written == [] and ([.registered[] | .action] | unique ==
	["known"]) and .registered[0].url ==
	"https://github.com/example/starfall/issues/318"'
issues '[.issues[].comments | length] == [1, 1]'
issues '.issues[0].comments[0].body | contains("got worse anew")'

t "a closed issue is reopened when it happens anew, and waits for its proof"
close_issue 318
github POST /issues/318/labels -d '{"labels": ["verified"]}'
github DELETE /issues/318/labels/awaiting-verification
file "$(made "$ANEW"' | .run.run_id = "4244" |
	(.series[].step | select(. != null)).first_bad.run_id = "4244"')"
expect_status 0
expect_out 'reopened #318'
issues '.issues[0].state == "open" and (.issues[0].labels | sort) ==
	["awaiting-verification", "performance-regression"]'
issues '.issues[0].comments[1].body | contains("It is back")'

t "a closed issue of the same two runs stays closed, and is told what is new"
close_issue 319
memory=$(made "$NEXT"' | .run.run_id = "4245" |
	.series |= map(select(.metric == "memory"))')
file "$memory"
expect_status 0
expect_out 'nothing to write'
file "$(made "$NEXT"' | .run.run_id = "4245" | .series |=
	map(select(.metric == "memory") | ., (.subject = "shop"))')"
expect_status 0
expect_out 'commented #319'
issues '.issues[1] | .state == "closed" and (.comments | length) == 3'

t "issues survive the farm"
mkdir -p "$T/kept/github" && cp github/issues.json "$T/kept/github/"
farm_down
farm_up -
mkdir -p github && cp "$T/kept/github/issues.json" github/
farm_down
patrol-farm --dir "$D" -- patrol regressions file --comparison "$WORSE" \
	>stdout 2>stderr || fail "status $?"
expect_out 'nothing to write'

t "what joins later is added to the table's issue, and to its block"
farm_up -
file "$(made 'del(.series[] | select(.metric == "settle"))')"
github PATCH /issues/318 \
	-d "$(jq '{body: ("Mine. " + .issues[0].body)}' github/issues.json)"
file "$(made "$NEXT"' | .series |= map(select(.metric == "settle"))')"
expect_status 0
expect_out 'commented #318'
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'Mine. '
sed -n '/^```json patrol-regression$/,/^```$/p' body | sed '1d;$d' >block.json
fits_schema issue-block block.json
jq_is block.json '[.series[].metric] == ["load", "settle"]'

# --- a day that could not file ---------------------------------------------

# The same regressions, one and more days after they were said.
STANDS='(.series[].step | select(. != null)) |= (.new = false | .days += 1) |
	.run.at = "2026-12-01T10:46:00Z" | .run.run_id = "4243"'

t "what an issue tells of is looked for in one request, and told where it is"
farm_up -
file "$WORSE"
expect_status 0
before=$(journal_count github.get)
file "$(made "$STANDS")" --json
expect_status 0
jq_is stdout '.written == [] and [.registered[] | .number] == [318, 318, 319]
	and all(.registered[]; .action == "known")'
expect_eq "$(($(journal_count github.get) - before))" 1 'requests'

t "what could not be filed on its day is filed on the next, and then never again"
farm_up "$(world 'github: {faults: [{call: "POST */issues", times: 1,
  status: 503, effect: false}]}')"
file "$WORSE"
expect_status 3
expect_err 'HTTP 503'
expect_count issue.write 0
file "$(made "$STANDS")"
expect_status 0
done_to "created 318, created 319"
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'first bad: 2026-11-27, build [`4239`]'
expect_in body 'first said: 2026-11-30, build [`4242`]'
expect_in body 'registered in: 2026-12-01, build [`4243`]'
expect_in body 'compare/3f2e1d0c9b8a79685746352413021100ffeeddcc...a1b2c3d4'
file "$(made "$STANDS"' | .run.run_id = "4244" |
	.run.at = "2026-12-02T10:46:00Z"')"
expect_status 0
expect_out 'nothing to write: issues tell of it already'
done_to "created 318, created 319"
issues '[.issues[].comments | length] == [0, 0]'

t "what stands since before patrol filed anything is filed, too"
farm_up -
file "$ALL"
expect_status 0
done_to "created 318, created 319, created 320"
issues 'any(.issues[]; .title | startswith("battle: frame_worst"))'

t "a comment that could not be made is made on the next day, once"
farm_up "$(world 'github: {faults: [{call: "POST */comments", nth: 1,
  status: 503, effect: false}]}')"
file "$WORSE"
file "$(made "$ANEW")"
expect_status 3
stands=$(made "$ANEW | $STANDS")
file "$stands"
expect_status 0
expect_out 'commented #318'
file "$stands"
expect_out 'nothing to write'
issues '[.issues[].comments | length] == [1, 1]'

t "an issue whose text could not be changed is not told twice"
farm_up "$(world 'github: {faults: [{call: "PATCH */issues/318", nth: 1,
  status: 503, effect: false}]}')"
file "$WORSE"
file "$(made "$ANEW")"
expect_status 3
file "$stands"
expect_status 0
file "$stands" --json
jq_is stdout 'all(.registered[]; .action == "known")'
issues '[.issues[].comments | length] == [1, 1]'

# --- a person's word ---------------------------------------------------------

# Between other builds, to so many percent of what was registered.
anew_at()
{
	made "$ANEW | (.series[].step | select(. != null)).after *= $1 |
		.series |= map(select(.metric == \"load\" or .metric == \"settle\")) |
		(.series[].step | select(. != null)).first_bad.run_id = \"$2\""
}

t "what was closed as not planned stays closed while it is no worse"
farm_up -
file "$(anew_at 1 4241)"
github PATCH /issues/318 -d '{"state": "closed", "state_reason": "not_planned"}'
file "$(anew_at 1.02 4251)"
expect_status 0
expect_out 'commented #318'
issues '.issues[0] | .state == "closed" and (.comments | length) == 1'
file "$(anew_at 1.02 4251)"
expect_out 'nothing to write'

t "and is reopened once when it is worse than what was lived with"
file "$(anew_at 1.3 4261)"
expect_status 0
expect_out 'reopened #318'
github PATCH /issues/318 -d '{"state": "closed", "state_reason": "not_planned"}'
file "$(anew_at 1.3 4261)"
expect_out 'nothing to write'
issues '.issues[0].state == "closed"'

t "its new level is what is lived with from then on"
file "$(anew_at 1.31 4271)"
expect_out 'commented #318'
issues '.issues | length == 1 and .[0].state == "closed"'
jq_get github/issues.json '.issues[0].body' |
	sed -n '/^```json patrol-regression$/,/^```$/p' | sed '1d;$d' >block.json
fits_schema issue-block block.json
jq_is block.json '.series | length == 2 and .[0].after.median > 2800'

# --- two at once -------------------------------------------------------------

t "of two that made the same issue the later one takes its own back"
farm_up "$(world 'github: {issues: {twin: before}}')"
file "$WORSE" --json
expect_status 0
fits_schema regressions stdout
jq_is stdout '[.registered[] | "\(.number) \(.action)"] ==
	["318 known", "318 known", "320 created"] and
	[.written[] | "\(.number) \(.action)"] ==
	["319 created", "319 duplicate", "320 created"]'
issues '[.issues[] | "\(.number) \(.state) \(.state_reason)"] ==
	["318 open null", "319 closed duplicate", "320 open null"]'
issues '.issues[1] | .labels == ["performance-regression"] and
	(.comments[0].body | startswith("Duplicate of #318\n")) and
	(.body | contains("patrol:regression") | not)'
file "$(made "$STANDS")"
expect_out 'nothing to write'
close_issue 318
file "$(made "$STANDS"' | .run.run_id = "4244"')"
expect_out 'nothing to write'

t "a server that knows no duplicates is told that it is not planned"
farm_up "$(world 'github: {issues: {twin: before, reasons: old}}')"
file "$WORSE"
expect_status 0
issues '.issues[1] | .state == "closed" and .state_reason == "not_planned"'

t "the first one leaves the other to who made it"
farm_up "$(world 'github: {issues: {twin: after}}')"
file "$WORSE"
expect_status 0
done_to "created 318, created 319, created 320"
file "$(made "$STANDS")" --json
jq_is stdout '[.registered[].number] == [318, 318, 320]'

t "two that file at one moment leave one issue open"
farm_up -
patrol regressions file --comparison "$WORSE" >other.out 2>&1 &
other=$!
file "$WORSE"
expect_status 0
wait "$other" || fail "the other: $(cat other.out)"
issues '[.issues[] | select(.state == "open")] | length == 2 and
	(map(.title) | unique | length) == 2'
file "$(made "$STANDS")"
expect_out 'nothing to write'
farm_up -

t "without a regression GitHub is not asked"
farm_up -
file "$(made '.series |= map(select(.step == null or
	.step.kind == "improvement"))')" --json
expect_status 0
jq_is stdout '.registered == [] and .written == []'
expect_count github.get 0
expect_count github.change 0

# --- many --------------------------------------------------------------------

t "forty of one bad commit are one issue"
file "$(made '.series = [range(40) as $i | .series[2] |
	.subject = "home>s\($i)"]')"
expect_status 0
done_to "created 318"
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'And 10 more, which are less bad.'

t "a run makes five issues, and one of what is beyond"
farm_up -
many='.series = [range(12) as $i | .series[2] | .subject = "home>s\($i)" |
	.step.after += $i | .step.first_bad.id = "\($i)" |
	.step.first_bad.run_id = "\(100 + $i)"]'
file "$(made "$many")"
expect_status 0
done_to "created 318, created 319, created 320, created 321, created 322, created 323"
issues '.issues[0].title | contains("home>s11")'
jq_get github/issues.json '.issues[5].body' >body
expect_in body 'More got worse than one run makes issues of'
sed -n '/^```json patrol-regression$/,/^```$/p' body | sed '1d;$d' >block.json
fits_schema issue-block block.json
jq_is block.json '(.series | length) == 7 and .first_bad == null'
file "$(made "$many")"
expect_out 'nothing to write'
file "$(made "$many"' | .series[].step.new = false')" --json
jq_is stdout '[.registered[].number] | length == 12 and max == 323'

t "a run comments on five, and the next one on what is beyond"
later="$many"' | (.series[].step.first_bad) |= (.run_id = "9" + .run_id)'
farm_up -
for part in 0:4 4:8; do
	file "$(made "$many | .series |= .[$part]")"
done
done_to "created 318, created 319, created 320, created 321, created 322, created 323, created 324, created 325"
file "$(made "$later | .series |= .[0:8]")" --json
fits_schema regressions stdout
jq_is stdout '[.registered[].action] | sort == (["commented", "commented",
	"commented", "commented", "commented", "later", "later", "later"])'
file "$(made "$later | .series |= .[0:8]")" --json
jq_is stdout '[.registered[].action] | sort == (["commented", "commented",
	"commented", "known", "known", "known", "known", "known"])'

# --- dry ---------------------------------------------------------------------

t "a dry run shows all and writes nothing"
farm_up -
file "$WORSE" --dry-run
expect_status 0
expect_out 'not yet created: home>shop: load 1.84→2.21 s (+20 %) and 1 more'
expect_out '<!-- patrol:run 4242-20261130 -->'
expect_count github.change 0
file "$WORSE" --dry-run --json
fits_schema regressions stdout
jq_is stdout '.dry_run and (.written | length) == 2 and
	.registered[0].number == null'

t "a dry run needs no GitHub"
farm_down
unset GITHUB_TOKEN GITHUB_REPOSITORY GITHUB_API_URL
file "$WORSE" --dry-run
expect_status 0
expect_err 'GitHub was not asked'
expect_out 'not yet created: gacha'

# --- the commits ---------------------------------------------------------------

# checkout DIR: four commits; their hashes in c1 to c4.
c1='' c3='' c4=''
checkout()
{
	git init -q "$1" && git -C "$1" config user.name Ren &&
		git -C "$1" config user.email ren@example.com || exit 2
	for c_n in 1 2 3 4; do
		git -C "$1" commit -q --allow-empty -m "Change $c_n by @all" ||
			exit 2
		eval "c$c_n=\$(git -C '$1' rev-parse HEAD)"
	done
}

t "where GitHub does not know the commits, the checkout does"
checkout "$T/co"
between='(.series[].step | select(. != null)) |= (.last_good.commit = "'$c1'" |
	.first_bad.commit = "'$c3'")'
printf 'github: {compare: {missing: true}}\n' >"$T/missing.yaml"
farm_up "$T/missing.yaml"
file "$(made "$between")" --checkout "$T/co"
expect_status 0
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'this is what the checkout knows'
expect_in body "\`Change 2 by @all\`"
expect_in body "\`Change 3 by @all\`"
expect_not_in body 'Change 1'
expect_not_in body 'Change 4'

t "a shallow checkout says that its list is not whole"
git clone -q --depth 2 "file://$T/co" "$T/shallow"
farm_up "$T/missing.yaml"
file "$(made "$between"' | (.series[].step |
	select(. != null)).first_bad.commit = "'"$c4"'"')" --checkout "$T/shallow"
expect_status 0
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'The list is not whole'
expect_in body "\`Change 4 by @all\`"

t "what neither knows is said"
farm_up "$T/missing.yaml"
mkdir none
file "$WORSE" --checkout none
expect_status 0
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'The commits are not known: GitHub did not tell'

t "a history that parted is told as such, a long one is cut"
printf '%s\n' 'github: {compare: {status: diverged, total: 900}}' \
	>"$T/parted.yaml"
farm_up "$T/parted.yaml"
file "$WORSE"
expect_status 0
jq_get github/issues.json '.issues[0].body' >body
expect_in body 'branches that have parted'
expect_in body 'The newest 2 of 900.'

t "what is no commit is asked of nobody"
farm_up -
file "$(made '(.series[].step | select(. != null)).first_bad.commit =
	"../../../x"')"
expect_status 0
journal_is 'all(.[]; .path // "" | contains("/compare/") | not)'

t "a commit can ping nobody and close nothing"
cat >"$T/evil.yaml" <<'YAML'
github:
  compare:
    commits:
      - {sha: a1b2c3d4e5f60718293a4b5c6d7e8f9001122334, author: "evil`@all",
         message: "fixes #1 @all `--> <!-- </details> https://x/y|"}
YAML
farm_up "$T/evil.yaml"
file "$WORSE"
expect_status 0
jq_get github/issues.json '.issues[0].body' >body
expect_in body "\`\`fixes #1 @all \`--> <!-- </details> https://x/y|\`\` by \`\`evil\`@all\`\`"

# --- what GitHub refuses ---------------------------------------------------------

t "a token that may not write is told what it lacks"
farm_up "$(world 'github: {issues: {forbidden: true}}')"
file "$WORSE" --json
expect_status 3
expect_err 'permissions: issues: write'
fits_schema regressions stdout
jq_is stdout '.error | contains("not registered")'
expect_count issue.write 0

t "a repository without issues is told as such"
farm_up "$(world 'github: {issues: {disabled: true}}')"
file "$WORSE"
[ "$STATUS" -ne 0 ] || fail "it passes"
expect_err 'Issues are disabled'
expect_count issue.write 0

t "a rate limit that lasts ends it, and nobody waits"
farm_up "$(world 'github: {rate_limit: {remaining: 4, reset_in: 1h}}')"
file "$WORSE"
expect_status 3
expect_err 'rate limit is used up until'

t "a short limit is waited for"
farm_up "$(world 'github: {faults: [{call: "POST */issues", nth: 1,
  status: 403, retry_after: 1, effect: false}]}')"
file "$WORSE"
expect_status 0
done_to "created 318, created 319"

t "labels that GitHub drops are no silent loss"
farm_up "$(world 'github: {issues: {unlabelled: true}}')"
file "$WORSE"
[ "$STATUS" -ne 0 ] || fail "it passes"
expect_err "made issue 318 without its label 'performance-regression'"
done_to "created 318"

t "and no day makes another one of the same"
file "$(made "$STANDS")"
expect_status 3
expect_err "issue 318 tells of it and has no label"
expect_err "put the label on it"
done_to "created 318"

t "a lost answer makes no second issue"
farm_up "$(world 'github: {faults: [{call: "POST */issues", nth: 1,
  cut_at: 10}]}')"
file "$WORSE"
expect_status 0
done_to "created 318, created 319"

t "an error after the deed makes no second comment"
farm_up "$(world 'github: {faults: [{call: "POST */comments", nth: 1,
  status: 502, effect: true}]}')"
file "$WORSE"
file "$next"
expect_status 0
issues '[.issues[].comments | length] == [1, 1]'
file "$next"
expect_out 'nothing to write'

t "an error without the deed is told, and a second call makes it good"
farm_up "$(world 'github: {faults: [{call: "POST */issues", nth: 2,
  status: 502, effect: false}]}')"
file "$WORSE"
expect_status 3
expect_out 'created #318'
file "$WORSE"
expect_status 0
done_to "created 318, created 319"

t "an issue that could not be reopened is, by a second call"
farm_up "$(world 'github: {faults: [{call: "PATCH */issues/*", nth: 2,
  status: 502, effect: false}]}')"
file "$WORSE"
close_issue 318
again=$(made "$ANEW"' | .run.run_id = "4244" |
	(.series[].step | select(. != null)).first_bad.run_id = "4244"')
file "$again"
expect_status 3
file "$again"
expect_status 0
expect_out 'reopened #318'
issues '.issues[0].state == "open" and
	(.issues[0].comments | length) == 1'

# --- bad input -------------------------------------------------------------------

t "what is no comparison is refused"
printf '{}' >x.json
file x.json
expect_status 2
expect_err "'x.json' is no comparison"
file "$(made '.schema_version = 2')"
expect_status 2
expect_err 'later patrol'
printf '{"schema_version": 1, "series": [' >x.json
file x.json
expect_status 2
run patrol regressions file
expect_status 2

t "no secret is in what is printed and written"
! grep -rqF "$GITHUB_TOKEN" github stdout stderr || fail "the token is there"
