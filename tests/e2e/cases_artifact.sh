#!/bin/sh
# The run and its artifact: what GitHub and its storage can do to a download,
# and what can be in the zip.

. "${0%/*}/lib.sh"

ZIPS=$ROOT/tests/data/zips
cat >"$T/plan.yaml" <<'PLAN'
patrol: 1
app: {package: com.example.starfall}
artifact: {name: android-patrol}
device: {match: {model: "Pixel 7"}}
defaults: {hold: 0s, settle: {stable_for: 0s, timeout: 5s}}
screens:
  title: {is: {scene: Title}}
route: {start: title, visit: [title]}
PLAN

# patrol_with NAME [VAR=VALUE]... <SCENARIO: a patrol on that farm.
patrol_with()
{
	cat >"$T/scenario.yaml"
	farm "$T/scenario.yaml" -- env "$@" patrol run --quiet \
		--plan "$T/plan.yaml" --run-id 4242 --out out
}

# A verdict with its reason, in the exit status and in the result.
expect_outcome()
{
	expect_status "$1"
	jq_is out/result.json '.exit_status == ($s | tonumber) and
		.outcome == $o and .reason == (if $r == "" then null else $r end)' \
		--arg s "$1" --arg o "$2" --arg r "${3:-}"
	expect_no_file out/.work
	expect_given_back
}

expect_passed()
{
	expect_outcome 0 passed
	expect_count phone.install 1
}

# Each begins with a signed address.
downloads()
{
	journal '[.[] | select(.event == "github.get" and
		(.path | endswith("/zip")))] | length'
}

# --- the run -------------------------------------------------------------

t "only a build that succeeded is patrolled"
for end in failure cancelled startup_failure timed_out; do
	patrol_with A=1 <<-END
	github: {run: {conclusion: $end}}
	END
	expect_outcome 0 skipped build_failed
	jq_is out/result.json '.message | contains($e)' --arg e "'$end'"
	expect_count stf.reserve 0
	expect_count storage.get 0
done

t "a run without branch, name and digest is patrolled"
patrol_with A=1 <<'END'
github: {run: {head_branch: null, name: null, id: "30123456789"}}
artifact: {digest: none}
END
expect_status 3
patrol_with A=1 <<'END'
github: {run: {head_branch: null, name: null}}
artifact: {digest: none}
END
expect_passed
jq_is out/result.json '.build.branch == null and .build.artifact.digest == null'
jq_is out/result.json '.build.artifact.id | tonumber > 4294967296'
jq_is out/result.json '[.stages[] | select(.name == "artifact")][0].message |
	contains("digest unknown")'

t "a run that is still open is given up in time, with its state"
patrol_with PATROL_BUDGET_RUN_OPEN=300ms <<'END'
github: {run: {status: in_progress, conclusion: null}}
END
expect_outcome 3 infra_error run_not_completed
jq_is out/result.json '.message | contains("in_progress")'

# --- the list ------------------------------------------------------------

t "the artifact is found among 130 by its name"
patrol_with A=1 <<'END'
artifact: {count: 130, position: 129}
END
expect_passed
journal_is 'map(select(.event == "github.get" and
	(.path | contains("/artifacts")))) | length <= 3'

t "the next page is followed where GitHub says it is"
sed 's/android-patrol/"android-pa*"/' "$T/plan.yaml" >"$T/glob.yaml"
printf 'artifact: {count: 130, position: 129}\n' >"$T/s.yaml"
farm "$T/s.yaml" -- patrol run --quiet --plan "$T/glob.yaml" --run-id 4242 \
	--out out
expect_passed

t "a next page on another host is refused, and sees no token"
printf 'artifact: {count: 130, next_host: "http://127.0.0.1:9"}\n' >"$T/s.yaml"
farm "$T/s.yaml" -- patrol run --quiet --plan "$T/glob.yaml" --run-id 4242 \
	--out out
expect_status 3
jq_is out/result.json '.message | contains("next page is on another host")'

