#!/bin/sh
# Training through the real host code and NVRTC's PTX, on the software device (or what the environment
# names): steps against the host's, a run that changes its place, refused steps, what is not possible.
#     runs.sh pdec pderun test_cuda_step examples scratch [all]
# 77: no device or no NVRTC. Tolerances as in steps.sh.
set -eu
pdec=$1 run=$2 test=$3 examples=$4 work=$5 all=${6:-}
"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
rm -rf "$work"
mkdir -p "$work"
export XDG_CACHE_HOME="$work/cache" PDE_SOFT_CUDA_LOG="$work/findings"
small="--points 24 --terms 5 --width 10 --precision float64 --threads 1 --test-points 20"
natural="--optimiser natural --points 16 --terms 4 --width 6"

fail() {
    echo "$*"
    [ -f "$work/out" ] && cat "$work/out"
    [ -f "$work/findings" ] && head -20 "$work/findings"
    exit 1
}

module() {
    [ -f "$work/$1.so" ] || "$pdec" "$examples/$1.pde" -o "$work/$1.so"
}

# name, options
check() {
    name=$1
    shift
    module "$name"
    "$test" 1e-9 10 device 0 "$work/$name.so" $small "$@" >"$work/out" 2>&1 ||
        fail "$name $* in order ${PDE_SOFT_CUDA_ORDER:-normal}"
    [ ! -s "$work/findings" ] || fail "$name $*: findings"
}

if [ -n "$all" ]; then
    for file in "$examples"/*.pde; do
        name=$(basename "$file" .pde)
        grep -q 'network.*tnn\|^ *eigen' "$file" && continue
        size=
        grep -q '^dim *d *=' "$file" && size="--set d=12"
        module "$name"
        for algorithm in full 1 2 3 exact; do
            rm -rf "$work/possible"
            "$run" --effort none "$work/$name.so" $small $size --algorithm $algorithm --iterations 0 --device cpu \
                --quiet --no-report --out "$work/possible" >"$work/out" 2>&1 || {
                grep -q 'algorithm exact is not possible\|cannot be sampled' "$work/out" && continue
                fail "$name $algorithm"
            }
            for order in normal reversed shuffled:7; do
                PDE_SOFT_CUDA_ORDER=$order check "$name" $size --algorithm $algorithm \
                    --optimiser adam
                PDE_SOFT_CUDA_ORDER=$order check "$name" $size --algorithm $algorithm $natural
            done
        done
    done
    exit 0
fi

for algorithm in full 1 2 3 exact; do
    check elliptic_sine_gordon --set d=12 --algorithm $algorithm --optimiser adam
done
PDE_SOFT_CUDA_ORDER=reversed check biharmonic --set d=12 --optimiser adam
PDE_SOFT_CUDA_ORDER=shuffled:3 check hjb_log --set d=12 --optimiser adam
check fitzhugh --optimiser adam
check inverse_diffusion --algorithm exact --optimiser adam
check poisson_box --index-sets per-point --optimiser adam

# Natural steps, among them some that are undone; rows of the Jacobian in more than one panel.
check elliptic_sine_gordon --set d=12 $natural --algorithm exact
PDE_SOFT_CUDA_ORDER=reversed check elliptic_sine_gordon --set d=8 $natural --algorithm 3 --points 40 \
    --rate 'constant(1)' --step-limit 0
if grep -q 'most caution 1$' "$work/out"; then fail "no step was undone"; fi
PDE_SOFT_CUDA_ORDER=shuffled:5 check inverse_diffusion --algorithm exact $natural
check hjb_log --set d=8 $natural --algorithm exact
check poisson_box --set d=6 $natural --weights balance --balance-every 4 --average 0.4

# Ten steps on the processor, against five there and five on the device, and the other way round.
losses() {
    sed 's/.*"iteration":\([0-9]*\),"loss":\([^,]*\),"error":\([^,]*\),.*/\1 \2 \3/' "$1/log.jsonl"
}
# Two runs' iterations, losses and errors, apart by no more than the tolerance: run run tolerance rows
alike() {
    losses "$work/$1" >"$work/a"
    losses "$work/$2" >"$work/b"
    paste "$work/a" "$work/b" | awk -v tolerance="$3" -v rows="$4" '
        function far(x, y) { return (x - y) ^ 2 > (tolerance * x) ^ 2 }
        NF != 6 || $1 != $4 || far($2, $5) || far($3, $6) { print; bad = 1 }
        END { exit bad || NR != rows }' >"$work/out"
}
train() {
    directory=$1
    shift
    "$run" --effort none "$work/elliptic_sine_gordon.so" $small --set d=12 --log-every 1 --test-points 20 \
        --no-report --quiet --out "$work/$directory" "$@" >"$work/out" 2>&1 ||
        fail "$directory: $*"
}
for options in "--optimiser adam --rate 1e-3 --average 0.5" \
    "$natural --rate constant(1) --step-limit 0"; do
    rm -rf "$work/cpu"
    train cpu $options --device cpu --iterations 10
    for places in "cpu cuda:0" "cuda:0 cpu"; do
        set -- $places
        train mixed $options --device "$1" --iterations 5
        train mixed $options --device "$2" --iterations 10 --resume
        alike cpu mixed 1e-9 10 || fail "$places differs from the processor alone"
        rm -rf "$work/mixed"
    done
