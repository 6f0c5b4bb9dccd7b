#!/bin/sh
# --points auto and --terms auto: the figures are printed, the choice is stored, a resumed run keeps it
# and ends with the bits of a run that was given its numbers; solve { } may ask for it.
# usage: choice.sh PDEC PDERUN EXAMPLES SCRATCH
set -eu
pdec=$1 pderun=$2 examples=$3 scratch=$4
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
options="--set d=200 --rate 1e-3 --width 16 --depth 3 --test-points 50 --quiet --no-report --threads 1"
"$pdec" "$examples/elliptic_sine_gordon.pde" -o "$scratch/sine_gordon.so"

# shellcheck disable=SC2086
run() { "$pderun" --effort none "$scratch/$1" $options --out "$scratch/$2" $3; }
number() { sed -n "s/.*\"$1\": *\([0-9]*\).*/\1/p" "$scratch/$2/config.json"; }

run sine_gordon.so auto "--points auto --terms auto --iterations 20" > "$scratch/text"
grep -q "squared error of the gradient" "$scratch/text" || { echo "no figures of the variance"; exit 1; }
grep -q "time of a step in ms" "$scratch/text" || { echo "no figures of the time"; exit 1; }
points=$(number points auto) terms=$(number terms auto)
[ "$points" -ge 16 ] && [ "$terms" -ge 1 ] || { echo "no numbers in config.json"; exit 1; }

run sine_gordon.so auto "--points auto --terms auto --iterations 40 --resume" > "$scratch/text"
if grep -q "squared error" "$scratch/text"; then echo "a resumed run chose again"; exit 1; fi
run sine_gordon.so given "--points $points --terms $terms --iterations 40" > /dev/null
[ "$(sha256sum < "$scratch/auto/model.safetensors")" = \
    "$(sha256sum < "$scratch/given/model.safetensors")" ] || { echo "other bits after a choice"; exit 1; }

sed '/^solve/,$d' "$examples/elliptic_sine_gordon.pde" > "$scratch/own.pde"
echo 'solve { method sdgd(algorithm = 2, points = auto, terms = auto) }' >> "$scratch/own.pde"
"$pdec" "$scratch/own.pde" -o "$scratch/own.so"
run own.so own "--iterations 2" > "$scratch/text"
grep -q "least error within" "$scratch/text" || { echo "solve { } did not choose"; exit 1; }
# a number on the command line comes before the file's auto
run own.so number "--iterations 2 --points 31 --terms 7" > "$scratch/text"
grep -q "31 points, 7 terms" "$scratch/text" || { echo "numbers did not replace auto"; exit 1; }

if run own.so bad "--points some" > "$scratch/text" 2>&1; then echo "some is no number"; exit 1; fi
grep -q "auto, or a whole number" "$scratch/text" || { echo "no word on what --points takes"; exit 1; }
exit 0
