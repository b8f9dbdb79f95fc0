# make device-filter: `patrol filter` alone, one static program for the phone
# (build/device/patrol-filter), by Debian's cross compiler.  qemu-user runs it
# in the tests.

DEVICE_CC ?= aarch64-linux-gnu-gcc
device_base := buf deadline err file json log mem opt secret yaml_nearest
# What lists and draws frames stays at home.
device_unity := $(filter-out %/raw_list.c %/raw_data.c %/raw_self.c \
	%/raw_image.c %/raw_plot.c,$(wildcard lib/unity/raw_*.c))
device_src := $(device_base:%=lib/base/%.c) $(device_unity) cmd/filter.c device/main.c
device_obj := $(device_src:%.c=build/device/%.o)
# cJSON's header is the same everywhere; none of its code is called.
device_flags = -std=gnu11 $(warnings) -O2 -g -ffunction-sections \
	-fdata-sections -D_GNU_SOURCE -Ilib -I. \
	-DPATROL_VERSION='"$(VERSION)"' -idirafter /usr/include

.PHONY: device-filter
device-filter: build/device/patrol-filter

build/device/patrol-filter: $(device_obj)
	$(call say,LD,$@)
	$(q)$(DEVICE_CC) -static -pthread -Wl,--gc-sections -s -o $@ $^

build/device/%.o: %.c Makefile VERSION mk/device.mk
	$(call say,CC,$<)
	$(q)mkdir -p $(@D)
	$(q)$(DEVICE_CC) $(device_flags) -MMD -MP -c -o $@ $<

-include $(device_obj:.o=.d)
