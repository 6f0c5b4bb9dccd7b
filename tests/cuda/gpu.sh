#!/bin/sh
# First day on a GPU: everything that can go wrong there against the processor, then times; one text file to send back.
#     gpu.sh PDEC PDERUN RUN_GENERATED TEST_STEP TREE SCRATCH REPORT [--quick]
# --quick: a few small problems, to see that this script works; not for figures.
# Exit code: 0 all agree; 1 the last lines of REPORT name what does not; 77 no device, or no NVRTC. The device is the
# first that the driver has, or the software device where the environment names it (README.md).
set -u
pdec=$1 run=$2 generated=$3 step=$4 tree=$5 work=$6 report=$7 quick=${8:-}
full() { case $1 in /*) printf '%s\n' "$1" ;; *) printf '%s\n' "$PWD/$1" ;; esac; }
pdec=$(full "$pdec") run=$(full "$run") generated=$(full "$generated") step=$(full "$step") tree=$(full "$tree")
work=$(full "$work") report=$(full "$report")
"$run" --devices | grep '^cuda:0' | grep -qv 'not usable' || {
    "$run" --devices
    echo "no NVIDIA GPU that can be used: nothing was tried"
    exit 77
}
"$pdec" --emit=ptx "$tree/examples/elliptic_poisson.pde" >/dev/null 2>&1 || {
    echo "NVRTC is not on this machine (it comes with the CUDA toolkit): nothing was tried"
    exit 77
}
rm -rf "$work"
mkdir -p "$work" || exit 2
export XDG_CACHE_HOME="$work/cache"
: >"$report" || exit 2
: >"$work/failed"

tell() { printf '%s\n' "$*" | tee -a "$report"; }
# what, command...: its output goes to the report where it fails
try() {
    what=$1
    shift
    tried=$((tried + 1))
    "$@" >"$work/out" 2>&1 && return
    code=$?
    tell "FAILED $what (exit code $code)"
    tail -n 15 "$work/out" >>"$report"
    printf '%s\n' "$what" >>"$work/failed"
}
tried=0

tell "== machine"
"$run" --version 2>&1 | tee -a "$report"
"$run" --devices | tee -a "$report"
command -v nvidia-smi >/dev/null &&
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader | tee -a "$report"

examples=$(ls "$tree"/examples/*.pde) kernels=$(ls "$tree"/tests/kernels/pde/*.pde) sizes="1000 10000 100000 1000000"
if [ "$quick" ]; then
    examples="$tree/examples/elliptic_poisson.pde"
    kernels="$tree/tests/kernels/pde/space_time.pde" sizes=30
fi

tell "== generated kernels against the processor, float and double"
for file in $kernels $examples; do
    try "kernels of $(basename "$file" .pde)" sh "$tree/tests/cuda/generated.sh" "$pdec" "$generated" "$work/kernels" \
        normal "$file"
done
tell "$tried files"

# Engine kernels, cuBLAS and the host code: arrays after each step, then the parameters.
tell "== ten steps against the processor"
tried=0
small="--points 24 --terms 5 --width 10 --threads 1 --test-points 20"
natural="--optimiser natural --points 16 --terms 4 --width 6 --precision float64"
for file in $examples; do
    name=$(basename "$file" .pde)
    grep -q 'network.*tnn\|^ *eigen' "$file" && continue
    size=
    grep -q '^dim *d *=' "$file" && size="--set d=12"
    "$pdec" "$file" -o "$work/$name.so" >"$work/out" 2>&1 || continue
    # shellcheck disable=SC2086
    for options in "--optimiser adam --precision float64" "$natural" \
        "--optimiser lbfgs --algorithm full --precision float64" "--optimiser adam --precision float32"; do
        rm -rf "$work/possible"
        "$run" --effort none "$work/$name.so" $small $size $options --iterations 0 --device cpu --quiet --no-report \
            --out "$work/possible" >"$work/out" 2>&1 || continue # the file does not go with the method
        tolerance=1e-9
        case $options in
        *float32*) tolerance=2e-3 ;;
        *lbfgs*) tolerance=1e-6 ;;
        esac
        try "$name $options" "$step" $tolerance 10 device 0 "$work/$name.so" $small $size $options
    done
done
tell "$tried runs"

tell "== ms per step: two-body Sine-Gordon, 100 points, 100 terms, float32, Adam, algorithm 3"
iterations=200 width=128
[ -z "$quick" ] || iterations=2 width=8
[ -f "$work/sine.so" ] || "$pdec" "$tree/examples/elliptic_sine_gordon.pde" -o "$work/sine.so" >"$work/out" 2>&1
peer=$(python3 -c 'import jax; print(jax.devices()[0].platform)' 2>/dev/null)
tell "d, pderun, GFLOP/s and GB/s by the plan's count; JAX (${peer:-not here}) least and median"
for d in $sizes; do
    rm -rf "$work/timed"
    "$run" --effort none "$work/sine.so" --set "d=$d" --terms 100 --points 100 --algorithm 3 --optimiser adam --width $width \
        --iterations "$iterations" --test-points 20 --device cuda:0 --no-report --out "$work/timed" >"$work/out" 2>&1 || {
        tell "FAILED the run at d = $d"
        tail -n 15 "$work/out" >>"$report"
        echo "the run at d = $d" >>"$work/failed"
        continue
    }
    ms=$(sed -n 's/.*(\([0-9.]*\) ms per iteration).*/\1/p' "$work/out" | tail -n 1)
    "$run" --plan "$work/sine.so" --effort none --set "d=$d" --terms 100 --points 100 --algorithm 3 --width $width \
        --device cuda:0 >"$work/plan" 2>&1
    row=$(awk -v d="$d" -v ms="$ms" '
        /^  arithmetic/ { flop = $2 } /^  memory traffic/ { bytes = $3 }
        END { a = ms > 0 ? 1e3 / ms : 0
              printf "%s  %s ms  %.1f GFLOP/s  %.1f GB/s", d, ms, a * flop, a * bytes }' "$work/plan")
    other=
    [ -z "$peer" ] || other=$(python3 "$tree/tests/bench/peer_jax.py" "$d" 100 3 50 2>/dev/null)
    tell "$row  ${other:-}"
done
tell "what the arithmetic and traffic of the last one would take by data sheets:"
sed -n '/^time of a step/,$p' "$work/plan" | tee -a "$report"

if [ -s "$work/failed" ]; then
    tell "FAILED: $(wc -l <"$work/failed") of all"
    tee -a "$report" <"$work/failed"
    exit 1
fi
tell "pass"
