#!/bin/sh
# Every reason that the code gives an error, or decides a result by, has words
# and a cure in lib/report/verdict_reason.c.

set -u

table=lib/report/verdict_reason.c
bad=0
missing=$(mktemp) || exit 2
trap 'rm -f "$missing"' EXIT
calls='err_reason\([^;]*;|run_skip\([^;]*;|RESULT_[A-Z_]*,[[:space:]]*"[a-z_]*"'
calls="$calls|^reason_of\([^}]*}| reason_of\(enum [^}]*}"
# Calls may go over several lines.
for f in lib/*/*.c cmd/*.c; do
	tr '\n' ' ' <"$f" |
		grep -oE "$calls" |
		grep -oE '(return |[,?:] *)"[a-z][a-z_]+"' |
		grep -oE '"[a-z_]+"' | sort -u | while IFS= read -r word; do
		grep -qF "{$word," "$table" || echo "$f: $word"
	done
done >"$missing"
if [ -s "$missing" ]; then
	cat "$missing"
	echo "no row in $table"
	bad=1
fi
exit $bad
