# make bench-detect: how often the decisions about series are wrong, in tables.
# SEED=N plants others; make detect-curve: false alarms against recall.

detect_obj := $(patsubst %.c,$B/%.o,$(wildcard tests/detect/*.c))

$B/tests/detect/quality: $(detect_obj) $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $^ $(pkg_libs) -lm $(LDLIBS)

.PHONY: bench-detect detect-curve
bench-detect: $B/tests/detect/quality
	$(q)$< tests/data/series $(SEED)
detect-curve: $B/tests/detect/quality
	$(q)$< --curve tests/data/series

# Tests on made noise take the generator.
$B/tests/unit/test_detect: $B/tests/detect/noise.o
