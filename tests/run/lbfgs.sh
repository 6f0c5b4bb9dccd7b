#!/bin/sh
# L-BFGS reaches a lower loss than Adam with as many evaluations of the gradient; a stopped and resumed
# run has the bits of one that was not; sampled terms are refused.
# usage: lbfgs.sh PDEC PDERUN EXAMPLES SCRATCH
set -eu
pdec=$1 pderun=$2 examples=$3 scratch=$4
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
"$pdec" "$examples/elliptic_poisson.pde" -o "$scratch/poisson.so"
passed=0 failed=0

ok() { # TEXT COMMAND...
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $what"; fi
}

run() { # OUT OPTIONS...
    out=$1
    shift
    "$pderun" --effort none "$scratch/poisson.so" --width 16 --points 64 --precision float64 --algorithm full \
        --test-points 50 --log-every 50 --quiet --no-report --out "$scratch/$out" "$@" >/dev/null
}

last() { # OUT KEY: its value in the last row of the log
    tail -n 1 "$scratch/$1/log.jsonl" | sed "s/.*\"$2\": *\([^,}]*\).*/\1/"
}

less() { awk "BEGIN { exit !($1 < $2) }"; }
same() { cmp -s "$scratch/$1/model.safetensors" "$scratch/$2/model.safetensors"; }

for d in 2 3 5; do
    run "lbfgs$d" --set "d=$d" --optimiser lbfgs --iterations 100
    evaluations=$(last "lbfgs$d" evaluations)
    run "adam$d" --set "d=$d" --optimiser adam --iterations "$evaluations"
    ok "d = $d: $(last "lbfgs$d" loss) of L-BFGS, $(last "adam$d" loss) of Adam" \
        less "$(last "lbfgs$d" loss)" "0.1 * $(last "adam$d" loss)"
done

run whole --set d=3 --optimiser lbfgs --iterations 40
run parts --set d=3 --optimiser lbfgs --iterations 23
run parts --iterations 40 --resume
ok "resumed: the same bits" same whole parts

refused() { ! run sampled --set d=5 --optimiser lbfgs --algorithm 3 --iterations 1 2>/dev/null; }
ok "sampled terms are refused" refused

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
