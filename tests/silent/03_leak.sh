#!/bin/sh
# The exact solution must not enter the trial function.
set -eu
. "$(dirname "$0")/support.sh"

accepted "$cases/03_leak.pde"
"$pdec" --emit=expanded "$cases/03_leak.pde" >"$scratch/expanded.txt"
says 'ansatz    u = sin(pi * x_{1}) + t * net' "$scratch/expanded.txt"
refused E0582 "$cases/03_boundary.pde"
refused E0582 "$cases/03_ansatz.pde"
accepted "$cases/03_boundary_zero.pde"
"$pdec" --emit=expanded "$cases/03_boundary_zero.pde" >"$scratch/expanded.txt"
says 'ansatz    u = sin(pi * x_{1}) + d * t * net /' "$scratch/expanded.txt"


# as a feature, or as a part of an ansatz
like() {
    printf 'dim d = 2\ndomain x in box(d, -1, 1)\nfield u(x)\nexact u = sin(pi*x_1)*x_2\nequation lap(u) = f\nsource f from exact\nboundary u = exact(u)\n%s\n' \
        "$1" >"$scratch/leak.pde"
}
like 'solve { network mlp(features = [exact(u), x]) }'
refused E0582 "$scratch/leak.pde"
like 'let v = exact(u), w(y) = y*v
solve { network mlp(features = [w(2), x]) }'
refused E0582 "$scratch/leak.pde"
like 'ansatz u = 2*exact(u) + net'
refused E0582 "$scratch/leak.pde"
like 'ansatz u = x_1*exact(u) + net'
refused E0582 "$scratch/leak.pde"
like 'solve { network mlp(features = [sin(pi*x_1), x]) }'
accepted "$scratch/leak.pde"
finish
