#!/bin/sh
# Uniform points of a ball of many dimensions: 1 - |x|^2 is about 2/d, and a factor that was rounded to
# float before the subtraction gave an error above that of the answer 0, at a loss that did not show it.
set -eu
. "$(dirname "$0")/support.sh"

"$pdec" "$cases/07_float32.pde" -o "$scratch/ball.so"

# error_at D PRECISION: the L2 error of one step
error_at() {
    "$pderun" --effort none "$scratch/ball.so" --set "d=$1" --precision "$2" --iterations 1 --points 4 \
        --test-points 32 --out "$scratch/$1_$2.run" >"$scratch/$1_$2.txt" 2>&1
    awk '/^ *this run/ { print $3 }' "$scratch/$1_$2.txt"
}

for d in 1000 300000; do
    single=$(error_at $d float32)
    double=$(error_at $d float64)
    if awk -v a="$single" -v b="$double" 'BEGIN { exit !(a > 0 && a - b < 0.002 * b && b - a < 0.002 * b) }'; then
        good
    else
        bad "d = $d: error $single in float32, $double in float64"
    fi
done
finish