t "an expired artifact is told with its day, and never downloaded"
patrol_with A=1 <<'END'
artifact: {expired: true}
END
expect_outcome 3 infra_error artifact_expired
jq_is out/result.json '.message | test("expired on 20[0-9][0-9]-")'
expect_count storage.get 0

t "410 at the download is an expired artifact"
patrol_with A=1 <<'END'
github: {faults: [{call: "GET */zip", status: 410}]}
END
expect_outcome 3 infra_error artifact_expired
expect_count storage.get 0

# --- the download --------------------------------------------------------

t "a signed address that expired is asked for again, and never used twice"
patrol_with A=1 <<'END'
artifact: {url_lifetime: 300ms}
github: {storage_faults: [{call: "GET *", nth: 1, delay: 500ms, status: 403,
  content_type: application/xml, body: "<Error><Code>AccessDenied</Code></Error>"}]}
END
expect_passed
expect_eq "$(downloads)" 2 downloads

t "an address that is always expired is an error that says so"
patrol_with A=1 <<'END'
github: {storage_faults: [{call: "GET *", status: 403,
  content_type: application/xml, body: "<Error><Code>AccessDenied</Code></Error>"}]}
END
expect_outcome 3 infra_error signed_url_expired
jq_is out/result.json '.message | contains("signed URL expired")'
expect_at_most "$(downloads)" 8 downloads

t "the token never reaches the storage, also when that redirects"
farm_up - # somewhere to redirect to
to=$GITHUB_API_URL
journal_one=$D/journal.ndjson
cat >"$T/s.yaml" <<END
github: {storage_faults: [{call: "GET *", redirect: "$to/elsewhere"}]}
END
STATUS=0
mkdir "$T/second"
patrol-farm --dir "$T/second" --scenario "$T/s.yaml" -- \
	patrol run --quiet --plan "$T/plan.yaml" --run-id 4242 \
	--out "$T/second/out" >stdout 2>stderr </dev/null || STATUS=$?
expect_status 3
jq_is "$T/second/journal.ndjson" 'map(select(.event == "storage.get")) |
	all(.authorization == "none")' -s
jq_is "$T/second/out/result.json" '.message | contains("HTTP 404")'
need [ -e "$journal_one" ]
farm_down

t "redirects come to an end"
patrol_with A=1 <<'END'
github: {storage_faults: [{call: "GET *", redirect: "/artifacts/1?again"}]}
END
expect_status 3
jq_is out/result.json '.message | contains("redirects more than")'
expect_no_file out/.work

t "a redirect to plain http elsewhere, to a file or to another scheme is refused"
for to in http://169.254.169.254/latest file:///etc/passwd gopher://127.0.0.1/; do
	patrol_with A=1 <<-END
	github: {storage_faults: [{call: "GET *", redirect: "$to"}]}
	END
	expect_status 3
	expect_eq "$(downloads)" 1 "downloads before $to"
	jq_is out/result.json '.message | test("only https is allowed|no https URL")'
	expect_no_file out/.work
done

t "a download that stalls goes on where it stopped, at a new address"
patrol_with PATROL_BUDGET_DOWNLOAD_STALL=300ms <<'END'
github: {storage_faults: [{call: "GET *", nth: 1, stall_after: 5000}]}
END
expect_passed
journal_is '[.[] | select(.event == "storage.get")][1].range == "bytes=5000-"'

t "a cut, reset, refused or garbled download does no harm"
for fault in 'cut_at: 3000' 'cut_at: 900, reset: true' 'status: 500' \
	'garbage: true'; do
	patrol_with A=1 <<-END
	github: {storage_faults: [{call: "GET *", nth: 1, $fault}]}
	END
	expect_passed
done

t "a download that never gets whole leaves no half file"
patrol_with A=1 <<'END'
github: {storage_faults: [{call: "GET *", cut_at: 0}]}
END
expect_status 3
expect_no_file out/.work
expect_at_most "$(downloads)" 8 downloads
expect_count stf.reserve 0

