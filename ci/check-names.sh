#!/bin/sh
# ci/check-names.sh BUILD: each global symbol of x.o begins with x_.

set -eu

build=${1:?BUILD}
[ -d "$build" ] || { echo "'$build' is missing; make it first" >&2; exit 2; }
cd "$build"
find lib cmd fixtures -name '*.o' 2>/dev/null | sort |
	xargs -r nm -A -g --defined-only | awk '
	{
		# path/x.o:0000 T symbol
		path = $1
		sub(/:.*/, "", path)
		symbol = $NF
		module = path
		sub(/.*\//, "", module)
		sub(/\.o$/, "", module)
		seen++
		if (symbol == "main" && module == "main")
			next
		# What a sanitizer or the compiler adds is not ours.
		if (symbol ~ /^(__|_GLOBAL_|\.L)/)
			next
		if (index(symbol, module "_") != 1) {
			printf "%s: \"%s\" does not begin with \"%s_\"\n",
				path, symbol, module
			bad = 1
		}
	}
	END {
		if (!seen) {
			print "no symbol seen: nothing was built"
			bad = 1
		}
		exit bad
	}'
