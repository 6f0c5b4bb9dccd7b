#!/bin/sh
# A step in two dimensions beside JAX and the FMA peak of this run: Adam on Poisson and Navier-Stokes, a natural step; and
# steps of linear networks of products.
# usage: bench_low.sh PDEC BENCH_RUN SCRATCH [--quick] [--no-peer]
# BENCH_LIMITS: what `bench_run limits` printed; without it, it is measured here.
set -eu
pdec=$1 bench=$2 scratch=$3
here=$(dirname "$0")
shift 3
rounds=3 steps=300 peer=yes
for option in "$@"; do
    case $option in
    --quick) rounds=1 steps=10 ;;
    --no-peer) peer= ;;
    *) echo "bench_low.sh: unknown option $option" >&2; exit 2 ;;
    esac
done
python3 -c 'import jax' 2>/dev/null || peer=
mkdir -p "$scratch"
cat >"$scratch/poisson.pde" <<'END'
problem "Poisson on a square"
dim d = 2
domain x in box(d, -1, 1)
field u(x)
equation -lap(u) = 1
boundary u = 0
END
cat >"$scratch/kovasznay.pde" <<'END'
problem "Kovasznay flow"
dim d = 2
param Re = 40
param l = Re/2 - sqrt(Re^2/4 + 4*pi^2)
domain x in box(d, -1, 1)
field u(x), v(x), p(x)
exact u = 1 - exp(l*x_1)*cos(2*pi*x_2)
exact v = l/(2*pi)*exp(l*x_1)*sin(2*pi*x_2)
exact p = (1 - exp(2*l*x_1))/2
equation first: u*d(u, x_1) + v*d(u, x_2) + d(p, x_1) = lap(u)/Re
equation second: u*d(v, x_1) + v*d(v, x_2) + d(p, x_2) = lap(v)/Re
equation mass: d(u, x_1) + d(v, x_2) = 0
boundary u = exact(u)
boundary v = exact(v)
boundary p = exact(p)
END
for name in poisson kovasznay; do "$pdec" "$scratch/$name.pde" -o "$scratch/$name.so"; done
peak=$(echo "${BENCH_LIMITS:-$("$bench" limits)}" | awk '{ print $1 }')

echo "Two dimensions, three hidden layers, float32, Adam, fresh points in each step: ms, least of all rounds and median of"
echo "their medians; the part of the FMA peak ($peak GFLOP/s) counts what a step needs at least: four rows of a point (value,"
echo "gradient, Laplacian) and one of a point of the boundary, forward, back, and for the weights."
printf '%-10s %6s %5s | %8s %8s %5s' problem points width min median peak
echo "${peer:+ | jax min    median | times (least, medians)}"
while read -r name points width; do
    all="$scratch/$name.$points.rows"
    : >"$all"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        ours=$("$bench" "$scratch/$name.so" --effort none --points "$points" --width "$width" --iterations "$steps" |
            awk '{ print $4, $5 }')
        other=${peer:+$(python3 "$here/peer_low.py" "$name" "$points" "$width" "$steps")}
        echo "$ours $other" >>"$all"
        round=$((round + 1))
    done
    sort -n -k2 "$all" | awk -v name="$name" -v b="$points" -v w="$width" -v peak="$peak" '
        { least = NR == 1 || $1 < least ? $1 : least; median[NR] = $2
          if (NF > 2) { peer = NR == 1 || $3 < peer ? $3 : peer; other[NR] = $4 } }
        END { m = median[int((NR + 1) / 2)]
              printf "%-10s %6d %5d | %8.3f %8.3f %4.0f%%", name, b, w, least, m,
                  100 * 6 * b * 5 * 2 * w * w / (least * 1e6 * peak)
              if (peer) { n = asort_median(other, NR)
                  printf " | %8.3f %8.3f | %5.2f %5.2f", peer, n, peer / least, n / m }
              print "" }
        function asort_median(v, n,   i, j, t) {
            for (i = 2; i <= n; i++)
                for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
            return v[int((n + 1) / 2)] }'
done <<'END'
poisson 100 32
poisson 1000 64
poisson 4000 64
kovasznay 1000 64
END
echo
echo "A natural step, Kovasznay, 400 points, width 32: 2,400 rows, 2,307 parameters, normal equations in double."
"$bench" "$scratch/kovasznay.so" --effort none --optimiser natural --points 400 --width 32 \
    --iterations $((steps / 10 > 3 ? 10 : 3)) | awk '{ printf "ms: least %s, median %s\n", $4, $5 }'
echo
echo "A step of linear networks of products (examples/), d = 10,000, 64 points, one thread: ms, least and median, and ns for"
echo "each coordinate and point by the least. All of it: points, source, features, step, loss after it."
printf '%-42s %8s | %8s %8s %6s\n' problem by min median ns
for name in elliptic_sine_gordon_three_body_features elliptic_sine_gordon_features; do
    "$pdec" "$here/../../examples/$name.pde" -o "$scratch/$name.so"
    for optimiser in natural adam; do
        "$bench" "$scratch/$name.so" --effort none --set d=10000 --points 64 --optimiser "$optimiser" --threads 1 \
            --iterations $((steps / 6 > 3 ? steps / 6 : 3)) | awk -v name="$name" -v by="$optimiser" '
            { printf "%-42s %8s | %8.3f %8.3f %6.2f\n", name, by, $4, $5, 1e6 * $4 / 10000 / 64 }'
    done
done
