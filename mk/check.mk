# make check: rules that a machine can see.  Each one is a script in ci/ that
# ends non-zero and says the place; ci/check-selftest.sh plants a violation of
# each and demands that it is found.

checks := format layers names headers size banned words reasons shell cppcheck \
	tidy help corpora action selftest
c_files := $(sort $(wildcard lib/*/*.[ch] cmd/*.[ch] fixtures/*.[ch] device/*.[ch] \
	tests/*/*.[ch]))
tidy_src := $(lib_src) $(cmd_src) $(farm_src)
jobs ?= $(shell nproc 2>/dev/null || echo 2)
run_check = $(q)if $(1); then echo "ok - $(2)"; \
	else echo "not ok - $(2)"; exit 1; fi

.PHONY: check $(checks:%=check-%) format
check: $(checks:%=check-%)
	@echo "all $(words $(checks)) checks hold"

format:
	clang-format -i $(c_files)

check-format:
	$(call run_check,ci/check-format.sh $(c_files),format)
check-layers:
	$(call run_check,ci/check-layers.sh,layers)
check-names: $(if $(SANITIZE),,$(lib_obj) $(cmd_obj) $(farm_obj))
	$(call run_check,ci/check-names.sh $B,names)
check-headers:
	$(call run_check,ci/check-headers.sh,headers alone)
check-size:
	$(call run_check,ci/check-size.sh,files and functions of a size)
check-banned:
	$(call run_check,ci/check-banned.sh,banned calls)
check-words:
	$(call run_check,ci/check-words.sh,words)
check-reasons:
	$(call run_check,ci/check-reasons.sh,reasons)
check-shell:
	$(call run_check,ci/check-shell.sh,shellcheck)
check-cppcheck:
	$(call run_check,ci/check-cppcheck.sh lib cmd fixtures,cppcheck)
check-help: all
	$(call run_check,ci/check-help.sh build/patrol,help = manual)
check-action:
	$(call run_check,ci/check-action.sh,action and workflows)
check-selftest:
	$(call run_check,ci/check-selftest.sh,each check finds what it is for)

# Within `make -j check` the cores are shared, alone they are all ours.
all_cores = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(jobs))

# clang-tidy is slow, so each file has a stamp that is as old as its object:
# both depend on the same sources.
tidy_ok := $(tidy_src:%.c=build/tidy/%.ok)
build/tidy/%.ok: $B/%.o .clang-tidy
	$(call say,TIDY,$*.c)
	$(q)mkdir -p $(@D)
	$(q)ci/check-tidy.sh $*.c
	$(q)touch $@
.PHONY: tidy
tidy: $(tidy_ok)
check-tidy: $(lib_obj) $(cmd_obj) $(farm_obj)
	$(call run_check,$(MAKE) --no-print-directory -k $(all_cores) \
		tidy,clang-tidy)

# Each parser of foreign bytes over its corpus, under the address sanitizer.
check-corpora:
	$(call run_check,$(MAKE) --no-print-directory $(all_cores) \
		SANITIZE=address$(comma)undefined corpora,fuzz corpora)
