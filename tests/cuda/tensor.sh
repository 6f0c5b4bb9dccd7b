#!/bin/sh
# Tensor networks on the software device (or what the environment names) against the processor: gradient
# steps to 1e-11 (sums in another order), passes of eigenproblems to 1e-6: their matrices have condition
# numbers of up to 1e11, where LAPACK cuts them off, so that rounding in an entry is seen that much
# enlarged. Then a run that changes its place, what the plan says, and calls that fail.
#     tensor.sh pdec pderun examples scratch [all]
# 77: no device or no NVRTC.
set -eu
pdec=$1 run=$2 examples=$3 work=$4 all=${5:-}
"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
rm -rf "$work"
mkdir -p "$work"
export XDG_CACHE_HOME="$work/cache"
for name in qho quartic coupled_oscillator_small coupled_oscillator_sine; do
    "$pdec" "$examples/$name.pde" -o "$work/$name.so"
done

fail() {
    echo "$*"
    cat "$work/out" "$work/findings" 2>/dev/null | head -40
    exit 1
}

# name, directory, options
train() {
    name=$1 directory=$2
    shift 2
    "$run" "$work/$name.so" --threads 1 --no-report --quiet --width 8 --nodes 12 --log-every 1 \
        --out "$work/$directory" "$@" >"$work/out" 2>&1
}

# tolerance: iterations, losses and errors of two runs
agree() {
    for place in cpu device; do
        sed 's/.*"iteration":\([0-9]*\),"loss":\([^,]*\),"error":\([^,]*\),.*/\1 \2 \3/' \
            "$work/$place/log.jsonl" >"$work/$place.txt"
    done
    paste "$work/cpu.txt" "$work/device.txt" | awk -v t="$1" '
        function far(x, y) { return !((x - y) ^ 2 <= (t * x) ^ 2) }
        NF != 6 || $1 != $4 || far($2, $5) || far(1 + $3, 1 + $6) { print; bad = 1 }
        END { exit bad || NR < 1 }' >"$work/differences"
}

# tolerance, name, options
check() {
    tolerance=$1 name=$2
    shift 2
    rm -rf "$work/cpu" "$work/device"
    train "$name" cpu --device cpu "$@" || fail "$name $*: the processor"
    PDE_SOFT_CUDA_LOG="$work/findings" train "$name" device --device cuda:0 "$@" || fail "$name $*"
    [ ! -s "$work/findings" ] || fail "$name $*: findings"
    agree "$tolerance" || { cat "$work/differences"; fail "$name $* ${PDE_SOFT_CUDA_ORDER:-}"; }
}

few="--solver gradient --iterations 10 --rate 1e-2"
PDE_SOFT_CUDA_ORDER=reversed check 1e-11 qho --set d=5 $few --algorithm 3 --terms 2
PDE_SOFT_CUDA_ORDER=shuffled:3 check 1e-11 coupled_oscillator_small $few --rank 3 --depth 3 \
    --accumulate 2
check 1e-6 qho --set d=5 --accumulate 3
check 1e-6 coupled_oscillator_small --iterations 3
if [ -n "$all" ]; then
    for order in normal reversed shuffled:7; do
        export PDE_SOFT_CUDA_ORDER=$order
        for algorithm in full 1 2 3; do
            for name in qho coupled_oscillator_sine; do
                check 1e-11 $name --set d=9 $few --algorithm $algorithm --terms 4
                check 1e-11 $name --set d=9 $few --algorithm $algorithm --terms 4 --accumulate 2 \
                    --depth 3 --optimiser sgd
                check 1e-6 $name --set d=9
            done
            check 1e-11 quartic $few --algorithm $algorithm --terms 2 --rank 2
            check 1e-11 coupled_oscillator_small $few --algorithm $algorithm --terms 1 --rank 4
        done
        check 1e-6 quartic --iterations 3
        check 1e-4 coupled_oscillator_small --solver alternate --solve-every 3 --iterations 7
    done
    unset PDE_SOFT_CUDA_ORDER
fi

# five steps there and five here
check 1e-11 quartic $few
for places in "cpu cuda:0" "cuda:0 cpu"; do
    set -- $places
    rm -rf "$work/device"
    train quartic device --device "$1" $few --iterations 5 || fail "$1"
    train quartic device --device "$2" $few --resume || fail "$places"
    agree 1e-11 || fail "$places differs from the processor alone"
done
train quartic plan --plan --device cuda:0 || fail "--plan"
grep -q 'work of a pass of eigenproblems' "$work/out" && grep -q 'launches' "$work/out" ||
    fail "the plan says too little"

# calls that fail: a status that names the call, nothing leaked, the checkpoint stays
rm -rf "$work/start" "$work/device"
train quartic start --device cpu --solver alternate --solve-every 2 --iterations 2 || fail "a start"
cp -r "$work/start" "$work/device"
PDE_SOFT_CUDA_STATS="$work/stats" train quartic device --device cuda:0 --resume --iterations 4 ||
    fail "a run of solves and steps"
calls=$(sed -n 's/^calls //p' "$work/stats")
step=$((calls / 12))
[ -n "$all" ] && step=1
call=3
failed=0
while [ "$call" -le "$calls" ]; do
    rm -rf "$work/device" "$work/findings"
    cp -r "$work/start" "$work/device"
    code=0
    PDE_SOFT_CUDA_LOG="$work/findings" PDE_SOFT_CUDA_FAIL=$call \
        train quartic device --device cuda:0 --resume --iterations 4 || code=$?
    name=$(sed -n 's/^soft-cuda: call [0-9]*, \([^,]*\), fails as asked$/\1/p' "$work/findings" |
        sed 's/_v[0-9]$//')
    [ -n "$name" ] || fail "call $call did not fail"
    [ "$name" != cuStreamSynchronize ] || [ "$call" -le $((calls - 10)) ] || name=wait_before_Free
    case $name in
    *Free* | *Destroy* | *Release* | *Unload*) ;;
    *)
        [ "$code" = 1 ] || [ "$code" = 3 ] || fail "call $call, $name: exit code $code"
        grep -q "$name\|asking for the version" "$work/out" || fail "call $call: not $name"
        [ "$(grep -vc 'fails as asked' "$work/findings")" = 0 ] || fail "call $call, $name: findings"
        failed=$((failed + 1))
        ;;
    esac
    train quartic device --device cpu --resume --iterations 4 || fail "call $call: the checkpoint is lost"
    call=$((call + step))
done
[ "$failed" -gt 5 ] || fail "only $failed calls failed"
echo "all agree; $failed calls of $calls failed in turn"
