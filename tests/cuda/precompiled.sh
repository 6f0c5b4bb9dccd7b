#!/bin/sh
# precompiled.sh PDEC PDERUN EXAMPLE SCRATCH: a module that pdec compiled for an architecture trains on a
# machine without NVRTC, to the loss of one that has it, for activations that were not known then; one
# without such kernels, or for a newer architecture only, is refused. Skipped (77) without NVRTC.
pdec=$1 pderun=$2 example=$3 scratch=$4
failed=0
passed=0
rm -rf "$scratch"
mkdir -p "$scratch" || exit 2
"$pdec" "$example" --set d=12 --arch sm_80 -o "$scratch/with.so" 2>"$scratch/output" || {
    cat "$scratch/output"
    exit 77
}
"$pdec" "$example" --set d=12 --arch sm_90 -o "$scratch/newer.so" || exit 1
"$pdec" "$example" --set d=12 -o "$scratch/without.so" || exit 1

run() { # NAME MODULE OPTION...
    name=$1 module=$2
    shift 2
    "$pderun" --effort none "$scratch/$module.so" --device cuda:0 --out "$scratch/$name" --iterations 3 --width 16 \
        --points 20 --terms 4 --test-points 16 --log-every 1 --no-report --no-cache --quiet "$@" \
        >"$scratch/output" 2>&1
}

result() { # STATUS NAME
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $2"
        cat "$scratch/output"
    fi
}

# The losses of both logs, to the digits that another order of operations leaves alone.
same_losses() {
    for name in here there; do
        sed -n 's/.*"loss":\([0-9.e+-]*\).*/\1/p' "$scratch/$name/log.jsonl" >"$scratch/$name.loss"
    done
    paste "$scratch/here.loss" "$scratch/there.loss" | awk -v limit="$1" '
        { d = ($1 - $2) / $1; if (d < 0) d = -d; if (!(d <= limit)) wrong = 1 }
        END { exit wrong || NR < 3 }'
}

for activation in tanh softplus; do
    for precision in float32 float64; do
        rm -rf "$scratch/here" "$scratch/there"
        run here with --activation $activation --precision $precision
        result $? "with NVRTC: $activation, $precision"
        PDE_NVRTC=/absent run there with --activation $activation --precision $precision
        result $? "without NVRTC: $activation, $precision"
        [ $precision = float32 ] && limit=1e-4 || limit=1e-12
        same_losses $limit
        result $? "losses differ: $activation, $precision"
    done
done
for module in without newer; do
    ! PDE_NVRTC=/absent run refused $module && grep -q 'error\[R305\].*NVRTC' "$scratch/output"
    result $? "$module kernels is refused"
done
rm -rf "$scratch"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
