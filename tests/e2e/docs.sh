#!/bin/sh
# What the documents print is so.

. "${0%/*}/lib.sh"

fresh
docs="$ROOT/README.md $ROOT/docs/*.md $ROOT/docs/decisions/*.md"

# The block that begins with "patrol: 1" of a document.
plan_in()
{
	awk '/^```/ { inside = 0 }
		inside || $0 == "patrol: 1" && !done { print; inside = done = 1 }
	' "$1"
}

t "the plan of ten lines is plans/minimal.yaml, wherever it is printed"
for f in README.md docs/plan.md; do
	plan_in "$ROOT/$f" >printed
	cmp -s printed "$ROOT/plans/minimal.yaml" || fail "$f has another plan"
done
expect_eq "$(wc -l <printed)" 10 "count of lines"
run patrol plan check printed
expect_status 0

t "it measures: a capture and snapshots come from the phone"
sed 's/^route:/defaults: {hold: 0s, settle: {stable_for: 0s}}\n&/' printed \
	>"$T/plan.yaml"
cat >"$T/fast.yaml" <<'EOF'
game: {loads_scale: 0, popups: []}
EOF
# shellcheck disable=SC2016
farm "$T/fast.yaml" -- sh -c 'exec patrol run --plan "$T/plan.yaml" \
	--device "adb:$PATROL_FARM_PHONE" --apk "$PATROL_FARM_APK" --out out'
expect_status 0
jq_is out/result.json '.measured'
expect_file out/capture/patrol.raw

t "each link leads to a file"
# shellcheck disable=SC2086
grep -oE '\]\([^)#: ]+[)#]' /dev/null $docs |
	sed 's/:\](/ /; s/[)#]$//' | sort -u >links
[ "$(wc -l <links)" -gt 20 ] || fail "only $(wc -l <links) links found"
while read -r from to; do
	[ -e "${from%/*}/$to" ] || fail "$from: '$to' is not there"
done <links

t "each command that is printed exists, with its options"
patrol help --list >commands
patrol help --man | sed 's/\\-/-/g' >page
# In indented and fenced blocks, and in backticks; a \ at the end goes on.
# shellcheck disable=SC2086
cat $docs | sed -e ':a' -e '/\\$/{N;s/\\\n//;ta' -e '}' |
	grep -oE '(^ {4,}|`|build/|exec |-- )patrol [a-z]+[^`#|]*' |
	sed 's/^.*patrol /patrol /' | sort -u >printed
[ "$(wc -l <printed)" -gt 20 ] || fail "only $(wc -l <printed) found"
while read -r _ word line; do
	grep -qE "^$word( |\$)" commands || fail "no command 'patrol $word'"
	for option in $(printf '%s\n' "$line" | grep -oE -e '--[a-z-]+'); do
		grep -qF -e "$option" page || [ "$option" = --help ] ||
			fail "'patrol $word' has no '$option'"
	done
done <printed

t "README's exit statuses are those of the program"
patrol help | sed -n 's/^  \([0-6]\)  \(.*\)$/| \1 | \2 |/p' >statuses
expect_eq "$(wc -l <statuses)" 7 "count of statuses"
while IFS= read -r line; do
	expect_in "$ROOT/README.md" "$line"
done <statuses
