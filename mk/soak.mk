# make soak: many patrols in a row on one farm, with random faults.  N runs,
# SEED for the same ones again.

.PHONY: soak
soak: all $B/tests/bench/timed
	$(q)PATROL_BUILD=$(CURDIR)/$B tests/soak/run $(if $N,$N,200) $(SEED)
