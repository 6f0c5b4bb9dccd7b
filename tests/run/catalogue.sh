#!/bin/sh
# Every example, trained at a reduced size to an error bound; and, where no source is derived (which would follow),
# the same file with one sign changed must miss that bound. Tensor networks are tnn.sh's.
# usage: catalogue.sh PDEC PDERUN EXAMPLES SCRATCH [NAME]
set -u
pdec=$1 pderun=$2 examples=$3 scratch=$4 only=${5-}
failed=0
. "$(dirname "$0")/../counted.sh"
fresh "$scratch"

# train FILE OPTIONS...: sets `error` (test points, or the reference point); fails if there is none
train() {
    file=$1
    shift
    rm -rf "$scratch/run"
    "$pdec" "$file" -o "$scratch/module.so" >"$scratch/text" 2>&1 &&
        "$pderun" --effort none "$scratch/module.so" --out "$scratch/run" --quiet --no-report --log-every 100000 "$@" \
            >"$scratch/text" 2>&1 || return 1
    last=$(tail -n 1 "$scratch/run/log.jsonl")
    error=$(printf '%s' "$last" | sed -n 's/.*"error":\([0-9.e+-]*\).*/\1/p')
    [ -n "$error" ]
}

less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a == a + 0 && a < b) }'; }

# below NAME BOUND SIGN OPTIONS...: SIGN is what sed does to the file to make it wrong; -: nothing
below() {
    name=$1 bound=$2 sign=$3
    shift 3
    [ -z "$only" ] || [ "$only" = "$name" ] || return
    if ! train "$examples/$name.pde" "$@"; then
        echo "FAIL $name: no error"
        cat "$scratch/text"
        failed=1
    elif less "$error" "$bound"; then
        echo "ok   $name: $error < $bound"
    else
        echo "FAIL $name: error $error, bound $bound"
        failed=1
    fi
    [ "$sign" = - ] && return
    sed "$sign" "$examples/$name.pde" >"$scratch/wrong.pde"
    if cmp -s "$scratch/wrong.pde" "$examples/$name.pde"; then
        echo "FAIL $name: '$sign' changes nothing"
        failed=1
    elif train "$scratch/wrong.pde" "$@" && less "$error" "$bound"; then
        echo "FAIL $name: with a wrong sign the error is $error, below $bound"
        failed=1
    fi
}

# near NAME VALUE SHARE: an unknown of the run above, to a share of its value
near() {
    [ -z "$only" ] || [ "$only" = "$name" ] || return
    value=$(printf '%s' "$last" | sed -n "s/.*\"$1\":\([0-9.e+-]*\).*/\1/p")
    awk -v a="$value" -v b="$2" -v s="$3" 'BEGIN { exit !(a != "" && (a - b)^2 < (s * b)^2) }' ||
        { echo "FAIL $name: $1 = $value, not $2"; failed=1; }
}

natural="--optimiser natural --rate linear(0.3,0) --algorithm exact --width 32 --depth 3 --points 100 --iterations 100"
form="--optimiser natural --depth 2 --points 64 --iterations 600"
heat="--set d=100 --set wanted=0.316627807586"
below parabolic_semilinear_heat 1e-4 '/^equation/s/lap(u) +/lap(u) -/' $heat
below parabolic_sine_gordon 1e-4 '/^equation/s/+ d \*/- d */' --set d=100 --set wanted=0.0528094354029
below parabolic_allen_cahn 2e-2 '/^equation/s/+ u - u/- u + u/' --set d=10 --set wanted=0.890526 --width 32 \
    --points 200 --iterations 600
