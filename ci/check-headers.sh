#!/bin/sh
# Each header compiles alone, twice over (its guard works).

set -eu

pkgs='libcurl libssh2 libgit2 yaml-0.1 libcjson libzip libcrypto libssl zlib duktape'
# shellcheck disable=SC2086
flags=$(pkg-config --cflags $pkgs)
CC=${CC:-cc}
export CC flags

# The flags are words.
# shellcheck disable=SC2016
find lib cmd fixtures tests -name '*.h' 2>/dev/null | sort |
	xargs -r -P "$(nproc)" -n 1 sh -c '
	case $1 in
	lib/*) name=${1#lib/} ;;
	*) name=$1 ;;
	esac
	printf "#include \"%s\"\n#include \"%s\"\n" "$name" "$name" |
		$CC -fsyntax-only -x c -std=gnu11 -D_GNU_SOURCE -Wall -Werror \
			-Wno-unused-function -Wno-unused-variable \
			-Ilib -I. $flags - ||
		{ echo "$1: does not compile alone"; exit 1; }' sh
