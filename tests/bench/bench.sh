#!/bin/sh
# Times of a training step of the module that pdec makes of the Sine-Gordon example, beside the limits
# of the machine and beside JAX, all measured in this run.
# usage: bench.sh PDEC BENCH_RUN EXAMPLES SCRATCH [--all] [--quick] [--no-peer]
#   --all      also d = 1,000,000
#   --quick    few steps: to see that it works, not for figures
#   --no-peer  without JAX
set -eu
pdec=$1 bench=$2 examples=$3 scratch=$4
here=$(dirname "$0")
shift 4
dims="100 1000 10000 100000" divide=1 peer=yes
for option in "$@"; do
    case $option in
    --all) dims="$dims 1000000" ;;
    --quick) divide=20 ;;
    --no-peer) peer= ;;
    *) echo "bench.sh: unknown option $option" >&2; exit 2 ;;
    esac
done
python3 -c 'import jax' 2>/dev/null || peer=
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
"$pdec" "$examples/elliptic_sine_gordon.pde" -o "$scratch/bench.so"

limits=$("$bench" limits)
export BENCH_LIMITS="$limits"
echo "$limits" | awk '{ printf "FMA peak %s GFLOP/s, Adam-like stream %s GB/s (", $1, $2
                        for (i = 3; i <= NF; i++) printf "%s%s", $i, i < NF ? " " : ")\n" }'
echo "Sine-Gordon two-body, 100 points, network d 128 128 128 1, float32, Adam. Times in ms: least and"
echo "median of a step, least of each phase. Then the gradient and the update in parts of the FMA peak,"
echo "the update in parts of the stream, peak memory in MB${peer:+; the same for JAX, and how many times as fast}."
printf '%8s %6s %6s %9s %9s | %8s %8s %8s %8s %8s | %5s %5s %5s | %6s' d terms alg min median points \
    sets value grad update grad upd mem peak
echo "${peer:+ |   jax min    median   peak | times}"

for d in $dims; do
    steps=$((d > 100000 ? 6 : d > 10000 ? 20 : 100))
    steps=$((steps / divide > 2 ? steps / divide : 3))
    for terms in 100 16; do
        for algorithm in 2 3 exact; do
            # the exact sum has no terms to choose
            [ "$algorithm $terms" != "exact 16" ] || continue
            row=$("$bench" "$scratch/bench.so" --set "d=$d" --terms "$terms" --algorithm "$algorithm" \
                --iterations "$steps")
            printf '%s' "$row"
            if [ "$peer" ]; then
                other=$(python3 "$here/peer_jax.py" "$d" "$terms" "$algorithm" "$steps")
                echo "$row|$other" | awk -F'|' '{ split($1, a, " "); split($NF, b, " ")
                    printf " | %9.3f %9.3f %6d | %5.2f", b[1], b[2], b[3], b[2] / a[5] }'
            fi
            echo
        done
    done
done

echo
echo "A step of natural gradient beside one of Adam, in turns, 256 points: ms, least and median of each, and"
echo "their ratios."
printf '%8s %6s %6s | %9s %9s | %9s %9s | %5s %5s\n' d points alg "adam min" median "nat. min" median min median
for d in 1000 10000; do
    steps=$((40 / divide > 2 ? 40 / divide : 3))
    for method in exact "3 --terms 100"; do
        # shellcheck disable=SC2086
        "$bench" natural "$scratch/bench.so" --set "d=$d" --points 256 --algorithm $method --iterations "$steps"
    done
done
