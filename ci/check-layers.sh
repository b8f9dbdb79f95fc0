#!/bin/sh
# Arrows point down only: read the #include lines and say which point up or
# sideways.  The levels are in ci/layers.

set -eu

layers=${LAYERS:-ci/layers}
find lib cmd fixtures device -name '*.[ch]' 2>/dev/null | sort |
	xargs grep -n '^[ \t]*#[ \t]*include[ \t]*"' /dev/null |
	awk -v layers="$layers" '
	function folder_of(path)
	{
		sub(/\/[^\/]*$/, "", path)
		return path
	}
	BEGIN {
		while ((getline line < layers) > 0) {
			if (line ~ /^#/ || split(line, f, " ") < 2)
				continue
			level[f[1]] = f[2] + 0
		}
	}
	{
		split($0, part, ":")
		file = part[1]
		place = file ":" part[2]
		match($0, /"[^"]*"/)
		inc = substr($0, RSTART + 1, RLENGTH - 2)
		from = folder_of(file)
		if (inc !~ /\//) {
			# Beside the file: only the farm does so.
			if (from == "fixtures")
				next
			printf "%s: \"%s\": write it from lib/ or the root\n",
				place, inc
			bad = 1
			next
		}
		to = folder_of(inc)
		if (to != "cmd" && to != "fixtures" && to !~ /^tests/)
			to = "lib/" to
		if (!(from in level)) {
			printf "%s: folder %s is not in ci/layers\n", place,
				from
			bad = 1
		} else if (!(to in level)) {
			printf "%s: \"%s\": folder %s is not in ci/layers\n",
				place, inc, to
			bad = 1
		} else if (from != to && level[to] >= level[from]) {
			printf "%s: %s must not include %s\n", place, from, to
			bad = 1
		} else if (from != to && to == "fixtures") {
			printf "%s: %s must not include fixtures\n", place,
				from
			bad = 1
		}
	}
	END { exit bad }'
