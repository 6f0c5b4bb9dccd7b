#!/bin/sh
# Sums over up to 10^7 coordinates in float32 beside float64, of the same numbers: by leaf and tree the rounding is
# that of a leaf; one chain of 10^6 additions is wrong by 1e-4 and more.
set -eu
. "$(dirname "$0")/support.sh"
here=$(dirname "$0")

"$pdec" --emit=c "$cases/07_sums.pde" >"$scratch/kernels.c"

# numbers D DEFINE: the program's lines
numbers() {
    cc -std=c11 -O2 -w -DPDE_LANES=2 -DDIMENSION="$1" "-D$2" "-DKERNELS=\"$scratch/kernels.c\"" \
        -o "$scratch/sums" "$here/07_sums.c" -lm
    "$scratch/sums"
}

for d in 100 257 5000 1000000 10000000; do
    numbers $d PDE_FLOAT >"$scratch/float.txt"
    numbers $d PDE_DOUBLE >"$scratch/double.txt"
    while read -r name single double; do
        if awk -v a="$single" -v b="$double" 'BEGIN { exit !(b != 0 && (a - b) / b < 1e-6 && (b - a) / b < 1e-6) }'
        then good; else bad "d = $d, $name: $single in float32, $double in float64"; fi
    done <<END_OF_ROWS
$(paste -d ' ' "$scratch/float.txt" "$scratch/double.txt" | awk '{ print $1, $2, $4 }')
END_OF_ROWS
done
finish
