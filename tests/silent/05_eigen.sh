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
ball 'param q = 0
equation -lap(psi) = lambda * psi + q' 'boundary psi = 0 exactly'
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

# An unknown number moves in parts of its own size: 1e-4 once took steps of 1e-3.
cat >"$scratch/small.pde" <<'END'
dim d = 1
param nu = 1e-4
domain x in box(d, 0, 1)
time t in [0, 1]
field u(x, t)
unknown k in (0, 1) = 1e-3
equation d(u, t) = 100 * k * lap(u)
exact u = exp(-100*nu*pi^2*t) * sin(pi*x_1)
exact k = nu
initial u = exact(u)
boundary u = 0 exactly
terminal u = exact(u)
END
"$pdec" "$scratch/small.pde" -o "$scratch/small.so"
for method in "--iterations 4000" "--optimiser natural --iterations 200"; do
    rm -rf "$scratch/run"
    "$pderun" --effort none "$scratch/small.so" $method --threads 1 --points 64 --width 24 --depth 2 --out "$scratch/run" \
        >"$scratch/out.txt" 2>&1
    if awk '$1 == "k" && /known/ { ok = $NF < 0.1 } END { exit !ok }' "$scratch/out.txt"; then good; else
        bad "$method: k is not 1e-4 to 10 %:"; cat "$scratch/out.txt"
    fi
done
finish
