#!/bin/sh
# The programs of a phone that patrol calls, under the names that phone.sh
# links to this file.  What a test wants otherwise it writes into
# /data/phone/MODE-OF, such as "absent" into /data/phone/mode-of-cmd.

set -u

name=${0##*/}
app=com.example.game
mode=''
[ ! -e "/data/phone/mode-of-$name" ] || read -r mode <"/data/phone/mode-of-$name"

if [ "$mode" = absent ]; then
	echo "/system/bin/sh: $name: inaccessible or not found" >&2
	exit 127
fi

property()
{
	case $1 in
	ro.product.model) echo 'Pixel 6' ;;
	ro.product.manufacturer) echo Google ;;
	ro.serialno) echo REAL0001 ;;
	ro.build.version.release) echo 13 ;;
	ro.build.version.sdk) echo 33 ;;
	ro.build.fingerprint) echo google/oriole/oriole:13/TQ3A/1:user ;;
	ro.product.cpu.abilist) echo arm64-v8a,armeabi-v7a ;;
	ro.product.cpu.abi) echo arm64-v8a ;;
	ro.soc.model) echo 'Tensor' ;;
	sys.boot_completed) echo 1 ;;
	*) echo ;;
	esac
}

# What stdin or a file brings becomes an APK on the phone.
take()
{
	case $mode in
	early)
		echo 'Failure [INSTALL_FAILED_INVALID_APK: not now]'
		exit 1
		;;
	esac
	# What comes is counted: a short input must be noticed.
	if [ -n "$size" ]; then
		head -c "$size" >"/data/app/$1"
		[ "$(stat -c %s "/data/app/$1")" -eq "$size" ] || {
			echo "Failure [INSTALL_FAILED_INVALID_APK: short]"
			exit 1
		}
	else
		cp "$2" "/data/app/$1"
	fi
	case $mode in
	late) exec tail -f /dev/null ;;
	refuse)
		rm "/data/app/$1"
		echo 'Failure [INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade' \
			'detected: 7 < 8]'
		exit 1
		;;
	esac
}

package()
{
	verb=$1
	shift
	size='' words=''
	while [ $# -gt 0 ]; do
		case $1 in
		-S)
			size=$2
			shift
			;;
		-?) ;;
		*) words="$words $1" ;;
		esac
		shift
	done
	# Words without blanks.
	# shellcheck disable=SC2086
	set -- $words
	case $verb in
	path)
		if [ "$1" = android ]; then
			echo package:/system/framework/framework-res.apk
		elif [ "$1" = $app ] && [ -e /data/app/base.apk ]; then
			echo package:/data/app/base.apk
		else
			exit 1
		fi
		;;
	install)
		take base.apk "${1:-}"
		echo Success
		;;
	install-create) echo 'Success: created install session [77]' ;;
	install-write)
		take "split-$2" -
		echo "Success: streamed $size bytes"
		;;
	install-commit)
		mv /data/app/split-0.apk /data/app/base.apk
		echo Success
		;;
	install-abandon)
		rm -f /data/app/split-*
		echo Success
		;;
	uninstall)
		if [ "$1" = $app ] && [ -e /data/app/base.apk ]; then
			rm -f /data/app/*.apk
			echo Success
		else
			echo 'Failure [DELETE_FAILED_INTERNAL_ERROR]'
			exit 1
		fi
		;;
	grant) [ "$2" = android.permission.CAMERA ] || {
		echo "java.lang.IllegalArgumentException: Unknown permission" >&2
		exit 255
	} ;;
	*) exit 1 ;;
	esac
}

case $name in
getprop) property "$1" ;;
pm) package "$@" ;;
cmd)
	[ "$1" = package ] || exit 20
	shift
	package "$@"
	;;
wm) echo 'Physical size: 1080x2400' ;;
dumpsys)
	[ "$1 $2" = "package $app" ] || exit 0
	echo '    versionCode=8 minSdk=24 targetSdk=33'
	echo '    versionName=1.2.3'
	echo '    flags=[ DEBUGGABLE HAS_CODE ALLOW_CLEAR_USER_DATA ]'
	;;
screencap)
	[ "$mode" != folds ] ||
		echo '[Warning] Multiple displays were found, but no display' \
			'id was specified!'
	base64 -d <<-'END'
		iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
		+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
	END
	;;
log)
	# log -t TAG WORDS
	printf '%s   321   321 I %s: %s\n' "$(date '+%m-%d %H:%M:%S.%3N')" \
		"$2" "$3" >>/data/phone/log
	;;
logcat)
	from=''
	while [ $# -gt 0 ]; do
		[ "$1" != -T ] || from=$2
		shift
	done
	[ "$from" != 1 ] || from=''
	[ "$mode" != brief ] || exec cat /data/phone/log
	# As -T does: what was then or later, and what comes.
	tail -n +1 -f /data/phone/log | while IFS= read -r line; do
		[ "$(expr "X$line" '<' "X$from")" = 1 ] ||
			printf '%s\n' "$line"
	done
	;;
esac
