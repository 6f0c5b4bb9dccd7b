#!/bin/sh
# Do intervals hold what they say? Examples with a known solution, trained with several seeds: of the points' 95 %
# intervals of the corrected value 90 to 99 % hold the exact one, and the estimated rms error is within 15 % of the
# true one (where its own interval is wider than that: within it). A wrong reference shows as well: the expansion
# that hjb_rosenbrock.pde states is 1.3e-4 off at d = 100, where no interval holds it, and 1.7e-5 at 250. The corrected
# value is five times closer than the network's in the geometric mean. Where the truth is known at one point only, that
# point is asked for many times, each time along paths of its own. Networks that are far off are covered as well, or
# refused: less than 5 % are neither.
# usage: coverage.sh PDEC PDERUN EXAMPLES short|table|long SCRATCH [NAME]
# table: as long, with 100 points and 128 paths in place of 200 and 400; both write SCRATCH/coverage.md, which runtime/error/COVERAGE.md is
set -u
pdec=$1 pderun=$2 examples=$3 tier=$4 scratch=$5 only=${6-}
failed=0 all_held=0 all_points=0 all_broken=0 refused=0 silent=0 whole=no
rm -rf "$scratch"
mkdir -p "$scratch" || exit 2
: >"$scratch/rows"
: >"$scratch/closer"
export XDG_CACHE_HOME="$scratch/cache"

# figures MODULE RUN OPTIONS...: "estimate low high true corrected held points", or the reason why there are none
figures() {
    module=$1 run=$2
    shift 2
    "$pderun" "$module" --error "$run" --threads 1 "$@" >"$scratch/text" 2>&1
    sed -nE 's/^ *relative error +below ([0-9.e-]+) .*/0 0 \1/p
        s/^ *relative error +([0-9.e-]+) \(95 %: ([0-9.e-]+) to ([0-9.e-]+)\).*/\1 \2 \3/p
        s/.*exact solution +relative error ([0-9.e-]+), after correction ([0-9.e-]+); ([0-9]+) of ([0-9]+).*/\1 \2 \3 \4/p
        s/^no error bar: (.*)/\1/p' "$scratch/text" | tr '\n' ' '
}

# row NAME RUNS HELD POINTS LEAST MOST CLOSER: a line of the table
row() {
    printf '| %s | %s | %s of %s (%s %%) | %s to %s | %s |\n' "$1" "$2" "$3" "$4" \
        "$(awk -v h="$3" -v n="$4" 'BEGIN { printf "%.1f", n ? 100 * h / n : 0 }')" "$5" "$6" "$7" >>"$scratch/rows"
    write_table
}

# compile NAME: from the examples, or what was written into the scratch
compile() {
    place=$examples
    [ ! -e "$scratch/$1.pde" ] || place=$scratch
    "$pdec" "$place/$1.pde" -o "$scratch/module.so" >"$scratch/text" 2>&1 || { cat "$scratch/text"; exit 1; }
}

# covers NAME SEEDS POINTS PATHS OPTIONS...
covers() {
    name=$1 seeds=$2 points=$3 paths=$4
    shift 4
    [ -z "$only" ] || [ "$only" = "$name" ] || return
    compile "$name"
    held=0 total=0
    : >"$scratch/said"
    for seed in $seeds; do
        "$pderun" --effort none "$scratch/module.so" --out "$scratch/$name.$seed" --threads 1 --quiet --no-report \
            --seed "$seed" "$@" >"$scratch/text" 2>&1
        said=$(figures "$scratch/module.so" "$scratch/$name.$seed" --error-points "$points" --paths "$paths")
        echo "     $name, seed $seed: $said"
        case $said in *"linearisation does not hold"*) continue ;; esac # said, and no bar is given
        printf '%s\n' "$said" | awk '{ near = $1 > 0.85 * $4 && $1 < 1.15 * $4
            exit !(NF == 7 && (near || $2 <= $4 && $4 <= $3 && $3 - $2 > 0.3 * $4) && $5 < $4 / 2) }' ||
            { echo "FAIL $name, seed $seed: the estimated error is not the true one"; failed=1; continue; }
        held=$((held + $(printf '%s' "$said" | awk '{ print $6 }')))
        total=$((total + $(printf '%s' "$said" | awk '{ print $7 }')))
        printf '%s\n' "$said" >>"$scratch/said"
    done
    all_held=$((all_held + held)) all_points=$((all_points + total))
    [ "$tier" = short ] && return
    if [ ! -s "$scratch/said" ]; then
        echo "| $name | $(echo "$seeds" | wc -w) | none, the last: $said | - | - |" >>"$scratch/rows"
        return
    fi
    between "$name" $held $total
    awk '{ print log($4 / $5) }' "$scratch/said" >>"$scratch/closer"
    # estimated over true error, where the estimate is no mere upper bound
    # shellcheck disable=SC2046 # three numbers
    row "$name" "$(echo "$seeds" | wc -w)" $held $total $(awk '{ if ($1 > 0) { r = $1 / $4; if (!n++ || r < l) l = r
        if (r > m) m = r } s += log($4 / $5) } END { printf "%.2f %.2f %.1f", l, m, exp(s / NR) }' "$scratch/said")
}

