#!/bin/sh
# ci/cover.sh BUILD: per source file, the share of lines that ran, worst first.

set -eu

build=${1:?BUILD}
find "$build/lib" "$build/cmd" -name '*.gcda' | sort |
	xargs -r gcov -n 2>/dev/null | awk -F"'" '
	/^File / { file = $2; next }
	/^Lines executed:/ && file != "" {
		split($0, f, /[:% ]+/)
		share = f[3]
		n = f[5]
		if (file ~ /^(lib|cmd)\/.*\.c$/) {
			printf "%6.1f %% of %5d  %s\n", share, n, file
			lines += n
			ran += n * share / 100
		}
		file = ""
	}
	END {
		if (lines)
			printf "%6.1f %% of %5d  all\n", 100 * ran / lines,
				lines
	}' | sort -n
