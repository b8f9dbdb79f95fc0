# Fuzzing: tests/fuzz/fuzz_X.c with LLVMFuzzerTestOneInput, seeds in
# tests/fuzz/corpus/X/, perhaps words in tests/fuzz/X.dict and libFuzzer's options
# in tests/fuzz/X.options.
#
#   make fuzz T=plan S=60   one target for a minute; without T each in turn
#   make corpora            every corpus once, with any compiler

S ?= 60
fuzz_src := $(wildcard tests/fuzz/fuzz_*.c)
fuzz_names := $(fuzz_src:tests/fuzz/fuzz_%.c=%)
fuzz_bin := $(fuzz_src:%.c=$B/%)
fuzz_mode := fuzzer-no-link$(comma)address

# Under libFuzzer main comes from it, else from our driver.
ifeq ($(SANITIZE),$(fuzz_mode))
fuzz_main := -fsanitize=fuzzer $B/tests/fuzz/asan.o
$(fuzz_bin): $B/tests/fuzz/asan.o
else
fuzz_main := $B/tests/fuzz/driver.o
$(fuzz_bin): $B/tests/fuzz/driver.o
endif

$B/tests/fuzz/fuzz_%: $B/tests/fuzz/fuzz_%.o $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $< $(fuzz_main) $B/libpatrol.a \
		$(pkg_libs) -lm $(LDLIBS)

.PHONY: corpora fuzz fuzz-bin $(fuzz_names:%=fuzz-%)
corpora: $(fuzz_bin)
	$(q)for n in $(fuzz_names); do \
		$B/tests/fuzz/fuzz_$$n tests/fuzz/corpus/$$n || exit 1; \
	done

fuzz-bin: $(fuzz_bin)
fuzz:
ifneq ($(T),)
ifeq ($(filter $(T),$(fuzz_names)),)
	$(error no fuzz target '$(T)'; there are: $(fuzz_names))
endif
endif
	$(q)$(MAKE) --no-print-directory CC=clang SANITIZE=$(fuzz_mode) fuzz-bin
	$(q)for n in $(or $(T),$(fuzz_names)); do \
		ci/fuzz.sh build/$(subst $(comma),-,$(fuzz_mode)) $$n $(S) || \
			exit 1; \
	done