# at_a_point NAME SEEDS TIMES OPTIONS...: 16 times TIMES intervals at the reference point
at_a_point() {
    name=$1 seeds=$2 times=$3
    shift 3
    [ -z "$only" ] || [ "$only" = "$name" ] || return
    awk '/^reference/ { for (k = 1; k < 16; k++) print } { print }' "$examples/$name.pde" >"$scratch/$name.pde"
    compile "$name"
    : >"$scratch/said"
    for seed in $seeds; do
        "$pderun" --effort none "$scratch/module.so" --out "$scratch/$name.$seed" --threads 1 --quiet --no-report \
            --seed "$seed" "$@" >"$scratch/text" 2>&1
        for k in $(seq "$times"); do
            "$pderun" "$scratch/module.so" --error "$scratch/$name.$seed" --threads 1 --seed "$k" --error-points 1 \
                --paths 128 >>"$scratch/said" 2>&1
        done
    done
    # "  u = 1.045 +- 0.006; the network 1.0448, known 1.04425"
    # shellcheck disable=SC2046 # three numbers
    set -- $(sed -nE 's/^  [^ ]+ = ([^ ]+) \+- ([^;]+); the network ([^,]+), known (.*)/\1 \2 \3 \4/p' "$scratch/said" |
        awk '{ held += ($1 - $4)^2 <= 1.0001 * $2^2; before += ($3 - $4)^2; after += ($1 - $4)^2 }
            END { printf "%d %d %.2f", held, NR, NR ? sqrt(before / after) : 0 }')
    between "$name, at its point" "$1" "$2"
    row "$name, at its point" "$(echo "$seeds" | wc -w)" "$1" "$2" - - "$3"
}

between() { # NAME HELD POINTS
    if awk -v h="$2" -v n="$3" 'BEGIN { exit !(n > 0 && h >= 0.9 * n && h <= 0.99 * n) }'; then
        echo "ok   $1: $2 of $3 intervals hold the solution"
    else
        echo "FAIL $1: $2 of $3 intervals hold the solution"
        failed=1
    fi
}

# stated NAME BOUNDARY LAW TERM: a problem with the solution cos(x_1) (2 + x_2)
stated() {
    printf 'problem "p"\ndim d = 5\ndomain x in ball(d, 1)\nfield u(x)\nexact u = cos(x_1) * (2 + x_2)\n%s\n%s\n%s\n' \
        "equation lap(u) + $4 = g" "source g from exact" "boundary $2" >"$scratch/$1.pde"
    printf 'source h from exact\n%s\n' "$3" >>"$scratch/$1.pde"
}
small="--width 12 --depth 3 --points 64 --optimiser natural --precision float64"

# broken NAME TERM OPTIONS...: a network that is far off: its intervals are as good, or it is refused
broken() {
    name=$1 term=$2
    shift 2
    [ -z "$only" ] || [ "$only" = "$name" ] || [ "$only" = broken ] || return
    stated "$name" "u = h${weight-}" "${law-}" "$term"
    compile "$name"
    # shellcheck disable=SC2086 # several options
    "$pderun" --effort none "$scratch/module.so" --out "$scratch/$name" --force --threads 1 --quiet --no-report --seed 0 \
        $small "$@" >"$scratch/text" 2>&1
    if [ -n "${law-}" ]; then # asked about on the whole domain
        stated "$name" "u = h" "" "$term"
        compile "$name"
    fi
    said=$(figures "$scratch/module.so" "$scratch/$name" --error-points 64 --paths 128)
    all_broken=$((all_broken + 1))
    case $said in *"linearisation does not hold"*) refused=$((refused + 1)) ;; esac
    if printf '%s\n' "$said" | awk '{ exit !(/linearisation does not hold/ || (NF == 7 && $6 >= 0.9 * $7)) }'; then
        echo "ok   $name: $said"
    else
        echo "MISS $name: $said"
        silent=$((silent + 1))
    fi
}

# Less than 5 % are missed in silence; of a few none.
judge_broken() {
    [ $all_broken -gt 0 ] || return
    echo "     $all_broken networks that are far off: $refused refused, $silent missed in silence"
    [ $((silent * 20)) -lt $all_broken ] || { echo "FAIL: silent misses"; failed=1; }
}

