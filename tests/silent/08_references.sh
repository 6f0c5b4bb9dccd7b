# References that are none: an `exact` that does not solve the problem or has no value on the domain is refused
# when it is compiled, and again when a run with other numbers starts. Where a constant is free, scores ignore it.
set -eu
. "$(dirname "$0")/support.sh"

refused E0595 "$cases/08_wrong_exact.pde"
refused E0596 "$cases/08_nan_exact.pde"

# like NAME: a problem from standard input
like() { cat >"$scratch/$1.pde"; }
head='domain x in box(d, 0, 1)
field u(x)'
like time <<END
dim d = 2
domain x in box(d, 0, 1)
time t in [0, 1]
field u(x, t)
exact u = sin(pi*x_1) * exp(-t)
equation d(u, t) = lap(u)
initial u = sin(pi*x_1)
END
refused E0595 "$scratch/time.pde"
like initial <<END
dim d = 2
domain x in box(d, 0, 1)
time t in [0, 1]
field u(x, t)
exact u = sin(pi*x_1) * exp(-pi^2*t)
equation d(u, t) = lap(u)
initial u = cos(pi*x_1)
boundary u = exact(u)
END
refused E0597 "$scratch/initial.pde"
like lambda <<END
dim d = 3
domain x in ball(d, 1)
field psi(x)
unknown lambda = 5
equation -lap(psi) = lambda*psi
boundary psi = 0 exactly
eigen lambda smallest
exact lambda = 8
exact psi = sin(pi*norm(x)) / norm(x)
END
refused E0595 "$scratch/lambda.pde"
sed 's/exact lambda = 8/exact lambda = pi^2/' "$scratch/lambda.pde" >"$scratch/right.pde"
accepted "$scratch/right.pde"
like system <<END
dim d = 2
$head, v(x)
exact u = x_1^2
exact v = 3
equation one: lap(u) = v
equation two: lap(v) = 0
boundary u = exact(u)
boundary v = exact(v)
END
refused "E0595" "$scratch/system.pde"

# starts CODE PROBLEM [OPTIONS...]: a short run
starts() {
    code=$1 problem=$2 status=0
    shift 2
    rm -rf "$scratch/run"
    "$pdec" -o "$scratch/run.so" "$scratch/$problem.pde" >"$scratch/out.txt" 2>&1
    "$pderun" --effort none "$scratch/run.so" --threads 1 --quiet --no-report --out "$scratch/run" "$@" >"$scratch/out.txt" 2>&1 || status=$?
    if { [ "$code" = 0 ] && [ "$status" = 0 ]; } || { [ "$status" != 0 ] && grep -q "$code" "$scratch/out.txt"; }; then good; else
        bad "$problem $*: exit $status, wanted $code:"; cat "$scratch/out.txt"
    fi
}

# no number at a few of the points: found where they are drawn
like rare <<END
dim d = 2
domain x in box(d, -1, 1)
field u(x)
exact u = sqrt(x_1 + 0.98)
equation lap(u) = g
source g from exact
END
starts R405 rare
starts 0 rare --test-points 0 --iterations 1 --points 4 --width 4
like space <<END
dim d = 2
domain x in R(d)
field u(x)
exact u = log(x_1)
equation lap(u) + u = g
source g from exact
sample x_i ~ normal(0, 1)
END
starts R405 space

# right with the numbers of the file, and wrong with others that a run is given
like wave <<END
dim d = 2
param k = 2
domain x in box(d, 0, 1)
field u(x)
exact u = sin(2*x_1)
equation lap(u) = -k^2 * u
boundary u = sin(k*x_1)
END
short="--iterations 1 --points 4 --width 4"
starts 0 wave $short
starts 0 wave $short --set k=2
starts R406 wave $short --set k=3
like growth <<END
dim d = 4
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2
equation lap(u) = 8
boundary u = 1
END
starts 0 growth $short
starts R406 growth $short --set d=6
sed 's/= 8/= 2*d/' "$scratch/growth.pde" >"$scratch/general.pde"
starts 0 general $short --set d=6

