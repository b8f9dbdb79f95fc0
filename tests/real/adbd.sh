#!/bin/sh
# The genuine daemon (adbd 34, which runs on phones) and the genuine server,
# the system's and that of adb 34: each adb operation of ours through both.
. "${0%/*}/lib.sh"
. "${0%/*}/../e2e/lib_run.sh"

HERE=$ROOT/tests/real
DPKG=$(command -v apt-get && command -v dpkg-deb)
A34=$REAL/adbd34
BASE_PATH=$PATH

t "adb 34 and adbd 34"
[ -n "$DPKG" ] || {
	skip "this is no Debian"
	exit 0
}
fetched adbd34 "$HERE/adbd/fetch.sh" || {
	skip "Debian's next release can't be had: $(tail -n 1 "$A34.log")"
	exit 0
}
unshare ${MAP_ROOT:-} --mount --pid --fork true 2>/dev/null ||
	unshare --map-root-user --mount --pid --fork true 2>/dev/null || {
	skip "no namespace for a phone's file system"
	exit 0
}
export OPS_PHONE="$HERE/adbd/phone.sh" OPS_ADBD="$A34/adbd"

# adb_is NAME: whose adb is in PATH from here on.
adb_is()
{
	A=$1
	case $A in
	'adb 34') PATH=$A34/bin:$BASE_PATH ;;
	*) PATH=$BASE_PATH ;;
	esac
}

# ops PROGRAM [NAME]: its cases, each with the server's name before it.
ops()
{
	t_end
	OPS_DIR=$(mktemp -d "$T/ops.XXXXXX")
	export OPS_DIR
	ops_status=0
	timeout 200 "$PATROL_BUILD/tests/real/$1" >"$OPS_DIR/out" 2>&1 ||
		ops_status=$?
	sed "s/^\(not ok\|ok\) - /&$A${2:+, $2}: /" "$OPS_DIR/out"
	# A failed case and what is no case at all.
	[ $ops_status -eq 0 ] || t_any_bad=1
	[ $ops_status -le 1 ] || printf 'not ok - %s: %s ended with %s\n' \
		"$A" "$1" $ops_status
	rm -rf "$OPS_DIR"
}

for A in "adb $(adb version | sed -n 's/^Version \([0-9]*\).*/\1/p')" 'adb 34'
do
	adb_is "$A"
	ops ops_stream
	ops ops_files
	ops ops_app
	OPS_ADBD=$A34/adbd-as-is OPS_ABB=1 ops ops_app \
		'abb_exec announced and refused'
done
