#!/bin/sh
# Every call of the driver, cuBLAS and NVRTC fails once: a run that goes on on the device ends with a
# status that names the call and with nothing leaked, its checkpoint stays, and the processor goes on
# from it to the loss it would have come to anyway.
#     failures.sh pdec pderun soft_nvrtc FILE.pde scratch STRIDE [options of pderun]
set -eu
pdec=$1 run=$2 soft_nvrtc=$3 file=$4 work=$5 stride=$6
shift 6
more=$*
"$run" --devices | grep -q '^cuda:0' || exit 77
"$run" --devices | grep -q 'not usable' && exit 77
rm -rf "$work"
mkdir -p "$work"
export XDG_CACHE_HOME="$work/cache"
"$pdec" "$file" -o "$work/x.so"

fail() {
    echo "$*"
    cat "$work/out" "$work/findings" 2>/dev/null || true
    exit 1
}

train() {
    "$run" --effort none "$work/x.so" --set d=12 --points 16 --terms 4 --width 8 --log-every 1 --test-points 16 \
        --no-report --quiet --threads 1 --rate 1e-3 --precision float64 --out "$work/run" $more "$@" \
        >"$work/out" 2>&1
}

last_loss() {
    sed -n '$s/.*"loss":\([^,]*\),.*/\1/p' "$work/run/log.jsonl"
}

# the failing run has been made: $1 is its exit code, the rest says which it was
look() {
    code=$1
    shift
    [ "$code" = 0 ] || [ "$code" = 1 ] || [ "$code" = 3 ] || fail "$*: exit code $code"
    [ "$code" = 0 ] || grep -q 'error\[R3' "$work/out" || fail "$*: no status"
    train --resume --iterations 3 --device cpu || fail "$*: the checkpoint is lost"
    awk -v a="$(last_loss)" -v b="$loss" 'BEGIN { exit !((a - b) ^ 2 <= (1e-9 * b) ^ 2) }' ||
        fail "$*: loss $(last_loss) instead of $loss"
}

train --iterations 3 --device cpu || fail "the processor"
loss=$(last_loss)
rm -rf "$work/run"
train --iterations 2 --device cpu || fail "the processor"
mv "$work/run" "$work/start"
cp -r "$work/start" "$work/run"
PDE_SOFT_CUDA_STATS="$work/stats" train --resume --iterations 3 --device cuda:0 || fail "the device"
calls=$(sed -n 's/^calls //p' "$work/stats")
call=1
failed=0
while [ "$call" -le "$calls" ]; do
    rm -rf "$work/run" "$work/findings"
    cp -r "$work/start" "$work/run"
    code=0
    PDE_SOFT_CUDA_LOG="$work/findings" PDE_SOFT_CUDA_FAIL=$call \
        train --resume --iterations 3 --device cuda:0 || code=$?
    name=$(sed -n 's/^soft-cuda: call [0-9]*, \([^,]*\), fails as asked$/\1/p' "$work/findings" |
        sed 's/_v[0-9]$//')
    [ -n "$name" ] || fail "call $call did not fail"
    # what only gives something back may fail without a word, and so may the wait before it, which is
    # among the last calls; all else is named
    [ "$name" != cuStreamSynchronize ] || [ "$call" -le $((calls - 10)) ] || name=wait_before_Free
    case $name in
    *Free* | *Destroy* | *Release* | *Unload*) ;;
    *)
        [ "$code" != 0 ] || fail "call $call, $name: nobody noticed"
        grep -q "$name\|asking for the version" "$work/out" || fail "call $call: not $name"
        [ "$(grep -vc 'fails as asked' "$work/findings")" = 0 ] || fail "call $call, $name: findings"
        failed=$((failed + 1))
        ;;
    esac
    look "$code" "call $call, $name"
    call=$((call + stride))
done
[ "$failed" -gt 10 ] || fail "only $failed calls failed"

call=1
while [ "$call" -le 12 ]; do
    rm -rf "$work/run" "$work/cache"
    cp -r "$work/start" "$work/run"
    code=0
    PDE_NVRTC=$soft_nvrtc PDE_SOFT_NVRTC_FAIL=$call \
        train --resume --iterations 3 --device cuda:0 || code=$?
    look "$code" "NVRTC's call $call"
    call=$((call + stride))
done
echo "$failed calls of $calls failed in turn"
