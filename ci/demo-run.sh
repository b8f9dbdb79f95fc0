#!/bin/sh
# One patrol of plans/starfall.yaml on the simulated farm; what it leaves is in
# patrol-out.

set -eu

out=${1:-patrol-out}
farm=build/demo
command -v adb >/dev/null || {
	echo "adb is missing; on Debian 'ci/packages test' installs it" >&2
	exit 1
}
rm -rf "$farm" "$out"
mkdir -p "$farm"
status=0
build/patrol-farm --dir "$farm" -- build/patrol run \
	--plan plans/starfall.yaml --run-id 4242 --out "$out" --notify ||
	status=$?
echo
if [ $status -ne 0 ]; then
	echo "the patrol ended with status $status" >&2
fi
for f in report.html result.json slack.json junit.xml events.ndjson; do
	[ ! -e "$out/$f" ] || echo "  $out/$f"
done
echo "  $farm/journal.ndjson  what the farm saw"
exit $status
