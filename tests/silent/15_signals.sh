#!/bin/sh
# Endings: signals that come in pairs lose no checkpoint, little address space leaves no thread that spins
# for ever, and what a killed run left half written is removed by the next one.
set -eu
. "$(dirname "$0")/support.sh"
cd "$scratch"
"$pdec" -o plain.so "$cases/plain.pde"
short="--width 4 --depth 2 --points 8 --quiet --no-report"

# begin DIR OPTIONS...: a run in the background that has written its first row
begin() {
    dir=$1
    shift
    "$pderun" --effort none plain.so $short --out "$dir" "$@" >"$dir.txt" 2>&1 &
    pid=$!
    tries=0
    while ! [ -s "$dir/log.jsonl" ] && [ "$tries" -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}

# stopped DIR WHAT: the run has ended with exit code 1, a checkpoint, and how to go on
stopped() {
    status=0
    wait "$pid" || status=$?
    if [ "$status" = 1 ] && ls "$1"/checkpoints/checkpoint-* >/dev/null 2>&1; then good; else
        bad "$2: exit $status, and in checkpoints: $(ls "$1/checkpoints")"
    fi
    says --resume "$1.txt"
}

long="--iterations 1000000000 --checkpoint-every 1000000000"
begin twice $long
kill -TERM "$pid"
kill -TERM "$pid"
stopped twice "two signals at once"
begin thrice $long
kill -INT "$pid"
kill -TERM "$pid"
kill -INT "$pid"
stopped thrice "three signals at once"
begin hangup $long
kill -HUP "$pid"
stopped hangup "a terminal that is gone"

# a person who insists: the row of the first iteration takes minutes, and no checkpoint is waited for
"$pderun" --effort none plain.so $short --iterations 10 --held-out 100000000 --out slow >slow.txt 2>&1 &
pid=$!
sleep 1.5
kill -TERM "$pid"
sleep 1.2
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
if [ "$status" = 143 ]; then good; else bad "a second signal after a second: exit $status"; fi

# what a killed run left is removed, what is not ours stays
dead=$(sh -c 'echo $$')
echo half >"twice/checkpoints/.pde-tmp-$dead-0"
echo mine >twice/checkpoints/.pde-tmp-notes
"$pderun" --effort none plain.so --out twice --resume --iterations 1 --quiet >resumed.txt 2>&1 || bad "no resume"
if [ ! -e "twice/checkpoints/.pde-tmp-$dead-0" ]; then good; else bad "a temporary file stays"; fi
says mine twice/checkpoints/.pde-tmp-notes

# ends KB COMMAND...: with so much address space, whatever comes of it
ends() {
    limit=$1 status=0
    shift
    (ulimit -v "$limit"; exec timeout -k 1 10 "$@") >limited.txt 2>&1 || status=$?
    if [ "$status" != 124 ] && [ "$status" != 137 ]; then good; else bad "$limit KB: no end of $*"; fi
}

# sanitizers need terabytes of addresses
if (ulimit -v 4000000; "$pderun" --version) >/dev/null 2>&1; then
    for limit in 220000 240000 260000 280000 300000 320000 340000 360000; do
        ends $limit "$pderun" --version
    done
    for limit in 320000 400000 480000 560000; do
        rm -rf little
        ends $limit "$pderun" --effort none plain.so $short --iterations 2 --optimiser natural --out little
    done
fi
finish
