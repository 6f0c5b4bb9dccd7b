# Eigenproblems by an mlp do not end at psi = 0: the trial function has no zeros, or the problem is refused.
set -eu
. "$(dirname "$0")/support.sh"

refused E0591 "$cases/05_gross_pitaevskii.pde"
refused E0590 "$cases/05_ten_bosons.pde"

# without `eigen` nothing keeps psi from 0 either
ball() {
    printf 'dim d = 3\ndomain x in ball(d, 1)\nfield psi(x)\nunknown lambda = 5\n%s\n%s\n' "$1" "$2" >"$scratch/ball.pde"
}
ball 'equation -lap(psi) = lambda * psi' 'boundary psi = 0 exactly'
refused E0593 "$scratch/ball.pde"
ball 'equation -lap(psi) + lambda * psi^3 = 0' 'boundary psi = 0'
refused E0593 "$scratch/ball.pde"
ball 'equation -lap(psi) = lambda * psi + 1' 'boundary psi = 0 exactly'
accepted "$scratch/ball.pde"

# a norm that a network does not compute is not ignored in silence
{ cat "$cases/05_ball.pde"; echo 'normalise psi^2 : integral(x) = 1'; } >"$scratch/norm.pde"
"$pdec" --check "$scratch/norm.pde" >"$scratch/out.txt" 2>&1
says W1207 "$scratch/out.txt"

# what lambda is known to be stands beside it
for known in 'exact lambda = pi^2' 'reference lambda = 9.869604401089358'; do
    { cat "$cases/05_ball.pde"; echo "$known"; } >"$scratch/known.pde"
    rm -rf "$scratch/run"
    "$pdec" "$scratch/known.pde" -o "$scratch/known.so"
    "$pderun" --effort none "$scratch/known.so" --iterations 2 --points 20 --width 8 --out "$scratch/run" >"$scratch/out.txt" 2>&1
    says "known to be 9.869604401089358, relative error" "$scratch/out.txt"
done
rm -rf "$scratch/run"

# lambda starts at half its value, pi^2
"$pdec" "$cases/05_ball.pde" -o "$scratch/ball.so"
"$pderun" --effort none "$scratch/ball.so" --iterations 8000 --points 100 --width 32 --out "$scratch/run" >"$scratch/out.txt" 2>&1
if awk '$1 == "lambda" { e = $2 / 9.8696044 - 1; ok = e < 0.02 && e > -0.02 } END { exit !ok }' "$scratch/out.txt"; then
    good
else
    bad "lambda is not pi^2 to 2 %:"; cat "$scratch/out.txt"
fi
finish
