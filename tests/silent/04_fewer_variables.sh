#!/bin/sh
# A field that is declared without a variable which the network sees does not depend on it, to the last bit, however it is
# trained; what would make it depend is refused.
set -eu
. "$(dirname "$0")/support.sh"

# trained OPTIONS...: k after some steps is the same at both times
trained() {
    rm -rf "$scratch/run"
    "$pderun" "$scratch/module.so" --out "$scratch/run" --effort none --threads 1 --no-report --width 12 --depth 3 \
        --iterations 12 --points 24 "$@" >"$scratch/text" 2>&1 || { cat "$scratch/text"; }
    "$pderun" "$scratch/run" --predict "$scratch/points.csv" --what 'k,u' --out "$scratch/values.csv" >"$scratch/text" 2>&1 ||
        cat "$scratch/text"
    if awk -F, 'NR == 2 { k = $1; u = $2 } NR == 3 { exit !(NF == 2 && k == $1 && u != $2) }' \
        "$scratch/values.csv"; then good; else bad "$*: k depends on t:"; cat "$scratch/values.csv"; fi
}

accepted "$cases/04_fewer_variables.pde"
"$pdec" "$cases/04_fewer_variables.pde" -o "$scratch/module.so"
printf '0.25,0.125\n0.25,0.875\n' >"$scratch/points.csv"
trained
trained --optimiser natural
trained --optimiser lbfgs
trained --optimiser adamw --weights balance --clip 1 --average 0.5 --precision float64
for wrong in '--optimiser natural --natural-space rows' '--points auto' '--width 1'; do
    status=0
    # shellcheck disable=SC2086
    "$pderun" "$scratch/module.so" --out "$scratch/no.run" --effort none $wrong >"$scratch/text" 2>&1 || status=$?
    if [ "$status" != 0 ] && grep -q 'fields' "$scratch/text"; then good; else bad "$wrong:"; cat "$scratch/text"; fi
done

sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/no_space.pde"
accepted "$scratch/no_space.pde"
sed 's/u(x,t)/u(x)/; s/d(u,t)/u/' "$cases/04_fewer_variables.pde" >"$scratch/no_time.pde"
refused E0583 "$scratch/no_time.pde"
says '4:7' "$scratch/refused.txt"
sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/exact.pde"
echo 'exact k = 1 + x_1' >>"$scratch/exact.pde"
refused E0586 "$scratch/exact.pde"
says '4:15' "$scratch/refused.txt"
sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/exactly.pde"
echo 'boundary k = 0 exactly' >>"$scratch/exactly.pde"
refused E0586 "$scratch/exactly.pde"
sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/fits.pde"
echo 'initial k = 0 exactly' >>"$scratch/fits.pde"
accepted "$scratch/fits.pde"
echo 'ansatz u = x_1 * net' >>"$scratch/fits.pde"
accepted "$scratch/fits.pde"
sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/feature.pde"
echo 'solve { network mlp(features = [x_1 * t]) }' >>"$scratch/feature.pde"
refused E0583 "$scratch/feature.pde"
sed 's/k(x)/k(t)/' "$cases/04_fewer_variables.pde" >"$scratch/feature.pde"
echo 'solve { network mlp(features = [x_1, t^2, x_1*t]) }' >>"$scratch/feature.pde"
accepted "$scratch/feature.pde"
finish
