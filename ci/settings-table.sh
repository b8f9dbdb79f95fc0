#!/bin/sh
# ci/settings-table.sh PATROL FILE: put the table of settings that this build
# prints between the two marks in the file.

set -eu

patrol=${1:?PATROL} file=${2:?FILE}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

"$patrol" help --settings >"$tmp/table"
sed -e "/<!-- patrol help --settings -->/r $tmp/table" \
	-e '/<!-- patrol help --settings -->/,/<!-- end -->/{
		/<!--/!d
	}' "$file" >"$tmp/new"
cat "$tmp/new" >"$file"
