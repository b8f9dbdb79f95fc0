#!/bin/sh
# The genuine daemon (adbd 34, which runs on phones) and the genuine server,
# the system's and that of adb 34: each adb operation of ours through both.
. "${0%/*}/lib.sh"
. "${0%/*}/lib_adbd.sh"

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

for A in "$OWN" 'adb 34'; do
	adb_is "$A"
	ops ops_stream
	ops ops_files
	ops ops_app
	OPS_ADBD=$A34/adbd-as-is OPS_ABB=1 ops ops_app \
		'abb_exec announced and refused'
done
