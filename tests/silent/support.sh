# Sourced by the scripts beside it, after "set -eu": what they were called with, a fresh scratch folder
# with a kernel cache of its own, and the few checks that they share.
pdec=$1 pderun=$2 scratch=$3
cases=$(cd "$(dirname "$0")" && pwd)/pde
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
passed=0 failed=0

good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $*"; }

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

# says TEXT FILE: a file has the text
says() { if grep -qF -- "$1" "$2"; then good; else bad "no \"$1\" in:"; cat "$2"; fi; }

# finish: the line that is counted, and the exit code
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
