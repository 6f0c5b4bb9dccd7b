#!/bin/sh
# wheel.sh PYTHON SOURCE BUILD SCRATCH: a wheel, unpacked elsewhere, compiles and solves with nothing of this machine but the C
# library: its own clang and headers, its own LLVM and BLAS. 77 where numpy is missing.
set -eu
python=${PDE_PYTHON:-$1} source=$2 build=$3 dir=$4
"$python" -c 'import numpy' 2>/dev/null || exit 77
rm -rf "$dir" && mkdir -p "$dir/site" "$dir/empty" && cd "$dir"
"$python" "$source/library/python/wheel.py" "$build" "$dir"
"$python" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall("site")' pde-*.whl
chmod +x site/pde/lib/clang site/pde/lib/clang.bin # as pip does
cat >solve.py <<'END'
import time
begun = time.time()
import numpy, pde
assert pde.__file__.startswith("site") or "/site/" in pde.__file__, pde.__file__
p = pde.compile("""
dim      d = 50
domain   x in ball(d, 1)
field    u(x)
exact    u = (1 - norm(x)^2) * sin(sum_i x_i / sqrt(d))
equation lap(u) + sin(u) = g
source   g from exact
boundary u = 0 exactly
""")
r = p.solve(effort="none", optimiser="natural", algorithm="exact", points=64, width=16, iterations=60, progress=False, threads=1)
X = numpy.random.default_rng(0).normal(0, 0.1, (100, 50))
assert numpy.isfinite(r.u(X)).all() and r.log[-1]["error"] < 0.5, r.log[-1]
opened = [line.split()[-1] for line in open("/proc/self/maps") if "libLLVM" in line or "libopenblas" in line]
assert opened and all("/site/pde/lib/" in path for path in opened), set(opened)
print(f"{time.time() - begun:.1f} s since import")
END
# no programs but a shell: PATH has a dirname and a sh alone
ln -s "$(command -v sh)" "$(command -v dirname)" empty/
env -i PATH="$dir/empty" HOME="$dir" PYTHONPATH=site "$(command -v "$python")" solve.py
echo "1 passed, 0 failed"
