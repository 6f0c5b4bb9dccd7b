# Automatic scales of every example beside the size that training finds, and full beside exact. The numbers are the
# RMS of the network's output after 800 natural steps (64 points, width 24, d = 10 where the file has more), taken
# where training had explained nine tenths of the squared residuals.
set -eu
. "$(dirname "$0")/support.sh"
examples=$(cd "$(dirname "$0")/../.." && pwd)/examples

# scales NAME ALGORITHM: what a run of one step says; nothing where the problem has no such algorithm
scales() {
    dims=
    if awk '/^dim +d *=/ { exit !($4 > 20) }' "$examples/$1.pde"; then dims="--set d=10"; fi
    rm -rf "$scratch/run"
    "$pderun" --effort none "$scratch/$1.so" --iterations 1 --width 8 --algorithm "$2" $dims --threads 1 --quiet --no-report \
        --out "$scratch/run" >"$scratch/out.txt" 2>&1 || true
    sed -n 's/^ *scales *\(solution.*\) (auto.*/\1/p' "$scratch/out.txt"
}

# near LIMIT TEXT TEXT: do the numbers of two texts differ by no more than a factor?
near() {
    printf '%s\n%s\n' "$2" "$3" | awk -v limit="$1" '
        { n = 0; gsub(",", ""); for (k = 1; k <= NF; k++) if ($k + 0 > 0) v[NR, ++n] = $k; count[NR] = n }
        END {
            if (!count[1] || !count[2]) exit 1
            least = count[1] < count[2] ? count[1] : count[2]
            for (k = 1; k <= least; k++) if (v[1, k] > limit * v[2, k] || v[2, k] > limit * v[1, k]) exit 1
        }'
}

while read -r name truth; do
    "$pdec" "$examples/$name.pde" -o "$scratch/$name.so" >"$scratch/out.txt" 2>&1
    full=$(scales "$name" full)
    if near 3 "$truth" "$full"; then good; else bad "$name: training finds $truth, scales are $full"; fi
    exact=$(scales "$name" exact)
    if [ -z "$exact" ] || near 1.02 "$full" "$exact"; then good; else bad "$name: full $full; exact $exact"; fi
done <<'END'
biharmonic 7.5
biharmonic_features 3.88
biharmonic_system 3.86 169
black_scholes 3.03
black_scholes_barenblatt 0.222
elliptic_allen_cahn 2.72
elliptic_allen_cahn_three_body 2.44
elliptic_poisson 2.72
elliptic_poisson_three_body 2.44
elliptic_sine_gordon 2.72
elliptic_sine_gordon_features 2.72
elliptic_sine_gordon_products 2.72
elliptic_sine_gordon_three_body 2.44
elliptic_sine_gordon_three_body_features 2.44
elliptic_sine_gordon_three_body_products 2.44
fitzhugh 0.326 0.575
fokker_planck 2.56
fokker_planck_nonlinear 15
gkdv_1d 0.333
hjb_lin 1
hjb_log 1.14
hjb_log_paths 0.854
hjb_log_points 1.15
hjb_lqg 2.42
hjb_rosenbrock 0.878
inverse_diffusion 0.384
kdv_2d 0.941
parabolic_semilinear_heat 0.898
parabolic_sine_gordon 3.21
poisson_box 1.71
poisson_houman 0.647
sine_gordon_1d 3.2
wave 0.586
wave_ansatz 0.272
END
finish
