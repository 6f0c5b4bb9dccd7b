#!/bin/sh
# Every option of both programs by itself and by two, from their tables (option_pairs.c): never a crash, a hang or
# an exit code that is not documented, and a good module is left alone or replaced by a good one. Here every so
# many pairs are tried, in 12_options_all.sh all of them.
set -eu
. "$(dirname "$0")/support.sh"
: "${pdec_stride:=29}" "${pderun_stride:=331}"
pairs=$(dirname "$pdec")/option_pairs
pdec=$(realpath "$pdec") pderun=$(realpath "$pderun") pairs=$(realpath "$pairs")
cd "$scratch"

# table COLUMNS FILE: two points for --at and --predict
table() {
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2, $1), }" >"$2"
    head -c $((16 * $1)) /dev/zero >>"$2"
}

# all PROGRAM STRIDE BASE...: option_pairs finds nothing
all() {
    program=$1 stride=$2
    shift 2
    eval path=\$$program
    if "$pairs" $program "$path" "$pderun" "$stride" "$@" >pairs.txt 2>&1; then good; else
        bad "options of $program on $1"; cat pairs.txt
    fi
}

# pdec: a module, a problem and points in a folder of their own
cp "$cases/10_tiny.pde" tiny.pde
cp "$cases/12_system.pde" "$cases/12_tensor.pde" .
"$pdec" tiny.pde -o good.so
table 3 points.npy
all pdec "$pdec_stride" tiny.pde
cmp -s tiny.pde "$cases/10_tiny.pde" && good || bad "tiny.pde has changed"

# pderun: each option with tiny runs of a system in time, then of a tensor network
echo '{"seed": 3, "keep": 1}' >conf.json
for problem in system tensor; do
    rm -rf run* trained.run good.so
    "$pdec" 12_$problem.pde -o good.so
    "$pderun" good.so --out trained.run --threads 1 --quiet
    cp good.so before.so
    table $([ $problem = system ] && echo 4 || echo 3) points.npy
    all pderun "$pderun_stride" good.so --threads=1
    cmp -s good.so before.so && good || bad "a run changed its module"
done
rm -rf run*

# wrong TEXT ARGUMENTS...: pdec refuses them with exit code 2, says TEXT and touches nothing
wrong() {
    text=$1
    shift
    status=0
    "$pdec" "$@" >out.txt 2>&1 </dev/null || status=$?
    if [ $status = 2 ] && grep -qF -- "$text" out.txt && cmp -s good.so before.so &&
        cmp -s tiny.pde "$cases/10_tiny.pde"; then good; else bad "exit $status, no \"$text\": $*"; cat out.txt; fi
}
wrong "leave one out" --emit=terms -o good.so tiny.pde
wrong "leave one out" --check -o good.so tiny.pde
wrong "leave one out" tiny.pde -o good.so --eval u
wrong "leave one out" --eval u --emit=terms tiny.pde
wrong "--format goes with --emit=terms or --emit=plan" --format=json --emit=c tiny.pde
wrong "--format goes with" --format json tiny.pde
wrong "--no-variants goes with -o" --no-variants tiny.pde
wrong "--arch goes with" --arch sm_80 tiny.pde
wrong "--allow-data goes with --eval" --allow-data . tiny.pde
wrong "did you mean --check" --chek tiny.pde
wrong "--check takes no value" --check=yes tiny.pde
wrong "a value is missing" tiny.pde -o
wrong "the value is empty" tiny.pde --emit=
wrong "one of text|short|json" tiny.pde --diagnostics=long
wrong "standard input" --fix -
wrong "the problem itself" tiny.pde -o tiny.pde
wrong "the problem itself" tiny.pde -o ./tiny.pde
wrong "the problem itself" tiny.pde --eval x_1 --out tiny.pde
finish
