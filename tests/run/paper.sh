#!/bin/sh
# paper.sh PDEC PDERUN SOURCE SCRATCH: the tables of the paper: plan, one run, the page, and that a second call has nothing to do.
set -eu
pdec=$1 pderun=$2 source=$3 dir=$4
python=$(command -v python3) || exit 77
rm -rf "$dir" && mkdir -p "$dir"
export XDG_CACHE_HOME="$dir/cache"
paper() { PYTHONDONTWRITEBYTECODE=1 "$python" "$source/study/paper/paper.py" "$pdec" "$pderun" "$dir/paper" "$@"; }
paper --plan --only 'sine_gordon 100 exact' >"$dir/plan.txt"
grep -q '^sine_gordon 100 exact  *[0-9]* steps' "$dir/plan.txt" || { cat "$dir/plan.txt"; exit 1; }
paper --quick --only '^oscillators 10$' >"$dir/first.txt"
grep -q '^oscillators 10 ' "$dir/first.txt" || { cat "$dir/first.txt"; exit 1; }
paper --quick --only '^oscillators 10$' >"$dir/second.txt"
grep -q '^oscillators 10 ' "$dir/second.txt" && { echo "run again"; exit 1; }
grep -q '| uncoupled, eigen-solve | 10 | below 1e-6 (curves only) | [0-9.]*e-[01][0-9] |' "$dir/paper/paper.md" || {
    grep eigen-solve "$dir/paper/paper.md"; exit 1; }
grep -q '7.189e-3, 0.05 h, 1328 MB' "$dir/paper/paper.md" && [ -s "$dir/paper/paper.html" ] || { echo "no page"; exit 1; }
if paper --nonsense 2>/dev/null; then echo "a wrong option was taken"; exit 1; fi
echo "1 passed, 0 failed"
