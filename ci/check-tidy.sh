#!/bin/sh
# ci/check-tidy.sh FILE...: clang-tidy as .clang-tidy says.

set -eu

pkgs='libcurl libssh2 libgit2 yaml-0.1 libcjson libzip libcrypto libssl zlib duktape'
# The lists are words.
# shellcheck disable=SC2086
flags=$(pkg-config --cflags $pkgs)
out=$(mktemp)
trap 'rm -f "$out"' EXIT
# The farm is a test tool of callbacks and intrusive lists, in which the
# analyzer sees paths that are none; the sanitizers run it in every test.
checks=
case ${1:-} in
fixtures/* | ./fixtures/*)
	checks='--checks=-clang-analyzer-*'
	checks="$checks,-readability-inconsistent-declaration-parameter-name"
	;;
esac
# shellcheck disable=SC2086
clang-tidy --quiet $checks "$@" -- -std=gnu11 -D_GNU_SOURCE \
	-DPATROL_VERSION='"0"' -Ilib -I. -Ibuild/gen $flags >"$out" 2>&1 || {
	grep -v 'warnings\{0,1\} generated\|^Suppressed\|^Use -header' "$out"
	exit 1
}
