#!/bin/sh
# Steps of the device session, its kernels run on the host, against the host's own engine.
# In double the two differ by rounding alone: 1e-9 of the largest number of an array after three steps
# leaves room for sums in another order and would show any other formula.
#     steps.sh pdec test_cuda_step examples scratch [all]
set -eu
pdec=$1 test=$2 examples=$3 work=$4 all=${5:-}
rm -rf "$work"
mkdir -p "$work"

module() {
    [ -f "$work/$1.so" ] || "$pdec" "$examples/$1.pde" -o "$work/$1.so"
}

# name, tolerance, steps, order of the threads, megabytes of the device, options
check() {
    name=$1 tolerance=$2 steps=$3 order=$4 memory=$5
    shift 5
    module "$name"
    "$test" "$tolerance" "$steps" "$order" "$memory" "$work/$name.so" --threads 1 --test-points 50 "$@" \
        >"$work/out" || { echo "$name $*"; cat "$work/out"; exit 1; }
}

small="--points 24 --terms 5 --width 10 --precision float64 --optimiser adam"
# natural: rates as the example says, so that four steps go far
natural="--points 16 --terms 4 --width 6 --precision float64 --optimiser natural"
if [ -n "$all" ]; then
    for file in "$examples"/*.pde; do
        name=$(basename "$file" .pde)
        grep -q 'network.*tnn\|^ *eigen' "$file" && continue
        size=
        grep -q '^dim *d *=' "$file" && size="--set d=12"
        module "$name"
        for algorithm in full 1 2 3 exact; do
            for options in "$small" "$natural"; do
                "$test" 1e-9 4 0 0 "$work/$name.so" --threads 1 --test-points 50 $options $size \
                    --algorithm $algorithm >"$work/out" 2>"$work/err" || {
                    grep -q 'exact is not possible\|cannot be sampled' "$work/err" && continue
                    echo "$name $algorithm: $options"
                    cat "$work/out" "$work/err"
                    exit 1
                }
            done
        done
    done
    # more points than a grid has rows of blocks
    check elliptic_sine_gordon 1e-9 1 0 0 --set d=2 --points 65600 --terms 1 --width 2 --depth 2 --precision float64 \
        --test-points 0
    grep -q 'tile 65520 of 65600' "$work/out"
    exit 0
fi

ball="--set d=40 --points 40 --terms 16 --width 24"
for algorithm in full 1 2 3 exact; do
    check elliptic_sine_gordon 1e-9 3 0 0 $ball --precision float64 --algorithm $algorithm
done
# float32: points and values to a few units in the last place, whose effect grows with the steps
check elliptic_sine_gordon 2e-3 10 0 0 $ball
check elliptic_sine_gordon 1e-9 3 1 0.55 $ball --precision float64
grep -q 'tile 16 of 40' "$work/out"
check elliptic_sine_gordon 1e-9 3 2 0 $ball --precision float64 --index-sets per-point
check elliptic_sine_gordon 1e-9 3 2 0 $ball --precision float64 --estimator rademacher
check elliptic_sine_gordon 1e-9 3 2 0 $ball --precision float64 --algorithm full --accumulate 3
check elliptic_sine_gordon 1e-9 3 2 0 $ball --precision float64 --algorithm 2 --accumulate 2 \
    --clip 0.1 --optimiser sgd
check elliptic_sine_gordon 1e-9 3 0 0 $ball --precision float64 --optimiser adamw --activation gelu \
    --fresh 2
for algorithm in full 2 3; do # sparse directions
    check elliptic_sine_gordon_three_body_products 1e-9 3 1 0 $small --set d=12 --algorithm $algorithm
done
check elliptic_sine_gordon_three_body_products 1e-9 3 2 0 $small --set d=12 --index-sets per-point --algorithm 3
check biharmonic 1e-9 3 0 0 $small --set d=12
for optimiser in ademamix adan; do
    check elliptic_sine_gordon 1e-9 4 0 0 $ball --precision float64 --optimiser $optimiser --activation snake --clip 0.1
    check inverse_diffusion 1e-9 4 1 0 $small --optimiser $optimiser --algorithm exact
done
check fitzhugh 1e-9 3 0 0 $small
check hjb_log 1e-9 3 0 0 $small --set d=12
check inverse_diffusion 1e-9 3 0 0 $small --algorithm exact
check poisson_box 1e-9 3 1 0 $small

# Natural steps: every kind of direction, conditions, systems, unknowns; steps that are undone and made
# again with more caution, tiles of points, Adam before. In float32 K has its damping in the last
# digits that are left, hence the larger tolerance.
for algorithm in full 1 2 3 exact; do
    check elliptic_sine_gordon 1e-9 6 0 0 $natural --set d=12 --algorithm $algorithm
done
wild="--rate constant(1) --step-limit 0 --damping 1e-6"
check elliptic_sine_gordon 1e-9 6 1 0 $natural --set d=12 $wild --momentum auto
check inverse_diffusion 1e-9 6 2 0 $natural --algorithm exact $wild
if grep -q 'most caution 1$' "$work/out"; then echo "no step was undone"; exit 1; fi
check elliptic_sine_gordon 2e-3 6 0 0 $ball --optimiser natural --algorithm exact --damping 1e-3
check elliptic_sine_gordon 1e-9 3 1 1.8 $ball --precision float64 --optimiser natural
grep -q 'tile 16 of 40' "$work/out"
check elliptic_sine_gordon 1e-9 4 2 0 $natural --set d=12 --index-sets per-point --accumulate 2
# columns of J in blocks: shared directions in two parts, a point's own, sparse ones, a system
blocks() {
    memory=$1 name=$2
    shift 2
    check "$name" 1e-9 2 1 "$memory" $natural --points 64 "$@"
    grep -q "^[3-9] blocks of the Jacobian" "$work/out" || { echo "$name $*: no blocks"; exit 1; }
}
blocks 1.25 elliptic_sine_gordon --set d=100 --algorithm full --accumulate 2
blocks 0.78 elliptic_sine_gordon --set d=60 --algorithm 2 --index-sets per-point
blocks 0.8 elliptic_sine_gordon_three_body_products --set d=16 --width 12 --algorithm 3
blocks 8.0 fitzhugh --set d=6 --width 20
check elliptic_sine_gordon 1e-9 4 0 0 $natural --set d=12 --estimator rademacher --adam-first 2
check elliptic_sine_gordon_three_body_products 1e-9 4 2 0 $natural --set d=8 --algorithm full
check elliptic_sine_gordon_three_body_products 1e-9 4 1 0 $natural --set d=8 --algorithm 3
# chunks of coordinates, tiles of vectors, panels of the factor, pieces of a product in float32
many="--set d=1100 --points 80 --width 40 --optimiser natural --algorithm exact --damping 1e-3"
check elliptic_sine_gordon 1e-9 2 0 0 $many --precision float64
check elliptic_sine_gordon 2e-3 2 0 0 $many
check biharmonic 1e-9 4 1 0 $natural --set d=8
check fitzhugh 1e-9 4 2 0 $natural --set d=6
check hjb_log 1e-9 4 0 0 $natural --set d=8 --algorithm exact
check poisson_box 1e-9 4 0 0 $natural --set d=8 --index-sets per-point

# L-BFGS: pairs and evaluations too; several tasks, tiles of points.
lbfgs="--optimiser lbfgs --algorithm full --precision float64 --points 24 --width 10"
for order in 0 1 2; do
    check elliptic_sine_gordon 1e-9 10 $order 0 $lbfgs --set d=12
done
check elliptic_sine_gordon 1e-9 6 0 1.8 $ball --precision float64 --optimiser lbfgs --algorithm exact
grep -q 'tile 16 of 40' "$work/out"
check poisson_box 1e-9 10 1 0 $lbfgs --set d=6
check fitzhugh 1e-9 6 2 0 $lbfgs
check biharmonic 1e-9 6 0 0 $lbfgs --set d=6

# Weights from the norms of gradients, and the mean of the parameters and of unknowns.
check poisson_box 1e-9 8 1 0 $small --set d=8 --weights balance --balance-every 3 --average 0.4
check fitzhugh 1e-9 4 0 0 $natural --set d=6 --weights balance --balance-every 2
check inverse_diffusion 1e-9 8 0 0 $natural --algorithm exact $wild --average 0.5
# features with free indices: exact by a direction of each point, or sampled terms
check biharmonic_features 1e-9 4 0 0 $natural --set d=12 --algorithm exact
check biharmonic_features 1e-9 4 0 0 $natural --set d=12 --algorithm 3
echo "all agree"
