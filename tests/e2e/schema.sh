#!/bin/sh
# What the commands write for machines fits the schemas that they print.

. "${0%/*}/lib.sh"

t "every example of a result fits the schema"
fresh
for f in "$ROOT"/tests/data/results/*.json; do
	fits_schema result "$f"
done

t "a result that lacks what the schema demands does not fit"
jq 'del(.outcome)' "$ROOT/tests/data/results/passed.json" >broken.json
said=$(fits_schema result broken.json) # its failure stays in there
case $said in
*"'outcome' is a required property"*) ;;
*) fail "nothing is said of the outcome: $said" ;;
esac

t "a run's result, and why it ended so"
farm busy -- patrol run --plan "$PLAN" --run-id 4242 --out out
fits_schema result out/result.json
run patrol why --json out
fits_schema why stdout
mkdir none
run patrol why --json none
fits_schema why stdout

t "the list of a farm's phones, with and without a plan"
for scenario in - busy two_phones other_model booked_by_others; do
	farm $scenario -- patrol devices --json
	fits_schema devices stdout
	farm $scenario -- patrol devices --json --plan "$PLAN"
	fits_schema devices stdout
done

t "a watch's verdict, fresh or not"
fresh
mkdir -p day
for at in 2026-11-30T12:00:00Z 2026-12-04T12:00:00Z; do
	for r in passed skipped_busy; do
		cp "$ROOT/tests/data/results/$r.json" day/result.json
		run env PATROL_STATE_DIR="$D/state" \
			patrol watch --json --from . --at $at
		fits_schema watch stdout
	done
done
