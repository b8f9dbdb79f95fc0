#!/bin/sh
# tests/real/s3/fetch.sh: s3rver into the current folder.
set -eu
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund s3rver@3.7.1
