# patrol: the daily performance patrol of a game on a real phone.
#
#   make            build/patrol and build/patrol-farm
#   make demo       a whole patrol on the simulated farm
#   make demo-history  thirty days of patrols: what got worse, and since when
#   make test       unit, protocol and end-to-end tests
#   make test-faults  every step of a run with every fault, as a table
#   make test-real  against the genuine STF, adbd, sshd and GitHub description
#   make check      the rules: format, layers, names, headers, linters, corpora
#   make soak       200 patrols in a row with random faults: N=50 SEED=7
#   make bench      speed, as ratios measured side by side
#   make fuzz       each parser of foreign bytes: T=plan S=60
#   make valgrind   the unit tests under valgrind
#   make cover      lines that the tests reach
#   make install    PREFIX, DESTDIR
#   make format, docs, dist, compile_commands.json, clean
#
# SANITIZE=address,undefined or SANITIZE=thread builds into a folder of its own.
# V=1 shows the commands.  CC, CFLAGS, CPPFLAGS, LDFLAGS, LDLIBS and PKG_CONFIG
# are yours, ours are added beside them; WERROR=1 makes warnings errors.

PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
V ?= 0

comma := ,
ifneq ($(SANITIZE),)
mode := $(subst $(comma),-,$(SANITIZE))
mode_flags := -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
else ifneq ($(COVER),)
mode := cover
mode_flags := --coverage -O0
else
mode := plain
mode_cppflags := -D_FORTIFY_SOURCE=2
endif
B := build/$(mode)

pkgs := libcurl libssh2 libgit2 yaml-0.1 libcjson libzip libcrypto libssl zlib
farm_pkgs := duktape
pkg_cflags := $(shell $(PKG_CONFIG) --cflags $(pkgs) 2>/dev/null)
pkg_libs := $(shell $(PKG_CONFIG) --libs $(pkgs) 2>/dev/null)
farm_libs := $(shell $(PKG_CONFIG) --libs $(farm_pkgs) 2>/dev/null)

VERSION := $(shell cat VERSION)

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wwrite-strings -Wformat=2 -Wundef \
	-Wconversion -Wno-sign-conversion -Wno-format-nonliteral
all_cflags = -std=gnu11 $(warnings) $(if $(WERROR),-Werror) \
	-fstack-protector-strong -fPIE -pthread $(CFLAGS) $(mode_flags)
all_cppflags = -D_GNU_SOURCE $(mode_cppflags) -Ilib -I. -Ibuild/gen \
	-DPATROL_VERSION='"$(VERSION)"' $(pkg_cflags) $(CPPFLAGS)
all_ldflags = -pie -pthread -Wl,-z,relro,-z,now -Wl,--as-needed \
	$(LDFLAGS) $(mode_flags)

lib_src := $(wildcard lib/*/*.c)
cmd_src := $(wildcard cmd/*.c)
farm_src := $(wildcard fixtures/*.c)
unit_src := $(wildcard tests/unit/test_*.c tests/protocol/test_*.c)

lib_obj := $(lib_src:%.c=$B/%.o)
cmd_obj := $(cmd_src:%.c=$B/%.o)
farm_obj := $(farm_src:%.c=$B/%.o)
unit_bin := $(unit_src:%.c=$B/%)

ifeq ($V,0)
q = @
say = @printf '  %-4s %s\n' $(1) $(2)
endif

.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all
all: build/patrol build/patrol-farm

# The names users know are links to the last mode built.
build/patrol: $B/patrol always
	$(q)ln -sfn $(mode)/patrol $@
build/patrol-farm: $B/patrol-farm always
	$(q)ln -sfn $(mode)/patrol-farm $@
.PHONY: always

$B/patrol: $(cmd_obj) $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $^ $(pkg_libs) -lm $(LDLIBS)

$B/patrol-farm: $(farm_obj) $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $^ $(pkg_libs) $(farm_libs) -lm \
		$(LDLIBS)

$B/libpatrol.a: $(lib_obj)
	$(call say,AR,$@)
	$(q)rm -f $@ && $(AR) rcs $@ $^

# The farm's parts, for tests of them.
$B/libfarm.a: $(filter-out $B/fixtures/main.o,$(farm_obj))
	$(call say,AR,$@)
	$(q)rm -f $@ && $(AR) rcs $@ $^

$B/%.o: %.c Makefile VERSION $B/flags | libraries
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(all_cppflags) $(all_cflags) -MMD -MP -c -o $@ $<

# Other flags are another build.
flags = $(CC) $(all_cppflags) $(all_cflags) $(all_ldflags) $(LDLIBS)
$B/flags: always
	$(q)mkdir -p $(@D)
	$(q)printf '%s\n' '$(subst ','\'',$(flags))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(flags))' >$@

.PHONY: libraries
libraries:
ifeq ($(and $(pkg_libs),$(farm_libs)),)
	@for p in $(pkgs) $(farm_pkgs); do \
		$(PKG_CONFIG) --exists $$p || echo "missing: $$p" >&2; \
	done; \
	echo "libraries or pkg-config are missing; on Debian" \
		"'ci/packages build' installs them" >&2; false
endif

# Only tests of the farm's parts need them.
farm_tests := $(shell grep -l '"fixtures/' /dev/null $(unit_src))
$(farm_tests:%.c=$B/%) $B/tests/tools/make_raw $B/tests/tools/make_snap: $B/libfarm.a
# This one runs the program.
$B/tests/unit/test_raw_matrix: | $B/patrol

$B/tests/%: $B/tests/%.o $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ -Wl,--start-group $^ -Wl,--end-group \
		$(pkg_libs) $(if $(filter %/libfarm.a,$^),$(farm_libs)) -lm \
		$(LDLIBS)

.PHONY: unit
unit: $(unit_bin)

.PHONY: test test-unit test-e2e
test: all unit
	$(q)tests/run --mode $(mode)
test-unit: unit
	$(q)tests/run --mode $(mode) unit protocol
test-e2e: all
	$(q)tests/run --mode $(mode) e2e

.PHONY: clean
clean:
	rm -rf build

-include mk/*.mk
-include $(shell find build/$(mode) -name '*.d' 2>/dev/null)
