# Programs of ours that work against genuine peers: tests/real/*.c.

real_src := $(wildcard tests/real/*.c)
real_bin := $(real_src:%.c=$B/%)

.PHONY: test-real
# tests/real/README.md says which, and from where.
test-real: all $(real_bin) fixture
	$(q)tests/run --mode $(mode) --jobs 2 --timeout 600 real
