# Eigenproblems by an mlp do not end at psi = 0: the trial function has no zeros, or the problem is refused.
set -eu
. "$(dirname "$0")/support.sh"

refused E0591 "$cases/05_gross_pitaevskii.pde"
refused E0590 "$cases/05_ten_bosons.pde"

# lambda starts at half its value, pi^2
"$pdec" "$cases/05_ball.pde" -o "$scratch/ball.so"
"$pderun" --effort none "$scratch/ball.so" --iterations 8000 --points 100 --width 32 --out "$scratch/run" >"$scratch/out.txt" 2>&1
if awk '$1 == "lambda" { e = $2 / 9.8696044 - 1; ok = e < 0.02 && e > -0.02 } END { exit !ok }' "$scratch/out.txt"; then
    good
else
    bad "lambda is not pi^2 to 2 %:"; cat "$scratch/out.txt"
fi
finish
