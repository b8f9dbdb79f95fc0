#!/bin/sh
# The simulated phone against the genuine adb: what it does must look to adb
# like a phone.
. "${0%/*}/lib.sh"

command -v adb >/dev/null || {
	t "adb talks to the simulated phone"
	skip "no adb"
	exit 0
}
GAME=com.example.game
ACTIVITY=$GAME/com.unity3d.player.UnityPlayerActivity

# A server of our own; its key lies in its HOME.
HOME=$T/home
ANDROID_ADB_SERVER_PORT=$(adb_port)
ADB_EMU=0
export HOME ANDROID_ADB_SERVER_PORT ADB_EMU
mkdir "$HOME"
# shellcheck disable=SC2154
trap 'exit_status=$?; adb kill-server >/dev/null 2>&1; (exit $exit_status); at_exit' EXIT

# scenario 'YAML'...: a phone with these lines, connected.
phone()
{
	printf '%s\n' "$@" >"$T/scenario.yaml"
	farm_up "$T/scenario.yaml"
	[ -z "${ANDROID_SERIAL:-}" ] || adb disconnect "$ANDROID_SERIAL" \
		>/dev/null 2>&1
	ANDROID_SERIAL=$PATROL_FARM_PHONE
	export ANDROID_SERIAL
	adb start-server >/dev/null 2>&1
	run adb connect "$ANDROID_SERIAL"
}

# Versions of adb differ in where they say it.
expect_said()
{
	cat stderr >>stdout
	expect_out "$1"
}

apk()
{
	"$ROOT/fixtures/make-apk.sh" "$@" || fail "make-apk.sh $*"
}

# --- a phone that announces everything -----------------------------------
phone 'phone: {model: Pixel 7, serial: SIM7}'

t "adb connects and sees product, model and device"
expect_out "connected to $ANDROID_SERIAL"
run adb devices -l
expect_out "device product:panther model:Pixel_7 device:panther"
journal_is 'map(select(.event == "adb.connect")) | length == 1'

t "a loop runs while its condition holds, also within another"
run adb shell 'a=1; for i in 1 2; do while [ "$a" != 111 ]; do
	echo "$i $a"; a=1$a; done; done; while false; do echo no; done; echo end'
expect_eq "$(cat stdout)" "1 1
1 11
end"

t "the shell gives exit status, stdout and stderr apart"
run adb shell 'echo out; echo err >&2; false; echo "rc=$?"; exit 7'
expect_status 7
expect_eq "$(cat stdout)" "out
rc=1"
expect_eq "$(cat stderr)" err

t "sequences, conditions, loops, pipes and redirections work"
# shellcheck disable=SC2016
run adb shell 'pm path android >/dev/null && echo yes || echo no
	false || { echo a; echo b; } ; nosuch 2>/dev/null; echo "rc=$?"
	for z in /sys/class/thermal/thermal_zone*; do cat $z/type; done
	if [ -d /data ]; then echo dir; else echo none; fi
	x=$(getprop ro.serialno); echo "is $x"
	dumpsys window | grep -c mCurrentFocus
	sh -c "echo inner; exit 3"'
expect_status 3
expect_eq "$(tr '\n' ' ' <stdout)" \
	"yes a b rc=127 cpu-0-0 skin-therm battery dir is SIM7 1 inner "

t "properties, memory, frequencies and heat can be read"
run adb shell 'getprop ro.product.model; getprop sys.boot_completed
	cat /proc/meminfo; cat /sys/devices/system/cpu/cpu*/cpufreq/scaling_cur_freq
	dumpsys battery; dumpsys thermalservice; df -k /data; wm size'
expect_status 0
for text in "Pixel 7" MemAvailable: 2850000 "temperature: 3" "level: 87" \
	"Thermal Status: 0" "mName=VIRTUAL-SKIN" /data "Physical size: 1080x"; do
	expect_out "$text"
done
expect_eq "$(grep -c '^[0-9]*000$' stdout)" 8 "cores"

