#!/bin/sh
# A sum over all coordinates by the Gram matrix beside derivatives of order 3, in a network narrower than
# the problem has dimensions: the engine refused the two together, and that was reported as "no memory".
set -eu
. "$(dirname "$0")/support.sh"

# runs NAME OPTIONS...: one step is made; the loss is left in $scratch/loss
runs() {
    name=$1
    shift
    rm -rf "$scratch/run"
    if "$pderun" --effort none "$scratch/$name.so" --iterations 1 --test-points 4 --quiet --precision float64 \
        --out "$scratch/run" "$@" >"$scratch/run.txt" 2>&1; then
        good
        sed -n 's/.*"loss":\([^,}]*\).*/\1/p' "$scratch/run/log.jsonl" | head -n 1 >"$scratch/loss"
    else
        bad "$name $*:"; cat "$scratch/run.txt"
    fi
}

for name in 13_no_memory 13_no_memory_exact; do
    "$pdec" "$cases/$name.pde" -o "$scratch/$name.so"
    for algorithm in full 1 2 3 exact; do
        [ "$name $algorithm" = "13_no_memory exact" ] && continue # it has no such route
        for size in "1 1 2 1" "4 5 3 2" "4 6 3 100" "17 2 2 3"; do
            set -- $size
            runs "$name" --algorithm $algorithm --points $1 --width $2 --depth $3 --terms $4
        done
        runs "$name" --algorithm $algorithm --points 3 --width 3 --depth 3 --optimiser natural
    done
    "$pderun" --selftest "$scratch/$name.so" --width 3 >"$scratch/selftest.txt" 2>&1 && good ||
        { bad "$name: self-test at width 3"; cat "$scratch/selftest.txt"; }
done

# the Gram matrix gives the sum over all terms
for width in 3 5 6; do
    runs 13_no_memory_exact --algorithm full --points 4 --width $width
    full=$(cat "$scratch/loss")
    runs 13_no_memory_exact --algorithm exact --points 4 --width $width
    exact=$(cat "$scratch/loss")
    awk -v a="$full" -v b="$exact" 'BEGIN { exit !(a > 0 && (a - b) ^ 2 < (1e-9 * a) ^ 2) }' && good ||
        bad "width $width: loss $full of all terms, $exact by the Gram matrix"
done
finish
