# What the tests against genuine programs share, over e2e's lib.sh.
#
# shellcheck shell=sh

# shellcheck source=tests/e2e/lib.sh
. "${0%/*}/../e2e/lib.sh"

# Where fetched programs are kept between runs.
REAL=${PATROL_REAL:-$ROOT/build/real}
mkdir -p "$REAL"

# fetched NAME COMMAND...: runs the command once, in a folder that becomes
# $REAL/NAME when it succeeded.  Two tests that need the same wait for another.
fetched()
{
	name=$1
	shift
	(
		flock 9
		[ ! -e "$REAL/$name/.complete" ] || exit 0
		rm -rf "${REAL:?}/$name"
		mkdir -p "$REAL/$name"
		cd "$REAL/$name" && "$@" >"$REAL/$name.log" 2>&1 || exit 1
		: >"$REAL/$name/.complete"
	) 9>"$REAL/$name.lock"
}

# npm PACKAGE@VERSION...: into the current folder, no scripts run.
npm_install()
{
	[ -f package.json ] || npm init -y >/dev/null || return 1
	npm install --ignore-scripts --no-audit --no-fund --fetch-retries 1 \
		--fetch-retry-mintimeout 1000 "$@"
}