t "a pushed file comes back the same, and is listed"
head -c 3000001 /dev/urandom >"$T/file"
run adb push "$T/file" /sdcard/Download/file
expect_status 0
run adb pull /sdcard/Download/file "$T/back"
expect_status 0
cmp "$T/file" "$T/back" || fail "not the same"
run adb shell 'ls -l /sdcard/Download; stat -c %s /sdcard/Download/file
	sha256sum /sdcard/Download/file | head -n 1'
expect_out 3000001
expect_out "$(sha256sum "$T/file" | cut -d' ' -f1)"
run adb exec-out cat /sdcard/Download/file
cmp "$T/file" stdout || fail "cat is not the same"

t "a file that is not there, or not ours, is refused"
run adb pull /sdcard/none "$T/none"
expect_status 1
run adb push "$T/file" /system/x
expect_status 1
expect_said "Read-only file system"
run adb shell cat /data/data/$GAME/files/x
expect_status 1

t "a real APK is installed, streamed"
apk "$T/game.apk" $GAME debuggable
run adb install -r -t -g "$T/game.apk"
expect_status 0
expect_out Success
run adb shell pm path $GAME
expect_out "package:/data/app/"
run adb shell dumpsys package $GAME
expect_out versionCode=1
expect_out DEBUGGABLE
journal_is 'any(.event == "phone.install" and .package == "com.example.game"
	and .result == "success")'

t "it is also installed through a file and through a session"
adb push "$T/game.apk" /data/local/tmp/g.apk >/dev/null 2>&1
run adb shell pm install -r /data/local/tmp/g.apk
expect_out Success
run adb shell rm /data/local/tmp/g.apk
expect_status 0
run adb install --no-streaming -r "$T/game.apk"
expect_out Success
run adb install-multiple -r "$T/game.apk"
expect_status 0

t "the app starts with its extras, runs, and is stopped"
run adb shell am start -W -n $ACTIVITY --es token secret
expect_out "Status: ok"
expect_out "LaunchState: COLD"
expect_out TotalTime:
run adb shell "pidof $GAME; dumpsys meminfo $GAME; dumpsys activity activities"
expect_out "TOTAL PSS:"
expect_out "topResumedActivity=ActivityRecord{"
run adb shell am start -n $GAME/.Nope
expect_status 1
expect_out "does not exist"
run adb exec-out screencap -p
expect_eq "$(head -c 8 stdout | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
run adb shell am force-stop $GAME
run adb shell pidof $GAME
expect_status 1
expect_count app.start 1
journal_is 'any(.event == "app.stop" and .how == "force-stop")'

t "the log flows, by filter and since a time"
adb logcat -v threadtime -T 1 >"$T/log" 2>/dev/null &
logcat=$!
await '[ -s "$T/log" ]'
adb shell log -t tag 'here it is' </dev/null
await 'grep -q "here it is" "$T/log"' 5 || fail "the line did not come"
kill $logcat
wait $logcat 2>/dev/null
run adb logcat -d -b main -s tag:I '*:S'
expect_out "here it is"
expect_not_in stdout ActivityManager
run adb logcat -d -b crash
expect_status 0

t "run-as reaches the files of a debuggable app only"
run adb shell "run-as $GAME sh -c 'echo hello >files/a'"
run adb shell run-as $GAME cat files/a
expect_out hello
run adb shell run-as com.example.none ls
expect_status 1
expect_err "unknown package"

t "a port that nobody listens on is refused"
run adb forward tcp:0 tcp:1
expect_status 0

t "an uninstalled app is gone"
run adb uninstall $GAME
expect_out Success
run adb shell pm path $GAME
expect_status 1
run adb uninstall $GAME
expect_out "Failure [DELETE_FAILED_INTERNAL_ERROR]"

t "what Android objects to in an APK is said"
echo nothing >"$T/no.apk"
run adb install "$T/no.apk"
expect_status 1
expect_err INSTALL_PARSE_FAILED_NOT_APK
APK_UNSIGNED=1 apk "$T/un.apk" $GAME
run adb install "$T/un.apk"
expect_err INSTALL_PARSE_FAILED_NO_CERTIFICATES
apk "$T/abi.apk" $GAME debuggable 0 x86
run adb install "$T/abi.apk"
expect_err INSTALL_FAILED_NO_MATCHING_ABIS

