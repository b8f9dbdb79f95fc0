# The app that the simulated farm's build left behind: debuggable as a
# Development Build, and a release build.

fixture_apks := build/fixture/starfall.apk build/fixture/starfall-release.apk

.PHONY: fixture
fixture: $(fixture_apks)
demo demo-history test test-e2e bench: fixture

build/fixture/starfall.apk: kind := debuggable
build/fixture/starfall-release.apk: kind := release
$(fixture_apks): fixtures/make-apk.sh
	$(call say,APK,$@)
	$(q)APK_VERSION_NAME=1.4.0 APK_VERSION_CODE=5123 \
		fixtures/make-apk.sh $@ com.example.starfall $(kind) 4 \
		arm64-v8a
