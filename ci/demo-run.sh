#!/bin/sh
# Two patrols of plans/starfall.yaml on the simulated farm: the build of the day
# before, whose memory the second one's is compared with, and today's, which
# leaves all in patrol-out.

set -eu

out=${1:-patrol-out}
farm=build/demo
command -v adb >/dev/null || {
	echo "adb is missing; on Debian 'ci/packages test' installs it" >&2
	exit 1
}
rm -rf "$farm" "$out"
mkdir -p "$farm/before"
cat >"$farm/before.yaml" <<'YAML'
github: {run: {id: 4241}}
game: {loads_scale: 0}
YAML
cat >"$farm/today.yaml" <<'YAML'
game:
  day: 1
  says: ["Shader Starfall/Hologram, subshader 0, pass 0, stage pixel: variant _SCANLINES not found."]
YAML
echo "the day before:"
build/patrol-farm --dir "$farm/before" --scenario "$farm/before.yaml" -- \
	build/patrol run --plan plans/starfall.yaml --run-id 4241 \
	--out "$farm/earlier/4241" --quiet
echo "today:"
status=0
build/patrol-farm --dir "$farm" --scenario "$farm/today.yaml" -- \
	build/patrol run --plan plans/starfall.yaml --run-id 4242 \
	--previous "$farm/earlier" --out "$out" --notify ||
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
