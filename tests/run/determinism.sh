#!/bin/sh
# The same run with 1, 2 and 4 threads, and its parameters: the same bits.
# usage: determinism.sh PDERUN MODULE SCRATCH
set -eu
pderun=$1 module=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
for options in "--algorithm 3" "--algorithm 2 --accumulate 2" "--algorithm 1 --estimator rademacher" \
               "--algorithm exact --width 64" "--algorithm 3 --index-sets per-point" \
               "--optimiser adan --activation snake" "--optimiser ademamix --clip 0.1" \
               "--optimiser natural --width 64" "--optimiser natural --algorithm 2 --accumulate 2" \
               "--optimiser natural --algorithm 3 --index-sets per-point --adam-first 4 --fresh 3"; do
    for threads in 1 2 4; do
        rm -rf "$scratch/run"
        # shellcheck disable=SC2086
        "$pderun" --effort none "$module" --set d=300 $options --points 37 --terms 20 --iterations 12 \
            --test-points 50 --threads $threads --quiet --no-report --out "$scratch/run" >/dev/null
        sum=$(sha256sum < "$scratch/run/model.safetensors")
        if [ "$threads" = 1 ]; then
            first=$sum
        elif [ "$sum" != "$first" ]; then
            echo "$options: $threads threads give other parameters than one"
            exit 1
        fi
    done
done
