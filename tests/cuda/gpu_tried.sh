#!/bin/sh
# gpu_tried.sh PDEC PDERUN RUN_GENERATED TEST_STEP TREE SCRATCH: gpu.sh on the software device, which agrees; then one
# whose calls fail from some call on; then none. 77: no device or no NVRTC.
here=$(dirname "$0") scratch=$6
mkdir -p "$scratch"
report="$scratch/gpu.txt"
set -- "$1" "$2" "$3" "$4" "$5" "$scratch/work" "$report" --quick

sh "$here/gpu.sh" "$@" >"$scratch/out" 2>&1
code=$?
[ $code -ne 77 ] || exit 77
[ $code -eq 0 ] && tail -n 1 "$report" | grep -qx pass || {
    cat "$scratch/out"
    exit 1
}
grep -q '^30  [0-9.]* ms ' "$report" || {
    echo "no time of a step"
    exit 1
}
PDE_SOFT_CUDA_FAIL=60 PDE_SOFT_CUDA_FAIL_COUNT=100000 sh "$here/gpu.sh" "$@" >"$scratch/out" 2>&1
code=$?
[ $code -eq 1 ] && grep -qx 'kernels of space_time' "$report" || {
    echo "failing calls: exit code $code"
    cat "$report"
    exit 1
}
PDE_SOFT_CUDA_DEVICES=0 sh "$here/gpu.sh" "$@" >"$scratch/out" 2>&1
[ $? -eq 77 ] && grep -q 'nothing was tried' "$scratch/out" || {
    echo "no device, and no word on it"
    exit 1
}
rm -rf "$scratch"
