#!/bin/sh
# The problems of study/pinnacle compile without a word.
# usage: pinnacle.sh PDEC PDERUN SCRATCH
set -eu
pdec=$1 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
for file in "$(dirname "$0")"/../../study/pinnacle/*.pde; do
    "$pdec" --check "$file" >"$scratch/text" 2>&1 || { cat "$scratch/text"; exit 1; }
    if grep -q '^warning' "$scratch/text"; then cat "$scratch/text"; exit 1; fi
done
