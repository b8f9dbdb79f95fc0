#!/bin/sh
# A large plan on standard output.
#
#	gen/plan.sh SHAPE SCREENS TRANSITIONS VISITS
#
# near	a ring with ways to near neighbours; visits in file order
# hub	everything leads home and home leads everywhere; visits in file order
# far	random ways, visits in random order
# jump	as near, and each tenth transition leads from "*"
# dead	half of the screens are dead ends: a restart behind each visit
set -eu

shape=${1:-near} screens=${2:-10000} transitions=${3:-50000}
visits=${4:-10000}

awk -v shape="$shape" -v n="$screens" -v m="$transitions" -v k="$visits" '
function dice(x) {
	seed = (seed * 16807) % 2147483647
	return seed % x
}
function way(from, to, action) {
	printf "  - {from: s%d, to: s%d, tap: \"//%s/Button_%d\"}\n",
		from, to, action, to
}
BEGIN {
	seed = 42
	print "patrol: 1"
	print "limits: {deadline: 168h, max_restarts: 1000}"
	print "screens:"
	for (i = 0; i < n; i++)
		printf "  s%d: {is: {nav: Page%d}, hold: 0ms}\n", i, i
	print "transitions:"
	left = m
	for (i = 0; i < n && left > 0; i++) {
		if (shape == "hub" || shape == "dead") {
			if (i) { way(0, i, "Home"); left-- }
			if (i && (shape == "hub" || i % 2) && left > 0) {
				way(i, 0, "Back")
				left--
			}
		} else {
			way(i, (i + 1) % n, "Next")
			left--
		}
	}
	while (left > 0) {
		left--
		from = dice(n)
		if (shape == "jump" && left % 10 == 0)
			printf "  - {from: \"*\", to: s%d, js: \"go(%d)\", " \
				"cost: 5, except: [s%d]}\n", from, from,
				dice(n)
		else if (shape == "far")
			way(from, dice(n), "Way")
		else if (shape == "dead")
			way(dice(int(n / 2)) * 2 + 1, from, "Way")
		else
			way(from, (from + n - 10 + dice(20)) % n, "Near")
	}
	printf "route:\n  start: s0\n  visit:\n"
	for (i = 0; i < k; i++)
		printf "    - s%d\n", shape == "far" ? dice(n) : i % n
}'
