#!/bin/sh
# ci/check-names.sh BUILD: each global symbol of x.o begins with x_.  A part of
# a module, such as http_url.c, may also have what the module's header, http.h,
# declares.

set -eu

build=${1:?BUILD}
[ -d "$build" ] || { echo "'$build' is missing; make it first" >&2; exit 2; }
{
	# path/x.h:name( and path/x.o:0000 T name
	find lib cmd fixtures -name '*.h' -exec \
		grep -oE '[A-Za-z_][A-Za-z0-9_]*[ ]*[(;[]' /dev/null {} +
	cd "$build"
	find lib cmd fixtures -name '*.o' -exec nm -A -g --defined-only {} +
} 2>/dev/null | awk '
	function name_of(path)
	{
		sub(/.*\//, "", path)
		return path
	}
	function belongs(symbol, path)
	{
		if (index(symbol, name_of(path) "_") == 1)
			return 1
		while (sub(/_[^_\/]*$/, "", path)) {
			if (index(symbol, name_of(path) "_") == 1 &&
			    (path, symbol) in declared)
				return 1
		}
		return 0
	}
	{
		path = $1
		sub(/:.*/, "", path)
	}
	path ~ /\.h$/ {
		symbol = $0
		sub(/^[^:]*:/, "", symbol)
		sub(/ *[(;[]$/, "", symbol)
		sub(/\.h$/, "", path)
		declared[path, symbol] = 1
		next
	}
	{
		symbol = $NF
		sub(/\.o$/, "", path)
		seen++
		if (symbol == "main" && path ~ /\/main$/)
			next
		# What a sanitizer or the compiler adds is not ours.
		if (symbol ~ /^(__|_GLOBAL_|\.L)/)
			next
		if (belongs(symbol, path))
			next
		printf "%s.c: \"%s\" does not begin with \"%s_\"\n", path,
			symbol, name_of(path)
		bad = 1
	}
	END {
		if (!seen) {
			print "no symbol seen: nothing was built"
			bad = 1
		}
		exit bad
	}'
