#!/bin/sh
# The command of the study, on small problems: a plot for each, with its curves and trivial predictors;
# what is there is not run again.
# usage: study.sh PDEC PDERUN STUDY_PLOT SOURCE SCRATCH
set -eu
pdec=$1 pderun=$2 plot=$3 source=$4 scratch=$5
rm -rf "$scratch"
mkdir -p "$scratch"
study() { sh "$source/study/study.sh" "$pdec" "$pderun" "$plot" "$source/examples" "$scratch/out" --quick; }
count() { grep -o "$1" "$scratch/out/study.html" | wc -l; }

study > "$scratch/text"
[ "$(count '<figure class="plot"')" = 6 ] || { echo "not a plot for each problem"; exit 1; }
[ "$(count 'class="curve')" = 36 ] || { echo "not three curves in each plot, with their legend"; exit 1; }
[ "$(count '<td>fitted constant')" -ge 5 ] || { echo "no trivial predictors"; exit 1; }
[ "$(count '<td>first-order Taylor')" -ge 4 ] || { echo "no Taylor predictors"; exit 1; }
if grep -q '<script\|http-equiv="refresh\|src=' "$scratch/out/study.html"; then echo "not self-contained"; exit 1; fi

study > "$scratch/again"
[ "$(wc -l < "$scratch/again")" = 1 ] || { echo "curves were run again"; exit 1; }
echo "curve|nowhere|x" > "$scratch/spec"
if "$plot" "$scratch/spec" "$scratch/bad.html" 2> /dev/null; then echo "a curve without a title"; exit 1; fi
exit 0
