# shellcheck shell=sh
# For tests of pages, after lib.sh: headless Chromium looks at them.

# pages FILE: each of its widths in light and dark, without complaints and
# without scrolling sideways.
pages()
{
	p_steps=$(jq -nc --arg url "file://$D/$1" '
		[{url: $url, width: (1200, 500, 360), dark: (false, true)}]')
	browse "$p_steps"
	jq_is browsed 'length == 6'
	jq_is browsed 'all(.[]; .errors == [])'
	jq_is browsed 'all(.[]; .overflow | not)'
}

# browse STEPS: tests/tools/browse.mjs has what they are; into ./browsed.
browse()
{
	node "$ROOT/tests/tools/browse.mjs" "$1" >browsed 2>browse.err ||
		fail "the browser: $(cat browse.err)"
}

# page FILE [STEP-JSON]: one step.
page()
{
	browse "$(jq -nc --arg url "file://$D/$1" --argjson step "${2:-{\}}" \
		'[{url: $url} + $step]')"
}

have_browser()
{
	command -v "${CHROMIUM:-chromium}" >/dev/null && command -v node >/dev/null
}
