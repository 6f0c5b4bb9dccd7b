#!/bin/sh
# symbols.sh ARCHIVE...: the libraries that are linked into one program define no name twice: the linker would take the
# first without a word. suggest.c is in two of them, and the same in both.
for archive; do
    nm -g --defined-only "$archive" 2>/dev/null | awk -v a="$archive" 'NF == 3 { print $3, a }'
done | sort -u | grep -v '^suggest_' | cut -d' ' -f1 | uniq -d >"${TMPDIR:-/tmp}/symbols.$$"
found=$(cat "${TMPDIR:-/tmp}/symbols.$$")
rm -f "${TMPDIR:-/tmp}/symbols.$$"
[ -z "$found" ] || { echo "defined in two libraries: $found"; echo "0 passed, 1 failed"; exit 1; }
echo "1 passed, 0 failed"