# a constant is free: a pure Neumann problem, whose exact solution is one of many
like neumann <<END
dim d = 2
domain x in ball(d, 1)
field u(x)
exact u = norm(x)^2 + 5
equation lap(u) = 4
boundary d(u, outward) = 2
END
starts 0 neumann --iterations 400
says "does not determine a constant in u" "$scratch/out.txt"
if awk '/this run/ { ok = $3 < 0.2 } /fitted constant/ && NF == 5 { one = $3 == 1 } END { exit !(ok && one) }' "$scratch/out.txt"; then good; else
    bad "the constant is scored:"; cat "$scratch/out.txt"
fi
# but not where a condition or the equation sees it
for other in 's/boundary .*/boundary u = exact(u)/' 's/lap(u) = 4/lap(u) - u = -1 - norm(x)^2/'; do
    sed "$other" "$scratch/neumann.pde" >"$scratch/seen.pde"
    "$pdec" --check "$scratch/seen.pde" >"$scratch/out.txt" 2>&1
    if grep -q W1206 "$scratch/out.txt"; then bad "a constant is called free: $other"; else good; fi
done

# a second statement of what is known that says something else
like twice <<END
dim d = 2
domain x in box(d, 0, 1)
field u(x)
unknown k = 1
exact u = x_1^2
exact k = 3
equation k*lap(u) = 6
boundary u = exact(u)
END
accepted "$scratch/twice.pde"
for line in 'reference u = x_1^3' 'reference k = 4'; do
    { cat "$scratch/twice.pde"; echo "$line"; } >"$scratch/other.pde"
    refused E0598 "$scratch/other.pde"
done
for line in 'reference u = x_1*x_1' 'reference k = 6/2'; do
    { cat "$scratch/twice.pde"; echo "$line"; } >"$scratch/other.pde"
    accepted "$scratch/other.pde"
done

# single points: outside the domain or the time, no number, or another than the exact solution
point() {
    code=$1 domain=$2 line=$3
    printf 'dim d = 3\nrandom a_i ~ uniform(1, 2)\ndomain x in %s\ntime t in [0, 1]\nfield u(x, t)\nequation d(u, t) = lap(u)\ninitial u = 1\nboundary u = 1\n%s\n' \
        "$domain" "$line" >"$scratch/point.pde"
    [ "$domain" != 'R(d)' ] || sed -i 's/^boundary.*/sample x_i ~ normal(0, 1)/' "$scratch/point.pde"
    "$pdec" --check "$scratch/point.pde" >"$scratch/out.txt" 2>&1 || true
    if [ "$code" = none ] && [ ! -s "$scratch/out.txt" ]; then good
    elif [ "$code" != none ] && grep -q "$code" "$scratch/out.txt"; then good; else
        bad "$domain, $line: wanted $code"; cat "$scratch/out.txt"
    fi
}
for domain in 'ball(d, 1)' 'box(d, -1, 1)' 'simplex(d)' 'annulus(d, 1, 2)' 'ellipsoid(d, a_i)'; do
    point W1208 "$domain" 'reference u = 1 at x_i = 2, t = 0'
    point W1208 "$domain" 'report u at x_i = -1.2, t = 1'
done
point W1208 'annulus(d, 1, 2)' 'report u at x_i = 0, t = 0'
point W1208 'ball(d, 1)' 'reference u = 1 at x_i = 0, t = 1.5'
point none 'ball(d, 1)' 'reference u = 1 at x_i = 1/sqrt(d), t = 1'
point none 'R(d)' 'reference u = 1 at x_i = 200, t = 1'
point E0599 'ball(d, 1)' 'reference u = log(t) at x_i = 0, t = 0'
point E0598 'ball(d, 1)' 'exact u = 1
reference u = 2 at x_i = 0, t = 0'

# a param that is made of others follows them: --set T=4 once left k = 1/T at 1/2
like follow <<END
dim d = 4
param T = 2, k = 1/T, q = sqrt(d)*k
domain x in box(d, 0, 1)
field u(x)
equation lap(u) = q
boundary u = T
report integral(s = 0..1: k*s + T)
report q
END
starts 0 follow $short --set T=4
says "4.125" "$scratch/out.txt"
starts 0 follow $short --set d=9
says "1.5" "$scratch/out.txt"
starts R202 follow $short --set k=3
says "k is 1 / T" "$scratch/out.txt"

finish
