#!/bin/sh
# Certificates, proxies, what the logs show, GitHub of an enterprise, and the
# checkout around us.

. "${0%/*}/lib.sh"

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

unset HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy \
	all_proxy no_proxy SSL_CERT_FILE CURL_CA_BUNDLE PATROL_CA_FILE

# with VAR=VALUE...: a patrol in which these are different.
with()
{
	rm -rf out
	run env "$@" patrol run --plan "$T/plan.yaml" --run-id 4242 --out out
}

# --- GitHub behind a private CA ------------------------------------------

# A server that answers with the run of a failed build: known by its outcome.
serve_tls()
{
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
		-nodes -keyout ca.key -out ca.pem -days 2 \
		-subj '/CN=Example Inspecting CA' 2>openssl.log &&
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 \
			-nodes -keyout site.key -out site.csr \
			-subj /CN=127.0.0.1 2>>openssl.log &&
		printf 'subjectAltName=IP:127.0.0.1\n' >site.ext &&
		openssl x509 -req -in site.csr -CA ca.pem -CAkey ca.key \
			-set_serial 7 -days 2 -extfile site.ext -out site.pem \
			2>>openssl.log || return 1
	mkdir -p repos/example/starfall/actions/runs
	body='{"id":4242,"head_sha":"a1b2c3d4e5f60718293a4b5c6d7e8f9001122334","status":"completed","conclusion":"failure"}'
	printf 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s' \
		${#body} "$body" >repos/example/starfall/actions/runs/4242
	openssl s_server -accept 127.0.0.1:0 -cert site.pem -key site.key \
		-HTTP >tls.out 2>tls.err </dev/null &
	BG_PID=$!
	await 'grep -q "^ACCEPT .*:[1-9]" tls.out' || return 1
	TLS=https://127.0.0.1:$(sed -n 's/^ACCEPT .*:\([0-9]*\)$/\1/p' tls.out |
		head -n 1)
}

farm_up -
t "a private CA is taken from each of its three variables"
if ! command -v openssl >/dev/null; then
	skip "there is no openssl"
else
	need serve_tls
	for name in PATROL_CA_FILE SSL_CERT_FILE CURL_CA_BUNDLE; do
		with "GITHUB_API_URL=$TLS" "$name=ca.pem"
		expect_status 0
		jq_is out/result.json '.reason == "build_failed"'
	done

	t "PATROL_CA_FILE goes before the other two"
	with "GITHUB_API_URL=$TLS" PATROL_CA_FILE=ca.pem \
		SSL_CERT_FILE=site.key CURL_CA_BUNDLE=site.key
	expect_status 0

	t "an unknown CA is refused, with the host, the issuer and the cure"
	with "GITHUB_API_URL=$TLS"
	expect_status 3
	jq_is out/result.json '.reason == "tls" and
		(.message | contains("127.0.0.1") and
		contains("Example Inspecting CA") and
		contains("PATROL_CA_FILE"))'

	t "a CA file that is none is named"
	with "GITHUB_API_URL=$TLS" PATROL_CA_FILE=no/where
	expect_status 3
	jq_is out/result.json '.message | contains("PATROL_CA_FILE") and
		contains("no/where")'

	kill "$BG_PID"
	wait "$BG_PID"
	BG_PID=''
fi

# --- proxies -------------------------------------------------------------

t "this machine is asked directly, whatever the proxies are"
with HTTPS_PROXY=http://127.0.0.1:9 HTTP_PROXY=http://127.0.0.1:9 \
	http_proxy=http://127.0.0.1:9 ALL_PROXY=http://127.0.0.1:9 NO_PROXY=x.corp
expect_status 0

t "GitHub goes through the proxy, and the proxy's password is shown nowhere"
with GITHUB_API_URL=https://github.example/ PATROL_BUDGET_GITHUB=5s \
	PATROL_DEBUG=1 HTTPS_PROXY=http://bob:sesame99@127.0.0.1:9
expect_status 3
jq_is out/result.json '.message | contains("127.0.0.1 port 9") and
	contains("proxy")'
! grep -rq sesame99 out stdout stderr || fail "the password is shown"

# --- what the logs show --------------------------------------------------

t "no token and no signature of an address reaches any log or file"
with PATROL_DEBUG=1
expect_status 0
for secret in "$GITHUB_TOKEN" "$STF_TOKEN" 'sig=' "$SLACK_WEBHOOK_URL"; do
	! grep -rqF -e "$secret" out stdout stderr || fail "'$secret' is shown"
done
expect_err "GET http://127.0.0.1"

# --- GitHub of an enterprise ---------------------------------------------

t "an API below a path works, with a slash behind it and without"
printf 'github: {prefix: /api/v3}\n' >"$T/ghes.yaml"
farm_up "$T/ghes.yaml"
with A=1
expect_status 0
with "GITHUB_API_URL=$GITHUB_API_URL/"
expect_status 0
with "GITHUB_API_URL=$GITHUB_API_URL//"
expect_status 0

# --- the checkout around us ----------------------------------------------

git_init()
{
	export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
	git init -q origin &&
		for i in 1 2 3; do
			git -C origin -c user.name=A -c user.email=a@b commit \
				-q --allow-empty -m "change $i" || return 1
		done
}

t "a shallow clone tells its head, and nothing is fetched into it"
need git_init
git clone -q --depth 1 "file://$PWD/origin" shallow 2>git.log
cd shallow || exit 2
head=$(git rev-parse HEAD)
run patrol run --quiet --plan "$T/plan.yaml" \
	--apk "$PATROL_FARM_APK" --out ../out
cd ..
expect_status 0
jq_is out/result.json '.build.commit == $h and .build.subject == "change 3"' \
	--arg h "$head"
expect_eq "$(git -C shallow rev-list --all --count)" 1 commits
expect_eq "$(find shallow/.git -name FETCH_HEAD)" '' FETCH_HEAD

t "a checkout that cannot be read counts as none"
git -C shallow config core.repositoryformatversion 1
git -C shallow config extensions.partialClone origin
cd shallow || exit 2
rm -rf ../out
run patrol run --quiet --plan "$T/plan.yaml" \
	--apk "$PATROL_FARM_APK" --out ../out
cd ..
expect_status 0
jq_is out/result.json '.outcome == "passed" and .build.commit == null'
