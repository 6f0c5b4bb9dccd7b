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
finish
