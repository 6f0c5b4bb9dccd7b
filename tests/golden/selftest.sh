#!/bin/sh
# selftest.sh PDEC PDERUN EXAMPLES SCRATCH: every example compiles to a module, the module passes its own
# self-test (derivatives, parameter gradient, exact solution) and trains for a few steps to a finite
# loss, in a few dimensions.
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
    check "$name" "$pderun" "$scratch/$name.so" --set d=$d --iterations 20 --width 16 --points 16 \
        --terms 4 --test-points 64 --log-every 10 --quiet --no-report --no-cache --out "$scratch/$name.run"
done
rm -rf "$scratch"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
