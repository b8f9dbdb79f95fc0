#!/bin/sh
# tests/real/adbd/phone.sh ADBD DIR: the daemon in the foreground, in a world
# that looks like a phone's to it: /data is a disk of its own of PHONE_DATA
# (256m), /sdcard is DIR/sdcard, the programs of userland.sh come first in PATH,
# and processes end with it.  Its port is 127.0.0.1:$(cat DIR/port);
# LOOPBACK_PORT demands one.
#
# With PHONE_BEHIND, the folder of the simulated phone's files, and PHONE_SERIAL
# at the adb server of ADB_SERVER_SOCKET, the daemon is that phone's: its files
# are /data and /storage, and every command goes on to its shell.

set -eu

if [ "$1" != --inside ]; then
	map=''
	[ "$(id -u)" -eq 0 ] || map=--map-root-user
	mkdir -p "$2/sdcard" "$2/root" "$2/bin"
	here=$(cd "${0%/*}" && pwd)
	for name in cmd dumpsys getprop log logcat pm screencap wm; do
		ln -sf "$here/userland.sh" "$2/bin/$name"
	done
	# Nothing, or one word.
	# shellcheck disable=SC2086
	exec unshare $map --mount --pid --fork --kill-child --mount-proc \
		sh "$0" --inside "$1" "$2"
fi
adbd=$2 dir=$(cd "$3" && pwd) root=$(cd "$3" && pwd)/root

mount -t tmpfs phone "$root"
for d in /*; do
	[ -d "$d" ] || continue
	case $d in
	/data | /sdcard | /storage | /lost+found) ;;
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
mkdir -p "$root/data" "$root/sdcard"
if [ -n "${PHONE_BEHIND:-}" ]; then
	mkdir "$root/storage"
	mount --bind "$PHONE_BEHIND/data" "$root/data"
	mount --bind "$PHONE_BEHIND/storage" "$root/storage"
	rmdir "$root/sdcard"
	ln -s storage/emulated/0 "$root/sdcard"
	# The daemon's `/bin/sh -c COMMAND` is the phone's shell.
	rm "$root/bin"
	mkdir "$root/bin"
	cat >"$root/bin/sh" <<-END
		#!/usr/bin/dash
		exec adb -s $PHONE_SERIAL shell -T "\$2"
	END
	chmod +x "$root/bin/sh"
else
	mount -t tmpfs -o "size=${PHONE_DATA:-256m}" data "$root/data"
	mount --bind "$dir/sdcard" "$root/sdcard"
	mkdir -p "$root/data/app" "$root/data/local/tmp" "$root/data/phone"
	: >"$root/data/phone/log"
	PATH=$dir/bin:$PATH
fi

rm -f "$dir/port"
# Whatever the number: loopback.c puts another in its place.
exec env HOME="$dir" ADBD_PORT=5037 \
	LOOPBACK_PORT_FILE="$dir/port" chroot "$root" dash "$adbd"
