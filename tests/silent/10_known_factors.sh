#!/bin/sh
# Known factors that are sums, before sums over derivatives: no internal error, and the oracle agrees.
set -eu
. "$(dirname "$0")/support.sh"

for file in "$cases"/10_*.pde; do
    name=$(basename "$file" .pde)
    if "$pdec" "$file" -o "$scratch/$name.so" >"$scratch/$name.txt" 2>&1 &&
        "$pderun" --selftest "$scratch/$name.so" >>"$scratch/$name.txt" 2>&1; then good; else
        bad "$name:"; cat "$scratch/$name.txt"
    fi
done
finish
