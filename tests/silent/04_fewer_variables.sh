#!/bin/sh
# A field that is declared without a variable which the network sees would depend on it.
set -eu
. "$(dirname "$0")/support.sh"

refused E0583 "$cases/04_fewer_variables.pde"
says '4:15' "$scratch/refused.txt"
sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/no_space.pde"
refused E0583 "$scratch/no_space.pde"
sed 's/k(x)/k(x,t)/' "$cases/04_fewer_variables.pde" >"$scratch/all.pde"
accepted "$scratch/all.pde"
finish
