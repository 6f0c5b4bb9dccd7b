#!/bin/sh
# defaults.sh PDEC PDERUN SCRATCH: a file without network and method is run with settings that pderun chooses: they
# are printed, repeat to the bit, leave alone what is stated, and do not depend on the exact solution.
set -e
here=$(cd "$(dirname "$0")" && pwd)
pdec=$1 pderun=$2 dir=$3
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir"
cat >known.pde <<'END'
dim      d = 4
domain   x in ball(d, 1)
field    u(x)
equation lap(u) = -2*d
boundary u = 0
exact    u = 1 - norm(x)^2
END
grep -v exact known.pde >unknown.pde
sed 's/$//; $a solve {\n  method exact(points = 32)\n}' known.pde >decided.pde
for name in known unknown decided; do "$pdec" $name.pde -o $name.so; done
run() { out=$1 so=$2; shift 2; "$pderun" "$so" --threads 1 --quiet --no-report --out "$out" "$@" >"$out.txt" || [ $? = 4 ]; }

# the race, its table and its reasons; repeated with the printed numbers and by nothing but them
run first known.so --effort quick --iterations 32
for word in candidate measure chosen 'natural ' 'without the race' '--race'; do grep -q -e "$word" first.txt; done
numbers=$(sed -n 's/.*--race \([0-9,]*\).*/\1/p' first.txt)
run again known.so --effort quick --iterations 32 --race "$numbers"
cmp first/model.safetensors again/model.safetensors
test -s first/choice.json

# the report tells what was chosen
"$pderun" known.so --threads 1 --quiet --effort quick --iterations 16 --race "$numbers" --out told >told.txt || [ $? = 4 ]
for words in 'the candidates that took part' 'without the race' 'solve {'; do grep -q "$words" told/report.html; done

# deleting `exact` leaves every choice and every bit (against the run of the same numbers: those of the first were
# measured, and fewer candidates have time on a busy machine)
run blind unknown.so --effort quick --iterations 32 --race "$numbers"
head -n "$(grep -n 'this run again' again.txt | cut -d: -f1)" again.txt >again.table
head -n "$(grep -n 'this run again' blind.txt | cut -d: -f1)" blind.txt >blind.table
cmp again.table blind.table
for run in first blind; do tail -c 4000 $run/model.safetensors >$run.bits; done
cmp first.bits blind.bits

# the best of the variants departs from the rules
run departs known.so --iterations 16 --race 8,8,8,8,8,8,8,8,8,8
grep -q ', narrow, 512 points ' departs.txt

# where the logarithm of a density is learned, the density itself, which is nearly 0, does not take part; double where
# float32 does not get through the first steps
cat >density.pde <<'END'
dim      d = 20
domain   x in R(d)
time     t in [0, 1]
field    p(x, t)
equation d(p, t) = sum_i d(x_i * p, x_i) + lap(p)
initial  p = exp(-norm(x)^2 / 2 - d / 2 * log(2 * pi))
sample   x_i ~ normal(0, 1)
END
"$pdec" density.pde -o density.so
run density.run density.so --effort quick --iterations 8 --race 8,8
grep -q '^  reductions-process ' density.run.txt
grep -q '^  written ' density.run.txt && exit 1
"$pdec" "$here/../defaults/pde/default_risk.pde" -o risk.so
run risk.run risk.so --effort quick --variant reductions+x-soft-process --iterations 8 --race 8
grep -q 'precision  *float64  *first steps in float32 were not finite' risk.run.txt

# the same with a source that is written out and an exact solution that is read before it
cat >stated_source.pde <<'END'
dim      d = 4
domain   x in ball(d, 1)
field    u(x)
let      s = sum_i x_i / sqrt(d)
exact    u = (1 - norm(x)^2) * sin(s)
equation lap(u) + u * sum_i x_i * d(u, x_i) + sin(u) = -2 * d * sin(s) - 4 * s * cos(s) - (1 - norm(x)^2) * sin(s)
         + (1 - norm(x)^2) * sin(s) * sum_i x_i * ((1 - norm(x)^2) * cos(s) / sqrt(d) - 2 * x_i * sin(s))
         + sin((1 - norm(x)^2) * sin(s))
boundary u = 0
END
sed 's/^exact.*/# nothing is known/' stated_source.pde >bare_source.pde
for name in stated_source bare_source; do
    "$pdec" $name.pde -o $name.so
    run $name.run $name.so --effort quick --iterations 16 --race 16,16,16,16
    sed '/^this run again/,$d' $name.run.txt >$name.table
    tail -c 4000 $name.run/model.safetensors >$name.bits
done
cmp stated_source.table bare_source.table
cmp stated_source.bits bare_source.bits

# with one number the race is over before it begins: the first candidate is trained
run one known.so --effort quick --iterations 16 --race 8
grep -q 'variant  *written' one.txt
grep -q -e '--race 8$' one.txt

# an answer that is worse than a constant is no success
code=0
"$pderun" known.so --iterations 1 --race 1 --variant written --scale 1 --activation sin --points 40 --rate 0 --init-first 90 \
    --threads 1 --quiet --no-report --out bad >bad.txt 2>bad.why || code=$?
[ "$code" = 4 ] && grep -q R407 bad.why

# what is stated stays
run stated known.so --effort quick --variant written --iterations 32 --width 11 --activation gelu --points 40
grep -q 'network  *4 11 11 11 1, gelu' stated.txt
grep -q ' 40 points' stated.txt

# resumed like any run
run half known.so --effort quick --iterations 32 --race "$numbers" --time-limit 0.0001
"$pderun" known.so --threads 1 --quiet --no-report --out half --resume >half.txt 2>&1
cmp first/model.safetensors half/model.safetensors

# plain where the file decides, or where that is asked for
run decided decided.so --iterations 5
run none known.so --effort none --iterations 5
grep -q candidate decided.txt none.txt && exit 1
"$pderun" known.so --suggest --effort quick --variant written --iterations 16 --threads 1 >suggest.txt
sed -n '/^for the file/,$p' suggest.txt | grep -q 'solve {'

# the suggested statements, in place of the file's own, are the same run as the suggested command, to the bit
for variant in plain plain-soft; do
    "$pderun" known.so --suggest --effort quick --variant $variant --iterations 16 --threads 1 >suggest.txt
    sed -n '/^for the file/,$p' suggest.txt | tail -n +2 >statements.txt
    { if grep -q '^boundary' statements.txt; then grep -v '^boundary' known.pde; else cat known.pde; fi
      cat statements.txt; } >suggested.pde
    "$pdec" suggested.pde -o suggested.so
    command=$(sed -n '/^the same settings without/{n;p;}' suggest.txt)
    eval "\"$pderun\" ${command#*pderun } --threads 1 --quiet --no-report --out command.$variant" >command.txt || [ $? = 4 ]
    run statements.$variant suggested.so
    for part in command statements; do tail -c 4000 $part.$variant/model.safetensors >$part.bits; done
    cmp command.bits statements.bits
done
echo "defaults: ok"
