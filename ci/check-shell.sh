#!/bin/sh
# Every script for /bin/sh, found by its name or first line, parses and has
# nothing that shellcheck minds.

set -eu

list=$(mktemp)
trap 'rm -f "$list"' EXIT
find . \( -path ./build -o -path ./.git -o -name node_modules \) -prune -o \
	-type f -print | while IFS= read -r f; do
	case $f in
	*.sh) printf '%s\n' "$f" ;;
	*.[cho] | *.apk | *.png | *.jpg | *.zip | *.json | *.md) ;;
	*/tests/fuzz/corpus/*) ;;
	*)
		first=$(head -c 9 "$f" | tr -d '\0')
		[ "$first" != '#!/bin/sh' ] || printf '%s\n' "$f"
		;;
	esac
done | sort >"$list"
[ -s "$list" ] || { echo "no script found"; exit 1; }
while IFS= read -r f; do
	sh -n "$f"
done <"$list"
xargs shellcheck -x <"$list"
