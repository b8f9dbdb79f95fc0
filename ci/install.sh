#!/bin/sh
# Put patrol on a runner: ci/install.sh [VERSION]
#
# With a VERSION, such as 0.1.0, the release's binary is fetched and its sha256
# compared; without one it is built from the tree that this script is in.
# It goes to $PATROL_PREFIX (default ~/.local/patrol); under GitHub Actions
# its folder is added to the job's PATH.
#
#   PATROL_REPOSITORY  owner/name of the releases (default: the action's own)
#   GITHUB_SERVER_URL  where it lives (default: https://github.com)

set -eu

version=${1:-}
here=$(cd "${0%/*}/.." && pwd)
prefix=${PATROL_PREFIX:-$HOME/.local/patrol}

die()
{
	printf 'install: %s\n' "$*" >&2
	exit 1
}

from_source()
{
	[ -e "$here/Makefile" ] || die "no source in '$here'; give a version"
	"$here/ci/packages" build
	command -v adb >/dev/null || "$here/ci/packages" run
	make -C "$here" -j"$(nproc)" --no-print-directory all
	make -C "$here" --no-print-directory install PREFIX="$prefix"
}

from_release()
{
	repository=${PATROL_REPOSITORY:-${GITHUB_ACTION_REPOSITORY:-}}
	[ -n "$repository" ] || die "which repository? set PATROL_REPOSITORY"
	case $version in
	*[!0-9A-Za-z.-]*) die "'$version' is no version" ;;
	esac
	"$here/ci/packages" run
	base=${GITHUB_SERVER_URL:-https://github.com}/$repository
	base=$base/releases/download/v$version
	name=patrol-$version-linux-$(uname -m).tar.gz
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	for f in "$name" "$name.sha256"; do
		curl --fail --silent --show-error --location --retry 3 \
			--proto '=https' --max-time 300 -o "$work/$f" \
			"$base/$f" || die "'$base/$f' cannot be fetched"
	done
	(cd "$work" && sha256sum --check --quiet "$name.sha256") ||
		die "'$name' is not what its sha256 says"
	mkdir -p "$prefix"
	tar -C "$prefix" -xzf "$work/$name"
}

if [ -n "$version" ]; then
	from_release
else
	from_source
fi
"$prefix/bin/patrol" version
[ -z "${GITHUB_PATH:-}" ] || printf '%s\n' "$prefix/bin" >>"$GITHUB_PATH"
