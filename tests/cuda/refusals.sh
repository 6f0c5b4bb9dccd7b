#!/bin/sh
# Steps that are not finite, on the software device (or what the environment names): each policy does what
# it does on the processor, also where the device has gone on for some steps before anybody looked, and
# the parameters are those before the refused step.
#     refusals.sh pdec pderun scratch
# 77: no device or no NVRTC.
set -eu
pdec=$1 run=$2 work=$3
"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
rm -rf "$work"
mkdir -p "$work"
export XDG_CACHE_HOME="$work/cache" PDE_SOFT_CUDA_LOG="$work/findings"
cat >"$work/sometimes.pde" <<'END'
problem "a coefficient that some points, and so some steps, do not have"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
equation lap(u) + log(x_1 + 0.77) * u = 1
boundary u = 0 exactly
END
cat >"$work/steep.pde" <<'END'
problem "a term that is not there if a step is too long"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
exact  u = 1 - norm(x)^2
equation lap(u) + log(1.1 - u) = g
source g from exact
boundary u = 0 exactly
END
for name in sometimes steep; do
    "$pdec" "$work/$name.pde" -o "$work/$name.so"
done

fail() {
    echo "$*"
    cat "$work/out" "$work/findings" 2>/dev/null | head -40
    exit 1
}

# name, directory, device, options
train() {
    name=$1 directory=$2 device=$3
    shift 3
    "$run" --effort none "$work/$name.so" --points 20 --terms 4 --width 8 --precision float64 --threads 1 --rate 1e-2 \
        --test-points 16 --log-every 5 --checkpoint-every 4 --iterations 20 --quiet --no-report \
        --device "$device" --out "$work/$directory" "$@" >"$work/out" 2>&1
}

# two directories: rows of the log, losses and errors (they are of the parameters) to 1e-9
agree() {
    for directory in "$1" "$2"; do
        sed 's/.*"iteration":\([0-9]*\),"loss":\([^,]*\),"error":\([^,]*\),.*/\1 \2 \3/' \
            "$work/$directory/log.jsonl" >"$work/$directory.txt"
    done
    paste "$work/$1.txt" "$work/$2.txt" | awk '
        function far(x, y) { return !((x - y) ^ 2 <= (1e-9 * x) ^ 2) }
        NF != 6 || $1 != $4 || far($2, $5) || far($3, $6) { print; bad = 1 }
        END { exit bad || NR < 2 }' >"$work/differences" || {
        cat "$work/differences"
        fail "$1 and $2 differ"
    }
}

# policy, name, options: the same on both, with as many refusals
check() {
    policy=$1 name=$2
    shift 2
    rm -rf "$work/cpu_$policy" "$work/device_$policy"
    train "$name" "cpu_$policy" cpu --non-finite $policy "$@" || fail "$policy on the processor"
    refused=$(grep -c 'is not finite\|are not finite' "$work/out" || true)
    train "$name" "device_$policy" cuda:0 --non-finite $policy "$@" || fail "$policy on the device"
    seen=$(grep -c 'is not finite\|are not finite' "$work/out" || true)
    [ "$refused" -ge 2 ] || fail "$policy: only $refused steps were refused"
    [ "$refused" = "$seen" ] || fail "$policy: $seen refusals on the device, $refused on the processor"
    agree "cpu_$policy" "device_$policy"
}
check skip sometimes
check rollback steep --rate 0.1 --checkpoint-every 2

# stop: where the processor stops, with the checkpoint of the parameters there; the processor goes on
for device in cpu cuda:0; do
    code=0
    train sometimes "stop_$device" $device || code=$?
    [ "$code" = 1 ] || fail "stop on $device: exit code $code"
    grep -q 'is not finite' "$work/out" || fail "stop on $device: no reason"
    sed -n 's/.*iteration \([0-9]*\).*/\1/p' "$work/out" | head -1 >"$work/at_$device"
done
cmp -s "$work/at_cpu" "$work/at_cuda:0" || fail "the device stops elsewhere"
train sometimes "stop_cuda:0" cpu --resume --non-finite skip || fail "going on after a stop"
agree cpu_skip "stop_cuda:0"

# the same where nothing is waited for before the run's time is over (it may end before the step)
code=0
train sometimes late cuda:0 --log-every 1000 --checkpoint-every 1000 --iterations 5000 \
    --time-limit 0.45 || code=$?
[ "$code" = 1 ] || [ "$(sed -n 's/.*time limit after \([0-9]*\) .*/\1/p' "$work/out")" -le "$(cat "$work/at_cpu")" ] ||
    fail "a refused step is forgotten at the end"

# Adam before natural gradient: a refused step of Adam, with steps of both queued behind it
check skip sometimes --optimiser natural --adam-first 7

# natural steps: a loss, or K, that is not finite; the mean takes no refused step
check skip sometimes --optimiser natural --average 0.5
[ ! -s "$work/findings" ] || fail "findings"
echo "all agree"
