# make bench: every program and script in tests/bench prints lines of
# "name value unit"; tests/bench/limits says what is demanded of which.
# N=plan runs those whose name contains it.

bench_src := $(wildcard tests/bench/bench_*.c)
bench_bin := $(bench_src:%.c=$B/%)

.PHONY: bench
bench: all $(bench_bin)
	$(q)tests/bench/run --mode $(mode) $(N)
