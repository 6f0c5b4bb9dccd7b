# Sourced by test scripts of sh: a fresh scratch folder with a kernel cache of its own, and a count of what passed.
passed=0 failed=0
good() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL: $*"; }

# fresh DIRECTORY
fresh() {
    rm -rf "$1"
    mkdir -p "$1" || exit 2
    export XDG_CACHE_HOME="$1/cache"
}

# says TEXT FILE: a file has the text
says() { if grep -qF -- "$1" "$2"; then good; else bad "no \"$1\" in:"; cat "$2"; fi; }

# finish: the line that is counted, and the exit code
finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
}
