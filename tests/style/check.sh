#!/bin/sh
# check.sh [ROOT]: the rules of HACKING.md that grep can see. Prints every breach as FILE:LINE: what,
# then a count; exit code 1 if a rule is broken. Long files are warned of only.
cd "${1:-$(dirname "$0")/../..}" || exit 2
results=$(mktemp) || exit 2
trap 'rm -f "$results"' EXIT

# rule NAME: what stands on standard input, if anything, breaks it.
rule() {
    sed "s/\$/   <- $1/" >"$results.found"
    [ -s "$results.found" ] && echo failed >>"$results" || echo passed >>"$results"
    cat "$results.found"
    rm -f "$results.found"
}

library="compiler runtime"
ours="compiler runtime grammar stdlib tests"
sources() { find "$@" -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.re' -o -name '*.y' \) ! -name greatest.h; }

# Functions that overflow, depend on the locale, or keep hidden state. number.c is the place where
# numbers are read and printed.
banned='sprintf|vsprintf|strcpy|strcat|strtok|gets|alloca|atoi|atol|atof|rand|srand|system|strtod|strtof|setlocale'
sources $library | grep -v runtime/number.c | xargs grep -nE "(^|[^A-Za-z0-9_>.\"])($banned)\(" |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)' | rule "banned function"

# Two compilations in one process must be possible, and nothing below main ends the process.
sources $library | grep -vE '/(pdec|pderun)\.c$' | xargs grep -nE '(^|[^A-Za-z0-9_])_?(exit|abort)\(' |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)' | rule "only main may end the process"
sources compiler | grep -v '/pdec\.c$' | xargs grep -nE '(^|[^A-Za-z0-9_])(printf|puts|fprintf)\(' |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)|"[^"]*printf' | rule "the compiler collects messages, pdec.c prints them"

# Layers: the runtime knows nothing of the compiler but its table of guesses; the compiler knows of
# the runtime the contracts, the tables and the files that both write.
grep -nE '#include "(\.\./)?compiler/' $(sources runtime) | grep -v 'compiler/suggest.h' |
    rule "the runtime includes nothing of the compiler"
allowed='abi.h|kernel_abi.h|array.h|npy.h|modfile.h|buffer.h|io.h|status.h|tensor_rng.h|rng.h|number.h|digest.h|[a-z_]*.def'
for header in $(ls runtime/*.h | xargs -n1 basename); do
    [ -e "compiler/$header" ] && continue
    printf '%s\n' "$header" | grep -qxE "$allowed" && continue
    grep -nE "#include \"(\.\./)?(runtime/)?$header\"" $(sources compiler) /dev/null
done | rule "the compiler includes only contracts and tables of the runtime"
grep -n '#include "' runtime/abi.h | rule "abi.h stands alone"

grep -rnE '\b(TODO|FIXME|XXX)\b' $(sources $ours) CMakeLists.txt go examples/*.pde 2>/dev/null |
    rule "no notes to self: write an issue"
opens() { head -c 2 "$1" | grep -qE '^(/\*|//)'; }
for file in $(find compiler runtime tests -name '*.[ch]'); do
    opens "$file" && continue
    header=${file%.c}.h
    [ -e "$header" ] && opens "$header" || echo "$file:1:"
done | rule "a file opens with a comment that says what it is"
grep -nE "$(printf '\t')|[[:space:]]$" $(sources $library) | rule "no tabs, no blanks at the end"
find . -path './build*' -prune -o -name '*.tab.[ch]' -print -o -name 'lex.c' -print | grep -v '^./build' |
    rule "generated files are not kept"
for file in examples/*.pde; do
    head -c 2 "$file" | grep -q '^# ' || echo "$file:1:"
done | rule "an example opens with what it shows"

sed -nE 's/^P\(([a-z]+),.*"(.*)"\)$/\1|\2/p' compiler/pass.def | while IFS='|' read -r name what; do
    grep -qF "| $what |" HACKING.md || echo "HACKING.md:1: pass $name"
done | rule "the table of passes in HACKING.md is that of pass.def"
for page in README.md HACKING.md */README.md; do
    grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^https\?:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page:1: $link"
    done
done | rule "links lead somewhere"

for file in $(find compiler runtime -name '*.c'); do
    opens "$file" || echo "warning: $file leaves it to its header to say what it is"
done
for file in $(sources $ours); do
    lines=$(wc -l <"$file")
    [ "$lines" -gt 700 ] && echo "warning: $file has $lines lines, more than 700: can it be two files?"
done
echo "$(grep -c passed "$results") passed, $(grep -c failed "$results") failed"
! grep -q failed "$results"
