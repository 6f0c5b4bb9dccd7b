#!/bin/sh
# one_command.sh PDEC PDERUN SCRATCH: pderun takes a problem as it was written, a module or the directory of a run;
# a second run takes a numbered directory; names of other programs are answered with ours.
set -eu
pdec=$1 pderun=$2 dir=$3
. "$(dirname "$0")/../counted.sh"
fresh "$dir"
cd "$dir"
# ends CODE COMMAND...: with this exit code; what it prints is in out.txt
ends() {
    wanted=$1 status=0
    shift
    "$@" >out.txt 2>&1 || status=$?
    if [ "$status" = "$wanted" ]; then good; else bad "exit $status, wanted $wanted: $*"; cat out.txt; fi
}
small="--effort none --iterations 20 --width 8 --points 10 --quiet --no-report --threads 1"

cat >my.pde <<'END'
problem  "Mine"
dim      d = 4
domain   x in ball(d, 1)
field    u(x)
equation sum_i d2(u, x_i) = g
exact    u = 1 - norm(x)^2
source   g from exact
boundary u = 0 exactly
END

# the same as by two commands, to the bit; the second time without clang
"$pdec" my.pde -o by_hand.so
ends 0 "$pderun" $small by_hand.so --out by_hand
# shellcheck disable=SC2086
ends 0 "$pderun" $small my.pde
"$pdec" my.pde -o my.so
if cmp -s my.so my.run/module.so; then good; else bad "another module than that of pdec -o my.so"; fi
python=$(command -v python3 || true)
values() { "$python" -c 'import sys; f = open(sys.argv[1], "rb"); n = int.from_bytes(f.read(8), "little"); f.read(n); sys.stdout.buffer.write(f.read())' "$1"; }
if [ -n "$python" ]; then
    values by_hand/model.safetensors >a && values my.run/model.safetensors >b
    if cmp -s a b; then good; else bad "another model than by two commands"; fi
fi
ends 0 env PATH=/nowhere "$pderun" $small my.pde --out cached
rm -rf cache

# a second run keeps the first; --resume goes on with the latest; --force replaces the first
before=$(cksum <my.run/model.safetensors)
ends 0 "$pderun" $small my.pde --seed 1
says "goes to 'my.2.run'" out.txt
[ "$before" = "$(cksum <my.run/model.safetensors)" ] && good || bad "the first run was changed"
ends 0 "$pderun" $small my.pde --resume --iterations 30
says 'my.2.run/model.safetensors' out.txt
ends 0 "$pderun" $small my.pde
says "goes to 'my.3.run'" out.txt
ends 0 "$pderun" $small my.pde --seed 2 --force
[ "$before" != "$(cksum <my.run/model.safetensors)" ] && good || bad "--force replaced nothing"
ls my.run/checkpoints >left.txt
[ "$(grep -c checkpoint left.txt)" = 1 ] && good || bad "checkpoints of the replaced run: $(cat left.txt)"
ends 2 "$pderun" $small my.pde --out by_hand
says '--force' out.txt
ends 2 "$pderun" $small my.pde --resume --force
mkdir mine && echo important >mine/notes.txt
ends 2 "$pderun" $small my.pde --force --out mine
says 'holds other files' out.txt
[ -e mine/notes.txt ] && good || bad "--force removed a stranger's file"