done

# A log row reads a few numbers, not the parameters (4,000 of 8 bytes).
for rows in 1 12; do
    PDE_SOFT_CUDA_STATS="$work/stats$rows" train copies --width 40 --average 0.5 --device cuda:0 \
        --iterations 12 --log-every $rows
    rm -rf "$work/copies"
done
awk '$1 == "copied_bytes" { bytes[FILENAME] = $2 }
    END { few = bytes[ARGV[2]]; more = bytes[ARGV[1]] - few; exit !(few > 0 && more > 0 && more < 8000) }' \
    "$work/stats1" "$work/stats12" || fail "$(grep copied "$work/stats1" "$work/stats12")"

# Products in float32, TensorFloat-32 and bfloat16: three losses, apart by what the factors are rounded to.
for format in full tf32 bf16; do
    option=
    [ $format = full ] || option=--$format
    train $format --device cuda:0 --precision float32 --iterations 3 $option
    losses "$work/$format" | awk 'END { print $2 }' >"$work/$format.loss"
done
grep -q 'bfloat16 factors added up in float32' "$work/out" || fail "bf16 is not said"
cat "$work/full.loss" "$work/tf32.loss" "$work/bf16.loss" | awk '
    { loss[NR] = $1 }
    function apart(k) { return loss[1] > loss[k] ? loss[1] / loss[k] - 1 : loss[k] / loss[1] - 1 }
    END { exit !(apart(2) > 1e-7 && apart(2) < 1e-3 && apart(3) > apart(2) && apart(3) < 1e-2) }' ||
    fail "$(cat "$work/full.loss" "$work/tf32.loss" "$work/bf16.loss")"
"$run" --effort none "$work/elliptic_sine_gordon.so" --tf32 --bf16 --device cuda:0 --out "$work/both" \
    >"$work/out" 2>&1 && fail "two formats went through"
grep -q 'choose one' "$work/out" || fail "two formats: no reason"

# A Jacobian that does not fit is made in blocks of columns, if there is room for these.
option="$natural --points 96 --width 24 --algorithm 3"
train whole $option --device cpu --iterations 3
PDE_SOFT_CUDA_MEMORY=35000000 train blocks $option --device cuda:0 --iterations 3
grep -q 'in [2-9] blocks of columns' "$work/out" || fail "the Jacobian is not in blocks"
alike whole blocks 1e-9 3 || fail "blocks of the Jacobian differ from the processor"
PDE_SOFT_CUDA_MEMORY=34300000 "$run" --effort none "$work/elliptic_sine_gordon.so" $small --set d=12 $option \
    --device cuda:0 --iterations 1 --quiet --no-report --out "$work/refused" >"$work/out" 2>&1 &&
    fail "$option went through"
grep -q "the Jacobian of 96 residuals needs" "$work/out" || fail "$option: no reason"

# What a device does not do is said, and with auto done by the processor.
option="$natural --tf32 --precision float32"
train auto $option --iterations 1
grep -q 'cuda:0 is not used' "$work/out" || fail "auto says nothing"
"$run" --effort none "$work/elliptic_sine_gordon.so" $small --set d=12 $option --device cuda:0 --iterations 1 \
    --quiet --no-report --out "$work/refused" >"$work/out" 2>&1 && fail "$option went through"
grep -q "three digits" "$work/out" || fail "$option: no reason"
[ ! -s "$work/findings" ] || fail "findings"
echo "all agree"
