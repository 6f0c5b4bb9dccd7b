#!/bin/sh
# A step of natural gradient is the same whether it is solved among the rows or among the parameters: a system, an
# unknown number, a condition on vectors, sampled terms, momentum, a limit on the step's length, steps that are undone.
# The space is chosen by itself, and its bits do not depend on the threads.
# usage: natural_space.sh PDEC PDERUN EXAMPLES SCRATCH
set -eu
pdec=$1 pderun=$2 examples=$3 scratch=$4
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"

cat > "$scratch/flow.pde" <<'PDE'
problem "Kovasznay flow"
dim d = 2
param Re = 40
domain x in box(d, -1, 1)
field u(x), v(x), p(x)
let l = Re/2 - sqrt(Re^2/4 + 4*pi^2)
equation along: u*d(u, x_1) + v*d(u, x_2) + d(p, x_1) = lap(u)/Re
equation across: u*d(v, x_1) + v*d(v, x_2) + d(p, x_2) = lap(v)/Re
equation volume: d(u, x_1) + d(v, x_2) = 0
exact u = 1 - exp(l*x_1)*cos(2*pi*x_2)
exact v = l/(2*pi)*exp(l*x_1)*sin(2*pi*x_2)
exact p = (1 - exp(2*l*x_1))/2
boundary u = exact(u)
boundary v = exact(v)
boundary p = exact(p)
PDE
cat > "$scratch/normal.pde" <<'PDE'
problem "a condition on vectors"
dim d = 4
domain x in ball(d, 1)
field u(x)
exact u = sum_i sin(x_i)
equation lap(u) = f
source f from exact
boundary grad(u) = grad(exact(u))
PDE

# run NAME MODULE OPTIONS...
run() {
    out="$scratch/$1" module="$scratch/$2.so"
    shift 2
    "$pderun" --effort none "$module" --optimiser natural --precision float64 --width 8 --depth 3 --iterations 9 \
        --log-every 1 --test-points 20 --quiet --no-report --out "$out" "$@" > "$out.text"
}
losses() { sed -n 's/.*"loss":\([^,}]*\).*/\1/p' "$scratch/$1/log.jsonl"; }
# The losses of nine steps, one by one, to a relative DIFFERENCE.
same() {
    losses "$1" > "$scratch/first"
    losses "$2" > "$scratch/second"
    paste "$scratch/first" "$scratch/second" | awk -v name="$1" -v most="$3" '
        { n++; d = $1 - $2; if (d < 0) d = -d; if (!(d <= most * $1)) { print name ", iteration " n ": " $1 ", " $2; bad = 1 } }
        END { if (n < 9) { print name ": " n " losses"; bad = 1 } exit bad }'
}
# both NAME MODULE OPTIONS...: the two spaces, the one that is chosen being the parameters'
both() {
    name=$1 of=$2
    shift 2
    [ -e "$scratch/$of.so" ] || "$pdec" "$scratch/$of.pde" -o "$scratch/$of.so"
    run "$name.rows" "$of" --natural-space rows "$@"
    run "$name.columns" "$of" "$@"
    grep -q "normal equations" "$scratch/$name.columns.text" || { echo "$name: not solved among the parameters"; exit 1; }
    if grep -q "normal equations" "$scratch/$name.rows.text"; then echo "$name: not solved among the rows"; exit 1; fi
    same "$name.rows" "$name.columns" 1e-6
}

cp "$examples/inverse_diffusion.pde" "$examples/elliptic_sine_gordon.pde" "$scratch"
both system flow --points 80 --rate 0.3 --momentum 0.9
both undone flow --points 80 --rate 2 --damping 1e-7 --step-limit 0
both short flow --points 80 --rate 0.5 --step-limit 0.001
both unknown inverse_diffusion --set d=4 --points 200 --rate 0.3 --momentum 0.5
both vectors normal --points 60 --rate 0.3 --terms 4
both sampled elliptic_sine_gordon --set d=5 --points 200 --terms 2 --algorithm 3 --rate 0.3
both exact elliptic_sine_gordon --set d=9 --points 250 --algorithm exact --rate 0.3
few=$(run few flow --points 10 && cat "$scratch/few.text")
case $few in *"normal equations"*) echo "10 points are solved among the parameters"; exit 1 ;; esac

for threads in 1 2 4; do
    run threads flow --points 80 --precision float32 --threads $threads
    sum=$(sha256sum < "$scratch/threads/model.safetensors")
    [ "$threads" = 1 ] && first=$sum
    [ "$sum" = "$first" ] || { echo "$threads threads: other bits"; exit 1; }
    rm -rf "$scratch/threads"
done
