#!/bin/sh
# tests/real/adbd/fetch.sh: adb 34 and adbd 34, the daemon that runs on phones,
# from Debian 13, unpacked into the current folder:
#
#   bin/adb        for PATH
#   adbd           the daemon, for tests/real/adbd/phone.sh
#   adbd-as-is     the same as Debian ships it: it announces abb_exec, which it
#                  cannot serve
#
# apt reads lists of its own and nothing is installed.

set -eu

here=$(cd "${0%/*}" && pwd)
dir=$(pwd)
tools=usr/lib/android-sdk/platform-tools

mkdir -p apt/lists/partial apt/cache/archives/partial apt/parts root bin
# The mirror that this machine uses, for the other release.
sed 's/bookworm-updates//; s/bookworm/trixie/g' \
	/etc/apt/sources.list.d/debian.sources |
	awk 'BEGIN { RS = ""; ORS = "\n\n" } !/security/' \
		>apt/parts/trixie.sources

apt_get()
{
	apt-get -o Dir::Etc::sourcelist=/dev/null \
		-o "Dir::Etc::sourceparts=$dir/apt/parts" \
		-o "Dir::State::lists=$dir/apt/lists" \
		-o "Dir::Cache=$dir/apt/cache" \
		-o Dir::State::status=/dev/null \
		-o Acquire::Languages=none -o Acquire::Retries=2 \
		-o APT::Install-Recommends=false -o Debug::NoLocking=1 "$@"
}
apt_get update -qq
apt_get install -qq -y --download-only adb adbd
for deb in apt/cache/archives/*.deb; do
	dpkg-deb -x "$deb" root
done
rm -rf apt

cc -shared -fPIC -O1 -o loopback.so "$here/loopback.c" -ldl
libs=$(echo "$dir"/root/usr/lib/*-linux-gnu)
loader=$(echo "$libs"/ld-linux-*.so.*)

# start NAME PROGRAM [LOADER-OPTION]...: a script that starts it with its own
# libraries.
start()
{
	start_name=$1 start_program=$2
	shift 2
	cat >"$start_name" <<-END
		#!/bin/sh
		exec $loader $* --library-path $libs:$libs/android \\
			$start_program "\$@"
	END
	chmod +x "$start_name"
}
sed 's/abb_exec/xbb_exec/g' "root/$tools/adbd" >"root/$tools/adbd-no-abb"
chmod +x "root/$tools/adbd-no-abb"
start bin/adb "$dir/root/$tools/adb"
start adbd "$dir/root/$tools/adbd-no-abb" --preload "$dir/loopback.so"
start adbd-as-is "$dir/root/$tools/adbd" --preload "$dir/loopback.so"
bin/adb version
