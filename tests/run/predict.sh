#!/bin/sh
# Self-test, plan and info of the module, and a trained model used at points.
# usage: predict.sh PDERUN MODULE SCRATCH
set -eu
pderun=$1 module=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
"$pderun" --effort none "$module" --selftest --set d=40
"$pderun" --effort none "$module" --info > "$scratch/info"
grep -q "\.pde\.bc32" "$scratch/info"
"$pderun" --effort none "$module" --plan --set d=100 > "$scratch/plan"
grep -q "memory" "$scratch/plan"
# parameters and states: 1 + 1, 2, 3 and 4 times the network; L-BFGS has its history beside the parameters
plan_bytes() {
    "$pderun" "$module" --plan --set d=2000 --points 4 --optimiser "$1" --algorithm full --accumulate 50 >"$scratch/plan"
    sed -n 's/^ *parameters and optimiser state *\([0-9.]*\) MB/\1/p' "$scratch/plan"
}
one=$(plan_bytes sgd)
for want in "adam 3" "ademamix 4" "adan 5"; do
    found=$(plan_bytes "${want% *}")
    awk "BEGIN { exit !($found > 0.97 * $one / 2 * ${want#* } && $found < 1.03 * $one / 2 * ${want#* }) }" || {
        echo "--plan: $one MB with one state, $found MB with ${want% *}"; exit 1; }
done
awk "BEGIN { exit !($(plan_bytes lbfgs) > 40 * $one) }" || { echo "--plan leaves the history of L-BFGS out"; exit 1; }
"$pderun" --effort none "$module" --plan --set d=100 --optimiser natural --jacobian-memory 1 > "$scratch/plan"
for row in "Jacobian, K and its factor" "blocks of the Jacobian's columns" "of it beside a gradient"; do
    grep -q "$row" "$scratch/plan" || { echo "--plan of natural gradient does not say: $row"; exit 1; }
done
"$pderun" --effort none "$module" --set d=40 --width 32 --iterations 50 --quiet --out "$scratch/run" > "$scratch/text"
grep -q "first-order Taylor" "$scratch/text"
test -s "$scratch/run/report.html"
command -v python3 >/dev/null && python3 -c "import numpy" 2>/dev/null || exit 0
python3 - "$scratch" <<'PY'
import sys, numpy
numpy.save(sys.argv[1] + "/points.npy", numpy.random.default_rng(1).normal(size=(70, 40)) * 0.05)
PY
"$pderun" --effort none "$module" --model "$scratch/run" --predict "$scratch/points.npy" \
    --what u,exact,source,residual,grad --out "$scratch/out" >/dev/null
python3 - "$scratch" <<'PY'
import sys, numpy
at = {k: numpy.load(f"{sys.argv[1]}/out/{k}.npy") for k in ("u", "exact", "source", "residual", "grad")}
assert at["u"].shape == (70,) and at["grad"].shape == (70, 40), {k: v.shape for k, v in at.items()}
assert numpy.linalg.norm(at["u"] - at["exact"]) < 0.5 * numpy.linalg.norm(at["exact"])
assert all(numpy.isfinite(v).all() for v in at.values())
PY
