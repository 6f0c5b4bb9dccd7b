#!/bin/sh
# A value that is not finite is traced to the expression that made it so, with its place in the file: in a
# coefficient, the source, the trial function, a condition, a law, the way back; and not to one that does no harm.
# usage: nonfinite.sh PDEC PDERUN SCRATCH
set -u
pdec=$1 pderun=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
passed=0 failed=0

note() { # 0 or not, TEXT
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi
}

# NAME LINE:COLUMN WHAT, then the problem's text on standard input
traced() {
    name=$1 place=$2 what=$3 code=0
    cat >"$scratch/$name.pde"
    "$pdec" "$scratch/$name.pde" -o "$scratch/$name.so" >"$scratch/text" 2>&1 || code=99
    for precision in float32 float64; do
        [ $code -eq 99 ] || {
            code=0
            "$pderun" --effort none "$scratch/$name.so" --precision $precision --width 16 --points 40 --test-points 0 --iterations 2 \
                --no-report --out "$scratch/$name.$precision" >"$scratch/text" 2>&1 || code=$?
        }
        said=0
        grep -q "^  --> $name.pde:$place" "$scratch/text" || said=1
        grep -qF "^ $what" "$scratch/text" || said=1
        [ $code -eq 1 ] || said=1
        note $said "$name in $precision: exit code $code, said: $(cat "$scratch/text")"
    done
}

traced coefficient 5:16 'log(0.5 + x_i) is nan where the index is' <<'END'
problem "logarithm of a negative number in a coefficient"
dim    d = 10
domain x in ball(d, 1)
field  u(x)
equation sum_i log(x_i + 0.5) * d2(u, x_i) + u = 1
boundary u = 0 exactly
END
traced division 6:12 '1 / (x_{1} - a) is inf' <<'END'
problem "division by zero, in a definition"
dim    d = 4
domain x in box(d, 0, 1)
field  u(x)
param  a = 0.25
let    w = 1/(x_1 - a)
sample x_i ~ uniform(0.25, 0.25)
equation lap(u) + w * u = 1
boundary u = 0 exactly
END
traced source 7:19 'exp(' <<'END'
problem "overflow in what a source is derived from"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
param  a = 40
exact  u = (1 - norm(x)^2) * exp(a * (1 + x_1))
equation lap(u) + u^30 = g
source g from exact
boundary u = 0 exactly
END
traced trial 5:20 'exp(' <<'END'
problem "overflow in the trial function"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
ansatz u = 1 + net*exp(4000 * (1 + x_1))
equation lap(u) + sin(u) = 1
boundary u = 0
END
traced condition 6:14 'log(x_{1} - 3) is nan' <<'END'
problem "a condition"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
equation lap(u) = 1
boundary u = log(x_1 - 3)
END
traced residual 5:19 'log(' <<'END'
problem "the residual, by the network"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
equation lap(u) + log(-1 - u^2) = 1
boundary u = 0 exactly
END
traced direction 5:27 'sqrt(' <<'END'
problem "a direction"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
equation lap(u) + sum_i i*sqrt(-norm(x)^2) * x_i * d(u, x_i) = 1
boundary u = 0 exactly
END
traced law 5:23 'sqrt(' <<'END'
problem "a sampling law"
dim    d = 4
domain x in R(d)
field  u(x)
sample x_i ~ normal(0,sqrt(2 - i))
equation lap(u) - u = 1
END
# sqrt is finite at 0 and its slope is not; log(-1) is not finite, but where i = 0 it counts for nothing
traced seed 6:19 '' <<'END'
problem "only the way back"
dim    d = 4
domain x in ball(d, 1)
field  u(x)
let    harmless = max(log(-1 - norm(x)^2), 0)
equation lap(u) + sqrt(max(u - 1000, 0)) + harmless = 1
boundary u = 0 exactly
END

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
