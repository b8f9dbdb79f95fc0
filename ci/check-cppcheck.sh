#!/bin/sh
# ci/check-cppcheck.sh PATH...  cJSON_ArrayForEach asks whether its argument is
# NULL, so each use after a test of it would be a "redundant check".

set -eu

cache=${CPPCHECK_CACHE:-build/cppcheck}
mkdir -p "$cache"
exec cppcheck --quiet --std=c11 --language=c --error-exitcode=1 \
	--enable=warning,performance,portability --inline-suppr \
	--suppress=missingIncludeSystem --suppress=unmatchedSuppression \
	--suppress=nullPointerOutOfMemory \
	--suppress=nullPointerRedundantCheck \
	--template='{file}:{line}: {id}: {message}' \
	-D_GNU_SOURCE -DPATROL_VERSION='"0"' -Ilib -I. \
	--cppcheck-build-dir="$cache" -j "$(nproc)" "$@"
