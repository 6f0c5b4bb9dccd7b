#!/bin/sh
# Runs that are killed, interrupted and resumed end with the bits of one that was not.
# usage: resume.sh PDERUN MODULE SCRATCH [KILLS]; PDE_OPTIONS: more options
set -eu
pderun=$1 module=$2 scratch=$3 kills=${4:-4}
rm -rf "$scratch"
mkdir -p "$scratch"
export XDG_CACHE_HOME="$scratch/cache"
options="--set d=200 --algorithm 2 --points 40 --terms 20 --iterations 400 --checkpoint-every 7
         --test-points 50 --log-every 20 --quiet --no-report ${PDE_OPTIONS:-}"

# shellcheck disable=SC2086
run() { "$pderun" --effort none "$module" $options --out "$1" $2 >/dev/null; }

run "$scratch/whole" ""
want=$(sha256sum < "$scratch/whole/model.safetensors")

resume=""
i=0
while [ "$i" -lt "$kills" ]; do
    # the program itself in the background, no shell around it: wait then means that it is gone
    # shellcheck disable=SC2086
    "$pderun" --effort none "$module" $options --out "$scratch/killed" $resume >/dev/null &
    pid=$!
    sleep "0.$((1 + (i * 7 + 3) % 5))"
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    if ls "$scratch/killed/checkpoints/"checkpoint-* >/dev/null 2>&1; then resume="--resume"; fi
    i=$((i + 1))
done
run "$scratch/killed" "$resume"
[ "$(sha256sum < "$scratch/killed/model.safetensors")" = "$want" ] || { echo "kill -9: other bits"; exit 1; }
# whole rows only, each iteration once
[ "$(wc -l < "$scratch/killed/log.jsonl")" = "$(wc -l < "$scratch/whole/log.jsonl")" ] || {
    echo "the log of the resumed run has other rows"; exit 1; }

# Ctrl-C: a checkpoint, exit code 1, and how to go on
# shellcheck disable=SC2086
"$pderun" --effort none "$module" $options --out "$scratch/stopped" > "$scratch/text" 2>&1 &
pid=$!
sleep 0.5
kill -INT $pid
code=0
wait $pid || code=$?
if [ "$code" != 0 ]; then
    grep -q -- "--resume" "$scratch/text" || { echo "no word on how to go on"; exit 1; }
    run "$scratch/stopped" "--resume"
fi
[ "$(sha256sum < "$scratch/stopped/model.safetensors")" = "$want" ] || { echo "Ctrl-C: other bits"; exit 1; }

# a second run on the directory is refused, and so is a fresh start over checkpoints
if run "$scratch/whole" "" 2>/dev/null; then echo "started over old checkpoints"; exit 1; fi
exit 0
