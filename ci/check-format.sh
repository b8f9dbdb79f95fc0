#!/bin/sh
# ci/check-format.sh FILE...: `make format` would change nothing.

set -eu

[ $# -gt 0 ] || { echo "no files" >&2; exit 2; }
clang-format --dry-run -Werror "$@"
