#!/bin/sh
# References that are expectations: against the integral that is the same number, within the standard
# error that is printed beside them; against the interpreter; the same for any seed and threads.
# usage: expect.sh PDEC PDERUN SCRATCH
set -eu
pdec=$1 pderun=$2 scratch=$3
file=$(dirname "$0")/expect/hjb.pde
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
fail() { echo "$*"; exit 1; }

"$pdec" "$file" -o "$scratch/hjb.so"
# run NAME OPTIONS...: $scratch/NAME has one line for each reference: value, standard error (0: none)
run() {
    name=$1
    shift
    "$pderun" --effort none "$scratch/hjb.so" --iterations 1 --points 20 --test-points 0 --quiet --out "$scratch/$name.run" "$@" \
        > "$scratch/$name.txt"
    awk '/at the reference point/ { on = 1; next } on && NF == 0 { exit }
         on { print $3, ($4 == "+-" ? $5 : 0) }' "$scratch/$name.txt" > "$scratch/$name"
    [ "$(wc -l < "$scratch/$name")" -eq 3 ] || fail "$name: no three references: $(cat "$scratch/$name.txt")"
}
# agrees NAME: is the expectation the integral, to four standard errors? How well it is known must show, too.
agrees() {
    awk 'NR == 1 { value = $1; error = $2 }
         NR == 2 { d = value - $1; exit !($2 == 0 && error > 1e-4 && error < 1e-2 && d * d < 16 * error * error) }' \
        "$scratch/$1"
}

run first
agrees first || fail "the expectation is not the integral: $(cat "$scratch/first")"
run tenth --set d=10
agrees tenth || fail "nor in ten dimensions: $(cat "$scratch/tenth")"
run wrong --set factor=1
agrees wrong && fail "a wrong sign is not seen: $(cat "$scratch/wrong")"

run second --seed 5 --threads 2
cmp -s "$scratch/first" "$scratch/second" || fail "another seed, other references: $(cat "$scratch/second")"
grep -q "reference [0-9.]* +- 0" "$scratch/first.run/report.html" || fail "the report has no standard error"

# The interpreter draws the same samples and does the rest on its own: all printed digits.
"$pdec" "$file" --eval 'factor * log(expect(w_i ~ normal(0, 1): exp(-cost(place + sqrt(1.5) * w))))' \
    > "$scratch/oracle"
awk 'NR == FNR { want = $1; next } FNR == 1 { d = $1 - want; exit !(d * d < 1e-16 * want * want) }' \
    "$scratch/oracle" "$scratch/first" || fail "not the interpreter's: $(cat "$scratch/oracle" "$scratch/first")"

# What is not computed is said.
sed '/^reference/s/ at .*//' "$file" > "$scratch/everywhere.pde"
"$pdec" "$scratch/everywhere.pde" -o "$scratch/everywhere.so" 2>&1 | grep -q W1204 || fail "no warning"
sed '/^terminal/s/cost(x)/expect(w ~ normal(0, 1): cost(x) * w)/' "$file" > "$scratch/condition.pde"
"$pdec" "$scratch/condition.pde" -o "$scratch/condition.so" > "$scratch/said" 2>&1 && fail "no error"
grep -q "E0601.*an expectation" "$scratch/said" || fail "another error: $(cat "$scratch/said")"
