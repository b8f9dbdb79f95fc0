# make demo, demo-history, valgrind, cover, docs, dist, compile_commands.json

.PHONY: demo demo-history valgrind cover docs dist
demo: all
	$(q)ci/demo-run.sh

demo-history: all
	$(q)ci/demo-history-run.sh

valgrind := valgrind -q --leak-check=full --error-exitcode=99 \
	--suppressions=tests/valgrind.supp
# It starts hundreds of programs: the sanitizers have it.
# These start themselves again by /proc/self/exe, which is valgrind there.
valgrind_not := test_raw_matrix test_repo test_repo_branch test_history_git
valgrind: unit
	$(q)tests/run --mode $(mode) --timeout 900 --wrap '$(valgrind)' unit \
		$(filter-out $(valgrind_not),$(notdir $(unit_src:.c=)))

# The whole suite in a build of its own, then what each file's lines saw.
cover:
	$(q)$(MAKE) --no-print-directory COVER=1 test
	$(q)ci/cover.sh build/cover

# The manual page and the settings are kept so that one can read them without
# building.
docs: all
	$(q)build/patrol help --man >docs/patrol.1.new
	$(q)mv docs/patrol.1.new docs/patrol.1
	$(q)ci/settings-table.sh build/patrol docs/settings.md

dist:
	$(q)mkdir -p build
	git archive --prefix=patrol-$(VERSION)/ \
		-o build/patrol-$(VERSION).tar.gz HEAD

# For editors and clang tools.
compile_commands.json: Makefile $(lib_src) $(cmd_src) $(farm_src) $(unit_src)
	$(q)ci/compile-commands.sh '$(subst ','\'',$(CC) $(all_cppflags) \
		$(all_cflags))' $(filter %.c,$^) >$@
