#!/bin/sh
# same.sh PDEC PDERUN SOFT_RUN SOFT_TRANSPORT EXAMPLES short|long SCRATCH: the parameters, the optimiser's state and the
# losses of a run are those of one process, bit for bit, for any number of ranks and threads.
set -u
. "$(dirname "$0")/head.sh"
failures=0 runs=0

# The log without times: iteration, loss, error.
rows() {
    sed -e 's/"\(seconds\|cpu_seconds\|ms_per_iteration\)": *[^,}]*,\{0,1\}//g' "$1/log.jsonl"
}

# compare LABEL: the run `several` against the run `one`
compare() {
    runs=$((runs + 1))
    if ! cmp -s one/model.safetensors several/model.safetensors; then
        echo "FAIL $1: other parameters"
        failures=$((failures + 1))
    fi
    rows one >one.rows
    rows several >several.rows
    if ! cmp -s one.rows several.rows; then
        echo "FAIL $1: other losses"
        diff one.rows several.rows | head -4
        failures=$((failures + 1))
    fi
}

# check LABEL "RANKS:THREADS ..." FILE OPTIONS...
check() {
    label=$1 several=$2 file=$3
    shift 3
    "$pdec" "$file" -o module.so >pdec.out 2>&1 || { echo "FAIL $label: pdec"; cat pdec.out; failures=$((failures + 1)); return; }
    common="--effort none --quiet --no-report --force --iterations 6 --log-every 3 --checkpoint-every 4 --test-points 40"
    if ! "$pderun" module.so $common --threads 2 "$@" --out one >one.out 2>&1; then
        echo "FAIL $label: one process"
        tail -3 one.out
        failures=$((failures + 1))
        return
    fi
    for pair in $several; do
        if ! "$soft" "${pair%:*}" "$pderun" module.so $common --threads "${pair#*:}" "$@" --out several >several.out 2>&1; then
            grep -q "tensor networks are trained by one process" several.out && return # as it says
            echo "FAIL $label by $pair: $(tail -2 several.out)"
            failures=$((failures + 1))
            continue
        fi
        grep -q "processes   ${pair%:*} ranks" several.out || { echo "FAIL $label by $pair: no ranks"; failures=$((failures + 1)); }
        compare "$label by $pair"
    done
}

sine=$examples/elliptic_sine_gordon.pde
check adam "2:1 3:2 7:1" "$sine" --set d=50 --points 37 --terms 7
check natural "2:1 3:1" "$sine" --set d=20 --points 12 --optimiser natural --algorithm exact --width 16
check coordinates "2:1 3:2" "$sine" --set d=5000 --points 16 --terms 9
check "few coordinates" "4:1" "$sine" --set d=700 --points 16 --terms 9 --algorithm 1 --distribute coordinates
conditions=$examples/../tests/session/pde/conditions.pde
check "common conditions" "2:1 3:2" "$conditions" --points 37
check "common conditions, coordinates" "2:1" "$conditions" --points 37 --distribute coordinates
if [ "$size" = long ]; then
    all="2:1 2:2 3:1 4:2 7:1"
    for file in "$examples"/*.pde; do
        name=$(basename "$file" .pde)
        check "$name" "$all" "$file" --points 20
    done
    for optimiser in adamw sgd natural lbfgs; do
        check "$optimiser" "$all" "$sine" --set d=30 --points 21 --optimiser $optimiser
    done
    for algorithm in full 1 2 3 exact; do
        check "algorithm $algorithm" "$all" "$sine" --set d=30 --points 21 --algorithm $algorithm
    done
fi

# A run is resumed by any number of ranks.
"$pdec" "$sine" -o module.so >pdec.out 2>&1
options="--effort none --quiet --no-report --force --set d=30 --points 21 --log-every 2 --test-points 40 --rate 1e-3"
"$pderun" module.so $options --iterations 8 --out one >one.out 2>&1
"$soft" 3 "$pderun" module.so $options --iterations 4 --threads 1 --out several >several.out 2>&1
"$soft" 2 "$pderun" module.so --resume --iterations 8 --quiet --no-report --threads 1 --out several >several.out 2>&1 ||
    { echo "FAIL resume: $(tail -2 several.out)"; failures=$((failures + 1)); }
compare "resumed 3 by 2"

# What --plan says of a step is what is sent: ten steps more, counted.
counted() {
    sed -n 's/^ranks  *\([0-9]*\) rounds of messages, \([0-9]*\) bytes.*/\1 \2/p' "$1"
}
# With as many coordinates for each, all named.
for optimiser in adam "adam --distribute coordinates --algorithm full --set d=512" "natural --algorithm exact --width 16"; do
    options="--effort none --quiet --no-report --force --set d=30 --points 32 --log-every 1000 --checkpoint-every 1000 --test-points 40 --optimiser $optimiser --out several"
    for iterations in 10 20; do
        "$soft" 2 "$pderun" module.so $options --threads 1 --iterations $iterations >$iterations.out 2>&1
    done
    "$pderun" module.so --effort none --plan --ranks 2 --set d=30 --points 32 --optimiser $optimiser >plan.out 2>&1
    set -- $(counted 10.out) $(counted 20.out) $(sed -n 's/.*\(rounds of messages\|sent to each other rank\) per step *\([0-9]*\).*/\2/p' plan.out)
    if [ $# -ne 6 ] || [ $(($3 - $1)) -ne $((10 * $5)) ] || [ $(($4 - $2)) -ne $((10 * $6)) ]; then
        echo "FAIL plan of $optimiser: $*"
        failures=$((failures + 1))
    fi
done

echo "$runs runs compared, $failures failures"
[ "$runs" -gt 3 ] && [ "$failures" -eq 0 ]
