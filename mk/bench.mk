# make bench: every program and script in tests/bench prints lines of
# "name value unit"; tests/bench/limits says what is demanded of which.
# N=plan runs those whose name contains it.

bench_src := $(wildcard tests/bench/bench_*.c)
bench_bin := $(bench_src:%.c=$B/%)

$(bench_bin): $B/tests/bench/side.o

.PHONY: bench
bench: all $(bench_bin) $B/tests/bench/timed $B/tests/bench/raw_hop \
		$B/tests/tools/make_snap $B/tests/tools/make_raw \
		$B/tests/tools/make_history \
		build/fixture/starfall-200.apk
	$(q)tests/bench/run --mode $(mode) $(N)

$B/tests/tools/make_history: $B/tests/detect/noise.o

# As large as games are.
build/fixture/starfall-200.apk: fixtures/make-apk.sh
	$(call say,APK,$@)
	$(q)APK_VERSION_NAME=1.4.0 APK_VERSION_CODE=5123 \
		fixtures/make-apk.sh $@ com.example.starfall debuggable 200 \
		arm64-v8a
