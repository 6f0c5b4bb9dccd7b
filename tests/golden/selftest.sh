#!/bin/sh
# selftest.sh PDEC PDERUN EXAMPLES SCRATCH: every example compiles to a module, the module passes its own
# self-test (derivatives, parameter gradient, exact solution) and trains for a few steps to a finite
# loss, in a few dimensions; natural gradient on fixed points must lower the loss of each, unknown
# numbers, conditions and systems included.
pdec=$1 pderun=$2 examples=$3 scratch=$4
passed=0
failed=0
rm -rf "$scratch"
mkdir -p "$scratch" || exit 2

check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$scratch/output" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL $name: $*"
        cat "$scratch/output"
    fi
}

# natural NAME D: the loss of the last step is below that of the first; tensor networks are refused
natural() {
    rm -rf "$scratch/natural"
    set -- "$1" "$pderun" --effort none "$scratch/$1.so" --set "d=$2" --optimiser natural --rate 0.5 --fresh 0 --iterations 10 --width 16 \
        --points 16 --test-points 0 --log-every 1 --quiet --no-report --no-cache --out "$scratch/natural"
    if grep -q 'tnn(' "$examples/$1.pde"; then
        check "$1" refused R204 "$@"
        return
    fi
    check "$@"
    check "$1" awk -F'"loss":' '{ sub(/,.*/, "", $2) } NR == 1 { first = $2 + 0 } { last = $2 }
        END { print first, last; exit !(NR == 10 && last ~ /^[0-9]/ && last + 0 < 0.95 * first) }' \
        "$scratch/natural/log.jsonl"
}

refused() { # CODE NAME COMMAND...
    code=$1
    shift 2
    "$@" 2>&1 | grep "$code"
}

for file in "$examples"/*.pde; do
    name=$(basename "$file" .pde)
    d=7
    case $name in
    kdv_2d) d=2 ;;
    *_1d) d=1 ;;
    biharmonic) d=4 ;;
    esac
    check "$name" "$pdec" "$file" -o "$scratch/$name.so"
    [ -e "$scratch/$name.so" ] || continue
    check "$name" "$pderun" --selftest "$scratch/$name.so" --set d=$d --no-cache
    check "$name" "$pderun" --effort none "$scratch/$name.so" --set d=$d --iterations 20 --width 16 --points 16 \
        --terms 4 --test-points 64 --log-every 10 --quiet --no-report --no-cache --out "$scratch/$name.run"
    natural "$name" "$d"
done
rm -rf "$scratch"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
