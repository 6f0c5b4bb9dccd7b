#!/bin/sh
# Balanced weights of the losses: logged, averaged, the same bits for any threads and when resumed.
# (Their values are checked in tests/cross/examples.py.)
# usage: balance.sh PDEC PDERUN EXAMPLES SCRATCH
set -eu
pdec=$1 pderun=$2 examples=$3 scratch=$4
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
"$pdec" "$examples/wave.pde" -o "$scratch/wave.so"

# run NAME OPTIONS...: a short run
run() {
    out="$scratch/$1"
    shift
    rm -rf "$out"
    "$pderun" --effort none "$scratch/wave.so" --set d=20 --points 20 --terms 10 --iterations 21 --log-every 10 \
        --test-points 50 --quiet --no-report --weights balance --balance-every 10 --out "$out" "$@" \
        > "$scratch/text"
}
# the logged weight of the last condition at iterations 1, 10, 20, 21
weights() { sed -n 's/.*"weight.boundary3":\([^,}]*\).*/\1/p' "$scratch/$1/log.jsonl" | tr '\n' ' '; }

run kept --balance-keep 1
set -- $(weights kept)
[ "$1" = "$3" ] && [ "$1" != 1 ] || { echo "--balance-keep 1: weights $*"; exit 1; }
run new --balance-keep 0
set -- $(weights new)
[ "$1" = "$2" ] && [ "$2" != "$4" ] || { echo "--balance-keep 0: weights $*"; exit 1; }
new=$4
run half --balance-keep 0.999999
set -- $(weights half)
[ "$4" != "$new" ] || { echo "an average is the last value"; exit 1; }
grep -q "weight.boundary3" "$scratch/text" || { echo "weights are not printed"; exit 1; }

for threads in 1 2 4; do
    run threads --threads $threads
    sum=$(sha256sum < "$scratch/threads/model.safetensors")
    [ "$threads" = 1 ] && first=$sum
    [ "$sum" = "$first" ] || { echo "$threads threads: other bits"; exit 1; }
done
run natural --optimiser natural --points 10
if run lbfgs --optimiser lbfgs 2>/dev/null; then echo "L-BFGS took changing weights"; exit 1; fi

PDE_OPTIONS="--weights balance --balance-every 5" sh "$(dirname "$0")/resume.sh" "$pderun" \
    "$scratch/wave.so" "$scratch/resume" 2
