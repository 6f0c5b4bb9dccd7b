#!/bin/sh
# readme.sh PDEC SOURCE SCRATCH: what README.md shows of pdec is what pdec prints: its first problem compiles, the terms of its
# second example and the message about a mistake come out to the letter.
set -eu
pdec=$1 source=$2 dir=$3
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir"
page=$source/README.md passed=0 failed=0
same() { # WHAT WANTED FOUND
    if diff "$2" "$3" >diff.txt; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL: $1"; cat diff.txt; fi
}
# block N WORD: the N-th block between ``` whose first line has the word
block() {
    awk -v n="$1" -v word="$2" '
        /^```/ { if (inside) { inside = 0; if (mine) exit } else { inside = 1; first = 1 }; next }
        inside && first { first = 0; mine = index($0, word) > 0 && ++seen == n }
        inside && mine { print }' "$page"
}
block 1 'problem  "My first equation"' >my.pde
"$pdec" --check my.pde >told.txt 2>&1 && [ -s my.pde ] && passed=$((passed + 1)) ||
    { failed=$((failed + 1)); echo "FAIL: the first problem"; cat told.txt; }
block 1 'equation (at ' >terms.wanted
"$pdec" --emit=terms --set d=1000 "$source/examples/elliptic_sine_gordon.pde" | grep -v '^source ' >terms.found
same "terms of elliptic_sine_gordon.pde" terms.wanted terms.found
block 1 'error[E0401]' >error.wanted
sed 's/d2(u, x_i)/d2(u, x_j)/' my.pde >mistake.pde && mv mistake.pde my.pde
"$pdec" --check my.pde 2>&1 | sed '/^ *= run/q' >error.found || true
same "the message about a mistake" error.wanted error.found
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
