#!/bin/sh
# Problems of the catalogue, trained at a reduced size: each error bound is one that a wrong sign, a wrong term or a
# wrong reference value would break.
# usage: catalogue.sh PDEC PDERUN EXAMPLES SCRATCH
set -u
pdec=$1 pderun=$2 examples=$3 scratch=$4
failed=0
rm -rf "$scratch"
mkdir -p "$scratch" || exit 2
export XDG_CACHE_HOME="$scratch/cache"

# below NAME BOUND OPTIONS...: the last error of the log (test points, or the reference point) is below the bound
below() {
    name=$1 bound=$2
    shift 2
    rm -rf "$scratch/run"
    "$pdec" "$examples/$name.pde" -o "$scratch/module.so" &&
        "$pderun" "$scratch/module.so" --out "$scratch/run" --quiet --no-report --width 32 --log-every 100000 "$@" \
            >"$scratch/text" 2>&1 || {
        echo "FAIL $name"
        cat "$scratch/text"
        failed=1
        return
    }
    error=$(tail -n 1 "$scratch/run/log.jsonl" | sed 's/.*"error":\([^,]*\),.*/\1/')
    if awk -v e="$error" -v b="$bound" 'BEGIN { exit !(e == e + 0 && e < b) }'; then
        echo "ok   $name: $error < $bound"
    else
        echo "FAIL $name: error $error, bound $bound"
        failed=1
    fi
}

below parabolic_semilinear_heat 2e-3 --set d=100 --set wanted=0.316627807586 --iterations 600 --points 100
below parabolic_sine_gordon 2e-3 --set d=100 --set wanted=0.0528094354029 --iterations 600 --points 100
below parabolic_allen_cahn 2e-2 --set d=10 --set wanted=0.890526 --iterations 600 --points 200
below hjb_log_paths 8e-3 --set d=100 --iterations 600 --points 100
below hjb_rosenbrock 8e-3 --set d=100 --iterations 600 --points 100
below fokker_planck 1e-2 --set d=20 --iterations 600 --points 64
below black_scholes 8e-3 --set d=20 --iterations 500 --points 64
below wave_ansatz 5e-2 --set d=20 --iterations 600 --points 64 --algorithm exact
below inverse_diffusion 3e-2 --set d=10 --iterations 3000 --points 64
k=$(sed -n 's/^  k  *//p' "$scratch/text")
awk -v k="$k" 'BEGIN { exit !(k > 0.65 && k < 0.75) }' || { echo "FAIL inverse_diffusion: k = $k, not 0.7"; failed=1; }

# A wrong reference value must show: 2 % off is an error of 2 %.
"$pdec" "$examples/parabolic_semilinear_heat.pde" -o "$scratch/module.so"
"$pderun" "$scratch/module.so" --out "$scratch/wrong" --quiet --no-report --width 32 --points 100 --iterations 600 \
    --set d=100 --set wanted=0.32296 >"$scratch/text"
error=$(sed -n 's/^  u .* //p' "$scratch/text")
awk -v e="$error" 'BEGIN { exit !(e > 0.015 && e < 0.025) }' || { echo "FAIL wrong reference: error $error"; failed=1; }
rm -rf "$scratch"
exit $failed
