#!/bin/sh
# Problems that are in no paper: each compiles, and its self-test passes.
# usage: forms.sh PDEC PDERUN SCRATCH
set -eu
pdec=$1 pderun=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
for file in "$(dirname "$0")"/forms/*.pde; do
    name=$(basename "$file" .pde)
    "$pdec" "$file" -o "$scratch/$name.so"
    "$pderun" --selftest --threads 1 "$scratch/$name.so" > "$scratch/$name.txt" 2>&1 || {
        echo "$name"; cat "$scratch/$name.txt"; exit 1; }
    grep -q "gradient of the parameters.*ok" "$scratch/$name.txt" || { cat "$scratch/$name.txt"; exit 1; }
done