below hjb_log_paths 2e-3 '/^equation/s/ - sum/ + sum/' --set d=100 --points 100 --iterations 80
below hjb_rosenbrock 2e-3 '/^equation/s/ - sum/ + sum/' --set d=100 --points 100 --iterations 80
below hjb_log 6e-2 '/^equation/s/ - sum/ + sum/' --set d=10 $natural
below hjb_log_points 2e-3 '/^equation/s/ - sum/ + sum/' --set d=50 --set spread=1 $natural
below hjb_lqg 5e-3 '/^equation/s/ - mu/ + mu/' --set d=50 --points 100 --iterations 80
below hjb_lin 1e-4 '/^equation/s/= -2/= 2/' --set d=50
below black_scholes 1e-3 's/- r \* V = 0/+ r * V = 0/' --set d=20 --iterations 60
below black_scholes_barenblatt 1e-3 '/^equation/s/ - k/ + k/' --set d=20 --iterations 60
below fokker_planck 3e-3 's/^let    F_i  = -/let    F_i  = /' --set d=20 --points 100 --iterations 80
below fokker_planck_nonlinear 3e-2 '/^equation/s/-sum_i/sum_i/' --set d=20 --iterations 80
below wave 3e-2 '/^equation/s/= sum/= -sum/' --set d=10 --iterations 80
below wave_ansatz 8e-3 '/^equation/s/- lap/+ lap/' --set d=20 --iterations 80
below kdv_2d 2e-2 '/^equation/s/+ d(u, x_1/- d(u, x_1/' --points 100 --iterations 60
below sine_gordon_1d 3e-2 '/^equation/s/+ sin/- sin/' --points 100 --iterations 60
below gkdv_1d 3e-2 's/+ u \* d(u, x_1)/- u * d(u, x_1)/' --optimiser natural --rate 'linear(0.3,0)' --width 32 \
    --depth 3 --points 100 --iterations 60
below fitzhugh 3e-2 - --set d=20 $natural
below biharmonic 0.2 - --set d=5 --width 32 --points 100 --iterations 100
below elliptic_sine_gordon_features 1e-2 - --set d=50 --points 200 --iterations 60
below elliptic_sine_gordon_three_body_features 3e-4 - --set d=50 --points 100 --iterations 60
below biharmonic_features 3e-3 - --set d=30 --points 100 --iterations 60
below biharmonic_system 5e-2 - --set d=8 --points 100 --iterations 80
below poisson_box 1e-2 - --set d=10 $natural
below poisson_houman 0.1 - --set d=10 $natural
for kind in poisson allen_cahn sine_gordon; do
    below elliptic_$kind 2e-2 - --set d=10 $natural
    below elliptic_${kind}_three_body 1e-2 - --set d=10 $natural
    # a third of the first-order Taylor error, by networks that are forms: 9.57e-2 and 5.16e-3
    below elliptic_$kind 3.1e-2 - --set d=20 $form --activation square --width 24
    below elliptic_${kind}_three_body 1.7e-3 - --set d=12 $form --activation cube --width 48
done
below elliptic_sine_gordon_products 4e-3 - --set d=10 --points 100 --iterations 100
below elliptic_sine_gordon_three_body_products 3e-4 - --set d=10 --points 100 --iterations 100 \
    --rate "cosine(0.3,0.001)"
below inverse_diffusion 1e-2 '/^ansatz/s/+ t/- t/;/^equation/s/k \*/-k */' --set d=10 --iterations 150
if [ -z "$only" ] || [ "$only" = inverse_diffusion ]; then
    train "$examples/inverse_diffusion.pde" --set d=10 --iterations 150
    near k 0.7 0.02
fi

# An eigenvalue without test points, and a reference by sampling in place of which the integral is put.
if [ -z "$only" ]; then
    train "$examples/oscillator.pde" --set d=5 $natural
    name=oscillator
    near lambda 4.66390246015 0.01
    sed '/^reference/,/samples/d' "$examples/hjb_lqg.pde" >"$scratch/lqg.pde"
    sed -n '/^reference/,/)))))/p' "$examples/hjb_log.pde" | sed 's/s2/(2*(T - t))/g' >>"$scratch/lqg.pde"
    # the same function written so that the field's exponential is hidden among others in the residual
    sed 's/^let    logh = .*/let    logh = abs(z) + log1p(exp(-2*abs(z))) - log(2)/' \
        "$examples/fokker_planck_nonlinear.pde" >"$scratch/hidden.pde"
    own=$examples examples=$scratch
    below hidden 3e-2 - --set d=20 --iterations 80
    below lqg 1e-2 '/^equation/s/ - mu/ + mu/' --set d=10 $natural
    examples=$own

    # A wrong reference value must show: 2 % off is an error of 2 %.
    train "$examples/parabolic_semilinear_heat.pde" --set d=100 --set wanted=0.32296
    less 0.015 "$error" && less "$error" 0.025 || { echo "FAIL wrong reference: error $error"; failed=1; }
fi
rm -rf "$scratch"
exit $failed
