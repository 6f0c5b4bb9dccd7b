#!/bin/sh
# Modules for a linear network (activation = identity), whose higher derivatives the compiler leaves out, against
# modules of the same problem that compute them all, given the same network: the same loss, to rounding. And
# another activation is refused by the first and not by the second.
# usage: linear.sh PDEC PDERUN SCRATCH
set -eu
pdec=$1 pderun=$2 scratch=$3
here=$(dirname "$0")
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
fail() { echo "FAIL $*"; exit 1; }

# losses MODULE ACTIVATION: of three steps
losses() {
    rm -rf "$scratch/run"
    "$pderun" --effort none "$scratch/$1.so" --activation "$2" --algorithm full --points 24 --test-points 0 --precision float64 --scale none \
        --iterations 3 --log-every 1 --quiet --no-report --out "$scratch/run" > "$scratch/text" 2>&1 || return 1
    sed 's/.*"loss":\([^,]*\).*/\1/' "$scratch/run/log.jsonl"
}

for file in "$here"/linear/*.pde; do
    name=$(basename "$file" .pde)
    for activation in identity tanh; do
        sed "s/ACTIVATION/$activation/" "$file" > "$scratch/$activation.pde"
        "$pdec" "$scratch/$activation.pde" -o "$scratch/$activation.so"
    done
    losses identity identity > "$scratch/linear" || fail "$name: $(cat "$scratch/text")"
    losses tanh identity > "$scratch/all" || fail "$name: $(cat "$scratch/text")"
    losses tanh tanh > "$scratch/curved" || fail "$name: $(cat "$scratch/text")"
    paste "$scratch/linear" "$scratch/all" "$scratch/curved" |
        awk '{ d = $1 - $2; e = $3 - $2; bad += !($2 > 0 && d * d < 1e-20 * $2 * $2 && e * e > 1e-12 * $2 * $2) }
             END { exit bad > 0 || NR != 3 }' || fail "$name: $(paste "$scratch/linear" "$scratch/all" "$scratch/curved")"
    losses identity tanh > /dev/null && fail "$name: took another activation"
    grep -q "R204.*without activation" "$scratch/text" || fail "$name: $(cat "$scratch/text")"
    "$pderun" --selftest "$scratch/identity.so" > "$scratch/text" || fail "$name: $(cat "$scratch/text")"
done
echo passed
