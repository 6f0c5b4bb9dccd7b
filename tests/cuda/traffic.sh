#!/bin/sh
# Arithmetic and traffic of a step in 100,000 dimensions as the software device counts them (traffic in
# sectors of 32 bytes, as the first-level cache asks for them) against the plan: within 20 %.
#     traffic.sh pdec pderun examples scratch
set -eu
pdec=$1 run=$2 examples=$3 work=$4
"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
rm -rf "$work"
mkdir -p "$work"
"$pdec" "$examples/elliptic_sine_gordon.pde" -o "$work/x.so"
for optimiser in adam natural; do
    options="--set d=100000 --points 64 --terms 64 --width 64 --threads 1 --device cuda:0"
    options="$options --optimiser $optimiser"
    [ $optimiser = adam ] || options="$options --algorithm exact"
    rm -rf "$work/run"
    "$run" --effort none "$work/x.so" $options --plan >"$work/plan"
    PDE_SOFT_CUDA_STATS="$work/stats" "$run" --effort none "$work/x.so" $options --iterations 1 --test-points 0 \
        --scale none --quiet --no-report --no-cache --out "$work/run" >"$work/out"
    awk '
        /work of a step on the device/ { work = 1 }
        work && $1 == "arithmetic" { flops = $2 * 1e9 }
        work && $1 == "memory" { bytes = $3 * 1e9 }
        FILENAME ~ /stats$/ { v[$1] = $2 }
        END {
            counted = 32 * (v["read_sectors"] + v["written_sectors"])
            counted += v["blas_read_bytes"] + v["blas_written_bytes"]
            done = v["flops"] + v["blas_flops"]
            printf "bytes: plan %.4g, counted %.4g; ", bytes, counted
            printf "flops: plan %.4g, counted %.4g\n", flops, done
            good = v["findings"] == 0 && bytes > 0.8 * counted && bytes < 1.2 * counted
            exit !(good && flops > 0.8 * done && flops < 1.2 * done)
        }' "$work/plan" "$work/stats"
done
