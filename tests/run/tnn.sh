#!/bin/sh
# tnn.sh PDEC PDERUN EXAMPLES SCRATCH: tensor networks from source to eigenvalue: the errors that the
# examples claim, the same bits for any number of threads and after a resume, and a refused potential.
pdec=$1 pderun=$2 examples=$3 scratch=$4
rm -rf "$scratch" && mkdir -p "$scratch" && cd "$scratch" || exit 1
failures=0
fail() {
    echo "FAIL $*"
    failures=$((failures + 1))
}
compile() { # NAME
    "$pdec" "$examples/$1.pde" -o "$1.so" || fail "$1 does not compile"
}
run() { # MODULE OUT OPTIONS...
    module=$1 out=$2
    shift 2
    "$pderun" --effort none "$module.so" --out "$out" --quiet --no-cache "$@" >"$out.txt" 2>&1 || fail "$out: $(cat "$out.txt")"
}
# below OUT LIMIT: the last logged error is below the limit, and is a number.
below() {
    error=$(tail -n 1 "$1/log.jsonl" | sed -n 's/.*"error":\([0-9.e+-]*\).*/\1/p')
    awk -v e="$error" -v limit="$2" 'BEGIN { exit !(e != "" && e + 0 < limit) }' ||
        fail "$1: the error is '$error', not below $2"
}

for name in qho coupled_oscillator_sine coupled_oscillator_small quartic; do
    compile $name
    "$pderun" --effort none $name.so --selftest --no-cache >selftest.txt 2>&1 --set d=3 || fail "selftest of $name: $(cat selftest.txt)"
done
for d in 10 1000; do
    run qho qho$d --set d=$d
    below qho$d 1e-8
done
for d in 2 10 100; do
    run coupled_oscillator_sine sine$d --set d=$d
    below sine$d 1e-8
done
run coupled_oscillator_small small
below small 1e-5
run coupled_oscillator_small product --rank 1
for n in 1 2 3 4; do # a chain of one dimension: what stood behind its only matrices was overwritten
    run coupled_oscillator_small one$n --set d=1
    below one$n 1e-8
done
below small 1e-5 && below product 0.05
# the published settings of these two are hours of gradient steps: narrower, with a few of them and an eigenproblem
for name in oscillator_sine oscillator_uncoupled; do
    compile $name
    run $name $name --set d=10 --width 32 --solver alternate --solve-every 9 --iterations 10
    below $name 1e-6
done
sed '/^equation/s/+ norm/- norm/' "$examples/oscillator_uncoupled.pde" >wrong.pde
"$pdec" wrong.pde -o wrong.so && run wrong wrong --set d=10 --width 32 --solver alternate --solve-every 9 --iterations 10
(failures=0 && below wrong 1e-2 >/dev/null && [ $failures = 0 ]) && fail "a wrong sign has the right eigenvalue"

# at points: the ground state of d oscillators is prod_i pi^(-1/4) exp(-x_i^2 / 2); its logarithm, its gradient -x_i psi
printf '0.3,-0.2,0,1,0.5,-1.1,0.7,0.1,0,-0.4\n0,0,0,0,0,0,0,0,0,0\n' >points.csv
"$pderun" qho10 --predict points.csv --what psi,log,grad --out values.csv >/dev/null || fail "no values of a tensor network"
awk -F, 'NR == FNR { for (i = 1; i <= 10; i++) x[NR, i] = $i; next }
    FNR == 1 { if ($0 != "psi,log,grad_1,grad_2,grad_3,grad_4,grad_5,grad_6,grad_7,grad_8,grad_9,grad_10") bad = "heading " $0; next }
    { r = FNR - 1; e = -2.5 * log(3.14159265358979); for (i = 1; i <= 10; i++) e -= x[r, i]^2 / 2
      sign = $1 < 0 ? -1 : 1
      if (sign * $1 / exp(e) - 1 > 1e-6 || 1 - sign * $1 / exp(e) > 1e-6) bad = "psi " $1 " for " exp(e)
      if ($2 - e > 1e-6 || e - $2 > 1e-6) bad = "log " $2 " for " e
      for (i = 1; i <= 10; i++) if (($(2 + i) + x[r, i] * $1)^2 > 1e-10) bad = "slope " $(2 + i) " for " -x[r, i] * $1 }
    END { if (bad || FNR != 3) { print bad; exit 1 } }' points.csv values.csv >told.txt || fail "values of a tensor network: $(cat told.txt)"
run quartic quartic
below quartic 1e-8
[ -s quartic/report.html ] && grep -q "marginal density" quartic/report.html || fail "the report has no marginals"

gradient="--solver gradient --iterations 30 --log-every 10 --rate 1e-3 --set d=50"
run coupled_oscillator_sine one $gradient --threads 1
run coupled_oscillator_sine two $gradient --threads 2
run coupled_oscillator_sine blocks $gradient --accumulate 7
run coupled_oscillator_sine half $gradient --iterations 11
run coupled_oscillator_sine half --resume --iterations 30
for other in two blocks half; do
    cmp -s one/model.safetensors $other/model.safetensors || fail "$other: other bits than one thread without a stop"
done
run coupled_oscillator_sine sampled $gradient --algorithm 3 --terms 5
cmp -s one/model.safetensors sampled/model.safetensors && fail "sampling changes nothing"
run coupled_oscillator_sine alternating $gradient --solver alternate --solve-every 29
below alternating 1e-8

sed 's/^let .*/let W = sum_{i<j} exp(-(x_i - x_j)^2)/' "$examples/coupled_oscillator_sine.pde" >bad.pde
"$pdec" --diagnostics=short bad.pde -o bad.so >bad.txt 2>&1 && fail "a potential that cannot be integrated is accepted"
grep -q ':[0-9]*:[0-9]*: .*E0562' bad.txt || fail "no E0562 with a place: $(cat bad.txt)"
[ $failures -eq 0 ] && echo "all held"
exit $failures
