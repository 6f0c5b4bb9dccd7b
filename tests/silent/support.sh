# Sourced by the scripts beside it, after "set -eu": what they were called with, a fresh scratch folder
# with a kernel cache of its own, and the few checks that they share.
pdec=$1 pderun=$2 scratch=$3
cases=$(cd "$(dirname "$0")" && pwd)/pde
. "$(dirname "$0")/../counted.sh"
fresh "$scratch"

# refused CODE FILE [OPTIONS...]: pdec --check ends with exit code 1 and names the code
refused() {
    code=$1 file=$2
    shift 2
    status=0
    "$pdec" --check "$file" "$@" >"$scratch/refused.txt" 2>&1 || status=$?
    if [ "$status" = 1 ] && grep -q "$code" "$scratch/refused.txt"; then good; else
        bad "$file: exit $status, wanted $code:"; cat "$scratch/refused.txt"
    fi
}

# accepted FILE [OPTIONS...]: pdec --check is silent and ends with 0
accepted() {
    file=$1
    shift
    if "$pdec" --check "$file" "$@" >"$scratch/accepted.txt" 2>&1; then good; else
        bad "$file: not accepted:"; cat "$scratch/accepted.txt"
    fi
}

# agree PREFIX: each of these cases compiles, and the interpreter agrees with its kernels
agree() {
    for file in "$cases/$1"*.pde; do
        name=$(basename "$file" .pde)
        if "$pdec" "$file" -o "$scratch/$name.so" >"$scratch/$name.txt" 2>&1 &&
            "$pderun" --selftest "$scratch/$name.so" >>"$scratch/$name.txt" 2>&1; then good; else
            bad "$name:"; cat "$scratch/$name.txt"
        fi
    done
}
