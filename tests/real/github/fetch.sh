#!/bin/sh
# tests/real/github/fetch.sh: into the current folder, GitHub's description of
# its API (api.json), and prism, a proxy that validates by it.

set -eu

npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund @stoplight/prism-cli@5.14.2
# Of the package's half a gigabyte one file is needed.
archive=$(npm pack --silent @octokit/openapi@23.0.2)
tar -xzf "$archive" --strip-components=2 package/generated/api.github.com.json
mv api.github.com.json api.json
rm "$archive"
