#!/bin/sh
# ci/check-help.sh PATROL: help, manual page and completion say the same, since
# they come from one table; and the page in docs is the one of this build.

set -u

patrol=${1:?PATROL}
page=docs/patrol.1
bad=0
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

wrong()
{
	echo "$*"
	bad=1
}

"$patrol" help --man >"$tmp/man" || wrong "help --man fails"
"$patrol" help >"$tmp/help" || wrong "help fails"
for shell in bash zsh fish; do
	"$patrol" completion $shell >"$tmp/$shell" ||
		wrong "completion $shell fails"
done
bash -n "$tmp/bash" || wrong "the completion for bash does not parse"

cmp -s "$tmp/man" $page ||
	wrong "$page is not what this build prints: make docs"

"$patrol" help --settings >"$tmp/settings" || wrong "help --settings fails"
sed '1,/<!-- patrol help --settings -->/d; /<!-- end -->/,$d' \
	docs/settings.md | cmp -s - "$tmp/settings" ||
	wrong "docs/settings.md has not this build's settings: make docs"

# The page's dashes are written "\-".
sed 's/\\-/-/g' "$tmp/man" >"$tmp/plain"
"$patrol" help --list >"$tmp/commands" || wrong "help --list fails"
[ -s "$tmp/commands" ] || wrong "no command is listed"
while IFS= read -r command; do
	grep -qF "$command" "$tmp/help" ||
		wrong "help does not tell of '$command'"
	grep -q "^\.SS \"*patrol $command\"*\$" "$tmp/plain" ||
		wrong "the manual page lacks '$command'"
	# shellcheck disable=SC2086
	"$patrol" $command --help >"$tmp/one" </dev/null ||
		wrong "$command --help fails"
	grep -oE '^ *(-[A-Za-z], )?--[a-z][a-z0-9-]*' "$tmp/one" |
		grep -oE '\-\-[a-z][a-z0-9-]*' | sort -u |
		while IFS= read -r option; do
			grep -qF -e "$option" "$tmp/plain" ||
				echo "the manual page lacks $command $option"
			[ "$option" = --help ] || for shell in bash zsh; do
				grep -qF -e "$option" "$tmp/$shell" || echo \
				"$shell's completion lacks $command $option"
			done
			grep -qF -e "-l ${option#--}" "$tmp/fish" || [ \
				"$option" = --help ] || echo \
				"fish's completion lacks $command $option"
		done >"$tmp/lacks"
	[ ! -s "$tmp/lacks" ] || wrong "$(cat "$tmp/lacks")"
done <"$tmp/commands"
exit $bad
