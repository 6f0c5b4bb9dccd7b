#!/bin/sh
# devices.sh PDEC PDERUN SOFT_CUDA EXAMPLE SCRATCH: what pderun says of devices that are not there, too
# old, or lack a library, and that --device cpu and auto do not mind.
pdec=$1 pderun=$2 soft=$3 example=$4 scratch=$5
passed=0
failed=0
rm -rf "$scratch"
mkdir -p "$scratch" || exit 2

says() { # PATTERN NAME=VALUE... -- ARGUMENT...
    pattern=$1
    shift
    given=
    while [ "$1" != -- ]; do
        given="$given $1"
        shift
    done
    shift
    if env $given "$pderun" --effort none "$@" 2>&1 | grep -q "$pattern"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: not '$pattern':$given pderun $*"
        env $given "$pderun" --effort none "$@" 2>&1 | head -5
    fi
}

driver=PDE_CUDA_DRIVER=$soft
says '^cpu ' $driver -- --devices
says '^cuda:0 .*sm_90' $driver PDE_SOFT_CUDA_ARCH=90 -- --devices
says '^cuda:2 ' $driver PDE_SOFT_CUDA_DEVICES=3 -- --devices
says 'not usable: .*PDE_CUDA_DRIVER' PDE_CUDA_DRIVER=/absent -- --devices
says 'not usable: .*NO_DEVICE' $driver PDE_SOFT_CUDA_DEVICES=0 -- --devices
says 'not usable: .*too old: version 10020' $driver PDE_SOFT_CUDA_VERSION=10020 -- --devices
says 'not usable: .*compute capability 6.1' $driver PDE_SOFT_CUDA_ARCH=61 -- --devices
says 'not usable: PDE_CUBLAS' $driver PDE_CUBLAS=/absent -- --devices
says 'not usable: PDE_NVRTC' $driver PDE_NVRTC=/absent -- --devices
says 'not usable: .*did not start' $driver PDE_SOFT_CUDA_FAIL=2 -- --devices
says 'CUDA toolkit' -- --explain R305

"$pdec" "$example" --set d=3 -o "$scratch/x.so" || exit 1
steps="--iterations 2 --width 8 --points 16 --terms 2 --test-points 16 --quiet --no-report --no-cache"
says 'error\[R301\].*PDE_CUDA_DRIVER' PDE_CUDA_DRIVER=/absent -- "$scratch/x.so" --device cuda:0 \
    --out "$scratch/a" $steps
says 'error\[R301\]: there is no cuda:7' $driver -- "$scratch/x.so" --device cuda:7 --out "$scratch/b" $steps
for device in cpu auto; do
    out=$(PDE_CUDA_DRIVER=/absent "$pderun" --effort none "$scratch/x.so" --device $device --out "$scratch/$device" $steps 2>&1 >/dev/null)
    if [ $? -eq 0 ] && [ -z "$out" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL: --device $device without a driver: $out"
    fi
done
rm -rf "$scratch"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
