# The last lines of every run say whether the answer is better than a predictor that needs no training: by
# the exact solution where there is one, else by the loss on new points beside that of the best constant.
set -eu
. "$(dirname "$0")/support.sh"

# verdict TEXT PROBLEM [OPTIONS...]: what a run ends with, in $scratch/line
verdict() {
    text=$1 problem=$2
    shift 2
    runs=$((${runs:-0} + 1))
    "$pdec" "$problem" -o "$scratch/verdict.so"
    "$pderun" --effort none "$scratch/verdict.so" --threads 1 --quiet --no-report --out "$scratch/verdict$runs" "$@" >"$scratch/out.txt" 2>&1 || true
    if grep "^verdict: " "$scratch/out.txt" >"$scratch/line" && grep -q "^verdict: $text" "$scratch/line"; then good; else
        bad "$problem $*: no verdict '$text':"; cat "$scratch/out.txt"
    fi
}

# without an exact solution
cat >"$scratch/poisson.pde" <<'END'
dim d = 3
domain x in box(d, -1, 1)
field u(x)
equation lap(u) = 1
boundary u = x_1
END
verdict "about as good as what needs no training" "$scratch/poisson.pde" --iterations 1
verdict "better than what needs no training: loss on new points .* (equation .*, boundary1 .*), best constant" \
    "$scratch/poisson.pde" --iterations 200
cp "$scratch/line" "$scratch/first"
"$pderun" --effort none "$scratch/verdict.so" --threads 1 --quiet --no-report --out "$scratch/verdict$runs" --resume >"$scratch/out.txt" 2>&1
if grep "^verdict: " "$scratch/out.txt" | cmp -s - "$scratch/first"; then good; else
    bad "a finished run that is resumed has another verdict:"; cat "$scratch/out.txt"
fi
verdict "worse than what needs no training: do not use it" "$scratch/poisson.pde" --iterations 20 --rate 0.3 --clip 1
# a constant is the solution: nothing was gained
sed 's/= 1/= 0/; s/= x_1/= 2/' "$scratch/poisson.pde" >"$scratch/constant.pde"
verdict "worse than what needs no training: do not use it: .*, best constant" "$scratch/constant.pde" --iterations 50 --scale 1
# and was found all the same
verdict "as good as what needs no training, which solves this problem: .*; relative distance from it 0.00" \
    "$scratch/constant.pde" --iterations 1000
status=0
"$pdec" "$scratch/constant.pde" -o "$scratch/constant.so"
"$pderun" "$scratch/constant.so" --time 4 --iterations 400 --quiet --no-report --out "$scratch/automatic" >"$scratch/out.txt" 2>&1 || status=$?
if [ "$status" = 0 ]; then good; else bad "an automatic run that found the constant ends with $status:"; cat "$scratch/out.txt"; fi

# with one
cat >"$scratch/exact.pde" <<'END'
dim d = 3
domain x in ball(d, 1)
field u(x)
exact u = (1 - norm(x)^2) * sin(x_1)
equation lap(u) = g
source g from exact
boundary u = 0 exactly
END
verdict "about as good as what needs no training: .*relative L2 error" "$scratch/exact.pde" --iterations 1
verdict "better than what needs no training: relative L2 error .*, fitted constant 0.99" "$scratch/exact.pde" --iterations 300
verdict "worse than what needs no training: do not use it: relative L2 error" "$scratch/exact.pde" --iterations 20 --rate 10
sed 's/^exact.*/exact u = 2/; s/ = g$/ = 0/; /^source/d; s/u = 0 exactly/u = 2/' "$scratch/exact.pde" >"$scratch/two.pde"
verdict "as good as what needs no training, which solves this problem: relative L2 error" "$scratch/two.pde" --iterations 1000

# an unknown number is fitted with the constant, and is the trained one again afterwards
cat >"$scratch/unknown.pde" <<'END'
dim d = 1
domain x in box(d, 0, 1)
field u(x)
unknown k = 1
equation d2(u, x_1) = k
boundary u = x_1^2
END
verdict "better than what needs no training" "$scratch/unknown.pde" --iterations 500

# a condition on a vector is a mean of squares already, on new points too: once it was squared again
cat >"$scratch/vector.pde" <<'END'
dim d = 4
domain x in box(d, -1, 1)
time t in [0, 1]
field u(x, t)
equation d(u, t) + lap(u) = 0
terminal grad(u) = 10 * x
END
"$pdec" "$scratch/vector.pde" -o "$scratch/vector.so"
"$pderun" --effort none "$scratch/vector.so" --threads 1 --quiet --no-report --out "$scratch/vector" --iterations 1 --held-out 1000 --points 1000 --log-every 1 \
    --scale none --precision float64 >"$scratch/out.txt" 2>&1
if sed 's/.*"loss": *\([^,]*\),.*"loss_held_out": *\([^,}]*\).*/\1 \2/' "$scratch/vector/log.jsonl" |
    awk 'END { exit !($1 > 20 && $2 > 0.8 * $1 && $2 < 1.25 * $1) }'; then good; else
    bad "loss and held-out loss are not alike:"; cat "$scratch/vector/log.jsonl" "$scratch/out.txt"
fi

# a tensor network: beside the network as it began
cat >"$scratch/tensor.pde" <<'END'
dim d = 10
domain x in box(d, -5, 5)
field psi(x)
unknown lambda = d
equation -lap(psi) + norm(x)^2 * psi = lambda * psi
boundary psi = 0 exactly
eigen lambda smallest
normalise psi^2 : integral(x) = 1
solve {
  network tnn(rank = 1, width = 16, depth = 2, activation = sin, nodes = 32)
  method eigensolve
}
END
verdict "better than what needs no training: relative error of the eigenvalue .*, the network as it began" \
    "$scratch/tensor.pde" --iterations 3
finish