# the directory of a run says what it is, and is enough to use it
ends 0 "$pderun" my.2.run
says "a run of 'Mine'" out.txt
says 'my.2.run --predict' out.txt
rm my.pde my.so
ends 0 "$pderun" $small my.2.run/ --resume --iterations 40
says 'my.2.run/model.safetensors' out.txt
if [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null; then
    "$python" -c 'import numpy; numpy.save("x.npy", numpy.zeros((3, 4)))'
    ends 0 "$pderun" my.2.run --predict x.npy --out values
    ends 0 "$pderun" --predict x.npy --model my.2.run --out again
    if cmp -s values/u.npy again/u.npy; then good; else bad "other values by --model"; fi
fi
if [ -n "$python" ] && "$python" -c 'import numpy' 2>/dev/null; then
    # expressions of any order against differences of the values themselves
    "$python" - <<'END'
import numpy
x = numpy.random.default_rng(0).normal(0, 0.2, (40, 4))
h = 1e-3
steps = [x] + [x + s * h * numpy.eye(4)[i] for i in range(4) for s in (1, -1)]
numpy.save("e.npy", numpy.concatenate(steps))
END
    "$pderun" $small by_hand.so --precision float64 --out wide >/dev/null
    ends 0 "$pderun" --predict e.npy --model wide --what 'u, grad, lap(u), d2(u, x_2), d4(u, x_1), sum_i d(u, x_i)^2' --out e
    ends 0 "$python" - <<'END'
import numpy
u, g, lap = (numpy.load(f"e/{n}.npy") for n in ("u", "grad", "lap_u"))
n, h = 40, 1e-3
near = u[n:].reshape(4, 2, n)
second = (near[:, 0] + near[:, 1] - 2 * u[:n]) / h**2
numpy.testing.assert_allclose(second.sum(0), lap[:n], atol=1e-5)
numpy.testing.assert_allclose(second[1], numpy.load("e/d2_u_x_2.npy")[:n], atol=1e-5)
numpy.testing.assert_allclose((g**2).sum(1), numpy.load("e/sum_i_d_u_x_i_2.npy"), atol=1e-9)
d2 = lambda k: numpy.load("e/d4_u_x_1.npy")[:n]
assert numpy.isfinite(d2(0)).all()
END
    ends 2 "$pderun" --predict e.npy --model wide --what 'lap(v)'
    says "'v' is not declared" out.txt
fi
mkdir empty
ends 1 "$pderun" empty
says 'no run is in it' out.txt

# what is not there, what has errors, what is something else
printf 'dim d = 2\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(u) = v\n' >bad.pde
ends 1 "$pderun" bad.pde
says 'bad.pde:4:' out.txt
says 'R108' out.txt
[ -e bad.run ] && bad "a directory for a problem that has errors" || good
ends 3 "$pderun" bad
says "did you mean 'bad.pde'?" out.txt
ends 2 "$pderun"
says 'pderun my.pde' out.txt
ends 1 "$pdec" by_hand.so
says 'pderun trains it' out.txt

# names of other programs, and both spellings
for pair in lr=rate epochs=iterations layers=depth batch_size=points learning-rate=rate gpu=device; do
    ends 2 "$pderun" "--${pair%=*}" 3 by_hand.so
    says "did you mean '--${pair#*=}'?" out.txt
done
ends 2 "$pderun" --activation swish by_hand.so
says "did you mean 'silu'?" out.txt
ends 0 "$pderun" --info --optimizer adamw --color never --log_every 5 by_hand.so
ends 2 "$pdec" --lr 3 bad.pde
ends 2 "$pdec" --dignostics=json bad.pde
says 'did you mean --diagnostics?' out.txt
ends 1 "$pdec" --color=never bad.pde
cat >solve.pde <<'END'
dim d = 2
domain x in ball(d, 1)
field u(x)
equation lap(u) = 1
boundary u = 0 exactly
solve {
    epochs 10
    network mlp(layers = 3, activation = swish)
    optimizer adam(lr = 1e-3)
}
END
ends 1 "$pdec" --check solve.pde
for name in iterations depth silu rate; do says "did you mean $name?" out.txt; done

# pdec without -o says what comes next; --check says nothing
sed -i '$d' solve.pde && sed -i '/solve/,$d' solve.pde
ends 0 "$pdec" solve.pde
says 'pderun solve.pde' out.txt
ends 0 "$pdec" --check solve.pde
[ -s out.txt ] && bad "--check said something" || good

# codes in either case, of either program; all of them
ends 0 "$pderun" --explain e0401
says 'Wrong:' out.txt
ends 0 "$pdec" --explain r205
ends 0 "$pderun" --explain all
says 'R510' out.txt
ends 0 "$pdec" --explain all
[ "$(grep -c '^Wrong:' out.txt)" -gt 50 ] && good || bad "not all messages"

# two tiers of help; the version
ends 0 "$pderun" --help
[ "$(grep -c '^  --' out.txt)" = 10 ] && good || bad "--help: not ten options"
ends 0 "$pderun" --help all
says '--jacobian-memory' out.txt
ends 0 "$pdec" --help all
says '--time-passes' out.txt
for program in "$pdec" "$pderun"; do
    ends 0 "$program" --version
    says commit out.txt
done
says LLVM out.txt
says base out.txt

finish
