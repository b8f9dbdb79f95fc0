#!/bin/sh
# Usage: embed.sh NAME FILE            one array of a file's bytes
#        embed.sh -t NAME FILE...      NAME_table of {name, text} for several
# Bytes through od and sed, which every machine has.
set -eu

bytes() # NAME FILE
{
	printf 'static const unsigned char %s[] = {\n' "$1"
	od -An -v -tx1 "$2" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
	printf '0x00 };\n'
}

if [ "$1" != -t ]; then
	bytes "$1" "$2"
	exit
fi
name=$2
shift 2
for f; do
	base=${f##*/}
	bytes "${name}_$(printf %s "${base%%.*}" | tr -c 'a-z0-9' _)" "$f"
done
printf 'static const struct { const char *name; const unsigned char *text; }\n'
printf '%s_table[] = {\n' "$name"
for f; do
	base=${f##*/}
	base=${base%%.*}
	printf '{ "%s", %s_%s },\n' "$base" "$name" \
		"$(printf %s "$base" | tr -c 'a-z0-9' _)"
done
printf '};\n'
