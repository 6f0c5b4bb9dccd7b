#!/bin/sh
# What `report` statements print, against formulas and against the value at a reference point.
# usage: report.sh PDEC PDERUN SCRATCH
set -eu
pdec=$1 pderun=$2 scratch=$3
here=$(dirname "$0")
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"

# close NAME HAVE WANT LIMIT
close() {
    awk -v a="$2" -v b="$3" -v e="$4" 'BEGIN { d = a - b; exit !(d <= e && -d <= e) }' ||
        { echo "$1 is $2, not $3"; exit 1; }
}
number() { awk "BEGIN { printf \"%.12g\", $1 }"; }
# run NAME OPTIONS...: its reported values, one a line
run() {
    name=$1
    shift
    "$pdec" "$here/report/$name.pde" -o "$scratch/$name.so"
    "$pderun" --effort none "$scratch/$name.so" --precision float64 --width 16 --points 20 --test-points 0 --quiet \
        --out "$scratch/$name" "$@" > "$scratch/$name.txt"
    sed -n '/^reported/,/^$/p' "$scratch/$name.txt" | awk 'NR > 1 && NF { print $NF }' > "$scratch/values"
    grep -q "Terms and plan" "$scratch/$name/report.html" || { echo "report.html shows no terms"; exit 1; }
}
value() { sed -n "$1p" "$scratch/values"; }

run formulas --iterations 0
e=2.718281828459045 # and below them the unknown number
[ "$(wc -l < "$scratch/values")" = 7 ] || { cat "$scratch/$name.txt"; exit 1; }
close "V" "$(value 1)" "$(number "3000 * $e")" 1e-2
close "d(V, x_1)" "$(value 2)" "$(number "4 * $e")" 1e-5
close "lap(V) + k" "$(value 3)" "$(number "6000 * exp(0.5) + 0.25")" 1e-2
close "sum of x_i^2 d2(V, x_i), in parts" "$(value 4)" "$(number "6000 * $e")" 1e-2
close "length of the gradient" "$(value 5)" "$(number "2 * sqrt(3000)")" 1e-4
close "integral" "$(value 6)" 1 1e-6

run network --iterations 5
at=$(awk '/at the reference point/ { getline; print $2 }' "$scratch/network.txt")
close "u" "$(value 1)" "$at" 1e-6
awk -v a="$(value 2)" 'BEGIN { exit !(a * a > 1e-8) }' || { echo "the Laplacian is $(value 2)"; exit 1; }
close "two ways to the Laplacian" "$(value 3)" 0 1e-6

# an exact solution that is 0 everywhere has no relative error
cat > "$scratch/nothing.pde" <<'PDE'
problem "no sum at d = 1"
dim d = 1
domain x in ball(d, 1)
field u(x)
exact u = (1 - norm(x)^2) * sum_{i=1..d-1} sin(x_i * x_{i+1})
equation lap(u) = g
source g from exact
boundary u = 0 exactly
PDE
"$pdec" "$scratch/nothing.pde" -o "$scratch/nothing.so"
for d in 1 2; do
    "$pderun" --effort none "$scratch/nothing.so" --set d=$d --width 16 --points 20 --iterations 5 --quiet --out "$scratch/nothing$d" \
        > "$scratch/nothing$d.txt"
done
grep -q "u is 0 at all test points: its errors are absolute" "$scratch/nothing1.txt" &&
    ! grep -qE "inf|nan|relative errors" "$scratch/nothing1.txt" && grep -q "Absolute maximum" "$scratch/nothing1/report.html" ||
    { cat "$scratch/nothing1.txt"; exit 1; }
grep -q "relative errors" "$scratch/nothing2.txt" && ! grep -q "absolute" "$scratch/nothing2.txt" ||
    { cat "$scratch/nothing2.txt"; exit 1; }

# equations of a system that hardly count are named, with what would make them
for factor in 1 1000; do
    cat > "$scratch/system.pde" <<PDE
problem "a system"
dim d = 4
domain x in ball(d, 1)
field u(x), v(x)
equation first: lap(u) = v
equation second: $factor * lap(v) = $factor * u
boundary u = 1
boundary v = 1
PDE
    "$pdec" "$scratch/system.pde" -o "$scratch/system.so"
    "$pderun" --effort none "$scratch/system.so" --width 16 --points 20 --iterations 1 --quiet --no-report --out "$scratch/system$factor" \
        > "$scratch/system$factor.txt"
    grep -q "by themselves: first [0-9.]*, second [0-9.]*$" "$scratch/system$factor.txt" || { cat "$scratch/system$factor.txt"; exit 1; }
done
grep -q "'first' hardly counts" "$scratch/system1000.txt" && ! grep -q "hardly" "$scratch/system1.txt" ||
    { cat "$scratch/system1.txt" "$scratch/system1000.txt"; exit 1; }
