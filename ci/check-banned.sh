#!/bin/sh
# No call of what ci/banned lists.  Comments and strings are not code.

set -eu

banned=${BANNED:-ci/banned}
files=$(find lib cmd fixtures tests -name '*.[ch]' 2>/dev/null | sort)
[ -n "$files" ] || exit 0
# shellcheck disable=SC2086
awk -v banned="$banned" '
	BEGIN {
		while ((getline line < banned) > 0) {
			if (line ~ /^#/ || line ~ /^[ \t]*$/)
				continue
			name = line
			sub(/[ \t].*/, "", name)
			sub(/^[^ \t]*[ \t]+/, "", line)
			instead[name] = line
		}
	}
	FNR == 1 { in_comment = 0 }
	{
		code = ""
		rest = $0
		while (rest != "") {
			if (in_comment) {
				end = index(rest, "*/")
				if (!end)
					break
				rest = substr(rest, end + 2)
				in_comment = 0
				continue
			}
			if (!match(rest, /"|\047|\/\*|\/\//)) {
				code = code rest
				break
			}
			code = code substr(rest, 1, RSTART - 1) " "
			mark = substr(rest, RSTART, 2)
			quote = substr(rest, RSTART, 1)
			if (mark == "//")
				break
			if (mark == "/*") {
				rest = substr(rest, RSTART + 2)
				in_comment = 1
				continue
			}
			# A string or a character: to its own quote.
			rest = substr(rest, RSTART + 1)
			while (rest != "" && substr(rest, 1, 1) != quote)
				rest = substr(rest, \
					substr(rest, 1, 1) == "\\" ? 3 : 2)
			rest = substr(rest, 2)
		}
		# Each word right before a "(", unless it is a member.
		while (match(code, /[A-Za-z_][A-Za-z_0-9]*[ \t]*\(/)) {
			before = substr(code, 1, RSTART - 1)
			name = substr(code, RSTART, RLENGTH)
			code = substr(code, RSTART + RLENGTH)
			sub(/[ \t]*\($/, "", name)
			if (!(name in instead))
				continue
			if (before ~ /(\.|->)[ \t]*$/)
				continue
			printf "%s:%d: %s is banned: use %s\n", FILENAME, FNR,
				name, instead[name]
			bad = 1
		}
	}
	END { exit bad }' $files
