#!/bin/sh
# check.sh [ROOT]: the rules of HACKING.md that grep can see. Prints every breach as FILE:LINE: what,
# then a count; exit code 1 if a rule is broken.
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

library="compiler runtime library"
ours="compiler runtime library grammar stdlib tests"
sources() { find "$@" -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.re' -o -name '*.y' \) ! -name greatest.h; }

# Functions that overflow, depend on the locale, or keep hidden state. number.c is the place where
# numbers are read and printed.
banned='sprintf|vsprintf|strcpy|strcat|strtok|gets|alloca|atoi|atol|atof|rand|srand|system|strtod|strtof|setlocale'
sources $library | grep -v runtime/files/number.c | xargs grep -nE "(^|[^A-Za-z0-9_>.\"])($banned)\(" |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)' | rule "banned function"

# Two compilations in one process must be possible, and nothing below main ends the process.
sources $library | grep -vE '/(pdec|pderun)\.c$' | xargs grep -nE '(^|[^A-Za-z0-9_])_?(exit|abort)\(' |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)' | rule "only main may end the process"
sources compiler | grep -v '/pdec\.c$' | xargs grep -nE '(^|[^A-Za-z0-9_])say(_[a-z_]+)?\(' |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)' | rule "the compiler collects messages, pdec.c prints them"
prints='printf|vprintf|fprintf|vfprintf|dprintf|puts|fputs|putc|fputc|putchar|fwrite|perror'
sources $library | grep -v runtime/files/say.c | xargs grep -nE "(^|[^A-Za-z0-9_>.\"])($prints)\(" |
    grep -vE '^[^:]*:[0-9]*: *(\*|//|/\*)|"[^"]*printf|format\(printf' | rule "only say.h prints: text of others must not steer a terminal"

# Tables may be long: one row for each thing.
tables="compiler/base/diag.def"
for file in $(sources $ours); do
    case " $tables " in *" $file "*) continue ;; esac
    lines=$(wc -l <"$file")
    [ "$lines" -le 600 ] || echo "$file:$lines: can it be two files?"
done | rule "no file over 600 lines but tables"

# What stands twice gets one home.
written() {
    find compiler runtime grammar tests stdlib -type f \( -name '*.[ch]' -o -name '*.def' -o -name '*.re' -o -name '*.y' \
        -o -name '*.cuh' -o -name '*.cu' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt \
        -o -path 'stdlib/*.pde' \) ! -name greatest.h | sort
}
awk -f tests/style/repeated.awk $(written) | rule "no block of 12 lines stands twice"

