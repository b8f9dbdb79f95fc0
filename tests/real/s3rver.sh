#!/bin/sh
# s3rver, a storage of signed addresses as artifacts lie in, behind the
# simulated GitHub: it refuses an Authorization header and what has expired.
. "${0%/*}/lib.sh"
. "${0%/*}/../e2e/lib_run.sh"

HERE=$ROOT/tests/real/s3
S=$REAL/s3rver

t "s3rver keeps the artifact"
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	skip "no node and npm"
	exit 0
fi
fetched s3rver npm_install s3rver@3.7.1 || {
	skip "npm's packages can't be had: $(tail -n 1 "$S.log")"
	exit 0
}
NODE_PATH=$S/node_modules node "$HERE/server.js" "$T/bucket" >"$T/s3" 2>&1 \
	</dev/null &
S3_PID=$!
# shellcheck disable=SC2154
trap 'exit_status=$?; kill $S3_PID 2>/dev/null; (exit $exit_status); at_exit' EXIT
need await '[ -s "$T/s3" ]'

# signed METHOD SECONDS [TYPE]: the artifact's address, signed in its query, good
# for so long from now; s3rver has one account.
signed()
{
	sign_end=$(($(date +%s) + $2))
	sign_of=$(printf '%s\n\n%s\n%s\n%s' "$1" "${3:-}" $sign_end \
		/artifacts/android-patrol.zip |
		openssl dgst -sha1 -hmac S3RVER -binary | base64 |
		sed 's/+/%2B/g; s|/|%2F|g; s/=/%3D/g')
	printf '%s%s?AWSAccessKeyId=S3RVER&Expires=%s&Signature=%s\n' \
		"$(cat "$T/s3")" /artifacts/android-patrol.zip $sign_end \
		"$sign_of"
}

# status CURL-ARGUMENT...
status()
{
	curl -sS -o "$T/body" -w '%{http_code}\n' "$@"
}

# The zip that the farm would serve itself.
farm_up -
cp artifact.zip "$T/artifact.zip"
farm_down
GOOD=$(signed GET 3600)
OLD=$(signed GET -60)
WRONG=$(printf '%s\n' "$GOOD" | sed 's/Signature=./Signature=_/')
expect_eq "$(status -T "$T/artifact.zip" -H 'Content-Type: application/zip' \
	"$(signed PUT 60 application/zip)")" 200
expect_eq "$(status "$GOOD")" 200
cmp "$T/body" "$T/artifact.zip" || fail "the storage gives another file"

t "it refuses a second way to log in, an old and a wrong signature"
expect_eq "$(status -H 'Authorization: Bearer x' "$GOOD")" 400
expect_in "$T/body" 'Only one auth mechanism allowed'
expect_eq "$(status "$OLD")" 403
expect_in "$T/body" 'Request has expired'
expect_eq "$(status "$WRONG")" 403
expect_eq "$(status -r 5-9 "$GOOD")" 206

# at LOCATION...: a world whose downloads are redirected there, in turn.
at()
{
	at_list=$(printf '"%s", ' "$@")
	world '' "artifact: {file: \"$T/artifact.zip\", locations: [${at_list%, }]}"
}

# asked N: GitHub was asked for so many addresses, and no signature was shown.
asked()
{
	expect_eq "$(journal 'map(select((.path // "") | endswith("/zip"))) |
		length')" "$1" 'count of addresses'
	expect_count storage.get 0
	for w_sig in "${GOOD##*Signature=}" "${OLD##*Signature=}"; do
		w_where=$(grep -rlF -e "$w_sig" out stdout stderr state)
		[ -z "$w_where" ] || fail "a signature is in" "$w_where"
	done
}

t "a whole patrol takes its artifact from there, without a token"
patrol_in "$(at "$GOOD")"
expect_status 0
expect_all_visited
asked 1
jq_is out/result.json '.build.artifact.digest | length > 0'

t "an address that has expired is replaced by a new one"
patrol_in "$(at "$OLD" "$GOOD")"
expect_status 0
expect_all_visited
asked 2

t "addresses that are all too old end the run, and it says so"
patrol_in "$(at "$OLD")"
expect_status 3
asked 8
expect_in out/result.json 403

t "a wrong signature does, too"
patrol_in "$(at "$WRONG")"
expect_status 3

t "a storage that is gone does, too"
kill "$S3_PID"
wait "$S3_PID" 2>/dev/null
patrol_in "$(at "$GOOD")"
expect_status 3