# So far: it is whole at the end.
write_table() {
    {
        echo "# Do error bars hold?"
        echo
        echo "Made by \`cmake --build build --target coverage\` (tests/run/coverage.sh). Each row: networks of so many seeds,"
        echo "their error bars at $points points of the test law with $paths paths from each (at a point: 128), beside the exact solution;"
        echo "d = 10, but hjb_rosenbrock 250 and what has its truth at a point (its file's). \"Estimated over true\": of the rms"
        echo "error, least and most of the seeds. \"Times closer\": the corrected values than the network's, geometric mean."
        echo
        echo "| problem | networks | intervals that hold the solution | estimated over true | times closer |"
        echo "|---|---|---|---|---|"
        cat "$scratch/rows"
        echo
        awk -v h=$all_held -v n=$all_points '{ s += $1 } END {
            printf "All at points of the test law: %d of %d hold it (%.1f %%); corrected values are %.1f times closer.\n", h, n,
                n ? 100 * h / n : 0, NR ? exp(s / NR) : 0 }' "$scratch/closer"
        echo
        [ $all_broken = 0 ] || {
            echo "Networks that are far off (too few steps, a condition with a weight of 1e-4, points from a small part of the"
            echo "domain; seven equations): $all_broken, of them $refused refused, $silent with intervals of which less than 90 % hold."
        }
        [ "$whole" = yes ] || echo "The command was stopped here: other problems of coverage.sh are not in this table."
    } >"$scratch/coverage.md"
}

natural="--optimiser natural --rate linear(0.3,0) --algorithm exact --depth 3 --points 100"
if [ "$tier" = short ]; then
    covers elliptic_allen_cahn 0 64 64 --set d=4 $natural --width 16 --iterations 30
    covers black_scholes_barenblatt 0 64 128 --set d=10 --iterations 20
    covers hjb_log_paths 0 64 128 --set d=10 --points 50 --width 16 --iterations 30
    covers hjb_lin 0 64 128 --set d=5
    between "all together" $all_held $all_points
    broken cubic "-u^3" --iterations 20
    broken sine "sin(3*u)" --iterations 10
else
    seeds="0 1 2" points=200 paths=400 counts="5 10 20 40"
    [ "$tier" = long ] || { points=100; paths=128; counts="5 20"; }
    stated neumann "d(u, outward) = h" "" "-10*u"
    stated robin "d(u, outward) + 2*u = h" "" "-u"
    covers neumann "$seeds" $points $paths $small --iterations 30
    covers robin "$seeds" $points $paths $small --iterations 30
    for kind in poisson allen_cahn sine_gordon; do
        covers elliptic_$kind "$seeds" $points $paths --set d=10 $natural --width 32 --iterations 60
        covers elliptic_${kind}_three_body "$seeds" $points $paths --set d=10 $natural --width 32 --iterations 60
    done
    covers poisson_houman "$seeds" $points $paths --set d=10 $natural --width 32 --iterations 60
    covers poisson_box "$seeds" $points $paths --set d=10 $natural --width 32 --iterations 60
    covers black_scholes "$seeds" $points $paths --set d=10 --iterations 40
    covers black_scholes_barenblatt "$seeds" $points $paths --set d=10 --iterations 40
    covers fokker_planck "$seeds" $points $paths --set d=10 --points 100 --iterations 40
    covers fokker_planck_nonlinear "$seeds" $points $paths --set d=10 --points 100 --iterations 60
    covers hjb_lin "$seeds" $points $paths --set d=10
    covers hjb_log "$seeds" $points $paths --set d=10 $natural --width 32 --iterations 60
    covers hjb_log_paths "$seeds" $points $paths --set d=10 --points 100 --iterations 40
    covers hjb_rosenbrock "$seeds" $points $paths --set d=250 --points 100 --iterations 40
    at_a_point parabolic_sine_gordon "$seeds" 4 --set d=10 --set wanted=0.322926385336 --iterations 30
    at_a_point parabolic_semilinear_heat "$seeds" 4 --set d=10 --set wanted=0.469549871352 --iterations 30
    at_a_point parabolic_allen_cahn "$seeds" 4 --set d=10 --set wanted=0.890526 --iterations 300
    for number in $counts; do
        broken cubic "-u^3" --iterations $number
        broken allen_cahn "u - u^3" --iterations $number
        broken sine "sin(3*u)" --iterations $number
        broken exponential "-exp(u)" --iterations $number
        broken quintic "-u^5/4" --iterations $number
        broken slopes "-sum_i d(u, x_i)^2" --iterations $number
        broken drift "-u * d(u, x_1)" --iterations $number
    done
    for kind in weight law; do
        weight="" law=""
        [ $kind = law ] || weight=" weight 1e-4"
        [ $kind = weight ] || law="sample x_i ~ normal(0, 0.05)"
        broken cubic_$kind "-u^3" --iterations 40
        broken sine_$kind "sin(3*u)" --iterations 40
        broken exponential_$kind "-exp(u)" --iterations 40
        broken slopes_$kind "-sum_i d(u, x_i)^2" --iterations 40
        broken drift_$kind "-u * d(u, x_1)" --iterations 40
    done
    [ -n "$only" ] || whole=yes
    write_table
fi
judge_broken
exit $failed
