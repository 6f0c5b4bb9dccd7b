#!/bin/sh
# generated.sh PDEC RUN_GENERATED SCRATCH ORDERS FILE.pde...: the generated kernels of problems on the
# device, against the host, with threads in each of the orders (normal,reversed,shuffled:1). The device's
# own checks (bounds, races, barriers, bytes never written) fail a launch. "precompiled" is another run,
# with PTX that pdec put into the modules and without NVRTC. Skipped (77) without a device or NVRTC.
pdec=$1 run=$2 scratch=$3 orders=$4
shift 4
rm -rf "$scratch"
mkdir -p "$scratch" || exit 2
export XDG_CACHE_HOME="$scratch/cache"

"$pdec" --emit=ptx "$1" >/dev/null 2>"$scratch/output" || {
    cat "$scratch/output"
    exit 77
}
for file; do
    name=$(basename "$file" .pde)
    d=37 # more coordinates than a block has rows, and not a multiple of them
    case $name in
    kdv_2d) d=2 ;;
    *_1d) d=1 ;;
    biharmonic) d=5 ;;
    esac
    case $orders in
    *precompiled*) arch="--arch sm_80" ;;
    *) arch= ;;
    esac
    "$pdec" "$file" --set d=$d $arch -o "$scratch/$name.so" >"$scratch/output" 2>&1 || {
        cat "$scratch/output"
        exit 1
    }
done
for order in $(echo "$orders" | tr , ' '); do
    echo "threads in order: $order"
    if [ "$order" = precompiled ]; then
        (cd "$scratch" && PDE_NVRTC=/absent "$run" *.so)
    else
        (cd "$scratch" && PDE_SOFT_CUDA_ORDER=$order "$run" *.so)
    fi
    status=$?
    [ $status -eq 0 ] || exit $status
done
rm -rf "$scratch"
