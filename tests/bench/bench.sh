#!/bin/sh
# Times of a training step of the module that pdec makes of the Sine-Gordon example, beside the limits
# of the machine and beside JAX, all measured in this run.
# usage: bench.sh PDEC BENCH_RUN EXAMPLES SCRATCH [--short] [--quick] [--no-peer]
#   --short    without d = 1,000,000
#   --quick    few steps: to see that it works, not for figures
#   --no-peer  without JAX
set -eu
pdec=$1 bench=$2 examples=$3 scratch=$4
here=$(dirname "$0")
shift 4
dims="100 1000 10000 100000 1000000" divide=1 peer=yes
for option in "$@"; do
    case $option in
    --short) dims="100 1000 10000 100000" ;;
    --quick) divide=20 ;;
    --no-peer) peer= ;;
    *) echo "bench.sh: unknown option $option" >&2; exit 2 ;;
    esac
done
python3 -c 'import jax' 2>/dev/null || peer=
# an allocator that keeps its pages, and takes large ones: several times the speed for JAX where d is large
keep=glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=17179869184:glibc.malloc.hugetlb=1
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
"$pdec" "$examples/elliptic_sine_gordon.pde" -o "$scratch/bench.so"
median() { echo "$1" | awk '{ print $5 }'; } # of a row

limits=$("$bench" limits)
export BENCH_LIMITS="$limits"
low=
[ "$divide" = 1 ] || low=--quick
[ "$peer" ] || low="$low --no-peer"
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
                other=$(GLIBC_TUNABLES=$keep python3 "$here/peer_jax.py" "$d" "$terms" "$algorithm" "$steps")
                echo "$row|$other" | awk -F'|' '{ split($1, a, " "); split($NF, b, " ")
                    printf " | %9.3f %9.3f %6d | %5.2f", b[1], b[2], b[3], b[2] / a[5] }'
            fi
            echo
        done
    done
done

echo
echo "An equation that is in no catalogue, in times of the Sine-Gordon step (medians)."
cat >"$scratch/unseen.pde" <<'END'
problem "Weighted diffusion with a drift"
dim    d = 1000
domain x in ball(d, 1)
field  u(x)
exact  u = (1 - norm(x)^2) * sin(sum_i x_i / sqrt(d))
equation sum_i (1 + i/d) * d2(u, x_i) + u * sum_i x_i * d(u, x_i) - u^3 = g
source g from exact
boundary u = 0 exactly
sample x ~ radial(uniform)
END
"$pdec" "$scratch/unseen.pde" -o "$scratch/unseen.so"
printf '%8s %6s %6s | %9s %9s | %5s\n' d terms alg sine-g. unseen times
for d in 1000 10000 100000; do
    steps=$((d > 10000 ? 20 : 100))
    steps=$((steps / divide > 2 ? steps / divide : 3))
    for terms in 100 16; do
        known=$("$bench" "$scratch/bench.so" --set "d=$d" --terms "$terms" --algorithm 3 --iterations "$steps")
        unseen=$("$bench" "$scratch/unseen.so" --set "d=$d" --terms "$terms" --algorithm 3 --iterations "$steps")
        echo "$(median "$known") $(median "$unseen")" | awk -v d="$d" -v terms="$terms" '{
            printf "%8d %6d %6s | %9.3f %9.3f | %5.2f\n", d, terms, 3, $1, $2, $2 / $1 }'
    done
done

if python3 -c 'import torch' 2>/dev/null && [ "$peer" ]; then
    echo
    echo "The published method in PyTorch (nested automatic differentiation), algorithm 3, 100 points and terms."
    printf '%8s | %9s %9s | %9s | %5s\n' d "torch min" median "pderun" times
    for d in 100 1000; do
        steps=$((20 / divide > 2 ? 20 / divide : 3))
        known=$("$bench" "$scratch/bench.so" --set "d=$d" --terms 100 --algorithm 3 --iterations 100)
        other=$(python3 "$here/peer_torch.py" "$d" 100 "$steps")
        echo "$other $(median "$known")" | awk -v d="$d" '{
            printf "%8d | %9.3f %9.3f | %9.3f | %5.1f\n", d, $1, $2, $4, $2 / $4 }'
    done
fi

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

echo
# shellcheck disable=SC2086
"$here/bench_low.sh" "$pdec" "$bench" "$scratch" $low
