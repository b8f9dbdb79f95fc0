#!/bin/sh
# ci/check-names.sh BUILD: each global symbol of x.o is x or begins with x_.  A
# part of a module, such as http_url.c, may also have what a header of it, such
# as http.h, declares; and main.c what is named after its folder.

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
		if (path ~ /\/main$/)
			sub(/\/main$/, "", path)
		if (symbol == name_of(path) ||
		    index(symbol, name_of(path) "_") == 1)
			return 1
		# The folder and the first word of the module: lib/x/http
		split(name_of(path), word, "_")
		sub(/[^\/]*$/, "", path)
		return (path word[1], symbol) in declared
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
		if (index(symbol, name_of(path) "_") != 1)
			next
		split(name_of(path), word, "_")
		sub(/[^\/]*$/, "", path)
		declared[path word[1], symbol] = 1
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
