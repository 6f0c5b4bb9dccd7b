#!/bin/sh
# The study: relative error against processor time for Adam without scales, Adam with automatic scales
# and natural gradient, on ten problems; one page with a plot for each.
# usage: study.sh PDEC PDERUN STUDY_PLOT EXAMPLES OUT [--seconds N] [--jobs N] [--quick]
#   --seconds N  processor time of a curve (default 60); the number of steps is chosen for it, so that
#                rates fall to their end
#   --jobs N     curves at the same time (default 1); each has one thread
#   --quick      0.2 s a curve and small dimensions: to see that it works, not for figures
#   STUDY_RUN    in the environment: a command to start runs with
# Curves that OUT has already are kept, so an interrupted study goes on where it was.
set -eu
pdec=$1 pderun=$2 plot=$3 examples=$4 out=$5
shift 5
seconds=60 jobs=1 dims="10 100 1000 10000" heat=100 hjb=100
while [ $# -gt 0 ]; do
    case $1 in
    --seconds) seconds=$2; shift ;;
    --jobs) jobs=$2; shift ;;
    --quick) seconds=0.2 dims="10 20" heat=10 hjb=10 ;;
    *) echo "study.sh: unknown option $1" >&2; exit 2 ;;
    esac
    shift
done
mkdir -p "$out"
export XDG_CACHE_HOME="$out/cache"
case $heat in 10) wanted=0.469549871352 ;; *) wanted=0.316627807586 ;; esac
common="--threads 1 --quiet --no-report --checkpoint-every 1000000"

# The last value of a key in a log, and the difference of its last and first.
value() { sed -n "\$s/.*\"$2\":\([^,}]*\).*/\1/p" "$1/log.jsonl"; }
first() { sed -n "1s/.*\"$2\":\([^,}]*\).*/\1/p" "$1/log.jsonl"; }

# curve NAME MODULE OPTIONS...: a run of $seconds of processor time, in OUT/NAME
curve() {
    name=$1 module=$2
    shift 2
    [ -e "$out/$name/done" ] && return
    rm -rf "${out:?}/$name" "$out/$name.probe"
    # shellcheck disable=SC2086
    ${STUDY_RUN:-} "$pderun" "$out/$module.so" $common "$@" --iterations 12 --log-every 11 --test-points 16 \
        --out "$out/$name.probe" > /dev/null
    # without the first step, which pays for the beginning, and at least 20 steps
    steps=$(echo "$(first "$out/$name.probe" cpu_seconds) $(value "$out/$name.probe" cpu_seconds)" |
        awk -v s="$seconds" '{ n = int(11 * s / ($2 - $1)); print n < 20 ? 20 : n }')
    # shellcheck disable=SC2086
    ${STUDY_RUN:-} "$pderun" "$out/$module.so" $common "$@" --iterations "$steps" \
        --log-every $((steps / 40 > 0 ? steps / 40 : 1)) --out "$out/$name" > "$out/$name.text"
    rm -rf "$out/$name.probe" "$out/$name/checkpoints"
    echo "$name: $steps steps, $(value "$out/$name" cpu_seconds) s, error $(value "$out/$name" error)"
    touch "$out/$name/done"
}

running=0
start() { # as curve, in the background
    curve "$@" &
    running=$((running + 1))
    if [ "$running" -ge "$jobs" ]; then wait; running=0; fi
}

# three NAME MODULE ADAM OPTIONS...: the three curves of a problem; ADAM is for Adam only
three() {
    name=$1 module=$2 adam=$3
    shift 3
    # shellcheck disable=SC2086
    start "$name.plain" "$module" $adam --optimiser adam --scale none "$@"
    # shellcheck disable=SC2086
    start "$name.scaled" "$module" $adam --optimiser adam "$@"
    start "$name.natural" "$module" --optimiser natural --points 256 --rate "cosine(0.5,0.01)" \
        --damping 1e-4 --momentum 0.9 "$@"
}

# show NAME TITLE: a problem of the page
show() {
    echo "problem|$2"
    for row in "zero" "fitted constant" "first-order Taylor"; do
        level=$(sed -n "s/^  $row  *\([0-9][^ ]*\) .*/\1/p" "$out/$1.scaled.text")
        [ -z "$level" ] || [ "$level" = 1 ] || echo "level|$level|$row"
    done
    echo "curve|$out/$1.plain|Adam, no scales"
    echo "curve|$out/$1.scaled|Adam, automatic scales"
    echo "curve|$out/$1.natural|natural gradient"
}

for module in elliptic_sine_gordon elliptic_allen_cahn parabolic_semilinear_heat hjb_log_paths; do
    "$pdec" "$examples/$module.pde" -o "$out/$module.so"
done
published="--algorithm 3 --points 100 --terms 100 --rate linear(1e-3,0)"
for d in $dims; do
    three "sine_gordon_$d" elliptic_sine_gordon "$published" --set "d=$d"
    three "allen_cahn_$d" elliptic_allen_cahn "$published" --set "d=$d"
done
three heat parabolic_semilinear_heat "--rate linear(1e-3,0)" --set "d=$heat" --set "wanted=$wanted"
three hjb_log hjb_log_paths "--rate linear(1e-3,0)" --set "d=$hjb"
wait

{
    echo "title|Error against time|Adam without and with automatic scales and natural gradient: relative L2" \
        "error on test points (heat: at one point) against processor time of one thread, $seconds s each"
    for d in $dims; do show "sine_gordon_$d" "Two-body Sine-Gordon, d = $d"; done
    for d in $dims; do show "allen_cahn_$d" "Two-body Allen-Cahn, d = $d"; done
    show heat "Semilinear heat equation, d = $heat, error at the point"
    # what the ansatz gives without a network: g(2 d T) with g(y) = 5 / (10 + 2 y)
    echo "$heat $wanted" | awk '{ e = 5 / (10 + 4 * $1 * 0.3) / $2 - 1
        printf "level|%.4g|ansatz alone\n", e < 0 ? -e : e }'
    show hjb_log "HJB-Log, trained along paths, d = $hjb"
} > "$out/spec"
"$plot" "$out/spec" "$out/study.html"
echo "$out/study.html"
