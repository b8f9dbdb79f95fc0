#!/bin/sh
# Answers of the farm and of GitHub that are none.

. "${0%/*}/lib.sh"

cat >"$T/plan.yaml" <<'PLAN'
patrol: 1
app: {package: com.example.starfall}
artifact: {name: android-patrol}
device: {match: {model: "Pixel 7"}}
defaults: {hold: 0s, settle: {stable_for: 0s, timeout: 5s}}
screens:
  title: {is: {scene: Title}}
route: {start: title, visit: [title]}
PLAN

# patrol_with [VAR=VALUE]... <SCENARIO: a patrol on that farm.
patrol_with()
{
	cat >"$T/scenario.yaml"
	farm "$T/scenario.yaml" -- env "$@" patrol run --quiet \
		--plan "$T/plan.yaml" --run-id 4242 --out out
}

t "answers of the farm that are no answers are one clear line"
for fault in 'html: true' 'body: "{"' 'body: ""' 'garbage: true' \
	'oversize_header: true' 'body: "[1,2]"' "body: 'null'" \
	'redirect: "file:///etc/passwd"' 'cut_at: 5'; do
	patrol_with A=1 <<-END
	stf: {faults: [{call: "GET /devices*", $fault}]}
	END
	expect_status 3
	jq_is out/result.json '.outcome == "infra_error" and
		(.message | length > 20 and length < 640)'
	expect_no_file out/.work
	expect_given_back
done

t "answers of GitHub that are no answers are one clear line"
for fault in 'html: true' 'body: "{"' 'body: "[1,2]"' 'garbage: true' \
	"body: 'null'" 'oversize_header: true' 'redirect: "file:///etc/passwd"' \
	'body: "{\"id\":1}"' 'cut_at: 5'; do
	patrol_with A=1 <<-END
	github: {faults: [{call: "GET */runs/4242", $fault}]}
	END
	expect_status 3
	jq_is out/result.json '.outcome == "infra_error" and
		(.message | length > 20 and length < 640)'
	expect_count stf.reserve 0
done

t "an answer of GitHub that is cut, garbage or a page is asked for again"
for fault in 'cut_at: 5' 'garbage: true' 'status: 502, html: true' \
	'reset: true'; do
	patrol_with A=1 <<-END
	github: {faults: [{call: "GET */runs/4242", nth: 1, $fault}]}
	END
	expect_status 0
done
