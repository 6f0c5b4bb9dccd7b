#!/bin/sh
# Points that climb the residual: their gradient against differences (the self-test of modules that have
# it), refusals, the loss goes up, points stay in the domain, the same bits for any threads and resumed.
# usage: attack.sh PDEC PDERUN SCRATCH
set -eu
pdec=$1 pderun=$2 scratch=$3
here=$(dirname "$0")
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
for file in "$here"/attack/*.pde; do
    name=$(basename "$file" .pde)
    "$pdec" "$file" -o "$scratch/$name.so"
    "$pderun" --selftest "$scratch/$name.so" > "$scratch/$name.txt" || { cat "$scratch/$name.txt"; exit 1; }
    case $name in
    refused_*) # the others of the self-test pass, and training says why it cannot
        if "$pderun" --effort none "$scratch/$name.so" --iterations 1 --out "$scratch/$name" >/dev/null 2> "$scratch/why"; then
            echo "$name: not refused"; exit 1
        fi
        grep -q "over pairs" "$scratch/why" || { cat "$scratch/why"; exit 1; } ;;
    *)
        grep -q "residual in the points.*ok" "$scratch/$name.txt" || { cat "$scratch/$name.txt"; exit 1; } ;;
    esac
done

# run NAME MODULE OPTIONS...: a short run
run() {
    out="$scratch/$1" so="$scratch/$2.so"
    shift 2
    rm -rf "$out"
    "$pderun" --effort none "$so" --points 37 --terms 10 --width 32 --test-points 0 --iterations 3 --log-every 1 \
        --quiet --no-report --out "$out" "$@" > "$scratch/text"
}
first_loss() { sed -n '1s/.*"loss":\([^,]*\).*/\1/p' "$scratch/$1/log.jsonl"; }

for module in full_gradient coefficients; do
    run still $module --attack-steps 0
    run moved $module --attack-steps 5
    awk -v a="$(first_loss still)" -v b="$(first_loss moved)" 'BEGIN { exit !(b > 1.05 * a) }' || {
        echo "$module: the loss went from $(first_loss still) to $(first_loss moved)"; exit 1; }
done
# steps far larger than the ball: every point is put back on its boundary, where the trial function is 0
run far coefficients --attack-steps 3 --attack-size 100

# points by their residuals: those that are kept have larger ones; the same bits for any number of threads
run proposed coefficients --resample 6
run drawn coefficients
awk -v a="$(first_loss drawn)" -v b="$(first_loss proposed)" 'BEGIN { exit !(b > 1.01 * a) }' || {
    echo "--resample: the loss went from $(first_loss drawn) to $(first_loss proposed)"; exit 1; }
run lattice coefficients --sampling lattice
for more in "--resample 6" "--sampling lattice"; do
    for threads in 1 2; do
        # shellcheck disable=SC2086
        run threads coefficients $more --threads $threads
        sum=$(sha256sum < "$scratch/threads/model.safetensors")
        [ "$threads" = 1 ] && first=$sum
        [ "$sum" = "$first" ] || { echo "$more, $threads threads: other bits"; exit 1; }
    done
    cmp -s "$scratch/threads/model.safetensors" "$scratch/drawn/model.safetensors" && { echo "$more changes nothing"; exit 1; }
done

for threads in 1 2 4; do
    run threads features --threads $threads
    sum=$(sha256sum < "$scratch/threads/model.safetensors")
    [ "$threads" = 1 ] && first=$sum
    [ "$sum" = "$first" ] || { echo "$threads threads: other bits"; exit 1; }
done
if run refused full_gradient --optimiser lbfgs 2>/dev/null; then echo "L-BFGS took moving points"; exit 1; fi

PDE_OPTIONS="--attack-steps 2 --width 16" sh "$here/resume.sh" "$pderun" "$scratch/full_gradient.so" \
    "$scratch/resume" 1
