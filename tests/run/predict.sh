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
# text in, text out: the same numbers as before, a heading that is skipped, and what is wrong by its line
awk 'BEGIN { print "x_1, and so on"; for (r = 0; r < 3; r++) { line = ""; for (i = 0; i < 40; i++) line = line (i ? ", " : "") 0.01 * (r + i % 3); print line } }' >"$scratch/p.csv"
"$pderun" "$scratch/run" --predict "$scratch/p.csv" --what 'u,source,residual' --out "$scratch/v.csv" >/dev/null
[ "$(head -1 "$scratch/v.csv")" = 'u,source,residual' ] && [ "$(wc -l <"$scratch/v.csv")" = 4 ] || {
    echo "CSV: $(cat "$scratch/v.csv")"; exit 1; }
printf '0.5,0.5\n0.5\n' >"$scratch/ragged.csv"
"$pderun" "$scratch/run" --predict "$scratch/ragged.csv" 2>"$scratch/told" && exit 1
grep -q "line 2: 1 numbers, where the lines before have 2" "$scratch/told" || { cat "$scratch/told"; exit 1; }
# events for TensorBoard: a record for each row of the log, and one at the head
"$pderun" --effort none "$module" --set d=40 --width 8 --iterations 50 --log-every 10 --tensorboard --quiet --out "$scratch/board" >/dev/null
if command -v python3 >/dev/null; then
    python3 - "$scratch/board" <<'PY'
import json, struct, sys
rows = [json.loads(line) for line in open(sys.argv[1] + "/log.jsonl")]
data, at, records = open(sys.argv[1] + "/events.out.tfevents", "rb").read(), 0, []
def crc(data):
    c = 0xFFFFFFFF
    for byte in data:
        c ^= byte
        for _ in range(8):
            c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    c ^= 0xFFFFFFFF
    return ((c >> 15 | c << 17) + 0xA282EAD8) & 0xFFFFFFFF
while at < len(data):
    n, sum_of_n = struct.unpack_from("<QI", data, at)
    body = data[at + 12:at + 12 + n]
    assert sum_of_n == crc(data[at:at + 8]) and struct.unpack_from("<I", data, at + 12 + n)[0] == crc(body)
    records.append(body)
    at += 16 + n
assert len(records) == len(rows) + 1 and b"brain.Event:2" in records[0]
for row, body in zip(rows, records[1:]):
    assert b"\x0a\x04loss\x15" + struct.pack("<f", row["loss"]) in body, row
PY
fi
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
# .npz in and out
python3 - "$scratch" <<'PY'
import sys, numpy
x = numpy.load(sys.argv[1] + "/points.npy")
numpy.savez(sys.argv[1] + "/points.npz", x=x, other=numpy.zeros(3))
PY
"$pderun" "$scratch/run" --predict "$scratch/points.npz" --what u,grad --out "$scratch/values.npz" >/dev/null
python3 - "$scratch" <<'PY'
import sys, numpy
at = numpy.load(sys.argv[1] + "/values.npz")
for k in ("u", "grad"):
    assert numpy.array_equal(at[k], numpy.load(f"{sys.argv[1]}/out/{k}.npy")), k
PY
