#!/bin/sh
# Tensor networks on the software device (or what the environment names) against the processor: gradient
# steps to 1e-11 (sums in another order), passes of eigenproblems to 1e-8: directions are kept down to
# 1e-11 of the overlaps, where rounding in an entry is seen that much enlarged (5e-10 is the most that was
# seen). Then networks that have no solution, what is copied, a run that changes its place, what the plan
# says, and calls that fail. The eigenproblems by themselves: test_tensor.c.
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
    "$run" --effort none "$work/$name.so" --threads 1 --no-report --quiet --width 8 --nodes 12 --log-every 1 \
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
    awk -F '[:,]' '{ for (i = 1; i < NF; i += 2) field[$i] = $(i + 1)
            steps += field["\"ms_per_iteration\""] * (field["{\"iteration\""] - before)
            before = field["{\"iteration\""] }
        END { exit steps > 1000 * field["\"seconds\""] }' \
        "$work/device/log.jsonl" || fail "$name $*: steps took longer than the run"
    agree "$tolerance" || { cat "$work/differences"; fail "$name $* ${PDE_SOFT_CUDA_ORDER:-}"; }
}

few="--solver gradient --iterations 10 --rate 1e-2"
PDE_SOFT_CUDA_ORDER=reversed check 1e-11 qho --set d=5 $few --algorithm 3 --terms 2
PDE_SOFT_CUDA_ORDER=shuffled:3 check 1e-11 coupled_oscillator_small $few --rank 3 --depth 3 \
    --accumulate 2
for optimiser in ademamix adan; do
    check 1e-11 qho --set d=5 $few --algorithm 2 --terms 2 --optimiser $optimiser
done
PDE_SOFT_CUDA_ORDER=reversed check 1e-8 qho --set d=5 --accumulate 3
PDE_SOFT_CUDA_ORDER=shuffled:5 check 1e-8 coupled_oscillator_small --iterations 3
check 1e-8 coupled_oscillator_small --width 32 --nodes 48
PDE_SOFT_CUDA_LAZY=1 check 1e-8 coupled_oscillator_sine --set d=9
check 1e-6 coupled_oscillator_small --solver alternate --solve-every 3 --iterations 7 --rank 3
if [ -n "$all" ]; then
    for order in normal reversed shuffled:7; do
        export PDE_SOFT_CUDA_ORDER=$order
        for algorithm in full 1 2 3; do
            for name in qho coupled_oscillator_sine; do
                check 1e-11 $name --set d=9 $few --algorithm $algorithm --terms 4
                check 1e-11 $name --set d=9 $few --algorithm $algorithm --terms 4 --accumulate 2 \
                    --depth 3 --optimiser sgd
                check 1e-8 $name --set d=9 --accumulate 4
            done
            check 1e-11 quartic $few --algorithm $algorithm --terms 2 --rank 2
            check 1e-11 coupled_oscillator_small $few --algorithm $algorithm --terms 1 --rank 4
        done
        check 1e-8 quartic --iterations 3
        for rank in 1 2 5; do
            check 1e-8 coupled_oscillator_small --rank $rank --accumulate 2 --iterations 4
        done
        check 1e-6 coupled_oscillator_small --solver alternate --solve-every 3 --iterations 7
    done
    unset PDE_SOFT_CUDA_ORDER
fi

# steps so large that integrals overflow: both say the same
for name in qho coupled_oscillator_small; do
    for place in cpu cuda:0; do
        rm -rf "$work/device"
        ! train $name device --device $place --solver alternate --rate 1e300 --iterations 3 ||
            fail "$name: steps of 1e300 on $place"
        grep -q 'eigenproblem of the last layer has no solution' "$work/out" || fail "$name on $place"
    done
done

# iterations, iterations per row of the log: copies between host and device, in $copies
count_copies() {
    rm -rf "$work/device"
    PDE_SOFT_CUDA_STATS="$work/stats" train coupled_oscillator_small device --device cuda:0 \
        --solver alternate --solve-every 2 --iterations "$1" --log-every "$2" || fail "to count copies"
    copies=$(sed -n 's/^copies //p' "$work/stats")
}

# a row of the log reads its value and its score, and nothing else is read: four rows, and twice two
count_copies 12 4
four=$copies
count_copies 12 100
two=$copies
count_copies 24 100
[ "$copies" = "$two" ] && [ "$four" = $((two + 4)) ] || fail "copies of runs: $four, $two, $copies"

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
grep -q 'launches' "$work/out" || fail "the plan says too little"
planned=$(sed -n '/a pass of eigenproblems on/,$s/^ *arithmetic *\([0-9.]*\) GFLOP/\1/p' "$work/out")
PDE_SOFT_CUDA_STATS="$work/stats" train quartic plan --device cuda:0 || fail "a pass"
awk -v planned="$planned" '{ v[$1] = $2 } END { done = (v["flops"] + v["blas_flops"]) / 1e9
    print planned, done; exit !(planned > done / 2 && planned < done * 2) }' "$work/stats" >"$work/out" ||
    fail "work of a pass, planned and counted"

# calls that fail: a status that names the call, nothing leaked, the checkpoint stays
coupled=coupled_oscillator_small
rm -rf "$work/start" "$work/device"
train $coupled start --device cpu --solver alternate --solve-every 2 --iterations 2 || fail "a start"
cp -r "$work/start" "$work/device"
PDE_SOFT_CUDA_STATS="$work/stats" train $coupled device --device cuda:0 --resume --iterations 4 ||
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
        train $coupled device --device cuda:0 --resume --iterations 4 || code=$?
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
    train $coupled device --device cpu --resume --iterations 4 || fail "call $call: the checkpoint is lost"
    call=$((call + step))
done
[ "$failed" -gt 5 ] || fail "only $failed calls failed"
echo "all agree; $failed calls of $calls failed in turn"
