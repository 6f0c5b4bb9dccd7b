#!/bin/sh
# Steps on a device of what no example has: conditions on whole vectors, points along paths, points that
# climb the residual. First the kernels as C on the host (no CUDA is needed), then through the driver's
# interface and NVRTC's PTX on the software device, which must find nothing. Tolerances as in steps.sh.
#     forms.sh pdec pderun test_cuda_step tests scratch [all]
# 77: the second part was not possible.
set -eu
pdec=$1 run=$2 test=$3 tests=$4 work=$5 all=${6:-}
rm -rf "$work"
mkdir -p "$work"
export XDG_CACHE_HOME="$work/cache" PDE_SOFT_CUDA_LOG="$work/findings"
for file in cross/pde/wave_gradients cross/pde/vectors_of_features cuda/pde/unknown_in_vectors session/paths session/paths_lognormal run/attack/coefficients \
    run/attack/directions run/attack/exponential run/attack/features run/attack/full_gradient \
    run/attack/system session/pde/box session/pde/simplex session/pde/ellipsoid; do
    "$pdec" "$tests/$file.pde" -o "$work/$(basename $file).so"
done
small="--points 24 --terms 5 --width 10 --precision float64 --threads 1 --test-points 50 --optimiser adam"
natural="--optimiser natural --points 16 --width 6"

# tolerance, steps, order of the threads, name, options
check() {
    tolerance=$1 steps=$2 order=$3 name=$4
    shift 4
    "$test" "$tolerance" "$steps" "$order" 0 "$work/$name.so" $small "$@" >"$work/out" 2>&1 &&
        [ ! -s "$work/findings" ] || {
        echo "$name $* in order $order ${PDE_SOFT_CUDA_ORDER:-}"
        cat "$work/out"
        [ -f "$work/findings" ] && head -20 "$work/findings"
        exit 1
    }
}

# order of the threads of each check, steps
few() {
    check 1e-9 "$2" "$1" wave_gradients --set d=8 --algorithm 3
    check 1e-9 "$2" "$1" wave_gradients $natural --set d=8 --algorithm 2
    check 1e-9 "$2" "$1" unknown_in_vectors $natural --index-sets per-point --algorithm 3
    check 1e-9 "$2" "$1" paths --set d=6 --set spread=3 --set start=1 --slices 8
    check 1e-9 "$2" "$1" paths_lognormal --set d=6 --slices 8 --algorithm 3
    check 1e-9 "$2" "$1" directions --attack-steps 2
    check 1e-9 "$2" "$1" features --attack-steps 2
    for domain in box simplex ellipsoid; do
        check 1e-9 "$2" "$1" $domain --set d=7
        check 1e-9 "$2" "$1" $domain --attack-steps 2 --attack-size 100
    done
}

every() {
    for algorithm in full 1 2 3; do
        check 1e-9 "$2" "$1" wave_gradients --set d=12 --algorithm $algorithm
        check 1e-9 "$2" "$1" wave_gradients --set d=12 --algorithm $algorithm --accumulate 2
        check 1e-9 "$2" "$1" wave_gradients $natural --set d=12 --algorithm $algorithm
        check 1e-9 "$2" "$1" vectors_of_features $natural --algorithm $algorithm --accumulate 2
        for sets in shared per-point; do
            check 1e-9 "$2" "$1" unknown_in_vectors $natural --algorithm $algorithm --index-sets $sets
        done
        check 1e-9 "$2" "$1" paths --set d=12 --set spread=3 --set start=1 --slices 8 \
            --algorithm $algorithm
        check 1e-9 "$2" "$1" paths --set d=12 --set a=0 --set b=1 --slices 3 --algorithm $algorithm
        check 1e-9 "$2" "$1" paths_lognormal --set d=12 --slices 6 --algorithm $algorithm
        for name in coefficients directions exponential features full_gradient system; do
            check 1e-9 "$2" "$1" $name --attack-steps 3 --algorithm $algorithm
        done
    done
}

# float32: points and values to a few units in the last place. A slope that is zero but for rounding may
# send a point of an attack another way: one move only, and few points.
check 2e-3 10 0 wave_gradients --set d=8 --precision float32
check 2e-3 10 0 paths --set d=6 --precision float32
check 2e-3 4 0 unknown_in_vectors $natural --precision float32 --damping 1e-3
# gradients of the losses beside the rows of natural gradient
check 1e-9 4 1 wave_gradients $natural --set d=8 --adam-first 2
check 1e-9 4 2 wave_gradients $natural --set d=8 --weights balance --balance-every 2
check 2e-3 2 0 directions --attack-steps 1 --precision float32
# steps far larger than the domain: every point is put back
check 1e-9 2 1 coefficients --attack-steps 2 --attack-size 100
# the points of each domain in float32
for domain in box simplex ellipsoid; do check 2e-3 2 0 $domain --precision float32; done
for order in 0 1 2; do
    if [ -n "$all" ]; then every $order 3; else few $order 2; fi
done

"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
if [ -z "$all" ]; then
    PDE_SOFT_CUDA_ORDER=shuffled:3 few device 2
    exit 0
fi
for order in normal reversed shuffled:7; do
    PDE_SOFT_CUDA_ORDER=$order every device 10
done
