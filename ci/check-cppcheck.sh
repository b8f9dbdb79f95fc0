#!/bin/sh
# ci/check-cppcheck.sh PATH...  It does not read cJSON's header, so it is told
# what cJSON_ArrayForEach is; NULL has a pointer's size here, also as a variadic
# argument; an argument that a function fills is not read by it.

set -eu

cache=${CPPCHECK_CACHE:-build/cppcheck}
mkdir -p "$cache"
exec cppcheck --quiet --std=c11 --language=c --error-exitcode=1 \
	--enable=warning,performance,portability --inline-suppr \
	--suppress=missingIncludeSystem --suppress=unmatchedSuppression \
	--suppress=nullPointerOutOfMemory \
	--suppress=nullPointerRedundantCheck:lib/base/json.c \
	--suppress=varFuncNullUB \
	--suppress=ctuuninitvar --include="${0%/*}/cppcheck.h" \
	--template='{file}:{line}: {id}: {message}' \
	-D_GNU_SOURCE -DPATROL_VERSION='"0"' -Ilib -I. \
	--cppcheck-build-dir="$cache" -j "$(nproc)" "$@"