t "wrong bytes are downloaded once more, then refused"
patrol_with A=1 <<'END'
artifact: {corrupt_first: 1}
END
expect_passed
expect_eq "$(downloads)" 2 downloads
patrol_with A=1 <<'END'
artifact: {digest: bad}
END
expect_outcome 3 infra_error digest_mismatch
expect_eq "$(downloads)" 2 downloads
jq_is out/result.json '.message | startswith("artifact '\''android-patrol'\'': what")'

t "a digest counts in upper case too"
patrol_with A=1 <<'END'
artifact: {digest: uppercase}
END
expect_passed
jq_is out/result.json '[.stages[] | select(.name == "artifact")][0].message |
	contains("sha256 ok")'

# --- the zip -------------------------------------------------------------

t "the APK itself is an artifact, whatever the server calls it"
for type in application/vnd.android.package-archive application/zip; do
	patrol_with A=1 <<-END
	artifact: {bare: true, name: android-patrol, content_type: $type}
	END
	expect_passed
done

t "names that lead out of the folder are refused, and write nothing"
for zip in slip abs bs; do
	patrol_with A=1 <<-END
	artifact: {file: "$ZIPS/$zip.zip"}
	END
	expect_outcome 2 invalid_input bad_entry_name
	jq_is out/result.json '.message | contains("evil.apk")'
	expect_no_file evil.apk
	expect_no_file out/evil.apk
	expect_no_file /tmp/evil.apk
done

t "several APKs are listed, and a pattern chooses"
patrol_with A=1 <<END
artifact: {file: "$ZIPS/two.zip"}
END
expect_outcome 2 invalid_input several_apks
jq_is out/result.json '.message |
	contains("game-arm64.apk") and contains("game-armv7.apk") and
	contains("artifact: {apk: GLOB}")'

t "an app bundle is refused by name"
patrol_with A=1 <<END
artifact: {file: "$ZIPS/aab.zip"}
END
expect_outcome 2 invalid_input is_aab
jq_is out/result.json '.message | contains("game.aab")'

t "files beside the APK do not count"
patrol_with A=1 <<'END'
artifact: {entry: "out/Release/game.APK", extra: [game.apk.idsig,
  game.apk.sha256, symbols.zip, "__MACOSX/._game.apk"]}
END
expect_passed

t "what is no zip is shown by its first bytes, and downloaded once"
echo '<html><title>Sign in</title>' >"$T/page.html"
patrol_with A=1 <<END
artifact: {file: "$T/page.html", content_type: "text/html; charset=utf-8"}
END
expect_outcome 2 invalid_input not_a_zip
jq_is out/result.json '.message | contains("<html><title>") and
	contains("text/html")'
expect_eq "$(downloads)" 1 downloads

t "an APK without a manifest, an empty file and half a zip are told apart"
patrol_with A=1 <<END
artifact: {file: "$ZIPS/one.zip"}
END
expect_status 2
: >"$T/empty"
patrol_with A=1 <<END
artifact: {file: "$T/empty"}
END
expect_outcome 2 invalid_input not_a_zip
jq_is out/result.json '.message | contains("it is empty")'
head -c 4000 "$ROOT/tests/data/apk/signed.apk" >"$T/half"
patrol_with A=1 <<END
artifact: {file: "$T/half"}
END
expect_outcome 2 invalid_input not_a_zip
jq_is out/result.json '.message | contains("end is missing")'

t "an artifact larger than the disk is refused before the download"
patrol_with A=1 <<'END'
artifact: {size: 1MiB}
github: {faults: [{call: "GET */artifacts*", nth: 1, status: 200,
  content_type: application/json, body: '{"total_count":1,"artifacts":[{"id":9000000001,"name":"android-patrol","size_in_bytes":8000000000000000,"expired":false,"digest":null}]}'}]}
END
expect_outcome 3 infra_error disk_full
expect_count storage.get 0
