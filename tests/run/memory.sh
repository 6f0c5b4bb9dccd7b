#!/bin/sh
# Anonymous memory of a training run (the mapped pages of libraries aside) at 1,000 and 100,000 dimensions, with
# checkpoints, the same resumed, and the processor time from start to the end of the first iteration.
# usage: memory.sh PDEC PDERUN EXAMPLES SCRATCH
set -u
pdec=$1 pderun=$2 examples=$3 scratch=$4
[ -r /proc/self/status ] || { echo "no /proc: skipped"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch"
passed=0 failed=0

note() { # 0 or not, TEXT
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $2"; fi
}

peak() { # MEGABYTES D OPTIONS...: looked at every 20 ms
    limit=$1 d=$2
    shift 2
    "$pderun" --effort none "$scratch/x.so" --set d="$d" --threads 2 --checkpoint-every 1 --no-report --quiet --no-cache \
        --test-points 32 --out "$scratch/run$d" "$@" >"$scratch/text" 2>&1 &
    pid=$!
    most=0
    while kill -0 "$pid" 2>/dev/null; do
        now=$(sed -n 's/^RssAnon:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
        [ "${now:-0}" -gt "$most" ] && most=$now
        sleep 0.02
    done
    wait "$pid"
    note $? "d = $d: $(cat "$scratch/text")"
    echo "d = $d: $((most / 1000)) MB of anonymous memory, allowed $limit"
    [ "$most" -gt 1000 ] && [ "$most" -lt $((limit * 1000)) ]
    note $? "d = $d takes $((most / 1000)) MB"
}

"$pdec" "$examples/elliptic_sine_gordon.pde" -o "$scratch/x.so"
note $? "compiles"
peak 60 1000 --iterations 20
peak 400 100000 --iterations 2 --terms 16
peak 400 100000 --iterations 4 --terms 16 --resume # what is read must not stand beside what it is read into

# Processor time is what a busy machine leaves comparable; two threads would need less of the clock.
used=$( (
    "$pderun" --effort none "$scratch/x.so" --set d=1000 --threads 1 --iterations 1 --no-report --quiet --no-cache --test-points 0 \
        --out "$scratch/start" >/dev/null 2>&1
    times
) | awk 'END { split($1, u, /[ms]/); split($2, s, /[ms]/); print u[1] * 60 + u[2] + s[1] * 60 + s[2] }')
echo "start to first iteration at d = 1,000: $used s of processor time, allowed 1"
note "$(awk -v t="$used" 'BEGIN { print !(t > 0 && t < 1) }')" "start takes $used s"

rm -rf "$scratch"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
