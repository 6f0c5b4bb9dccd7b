#!/bin/sh
# variants.sh PDEC PDERUN SCRATCH: a module of a file without network and method carries variants, whole modules
# that are trained, resumed and used like any other; a file that names them carries none.
set -e
pdec=$1 pderun=$2 dir=$3
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir"
cat >heat.pde <<'END'
dim      d = 6
param    T = 1
domain   x in R(d)
time     t in [0, T]
field    u(x, t)
equation d(u, t) + lap(u) = 0
terminal u = norm(x)^2
sample   x_i ~ normal(100, 3)
END
"$pdec" heat.pde -o heat.so
"$pdec" --emit=features heat.pde >features.txt
grep -q '^6:1  law ' features.txt
grep -q '^6:1  input  *(x_i - 100) / sqrt(9 + 0.5 \* T)' features.txt
grep -q '^4:1  input  *(2 \* t - T) / T' features.txt
"$pderun" --info heat.so >info.txt
grep -q 'variant  *plain-process' info.txt
grep -q '.pde.alt0' info.txt

# trains another function than the file as it stands, and knows what it was
run() { out=$1; shift; "$pderun" --effort none heat.so --points 20 --width 8 --quiet --no-report --out "$out" "$@"; }
run written --iterations 40 >written.txt
run plain --variant plain-process --iterations 40 >plain.txt
run half --variant plain-process --iterations 20 >/dev/null
run half --resume --iterations 40 >/dev/null 2>&1
cmp -s written/model.safetensors plain/model.safetensors && exit 1
grep -q '"variant": "plain-process"' plain/config.json
if run half --resume --variant written >refused.txt 2>&1; then exit 1; fi
grep -q R207 refused.txt
if run none --variant nonsense >refused.txt 2>&1; then exit 1; fi
grep -q 'there are written, .*plain-process' refused.txt
"$pderun" --effort none heat.so --error plain >/dev/null
# the directory of the run is enough, and its module is the variant
"$pderun" plain --info >/dev/null
"$pderun" plain >shown.txt
grep -q 'iterations' shown.txt
"$pderun" --error plain >/dev/null
"$pderun" plain --resume --iterations 50 --quiet >/dev/null 2>&1
"$pderun" --effort none heat.so --selftest --variant plain-process >/dev/null

# left out where asked to, and where the file decides
"$pdec" heat.pde --no-variants -o bare.so
"$pderun" --info bare.so | grep -q '.pde.alt' && exit 1
printf 'solve {\n  optimiser adam(rate = 1e-3)\n}\n' >>heat.pde
"$pdec" heat.pde -o decided.so
"$pderun" --info decided.so | grep -q '.pde.alt' && exit 1
echo "variants: ok"
