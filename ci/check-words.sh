#!/bin/sh
# Nothing of one machine or one day in the tree: paths of a person's computer,
# leftovers of a merge, notes to oneself.

set -u

list()
{
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files -co --exclude-standard
	else
		find . -type f -not -path './build/*'
	fi
}

# look PATTERN WHAT: extended expression, in text files, but not in here.
bad=0
look()
{
	list | grep -v -e 'ci/check-words\.sh$' -e 'ci/check-selftest\.sh$' \
		-e '^tests/fuzz/corpus/' | tr '\n' '\0' |
		xargs -0 -r grep -InE -e "$1" /dev/null |
		sed "s/\$/  <- $2/" | grep . && bad=1
}

look '(^|[^A-Za-z0-9_.$}])/(work|home|Users)/[A-Za-z]' 'path of one machine'
look '\.\./shared' 'path outside of the tree'
look '(^|[^A-Za-z_])(TODO|FIXME)([^A-Za-z_]|$)' 'note to oneself'
look '^(<<<<<<<|>>>>>>>) ' 'left over from a merge'
look '^-----BEGIN [A-Z ]*PRIVATE KEY-----$' 'private key'
exit $bad
