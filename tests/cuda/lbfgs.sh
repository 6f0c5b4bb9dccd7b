#!/bin/sh
# L-BFGS with history and search on the software device (or what the environment names), against the
# processor: the same pairs and as many evaluations, a run that changes its place, a search that has to
# turn back, one that can go no further, a start that is not finite, what is read while it runs, memory.
#     lbfgs.sh pdec pderun test_cuda_step examples scratch
# 77: no device or no NVRTC. Tolerances: L-BFGS enlarges what rounding leaves by a digit in ten steps.
set -eu
pdec=$1 run=$2 test=$3 examples=$4 work=$5
"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
rm -rf "$work"
mkdir -p "$work"
export XDG_CACHE_HOME="$work/cache" PDE_SOFT_CUDA_LOG="$work/findings"
cp "$examples/elliptic_sine_gordon.pde" "$work/sine.pde"
problem() { # name, equation
    cat >"$work/$1.pde" <<EOF
problem "$1"
dim    d = 2
domain x in ball(d, 1)
field  u(x)
exact  u = 1 - norm(x)^2
equation $2 = g
source g from exact
boundary u = 0 exactly
EOF
}
problem edge "lap(u) + 5 * log(1.02 - u)" # not there if a step is too long
problem plain "lap(u)"                    # learnt until no step makes the loss smaller
problem never "lap(u) + log(x_1 + 0.2) * u"
for name in sine edge plain never; do
    "$pdec" "$work/$name.pde" -o "$work/$name.so"
done

fail() {
    echo "$*"
    head -20 "$work/out" "$work/findings" 2>/dev/null || true
    exit 1
}

options="--optimiser lbfgs --algorithm full --points 24 --precision float64 --threads 1"

# steps, least number of evaluations, name, options: in three orders of threads
check() {
    steps=$1 least=$2 name=$3
    shift 3
    for order in normal reversed shuffled:5; do
        PDE_SOFT_CUDA_ORDER=$order "$test" 1e-8 "$steps" device 0 "$work/$name.so" $options "$@" \
            >"$work/out" 2>&1 || fail "$name $* in order $order"
        [ "$(sed 's/.* \([0-9]*\) evaluations.*/\1/' "$work/out")" -ge "$least" ] ||
            fail "$name: the search was never long"
    done
}
check 6 10 edge --set d=4 --width 6
check 24 24 sine --set d=4 --width 24 --algorithm exact # more pairs than are kept; two blocks

# directory, name, device, options
train() {
    directory=$1 name=$2 device=$3
    shift 3
    "$run" --effort none "$work/$name.so" $options --width 6 --log-every 1 --test-points 20 --quiet --no-report \
        --device "$device" --out "$work/$directory" "$@" >"$work/out" 2>&1
}
# directory, key
values() {
    sed "s/.*\"$2\": *\([^,}]*\).*/\1/" "$work/$1/log.jsonl"
}
alike() {
    for key in iteration evaluations loss error; do
        values "$1" $key >"$work/a"
        values "$2" $key >"$work/b"
        paste "$work/a" "$work/b" | awk -v rows="$3" '
            !(($1 - $2) ^ 2 <= (1e-7 * $1) ^ 2) { print; bad = 1 }
            END { exit bad || NR != rows }' >"$work/out" || fail "$1 and $2 differ: $key"
    done
}

# Where a run takes place, and where it goes on.
train cpu edge cpu --iterations 24 || fail "the processor"
for places in "cpu cuda:0" "cuda:0 cpu" "cuda:0 cuda:0"; do
    set -- $places
    rm -rf "$work/parts"
    train parts edge "$1" --iterations 9 || fail "$places"
    train parts edge "$2" --iterations 24 --resume || fail "$places, resumed"
    alike cpu parts 24
done
PDE_SOFT_CUDA_LAZY=1 train whole edge cuda:0 --iterations 24 --log-every 24 || fail "the device"
cmp -s "$work/whole/model.safetensors" "$work/parts/model.safetensors" ||
    fail "stopped and resumed: other bits"

# Nothing is read between log rows: whoever looks after each turn makes two copies, 96 for 48 iterations
# more. Pairs of the history go to the checkpoint, 16 copies; a slow machine is waited for twice a
# second, 5 copies each time.
for iterations in 12 60; do
    rm -rf "$work/whole"
    PDE_SOFT_CUDA_STATS="$work/stats" train whole edge cuda:0 --iterations $iterations --points 16 \
        --width 4 --log-every 100 --checkpoint-every 100 || fail "$iterations iterations"
    sed -n 's/^copies //p' "$work/stats" >"$work/copies.$iterations"
done
awk 'NR == 1 { few = $1 } END { exit !($1 < few + 16 + 64) }' "$work/copies.12" "$work/copies.60" ||
    fail "$(cat "$work/copies.12") copies, then $(cat "$work/copies.60")"

# No step makes the loss smaller any more: evaluations come to an end, and the best parameters stay.
for precision in float64 float32; do
    rm -rf "$work/plain"
    train plain plain cuda:0 --width 2 --precision $precision --iterations 140 --log-every 20 ||
        fail "to the end"
    values plain evaluations | tail -n 2 | uniq -d | grep -q . || fail "$precision: no end"
    values plain error | tail -n 2 | uniq -d | grep -q . || fail "$precision: it moves on"
    values plain loss | awk 'END { exit !($1 < 1e-18) }' || fail "$precision: not the least loss"
done

# The start is not finite: each policy does what it does on the processor.
for device in cpu cuda:0; do
    rm -rf "$work/never"
    code=0
    train never never $device --iterations 5 || code=$?
    [ "$code" = 1 ] || fail "not finite on $device: exit code $code"
    grep 'is not finite' "$work/out" >"$work/stop.$device" || fail "no reason on $device"
    rm -rf "$work/never"
    train never never $device --iterations 5 --non-finite skip || fail "skip on $device"
    grep 'is not finite' "$work/out" >"$work/skip.$device" || fail "nothing was skipped on $device"
done
cmp -s "$work/stop.cpu" "$work/stop.cuda:0" || fail "stop: other words"
cmp -s "$work/skip.cpu" "$work/skip.cuda:0" || fail "skip: other words"
[ "$(wc -l <"$work/skip.cuda:0")" = 5 ] || fail "skip: not every iteration"

# Memory: 2 * 20 pairs and 3 vectors of 8 bytes, beside whatever else there is.
"$run" --effort none "$work/edge.so" $options --set d=100 --width 100 --plan --device cuda:0 >"$work/out"
awk '/history and vectors of L-BFGS/ { megabytes = $(NF - 1) }
    END { n = 101 * 100 + 2 * 101 * 100 + 101; exit !((megabytes - 43 * 8 * n / 1e6) ^ 2 < 0.1 ^ 2) }' \
    "$work/out" || fail "the plan does not count the history"
PDE_SOFT_CUDA_MEMORY=40000000 train refused edge cuda:0 --set d=100 --width 100 --iterations 1 &&
    fail "no memory, and it went through"
grep -q 'the history of L-BFGS, 40 copies of' "$work/out" || fail "no memory: no reason"
[ ! -s "$work/findings" ] || fail "findings"
echo "all agree"
