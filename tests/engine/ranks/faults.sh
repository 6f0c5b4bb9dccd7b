#!/bin/sh
# faults.sh PDEC PDERUN SOFT_RUN SOFT_TRANSPORT EXAMPLES short|long SCRATCH: whatever happens to one rank, all end within the time,
# one message names the rank, and the run can be resumed to the bits of one that was not disturbed.
set -u
. "$(dirname "$0")/head.sh"
failures=0

fail() {
    echo "FAIL $1"
    failures=$((failures + 1))
}

"$pdec" "$examples/elliptic_sine_gordon.pde" -o module.so >pdec.out 2>&1 || exit 1
options="--effort none --quiet --no-report --set d=20 --points 20 --terms 5 --iterations 12 --log-every 4
    --checkpoint-every 3 --test-points 20 --threads 1 --rank-timeout 3s"
"$pderun" module.so $options --out one >one.out 2>&1 || fail "one process"

# fault WHAT RANK:CALL EXPECTED: three ranks, one of which does it
fault() {
    rm -rf hurt
    start=$(date +%s)
    PDE_SOFT_FAULT="$2:$1" timeout -k 1 20 "$soft" 3 "$pderun" module.so $options --out hurt >fault.out 2>&1 && fail "$1 at $2: success"
    [ $(($(date +%s) - start)) -lt 15 ] || fail "$1 at $2: too late"
    grep -q "error\[R601\].*$3" fault.out || { fail "$1 at $2: no message of '$3'"; tail -3 fault.out; }
    # who cannot hear the others does not know that they speak
    [ "$(grep -c 'error\[' fault.out)" -eq 1 ] || [ "$1" = fail ] || { fail "$1 at $2: not one message"; grep 'error\[' fault.out; }
}

# the first exchange, one at the start, one in a step, one much later
for call in 1 4 20 40; do
    fault exit "2:$call" "rank 2 of 3 ended"
    fault fail "1:$call" "did not answer"
done
fault odd 1:9 "come apart"
fault exit 0:9 "rank 0 of 3 ended"

# every exchange of a run fails once, in turn
call=0
while [ "$size" = long ]; do
    call=$((call + 1))
    rm -rf hurt
    PDE_SOFT_FAULT="1:$call:exit" timeout -k 1 20 "$soft" 3 "$pderun" module.so $options --out hurt >each.out 2>&1
    code=$?
    if [ $code -eq 0 ]; then # it has fewer
        [ $call -gt 40 ] || fail "only $call exchanges"
        break
    fi
    [ $code -ne 124 ] && grep -q "rank 1 of 3 ended" each.out || { fail "exit at exchange $call: code $code"; tail -2 each.out; }
    [ -z "$(ls hurt/checkpoints 2>/dev/null)" ] && continue
    "$pderun" module.so --resume --quiet --no-report --out hurt >each.out 2>&1 || fail "resume after exchange $call"
    cmp -s one/model.safetensors hurt/model.safetensors || fail "resume after exchange $call: other bits"
done

# stopped: the others end by themselves, long before the one that is stopped
rm -rf hurt
PDE_SOFT_FAULT=1:22:stop "$soft" 3 "$pderun" module.so $options --out hurt >stop.out 2>&1 && fail "stop: success"
grep -q "rank 1 of 3 did not answer within 3 s" stop.out || { fail "stop: no message"; tail -3 stop.out; }

# and what was saved goes on to the same bits
"$soft" 2 "$pderun" module.so --resume --quiet --no-report --threads 1 --out hurt >resume.out 2>&1 || { fail "resume"; tail -2 resume.out; }
cmp -s one/model.safetensors hurt/model.safetensors || fail "resumed to other bits"

# other options, another module
cat >differ.sh <<'END'
#!/bin/sh
if [ "$PDE_RANK" = 1 ]; then exec "$@" $OTHER; fi
exec "$@"
END
rm -rf hurt
OTHER="--seed 5" "$soft" 3 sh differ.sh "$pderun" module.so $options --out hurt >differ.out 2>&1 && fail "another seed: success"
grep -q "rank 1 of 3 has another set of options" differ.out || { fail "another seed"; tail -2 differ.out; }
[ -e hurt ] && fail "another seed: a directory was made"

# what several processes do not do
"$soft" 2 "$pderun" module.so --predict x.npy >refuse.out 2>&1 && fail "predict"
grep -q "is work of one" refuse.out || fail "predict: no reason"
"$soft" 2 "$pderun" module.so $options --optimiser natural --distribute coordinates --out hurt >refuse.out 2>&1 && fail "coordinates"
grep -q "natural needs all of it" refuse.out || fail "coordinates: no reason"
PDE_TRANSPORT='' "$soft" 2 "$pderun" module.so $options --out hurt >refuse.out 2>&1 && fail "no plugin"
grep -q -- "--build-mpi" refuse.out || fail "no plugin: no way out"
PDE_SOFT_RANKS=1 "$pderun" --version >refuse.out 2>&1 || fail "alone"
PDE_RANKS=4 PDE_RANK=0 PDE_SOFT_WIRES=-1 PDE_SOFT_RANKS=1 "$pderun" module.so $options --out hurt >refuse.out 2>&1 && fail "4 and 1"
grep -q "4 processes were started.*knows of 1" refuse.out || { fail "4 and 1: no numbers"; tail -2 refuse.out; }

# a signal ends all in one step, with a checkpoint
rm -rf hurt
"$soft" 3 "$pderun" module.so $options --iterations 1000000 --out hurt >signal.out 2>&1 &
runner=$!
for second in 1 2 3 4 5 6 7 8 9 10; do
    sleep 1
    [ -e hurt/checkpoints ] && [ -n "$(ls hurt/checkpoints)" ] && break
done
kill -TERM $runner
wait $runner
grep -q "stopped by a signal" signal.out || { fail "signal"; tail -2 signal.out; }

echo "$failures failures"
[ "$failures" -eq 0 ]
