#!/bin/sh
# ci/compile-commands.sh 'CC FLAGS' FILE...: print compile_commands.json.

set -eu

escape()
{
	printf '%s' "$1" | sed 's/\\/\\\\/g; s/"/\\"/g; s/[ 	][ 	]*/ /g'
}

flags=$(escape "$1")
here=$(escape "$PWD")
shift
printf '['
comma=''
for f; do
	printf '%s\n{"directory": "%s", "file": "%s", "command": "%s -c %s"}' \
		"$comma" "$here" "$f" "$flags" "$f"
	comma=,
done
printf '\n]\n'
