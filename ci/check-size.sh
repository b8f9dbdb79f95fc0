#!/bin/sh
# No file over 500 lines and no function over 60, from its type to its brace.
# A test file is as long as its cases are many; its functions are not.

set -eu

files=$(find lib cmd fixtures device tests -name '*.[ch]' 2>/dev/null | sort)
[ -n "$files" ] || exit 0
# shellcheck disable=SC2086
awk -v most_lines=500 -v most_function=60 '
	function end_of_file()
	{
		if (lines > most_lines && file !~ /^tests\//) {
			printf "%s: %d lines: divide it at %d by what it " \
				"does\n", file, lines, most_lines
			bad = 1
		}
	}
	FNR == 1 {
		end_of_file()
		file = FILENAME
		first = 0
		in_body = 0
	}
	{ lines = FNR }
	# The format is clang-format'"'"'s: only a function has a brace alone.
	in_body && /^}/ {
		if (FNR - first + 1 > most_function) {
			printf "%s:%d: a function of %d lines: split it at " \
				"%d\n", file, first, FNR - first + 1,
				most_function
			bad = 1
		}
		in_body = first = 0
		next
	}
	in_body { next }
	/^{/ {
		in_body = 1
		next
	}
	# Where the head begins: behind all that is none.
	/^$/ || /^#/ || /\*\/$/ || /^[ \t\/*}]/ || /[;{]$/ {
		if (/^$/ || /;$/ || /^}/ || /\*\/$/)
			first = 0
		next
	}
	!first { first = FNR }
	END {
		end_of_file()
		exit bad
	}' $files