# Rooms that hold state say what they need and promise.
for room in compiler/ir compiler/plan runtime/load runtime/engine runtime/engine/ranks runtime/step runtime/step/domain runtime/step/natural runtime/step/lbfgs runtime/measure/scales runtime/tensor runtime/train \
    runtime/error runtime/choose runtime/cuda/step runtime/cuda/optimise runtime/cuda/session runtime/cuda/tensor; do
    lines=$(cat $room/*.c | wc -l) asserts=$(cat $room/*.c | grep -cE '\b(assert|_Static_assert)\(')
    [ $((asserts * 100)) -ge "$lines" ] || echo "$room:1: $asserts asserts in $lines lines"
done | rule "ten asserts for each thousand lines where state is handled"

# Doors: tests/style/doors says which rooms a room may include; an include names its room.
for file in $(sources compiler runtime library grammar); do
    sed -nE 's/^[[:space:]]*#[[:space:]]*include "([^"]+)".*/\1/p' "$file" | sed "s|^|$file |"
done | awk '
    BEGIN { while ((getline line < "tests/style/doors") > 0) {
        if (line ~ /^#|^$/) continue
        n = split(line, word, /[: ]+/); known[word[1]] = 1
        for (k = 2; k <= n; k++) door[word[1] " " word[k]] = 1 } }
    { room = $1; sub(/\/[^\/]*$/, "", room); tree = room; sub(/\/.*/, "", tree)
      if (tree == "grammar") { room = "compiler/text"; tree = "compiler" }
      if ($2 ~ /^(pde\.tab\.h|keywords\.def)$/) next
      to = $2; if (to !~ /^(compiler|runtime|library)\//) to = tree "/" to
      if ($2 !~ /\// && room == "compiler/base") next
      sub(/\/[^\/]*$/, "", to)
      if (!(room in known)) print $1 ":1: no such room in tests/style/doors"
      else if (to != room && !((room " " to) in door)) print $1 ":1: includes " $2 }' |
    rule "a room includes only what its door allows"
grep -n '#include "' runtime/contract/abi.h | rule "abi.h stands alone"

# What a new domain, optimiser or activation touches, and HACKING.md says so.
grep -v '^#' tests/style/additions | while IFS=: read -r name files; do
    table=$(echo "$files" | awk '{ print $1 }') most=3
    [ "$table" = runtime/contract/domain.def ] && most=4
    [ "$(echo "$files" | wc -w)" -le "$most" ] || echo "tests/style/additions:1: more than $most files for $name"
    for file in $(grep -rliE "(^|[^a-z])$name([^a-z]|\$)" --include='*.[ch]' --include='*.def' --include='*.cuh' \
        $library grammar | grep -v '/diag[a-z_]*\.def$'); do
        case " $files " in *" $file "*) ;; *) echo "$file:1: says $name" ;; esac
    done
    row=$(grep "a row of .$table.," HACKING.md)
    for file in $files; do
        [ "$file" = runtime/options/option.def ] && continue # its words in --help
        echo "$row" | grep -qF "\`$(echo "$file" | sed "s/$name/NAME/")\`" || echo "HACKING.md:1: $name touches $file"
    done
done | rule "a thing is added in the files that HACKING.md names"

# Rooms: the listing shows the pipeline, and every room says what it is.
rooms() { echo library; find compiler runtime tests -mindepth 1 -type d ! -path '*/pde*' ! -path 'tests/run/*' ! -path 'tests/lang/*' ! -path '*/corpus'; }
for top in compiler runtime tests; do
    n=$(find $top -mindepth 1 -maxdepth 1 -type d | wc -l)
    [ "$n" -le 16 ] || echo "$top:1: $n rooms"
    n=$(find $top -mindepth 1 -maxdepth 1 -type f | wc -l)
    [ "$n" -le 6 ] || echo "$top:1: $n files beside the rooms"
done | rule "at most 16 rooms and 6 files beside them"
rooms | while read -r room; do
    n=$(find "$room" -maxdepth 1 -name '*.[ch]' -o -maxdepth 1 -name '*.def' -o -maxdepth 1 -name '*.cuh' | wc -l)
    [ "$n" -le 30 ] || echo "$room:1: $n source files"
done | rule "a room holds at most 30 source files"
rooms | while read -r room; do
    if [ ! -e "$room/README.md" ]; then
        echo "$room:1: no README.md"
    elif [ "$(wc -l <"$room/README.md")" -gt 100 ]; then
        echo "$room/README.md:1: more than a page"
    fi
    [ -n "$(find "$room" -maxdepth 1 -name '*.c' -o -maxdepth 1 -name '*.sh')" ] || continue
    [ -e "$room/CMakeLists.txt" ] || echo "$room:1: no CMakeLists.txt"
done | rule "a room has a page and its own list of sources"
wc -l <CMakeLists.txt | awk '$1 >= 100 { print "CMakeLists.txt:" $1 ":" }' | rule "the top CMakeLists.txt is short"
# tsort says on standard error which rooms form a cycle
awk -F: '!/^#/ && NF { n = split($2, to, " "); for (k = 1; k <= n; k++) print to[k], $1 }' tests/style/doors |
    tsort 2>&1 >/dev/null | grep -v 'input contains a loop' | rule "no rooms form a cycle"
sources $library | xargs grep -hoE '^#define PDE_[A-Z0-9_]+_H$' | sort | uniq -d | rule "one guard, one file"

grep -rnE '\b(TODO|FIXME|XXX)\b' $(sources $ours) CMakeLists.txt go examples/*.pde 2>/dev/null |
    rule "no notes to self: write an issue"
opens() { head -c 2 "$1" | grep -qE '^(/\*|//)'; }
for file in $(find compiler runtime library tests -name '*.[ch]'); do
    opens "$file" && continue
    header=${file%.c}.h
    [ -e "$header" ] && opens "$header" || echo "$file:1:"
done | rule "a file opens with a comment that says what it is"
# Other versions of clang-format break lines elsewhere: only version 14 is asked, where it is installed.
if command -v clang-format-14 >/dev/null; then
    find compiler runtime library tests -name '*.[ch]' ! -name greatest.h -exec clang-format-14 --dry-run {} + 2>&1 |
        sed -n 's/: warning: .*//p' | rule "clang-format -i, please"
fi
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
# Comments and pages name files that are there, that the build makes, or of the system.
{
    find . -path './build*' -prune -o -path ./.git -prune -o -type f -print
    printf '%s\n' pde.tab.c pde.tab.h lex.c stdlib_pde.c engine_text.c kernel_text.c draw_text.c ranks_text.c
    printf '%s\n' stdint.h elf.h sys/auxv.h sys/types.h sha2.h cuda.h
} >"$results.files"
awk -f tests/style/named.awk "$results.files" README.md HACKING.md \
    $(find compiler runtime tests grammar examples study stdlib -name README.md -o -name '*.[ch]' -o -name '*.def' \
        -o -name '*.cuh') | rule "files that comments and pages name are there"
rm -f "$results.files"

for file in $(find compiler runtime library -name '*.c'); do
    opens "$file" || echo "warning: $file leaves it to its header to say what it is"
done
echo "$(grep -c passed "$results") passed, $(grep -c failed "$results") failed"
! grep -q failed "$results"
