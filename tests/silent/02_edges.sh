#!/bin/sh
# Data on the boundary and at an end of time that are both met exactly must agree where they meet.
set -eu
. "$(dirname "$0")/support.sh"

# trial FILE TEXT: the trial function begins with these data
trial() {
    "$pdec" --emit=expanded "$cases/$1" >"$scratch/expanded.txt" 2>&1 || true
    says "ansatz    u = $2" "$scratch/expanded.txt"
}

refused E0581 "$cases/02_incompatible.pde"
says "1 remains" "$scratch/refused.txt"
refused E0581 "$cases/02_ball.pde"
refused E0581 "$cases/02_wave.pde"
accepted "$cases/02_compatible.pde"
accepted "$cases/02_edge_only.pde"
accepted "$cases/02_ball_agrees.pde"
accepted "$cases/02_wave_agrees.pde"
trial 02_compatible.pde 'sin(pi * x_{1}) * exp(-t) + 4 * d * t * net /'
trial 02_edge_only.pde 'prod_{i=1..d} sin(pi * x_i) + x_{1} * exp(-t) + 4 * d * t * net /'
trial 02_wave_agrees.pde 'x_{1} * sin(t) + 4 * d * net * t^2 /'
# the derivative by time has the sign of time, also where data are given at its end
trial 02_wave_terminal.pde '-x_{1} * (1 - t) + net * (1 - t)^2'
finish
