#!/bin/sh
# Derivatives by the coordinate where a maximum or minimum is taken: directions of each point.
set -eu
. "$(dirname "$0")/support.sh"

for file in "$cases"/11_*.pde; do
    name=$(basename "$file" .pde)
    if "$pdec" "$file" -o "$scratch/$name.so" >"$scratch/$name.txt" 2>&1 &&
        "$pderun" --selftest "$scratch/$name.so" >>"$scratch/$name.txt" 2>&1; then good; else
        bad "$name:"; cat "$scratch/$name.txt"
    fi
done
finish