# --- what a scenario changes ---------------------------------------------
t "a phone without features has the legacy shell and shell v2 on demand"
phone 'phone: {direct: {announce: false}}'
run adb shell 'echo out; echo err >&2; exit 3'
expect_status 0
expect_eq "$(cat stdout)" "out
err"
run adb push "$T/file" /sdcard/f
expect_status 0
apk "$T/game.apk" $GAME debuggable
run adb install "$T/game.apk"
expect_out Success

t "an old phone with packets of 4 KiB and checksums works"
phone 'phone: {old_protocol: true}'
run adb push "$T/file" /sdcard/f
expect_status 0
run adb pull /sdcard/f "$T/back"
cmp "$T/file" "$T/back" || fail "not the same"

t "a scripted verdict is given, and its fallbacks refused"
phone 'phone:' '  install:' '    refuse: [abb_exec, exec]' \
	'    verdict: "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user"'
run adb install "$T/game.apk"
expect_status 1
run adb install --no-streaming "$T/game.apk"
expect_status 1
expect_said "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user"

t "a foreign signature, a newer version and a full phone are refused"
phone 'phone:' '  free_bytes: 1000000' '  installed:' \
	"    - {package: $GAME, signature: other}"
run adb install "$T/game.apk"
expect_err INSTALL_FAILED_UPDATE_INCOMPATIBLE
run adb push "$T/file" /sdcard/f
expect_status 1
expect_said "No space left on device"
run adb shell ls /sdcard/f
expect_status 1
phone 'phone:' '  installed:' "    - {package: $GAME, version_code: 9}"
run adb install "$T/game.apk"
expect_err INSTALL_FAILED_VERSION_DOWNGRADE
run adb install -d "$T/game.apk"
expect_out Success

t "a phone that waits for a tap is unauthorized, then a device"
phone 'phone: {direct: {auth: pending, accept_after: 400ms}}'
expect_out "failed to authenticate"
await '[ "$(adb get-state)" = device ]' 5 || fail "never a device"
journal_is 'any(.event == "adb.connect" and (.fingerprint | length) == 47)'

t "a key that is accepted at once connects"
phone 'phone: {direct: {auth: accept}}'
await '[ "$(adb get-state)" = device ]' 5 || fail "never a device"

t "a phone that refuses stays unauthorized"
phone 'phone: {direct: {auth: refuse}}'
run adb shell true
expect_status 1
expect_err unauthorized
expect_count adb.connect 0

t "a link that drops in a command ends it"
phone 'phone:' '  faults:' '    - {kind: drop, service: shell, times: 1}'
run adb shell echo x
expect_eq "$(cat stdout)" ""

t "a shell without exit packet gives no status"
phone 'phone:' '  faults:' '    - {kind: no_exit, service: shell, times: 1}'
run adb shell 'echo x; exit 4'
expect_out x
expect_status 0
run adb shell 'exit 4'
expect_status 4

t "a phone that boots has no package service yet"
phone 'phone: {boot: 60s}'
run adb shell 'getprop sys.boot_completed; cmd package path android'
expect_status 20
expect_err "Can't find service: package"

t "a sleeping, locked phone wakes and is unlocked unless secure"
phone 'phone: {asleep: true, locked: true}'
run adb shell 'dumpsys power | grep mWakefulness=; input keyevent 224
	wm dismiss-keyguard; dumpsys power | grep mWakefulness=
	dumpsys window | grep mShowingLockscreen'
expect_eq "$(tr -d ' \n' <stdout)" \
	"mWakefulness=AsleepmWakefulness=AwakemShowingLockscreen=false"
phone 'phone: {secure_lock: true}'
run adb shell 'wm dismiss-keyguard; dumpsys window | grep mShowingLockscreen'
expect_out true
