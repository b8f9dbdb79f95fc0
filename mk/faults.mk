# make test-faults: every step of a run with everything that can go wrong
# there (tests/faults).  ONLY='stf.reserve:stalled adb.*:KILL' runs those and
# keeps what they wrote; JOBS=N at once.

faults_preload := $B/tests/faults/preload.so

$(faults_preload): tests/faults/preload.c $B/flags
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CC) -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -fPIC -shared \
		-o $@ $<

.PHONY: test-faults
test-faults: all $(faults_preload) build/fixture/starfall.apk
	$(q)tests/faults/run --mode $(mode) $(if $(JOBS),--jobs $(JOBS)) \
		$(foreach c,$(ONLY),'$c')

test test-e2e: $(faults_preload)
