#!/bin/sh
# Pairs and triples of pdec's options: never a crash, and a good module is left alone or replaced by a good one.
set -eu
. "$(dirname "$0")/support.sh"

file=$cases/10_tiny.pde
module=$scratch/good.so
"$pdec" "$file" -o "$module"
cp "$module" "$scratch/before.so"

# try OPTIONS...: ends in an orderly way, and pderun can still read the module
try() {
    status=0
    "$pdec" "$@" "$file" >"$scratch/out.txt" 2>&1 || status=$?
    if [ "$status" -ge 4 ]; then bad "exit $status: $*"; return; fi
    if cmp -s "$module" "$scratch/before.so" || "$pderun" --info "$module" >"$scratch/info.txt" 2>&1; then good; else
        bad "the module is lost: $*"
        cp "$scratch/before.so" "$module"
    fi
}

stages="tokens ast parse resolve check expanded tensor terms wellposed quadratic plan c latex mathml cuda nothing"
for stage in $stages; do
    try --emit=$stage -o "$module"
    for option in --check --time-passes --format=json --eval=u --set=d=2 --diagnostics=json --colour=always; do
        try --emit=$stage $option
        try --emit=$stage $option -o "$module"
    done
done
for one in --check --time-passes --format=json --diagnostics=short --set=d=2 --precision=extended --eval=x_1 \
    --eval=residual --at=missing.npy "--out=$scratch/v.npy" --arch=sm_80 --version --explain=E0402; do
    for two in --check --time-passes --set=q=1 --eval=x_1 --precision=double "--out=$scratch/v.npy"; do
        try $one $two
    done
    try $one --eval=x_1 -o "$module"
done
if cmp -s "$module" "$scratch/before.so"; then good; else bad "a refused -o changed the module"; fi
finish
