#!/bin/sh
# no_clang.sh PDEC PDERUN GRAFT SCRATCH: without clang pdec writes a module of C text, which the C compiler of the machine
# compiles when it is loaded; so is one whose bitcode this LLVM cannot read. Without either the way out is said.
set -eu
pdec=$1 pderun=$2 graft=$3 dir=$4
cc=$(command -v gcc) || exit 77
as=$(command -v as) || exit 77
. "$(dirname "$0")/../counted.sh"
fresh "$dir"
cd "$dir"
mkdir gcc nothing
ln -s "$cc" gcc/cc && ln -s "$as" gcc/as
unset PDE_CLANG
run() { out=$1; shift; "$pderun" --effort none --iterations 20 --width 8 --points 10 --quiet --no-report --threads 1 \
    --no-cache --precision float64 --out "$out" "$@" 2>&1; }
error_of() { sed -n 's/^  this run  *\([0-9.e+-]*\) .*/\1/p' "$1"; }
# near A B: equal but for rounding: another compiler contracts other sums
near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 <= (1e-3 * a) ^ 2) }'; }

cat >my.pde <<'END'
dim      d = 4
domain   x in ball(d, 1)
field    u(x)
equation sum_i d2(u, x_i) + sin(u) * cos(x_1) = g
exact    u = (1 - norm(x)^2) * exp(x_1 / d)
source   g from exact
boundary u = 0 exactly
END
"$pdec" my.pde -o with.so
PATH=$dir/gcc "$pdec" my.pde -o without.so 2>told.txt
says 'no clang is at hand' told.txt
[ "$(wc -c <without.so)" -lt "$(wc -c <with.so)" ] && good || bad "bitcode without clang"
run a with.so >with.txt
PATH=$dir/gcc run b without.so >without.txt || cat without.txt
near "$(error_of with.txt)" "$(error_of without.txt)" && good || bad "errors $(error_of with.txt) and $(error_of without.txt)"
PATH=$dir/gcc "$pderun" --effort none --no-cache --selftest without.so >self.txt 2>&1 && good || { bad selftest; cat self.txt; }
PATH=$dir/gcc run c my.pde >own.txt
near "$(error_of with.txt)" "$(error_of own.txt)" && good || bad "pderun my.pde without clang"
# gcc has a folder; one that a kill left behind goes with the next, one that may be in use stays, and so does what is not ours
mkdir -p tmp/pde-cc-older1 tmp/pde-cc-young1 tmp/pde-other
echo half >tmp/pde-cc-older1/k.o
touch -d '2 hours ago' tmp/pde-cc-older1 tmp/pde-other
TMPDIR=$dir/tmp PATH=$dir/gcc run tidy without.so >tidy.txt || cat tidy.txt
[ "$(echo tmp/*)" = "tmp/pde-cc-young1 tmp/pde-other" ] && good || bad "temporary folders: $(echo tmp/*)"
# with clang the same text gives the same bits as bitcode
run d without.so >later.txt
[ "$(error_of with.txt)" = "$(error_of later.txt)" ] && good || bad "clang at load: $(error_of later.txt)"

# bitcode of another LLVM: here, bytes that are none
"$graft" other.so with.so .pde.bc64=.pde.conf with.so
run e other.so >other.txt
[ "$(error_of with.txt)" = "$(error_of other.txt)" ] && good || { bad "other bitcode"; cat other.txt; }
PATH=$dir/gcc run f other.so >other.txt
near "$(error_of with.txt)" "$(error_of other.txt)" && good || { bad "other bitcode, gcc"; cat other.txt; }

# nothing at all
if PATH=$dir/nothing run g without.so >nothing.txt; then bad "no compiler, and a run"; else says R308 nothing.txt; fi
PATH=$dir/nothing run h with.so >with.txt && good || bad "bitcode needs no compiler"
finish
