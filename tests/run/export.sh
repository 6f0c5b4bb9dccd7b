#!/bin/sh
# export.sh PDEC PDERUN EXAMPLES SCRATCH: a model as a C file, compiled without anything of ours, against --predict; and
# what model.safetensors says of itself.
set -eu
pdec=$1 pderun=$2 examples=$3 dir=$4
python=$(command -v python3) || exit 77
cc=$(command -v gcc || command -v clang) || exit 77
. "$(dirname "$0")/../counted.sh"
fresh "$dir"
cd "$dir"

# table N FILE: 20 points of N numbers in a ball of radius 1/2, as npy
cat >table.py <<'END'
import math, struct, sys
n = int(sys.argv[1])
x = [0.5 / math.sqrt(n) * abs(math.sin(1 + 37.0 * k)) for k in range(20 * n)]
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (20, %d), }" % n
open("x.npy", "wb").write(b"\x93NUMPY\x01\x00\x76\x00" + head.ljust(117).encode() + b"\n" + struct.pack("<%dd" % len(x), *x))
open("x.txt", "w").write("\n".join(map(repr, x)))
END
# compare FILE.npy...: their numbers against those in out.txt, one column of it for each
cat >compare.py <<'END'
import struct, sys
rows = [list(map(float, line.split())) for line in open("out.txt")]
worst, at = 0, 0
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    skip = 10 + struct.unpack("<H", data[8:10])[0]
    v = struct.unpack("<%dd" % ((len(data) - skip) // 8), data[skip:])
    w = len(v) // len(rows)
    size = max(map(abs, v)) or 1
    for r, row in enumerate(rows):
        worst = max([worst] + [abs(row[at + i] - v[r * w + i]) / size for i in range(w)])
    at += w
print(worst)
sys.exit(not (worst < 1e-6 and at == len(rows[0])))
END
cat >main.c <<'END'
#include <stdio.h>
int model_value(const double *x, double *u);
int model_gradient(const double *x, int field, double *gradient);
int main(void) {
    double x[N], u[FIELDS], g[N];
    for (int r = 0; r < 20; r++) {
        for (int i = 0; i < N; i++)
            if (scanf("%lf", &x[i]) != 1)
                return 1;
        if (model_value(x, u) || model_gradient(x, 0, g))
            return 2;
        for (int f = 0; f < FIELDS; f++)
            printf("%.17g ", u[f]);
        for (int i = 0; i < N && GRADIENT; i++)
            printf("%.17g ", g[i]);
        printf("\n");
    }
    return 0;
}
END

# check NAME FILE N FIELDS WITH_GRADIENT OPTIONS...
check() {
    name=$1 file=$2 n=$3 fields=$4 gradient=$5
    shift 5
    "$pderun" "$file" --effort none --iterations 30 --width 8 --points 16 --threads 1 --quiet --no-report --out "$name.run" "$@" \
        >train.txt 2>&1 || { bad "$name: not trained"; cat train.txt; return; }
    "$python" table.py "$n"
    what=$(echo "$fields" | tr ' ' ',')
    [ "$gradient" = 0 ] || what=$what,grad
    "$pderun" "$name.run" --predict x.npy --what "$what" --out "$name.v" >/dev/null
    "$pderun" "$name.run" --export c --out "$name.c" >/dev/null || { bad "$name: not exported"; return; }
    count=$(echo "$fields" | wc -w)
    "$cc" -std=c11 -O1 -w -fno-math-errno -DN="$n" -DFIELDS="$count" -DGRADIENT="$gradient" "$name.c" main.c -o "$name" -lm ||
        { bad "$name: does not compile"; return; }
    ./"$name" <x.txt >out.txt
    files=
    for q in $(echo "$what" | tr ',' ' '); do files="$files $name.v/$q.npy"; done
    # shellcheck disable=SC2086
    worst=$("$python" compare.py $files) && good || bad "$name: differs by $worst"
}

cat >system.pde <<'END'
param a = 2
dim d = 3
domain x in ball(d, 1)
time t in [0, 1]
field u(x, t), v(x, t)
equation d(u, t) = lap(u) + a * v
equation d(v, t) = lap(v) - u
initial u = 1 - norm(x)^2
initial v = cos(x_1)
boundary u = 0 exactly
boundary v = cos(x_1)
END
check sine "$examples/elliptic_sine_gordon.pde" 6 u 1 --set d=6
check features "$examples/elliptic_sine_gordon_features.pde" 6 u 0 --set d=6
check system system.pde 4 "u v" 1
for activation in tanh sin snake gelu silu softplus gauss relu3 square cube; do
    check $activation "$examples/elliptic_sine_gordon.pde" 5 u 1 --set d=5 --activation $activation --iterations 2
done

# the model's file says what it is
"$python" - <<'END' && good || bad "model.safetensors does not describe itself"
import json, struct
data = open("system.run/model.safetensors", "rb").read()
about = json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])["__metadata__"]
assert about["fields"] == "u, v" and about["inputs"] == "x[3], t", about
assert json.loads(about["numbers"]) == {"d": 3, "a": 2}, about["numbers"]
assert "equation d(u, t) = lap(u) + a * v" in about["source"] and about["version"].startswith("pderun ")
END
finish
