#!/bin/sh
# Pipes and devices in place of files: as module, data, points, configuration, checkpoint, log, cache entry
# and problem. Each was waited for without end, or read without end; each is refused at once.
set -eu
. "$(dirname "$0")/support.sh"
cd "$scratch"

# ends CODE COMMAND...: within ten seconds, with that exit code
ends() {
    code=$1 status=0
    shift
    timeout -k 1 10 "$@" >out.txt 2>&1 </dev/null || status=$?
    if [ "$status" = "$code" ]; then good; else bad "exit $status, wanted $code: $*"; cat out.txt; fi
}

mkfifo pipe pipe.so pipe.pde
ends 3 "$pdec" --check pipe.pde
says "not a regular file" out.txt
ends 3 "$pdec" --check /dev/zero
ends 3 "$pdec" --check .
"$pdec" --check - <"$cases/plain.pde" && good || bad "standard input is read no longer"

ends 3 "$pderun" --effort none pipe.so
says "it is a pipe" out.txt
ends 3 "$pderun" --info pipe.so
ends 3 sh -c 'ulimit -v 1000000; exec "$0" --info /dev/zero' "$pderun"
says "it is a device" out.txt

"$pdec" -o plain.so "$cases/plain.pde"
short="--iterations 3 --width 4 --depth 2 --points 8 --test-points 8 --quiet --no-report"
ends 3 "$pderun" --effort none plain.so $short --config pipe
ends 3 "$pderun" --effort none plain.so $short --out pipe
ends 3 "$pderun" --effort none plain.so $short --no-cache --trace pipe --out traced
says "nothing reads" out.txt

# the run's own files
ends 0 "$pderun" --effort none plain.so $short --out run
ends 3 "$pderun" --effort none plain.so --predict pipe --model run/model.safetensors
rm run/log.jsonl
mkfifo run/log.jsonl
ends 3 "$pderun" --effort none plain.so $short --out run --resume --iterations 6
rm run/log.jsonl
for file in run/checkpoints/checkpoint-*; do rm "$file"; mkfifo "$file"; done
ends 1 "$pderun" --effort none plain.so $short --out run --resume --iterations 6

# a lock that is a link to another file must not empty it
mkdir linked
echo precious >kept
ln -s ../kept linked/lock
ends 3 "$pderun" --effort none plain.so $short --out linked
says precious kept

# cache entries: all pipes; then the kernels are compiled
for file in cache/pderun/*; do rm "$file"; mkfifo "$file"; done
ends 0 "$pderun" --effort none plain.so $short --out again

# data: by the compiler's interpreter and by the run
cp "$cases/14_fifo_data.pde" .
mkfifo ff.npy
ends 2 "$pdec" --eval 'sum_ij A_ij' 14_fifo_data.pde
says "it is a pipe" out.txt
ends 0 "$pdec" -o fifo.so 14_fifo_data.pde
ends 3 "$pderun" --effort none fifo.so $short --out fifo
says "it is a pipe" out.txt
finish
