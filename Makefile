# patrol: the daily performance patrol of a game on a real phone.
#
#   make            build/patrol and build/patrol-farm
#   make demo       a whole patrol on the simulated farm
#   make test       unit, protocol and end-to-end tests
#   make check      the rules: format, layers, names, headers, linters, corpora
#   make bench      speed, as ratios measured side by side
#   make fuzz T=plan S=60
#   make install    PREFIX, DESTDIR
#
# SANITIZE=address,undefined or SANITIZE=thread builds into a folder of its own.

PREFIX ?= /usr/local
PKG_CONFIG ?= pkg-config
CFLAGS ?= -O2 -g
V ?= 0

ifeq ($(SANITIZE),)
mode := plain
else
comma := ,
mode := $(subst $(comma),-,$(SANITIZE))
override CFLAGS += -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
override LDFLAGS += -fsanitize=$(SANITIZE)
endif
ifeq ($(mode),plain)
override CPPFLAGS += -D_FORTIFY_SOURCE=2
endif
B := build/$(mode)

pkgs := libcurl libgit2 yaml-0.1 libcjson libzip libcrypto zlib
pkg_cflags := $(shell $(PKG_CONFIG) --cflags $(pkgs))
pkg_libs := $(shell $(PKG_CONFIG) --libs $(pkgs))
farm_libs := $(shell $(PKG_CONFIG) --libs duktape) -lm

VERSION := $(shell cat VERSION)

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wwrite-strings -Wformat=2 -Wundef \
	-Wconversion -Wno-sign-conversion
all_cflags = -std=gnu11 $(warnings) -fstack-protector-strong -fPIE \
	-pthread $(CFLAGS)
all_cppflags = -D_GNU_SOURCE -Ilib -I. -Ibuild/gen \
	-DPATROL_VERSION='"$(VERSION)"' $(pkg_cflags) $(CPPFLAGS)
all_ldflags = -pie -pthread -Wl,-z,relro,-z,now $(LDFLAGS)

lib_src := $(wildcard lib/*/*.c)
cmd_src := $(wildcard cmd/*.c)
farm_src := $(wildcard fixtures/*.c)
unit_src := $(wildcard tests/unit/test_*.c)

lib_obj := $(lib_src:%.c=$B/%.o)
cmd_obj := $(cmd_src:%.c=$B/%.o)
farm_obj := $(farm_src:%.c=$B/%.o)
unit_bin := $(unit_src:tests/unit/%.c=$B/tests/unit/%)

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
	$(q)$(CC) $(all_ldflags) -o $@ $^ $(pkg_libs) $(LDLIBS)

$B/patrol-farm: $(farm_obj) $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $^ $(pkg_libs) $(farm_libs) $(LDLIBS)

$B/libpatrol.a: $(lib_obj)
	$(call say,AR,$@)
	$(q)rm -f $@ && $(AR) rcs $@ $^

$B/%.o: %.c Makefile VERSION
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(CC) $(all_cppflags) $(all_cflags) -MMD -MP -c -o $@ $<

$B/tests/unit/%: $B/tests/unit/%.o $B/libpatrol.a
	$(call say,LD,$@)
	$(q)$(CC) $(all_ldflags) -o $@ $^ $(pkg_libs) $(LDLIBS)

.PHONY: unit
unit: $(unit_bin)

.PHONY: test test-unit test-e2e
test: all unit
	$(q)tests/run --mode $(mode)
test-unit: unit
	$(q)tests/run --mode $(mode) unit
test-e2e: all
	$(q)tests/run --mode $(mode) e2e

.PHONY: clean
clean:
	rm -rf build

-include mk/*.mk
-include $(shell find build/$(mode) -name '*.d' 2>/dev/null)
