#!/bin/sh
# A sample of the fault matrix, every 55th of its cells; `make test-faults`
# runs all.

set -u

: "${PATROL_BUILD:=build/plain}"
mode=${PATROL_BUILD##*/}
# The preload and the small budgets are for the plain build.
if [ "$mode" != plain ]; then
	echo "skip - a sample of the fault matrix: not with '$mode'"
	exit 0
fi
exec "${0%/*}/../faults/run" --mode "$mode" --jobs 4 --sample --tap
