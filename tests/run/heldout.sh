#!/bin/sh
# --patience by the loss on held-out points: the run stops, at the same iteration and with the same bits
# when it was interrupted in between; without --held-out it goes by the error. Points that are kept
# (--fresh) and Adam before natural gradient go with it.
# usage: heldout.sh PDERUN MODULE SCRATCH
set -eu
pderun=$1 module=$2 scratch=$3
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
options="--set d=50 --width 16 --depth 3 --points 20 --terms 10 --rate 3e-2 --iterations 5000
         --log-every 10 --checkpoint-every 15 --test-points 50 --quiet --no-report --threads 1"

# shellcheck disable=SC2086
run() { "$pderun" --effort none "$module" $options --out "$scratch/$1" $2; }
last() { sed -n "\$s/.*\"iteration\":\([0-9]*\).*/\1/p" "$scratch/$1/log.jsonl"; }
value() { sed -n "\$s/.*\"$2\":\([^,}]*\).*/\1/p" "$scratch/$1/log.jsonl"; }

try() { # NAME OPTIONS
    run "$1" "--held-out 50 --patience 100 $2" > "$scratch/text"
    grep -q "no improvement" "$scratch/text" || { echo "$1: did not stop"; exit 1; }
    end=$(last "$1")
    # the best row is the one that patience counts from, and none before it is better
    awk -v end="$end" -F'"iteration":|"loss_held_out":' '{ held = $3 + 0
        if (NR == 1 || held < best) { best = held; at = $2 + 0 } }
        END { exit !(end - at >= 100 && end - at < 110) }' "$scratch/$1/log.jsonl" ||
        { echo "$1: stopped at $end, and not 100 iterations after its best"; exit 1; }
    # interrupted before the best row is too old, then resumed
    run "$1.parts" "--held-out 50 --patience 100 $2 --iterations $((end - 40))" > /dev/null
    run "$1.parts" "--held-out 50 --patience 100 $2 --iterations 5000 --resume" > /dev/null
    [ "$(last "$1.parts")" = "$end" ] || { echo "$1: resumed, it stopped at $(last "$1.parts")"; exit 1; }
    [ "$(sha256sum < "$scratch/$1/model.safetensors")" = \
        "$(sha256sum < "$scratch/$1.parts/model.safetensors")" ] || { echo "$1: other bits"; exit 1; }
}
try adam "--algorithm 2"
try kept "--algorithm 3 --fresh 0"
try natural "--optimiser natural --rate 0.5 --algorithm exact --adam-first 20 --fresh 0"

# kept points are learned by heart: the loss on them falls below that on held-out ones
[ "$(echo "$(value natural loss) $(value natural loss_held_out)" |
    awk '{ print ($1 < $2) }')" = 1 ] || { echo "kept points are no easier than others"; exit 1; }

# --fall-back: a run ends with the least loss on held-out points, where without it that has risen again; the same bits
# when it was interrupted
least() { awk -F'"loss_held_out":' '{ held = $2 + 0; if (NR == 1 || held < best) best = held } END { print best }' \
    "$scratch/$1/log.jsonl"; }
ends_with_least() { awk -v last="$(value "$1" loss_held_out)" -v least="$(least "$1")" \
    'BEGIN { exit !(last <= least * (1 + 1e-4)) }'; }
rising="--held-out 50 --iterations 150 --optimiser natural --rate 0.5 --algorithm exact --fresh 0"
run risen "$rising" > /dev/null
run back "$rising --fall-back 1.5" > /dev/null
run back.parts "$rising --fall-back 1.5 --time-limit 0.0001" > /dev/null
run back.parts "$rising --fall-back 1.5 --resume" > /dev/null
ends_with_least back || { echo "the run did not fall back"; exit 1; }
! ends_with_least risen || { echo "no loss rose, so nothing was shown"; exit 1; }
[ "$(sha256sum < "$scratch/back/model.safetensors")" = "$(sha256sum < "$scratch/back.parts/model.safetensors")" ] ||
    { echo "fallen back and resumed: other bits"; exit 1; }
exit 0
