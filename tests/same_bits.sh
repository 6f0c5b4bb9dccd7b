#!/usr/bin/env bash
# same_bits.sh OLD_BUILD NEW_BUILD [SCRATCH]: two builds do the same, bit for bit.
#
# For every example, and for each algorithm and optimiser that both builds take: ten steps in float32 and in
# float64 leave the same parameters, or both builds refuse with the same words. What pdec prints (terms, plan,
# mathematics, kernels) and what it says about files with mistakes are the same bytes. The examples of the tree
# that this script is in are used for both builds.
#
# Differences that a change means to make are listed, one "KIND NAME" a line ('*' matches), in the file named by
# SAME_BITS_MEANT; they are printed and not counted.
set -u
old=$1 new=$2 scratch=${3:-$(mktemp -d)}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
meant=${SAME_BITS_MEANT:-/dev/null}
passed=0 failed=0 expected=0
mkdir -p "$scratch"
export XDG_CACHE_HOME=$scratch/cache

# is_meant KIND NAME: the list of meant differences has it
is_meant() {
    local kind name
    while read -r kind name; do
        # shellcheck disable=SC2053
        [[ $1 == $kind && $2 == $name ]] && return 0
    done <"$meant"
    return 1
}

# compare KIND NAME FILE_A FILE_B
compare() {
    if cmp -s "$3" "$4"; then
        passed=$((passed + 1))
    elif is_meant "$1" "$2"; then
        expected=$((expected + 1))
        echo "meant: $1 $2"
    else
        failed=$((failed + 1))
        echo "DIFFERS: $1 $2"
        diff "$3" "$4" | cut -c1-160 | head -4
    fi
}

# words FILE...: without what says where and when rather than what
words() { sed -e "s#$scratch/[a-z_]*##g" -e "s#$old\|$new##g" "$@"; }

# printed BUILD SIDE FILE STAGE: what pdec prints of a stage
printed() {
    "$1/pdec" --emit="$4" "$3" >"$scratch/$2.raw" 2>&1
    echo "exit $?" >>"$scratch/$2.raw"
    words "$scratch/$2.raw" >"$scratch/$2.txt"
}

stages() { # FILE
    local stage name
    name=$(basename "$1" .pde)
    for stage in ast check expanded terms plan latex; do
        printed "$old" old "$1" $stage
        printed "$new" new "$1" $stage
        compare "$stage" "$name" "$scratch/old.txt" "$scratch/new.txt"
    done
}

# tensors FILE: the numbers of a safetensors file, without the header, which names the module by its digest
tensors() { tail -c "+$((9 + $(od -An -t u8 -N 8 "$1")))" "$1"; }

# train BUILD SIDE NAME OPTIONS...: the digest of the parameters after ten steps, or the refusal
train() {
    local build=$1 side=$2 name=$3
    shift 3
    rm -rf "$scratch/run_$side"
    if "$build/pderun" "$scratch/$side.$name.so" --iterations 10 --width 16 --points 16 --terms 4 --threads 2 \
        --test-points 0 --quiet --no-report --out "$scratch/run_$side" "$@" >"$scratch/$side.raw" 2>&1; then
        tensors "$scratch/run_$side/model.safetensors" | sha256sum >"$scratch/$side.txt"
    else
        words "$scratch/$side.raw" >"$scratch/$side.txt"
    fi
}

both() { # NAME LABEL OPTIONS...
    local name=$1 label=$2
    shift 2
    train "$old" old "$name" "$@"
    train "$new" new "$name" "$@"
    compare bits "$name/$label" "$scratch/old.txt" "$scratch/new.txt"
}

runs() { # FILE
    local name d=7 way real
    name=$(basename "$1" .pde)
    case $name in kdv_2d) d=2 ;; *_1d) d=1 ;; biharmonic) d=4 ;; esac
    "$old/pdec" "$1" -o "$scratch/old.$name.so" >/dev/null 2>&1
    "$new/pdec" "$1" -o "$scratch/new.$name.so" >/dev/null 2>&1
    for real in float32 float64; do
        for way in full 1 2 3 exact; do
            both "$name" "$way/$real" --set d=$d --precision $real --algorithm $way --optimiser adam
        done
        for way in adamw sgd natural lbfgs; do
            both "$name" "$way/$real" --set d=$d --precision $real --optimiser $way
        done
    done
}

for file in "$root"/examples/*.pde; do
    stages "$file"
    runs "$file"
done
for file in "$root"/tests/lang/err/*.pde; do
    printed "$old" old "$file" terms
    printed "$new" new "$file" terms
    compare message "$(basename "$file" .pde)" "$scratch/old.txt" "$scratch/new.txt"
done
for command in 'pdec --help' 'pderun --help'; do
    # shellcheck disable=SC2086
    { "$old"/$command >"$scratch/old.txt" && "$new"/$command >"$scratch/new.txt"; } 2>&1
    compare help "$command" "$scratch/old.txt" "$scratch/new.txt"
done
[ "$expected" = 0 ] || echo "$expected differences were meant"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
