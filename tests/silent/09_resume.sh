#!/bin/sh
# A run that is resumed with other options: what would make another function of it, or other random
# numbers, is refused with both values; what may change is taken and said; what is given as it was, or
# stands in a configuration file, changes nothing.
set -eu
. "$(dirname "$0")/support.sh"
cd "$scratch"
"$pdec" -o plain.so "$cases/plain.pde"
short="--width 4 --depth 2 --points 8 --quiet --no-report --rate 1e-3"
"$pderun" --effort none plain.so $short --iterations 5 --out run >/dev/null
before=$(cat run/model.safetensors run/config.json run/log.jsonl | sha256sum)

# fixed OPTION WAS OTHER
fixed() {
    status=0
    "$pderun" --effort none plain.so --out run --resume --quiet --iterations 9 --$1 "$3" >text 2>&1 || status=$?
    if [ "$status" = 2 ] && grep -q "R207.*--$1 $2.* $4.*--out" text; then good; else
        bad "--$1 $3: exit $status"; cat text
    fi
}
fixed activation tanh sin sin
fixed seed 0 7 7
fixed set d=3 d=4 4
fixed precision float32 float64 float64
fixed optimiser adam sgd sgd
fixed optimiser adam natural natural
fixed width 4 5 5
fixed depth 2 3 3
fixed init pytorch xavier xavier
fixed init-first 1 2 2
fixed scale auto 3 3
fixed weights fixed balance balance
fixed average 0 0.5 0.5
fixed adam-first 0 3 3
[ "$(cat run/model.safetensors run/config.json run/log.jsonl | sha256sum)" = "$before" ] && good ||
    bad "a run that was refused has changed"

# as it was: nothing is said, and the bits are those of a run that was not stopped
"$pderun" --effort none plain.so $short --iterations 5 --out run --resume --set d=3 --seed 0 --rate 0.001 >/dev/null 2>text
[ -s text ] && { bad "something is said of what is as it was:"; cat text; } || good

# open OPTION WAS NOW
open() {
    "$pderun" --effort none plain.so --out run --resume --quiet --$1 "$3" >/dev/null 2>text || bad "--$1 $3"
    says "--$1 was $2 and is $3 from here on" text
}
open iterations 5 9
open rate 1e-3 "cosine(1e-3,1e-4)"
open points 8 16
open terms 100 2
open algorithm 3 full
open fresh 1 0
open clip 0 1
open beta1 "not set" 0.8
open log-every 100 5
open checkpoint-every 1000 3
open keep 2 1
open test-points 1000 10
open held-out 0 16
open non-finite stop skip

# what chooses has nothing to choose in a run that goes on
for choice in "--time 5s" "--effort quick" "--race 8"; do
    status=0
    "$pderun" plain.so --out run --resume --quiet $choice >text 2>&1 || status=$?
    [ $status = 2 ] && grep -q -e "--resume goes on .* --iterations" text && good || bad "$choice: exit $status"
done

# a schedule over all iterations
"$pderun" --effort none plain.so $short --rate "linear(1e-3,0)" --iterations 4 --out line >/dev/null
"$pderun" --effort none plain.so --out line --resume --quiet --iterations 8 >/dev/null 2>text
says "with it changes the rate, as linear(1e-3,0)" text

# a configuration file has less to say than the run
echo '{"rate": 0.5, "seed": 4, "set": {"d": 9}}' >other.json
"$pderun" --effort none plain.so --out line --resume --quiet --iterations 9 --config other.json >/dev/null 2>text
says "rate = 0.5, the run that goes on has linear(1e-3,0), which stays" text
says "seed = 4" text
says "sets d = 9, the run that goes on has 3" text

# an option that implies others implies nothing when it is given again
natural="--optimiser natural --rate 0.02 --momentum 0.5 --damping 1e-3 --quiet --no-report --width 4 --depth 2"
"$pderun" --effort none plain.so $natural --iterations 12 --out whole >/dev/null
"$pderun" --effort none plain.so $natural --iterations 6 --out parts >/dev/null
"$pderun" --effort none plain.so --optimiser natural --iterations 12 --out parts --resume --quiet >/dev/null 2>text
cmp -s whole/model.safetensors parts/model.safetensors && good || { bad "other bits:"; cat text; }
finish
