#!/bin/sh
# pderun --selftest holds a module's kernels to the interpreter's values: a whole module passes, one whose
# kernels have another source, exact solution or coefficient does not.
# usage: oracle.sh PDEC PDERUN GRAFT SCRATCH
set -u
pdec=$1 pderun=$2 graft=$3 scratch=$4
rm -rf "$scratch"
mkdir -p "$scratch"
passed=0 failed=0

note() { # 0 or not, TEXT
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi
}

problem() { # NAME SOLUTION COEFFICIENT: the same terms with other numbers
    cat >"$scratch/$1.pde" <<END
problem "for the self-test"
dim    d = 100000
domain x in ball(d, 1)
field  u(x)
random c_i ~ normal(0, 1) for i = 1..d seed 3
exact  u = (1 - norm(x)^2) * sum_i c_i * sin($2 * x_i)
equation sum_i d2(u, x_i) + exp($3 * norm(x)^2) * u = g
source g from exact
boundary u = 0 exactly
END
    "$pdec" "$scratch/$1.pde" -o "$scratch/$1.so"
    note $? "$1 compiles"
}

expect() { # MODULE CODE WORDS
    code=0
    "$pderun" --selftest "$scratch/$1.so" --set d=20 --no-cache >"$scratch/text" 2>&1 || code=$?
    said=0
    [ "$code" -eq "$2" ] || said=1
    grep -Eq "$3" "$scratch/text" || said=1
    note $said "$1: exit code $code, said: $(cat "$scratch/text")"
}

problem right 1.5 0.5
problem solution 1.5001 0.5
problem coefficient 1.5 0.5001
for other in solution coefficient; do
    "$graft" "$scratch/with_$other.so" "$scratch/right.so" .pde.bc64 "$scratch/$other.so"
    note $? "with_$other can be made"
done
expect right 0 'source g, oracle .* ok'
expect with_solution 1 'source g, oracle .* FAILED'
expect with_solution 1 'exact u, oracle .* FAILED'
expect with_coefficient 1 "known quantities of 'equation', oracle .* FAILED"
expect with_coefficient 1 'exact u, oracle .* ok'

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
