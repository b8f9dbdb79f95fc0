#!/bin/sh
# ci/fuzz.sh BUILD NAME SECONDS: one fuzz target.  New inputs that reach more
# code go to build/fuzz/NAME, what crashes to build/fuzz/found.

set -eu

build=$1 name=$2 seconds=$3
seeds=tests/fuzz/corpus/$name
mkdir -p "build/fuzz/$name" build/fuzz/found
set -- "build/fuzz/$name"
[ ! -d "$seeds" ] || set -- "$@" "$seeds"
[ ! -e "tests/fuzz/$name.dict" ] ||
	set -- "$@" "-dict=tests/fuzz/$name.dict"
# The file is words.
# shellcheck disable=SC2046
[ ! -e "tests/fuzz/$name.options" ] ||
	set -- "$@" $(cat "tests/fuzz/$name.options")
printf '%s: %s s\n' "$name" "$seconds"
"$build/tests/fuzz/fuzz_$name" "$@" -max_total_time="$seconds" \
	-timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
	-artifact_prefix="build/fuzz/found/$name-" 2>build/fuzz/"$name".log || {
	tail -n 40 build/fuzz/"$name".log
	echo "$name: failed; the input is in build/fuzz/found" >&2
	exit 1
}
sed -n "s/^stat::number_of_executed_units: */$name runs /p
	s/^stat::average_exec_per_sec: */$name runs_per_s /p" \
	build/fuzz/"$name".log
