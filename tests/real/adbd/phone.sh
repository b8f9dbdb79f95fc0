#!/bin/sh
# tests/real/adbd/phone.sh ADBD DIR: the daemon in the foreground, in a world
# that looks like a phone's to it: /data is a disk of its own of PHONE_DATA
# (256m), /sdcard is DIR/sdcard, the programs of userland.sh come first in PATH,
# and processes end with it.  Its port is 127.0.0.1:$(cat DIR/port); LOOPBACK_PORT demands one.

set -eu

if [ "$1" != --inside ]; then
	[ "$(id -u)" -eq 0 ] || map=--map-root-user
	mkdir -p "$2/sdcard" "$2/root" "$2/bin"
	here=$(cd "${0%/*}" && pwd)
	for name in cmd dumpsys getprop log logcat pm screencap wm; do
		ln -sf "$here/userland.sh" "$2/bin/$name"
	done
	exec unshare ${map:-} --mount --pid --fork --kill-child --mount-proc \
		sh "$0" --inside "$1" "$2"
fi
adbd=$2 dir=$(cd "$3" && pwd) root=$(cd "$3" && pwd)/root

mount -t tmpfs phone "$root"
for d in /*; do
	[ -d "$d" ] || continue
	case $d in
	/data | /sdcard | /lost+found) ;;
	*)
		if [ -L "$d" ]; then
			cp -P "$d" "$root/"
		else
			mkdir "$root$d"
			mount --rbind "$d" "$root$d"
		fi
		;;
	esac
done
mkdir "$root/data" "$root/sdcard"
mount -t tmpfs -o "size=${PHONE_DATA:-256m}" data "$root/data"
mount --bind "$dir/sdcard" "$root/sdcard"
mkdir -p "$root/data/app" "$root/data/local/tmp" "$root/data/phone"
: >"$root/data/phone/log"

rm -f "$dir/port"
# Whatever the number: loopback.c puts another in its place.
exec env PATH="$dir/bin:$PATH" HOME=/data ADBD_PORT=5037 \
	LOOPBACK_PORT_FILE="$dir/port" chroot "$root" "$adbd"
