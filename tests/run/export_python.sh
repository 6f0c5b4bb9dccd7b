#!/bin/sh
# export_python.sh PDEC PDERUN EXAMPLES SCRATCH: models for ONNX, PyTorch and JAX against --predict, values and gradients. A
# format whose package is not installed is left out (PDE_PYTHON names another python); what needs none of them is looked at
# always: files are written, parse, and what cannot be exported is refused.
set -eu
pdec=$1 pderun=$2 examples=$3 dir=$4
python=${PDE_PYTHON:-$(command -v python3)} || exit 77
"$python" -c 'import numpy' 2>/dev/null || exit 77
. "$(dirname "$0")/../counted.sh"
fresh "$dir"
cd "$dir"

cat >compare.py <<'END'
"""compare.py NAME FIELDS GRADIENT: NAME.onnx, NAME_torch.py and NAME_jax.py at x.npy against NAME.v/*.npy."""
import importlib, importlib.util, sys
import numpy
name, fields, gradient = sys.argv[1], sys.argv[2].split(), sys.argv[3] == "1"
x = numpy.load("x.npy")
u = numpy.stack([numpy.load(f"{name}.v/{f}.npy") for f in fields], -1)
slope = numpy.load(f"{name}.v/grad.npy") if gradient else None
sys.path.insert(0, ".")
there = lambda module: importlib.util.find_spec(module) is not None


def same(what, a, b):
    worst = abs(numpy.asarray(a) - b).max() / max(abs(b).max(), 1e-300)
    if not worst < 1e-6:
        sys.exit(f"{what} differs by {worst}")


compiled = [compile(open(f"{name}_{k}.py").read(), k, "exec") for k in ("torch", "jax")]
if there("onnxruntime"):
    import onnxruntime
    session = onnxruntime.InferenceSession(f"{name}.onnx", providers=["CPUExecutionProvider"])
    same("onnx", numpy.stack(session.run(fields, {"x": x}), -1), u)
if there("torch"):
    import torch
    model = importlib.import_module(f"{name}_torch").Solution()
    at = torch.from_numpy(x).requires_grad_()
    out = model(at)
    same("torch", out.detach().numpy(), u)
    if gradient:
        same("gradient in torch", torch.autograd.grad(out[:, 0].sum(), at)[0].numpy(), slope)
if there("jax"):
    import jax
    module = importlib.import_module(f"{name}_jax")
    same("jax", jax.jit(module.solution)(x), u)
    if gradient:
        same("gradient in jax", jax.grad(lambda y: module.solution(y)[:, 0].sum())(x), slope)
END

# check NAME FILE N FIELDS WITH_GRADIENT OPTIONS...: points have N numbers
check() {
    name=$1 file=$2 n=$3 fields=$4 gradient=$5
    shift 5
    "$pderun" "$file" --effort none --iterations 30 --width 8 --points 16 --threads 1 --quiet --no-report --out "$name.run" "$@" \
        >train.txt 2>&1 || { bad "$name: not trained"; cat train.txt; return; }
    "$python" -c "
import numpy
x = numpy.random.default_rng(3).normal(0, 0.4 / numpy.sqrt($n), (20, $n))
numpy.save('x.npy', abs(x))"
    what=$(echo "$fields" | tr ' ' ',')
    [ "$gradient" = 0 ] || what=$what,grad
    "$pderun" "$name.run" --predict x.npy --what "$what" --out "$name.v" >/dev/null
    for format in torch jax; do
        "$pderun" "$name.run" --export $format --out "${name}_$format.py" >export.txt 2>&1 || { bad "$name: $format"; cat export.txt; return; }
    done
    "$pderun" "$name.run" --export onnx --out "$name.onnx" >export.txt 2>&1 || { bad "$name: onnx"; cat export.txt; return; }
    "$python" compare.py "$name" "$fields" "$gradient" 2>error.txt && good || { bad "$name"; tail -3 error.txt; }
}

cat >system.pde <<'END'
dim d = 3
domain x in box(d, 0, 1)
time s in [0, 2]
field u(x, s), v(x, s)
equation d(u, s) = lap(u) + 3 * v
equation d(v, s) = lap(v) - u
initial v = cos(x_1)
initial u = 1 - norm(x)^2 exactly
boundary v = sin(s)
END
# sums over one index, two, a range that depends on another, neighbours that are guarded, extremes, products, constants of
# one and two subscripts, functions that ONNX has in single precision only
cat >shapes.pde <<'END'
dim d = 4
domain x in box(d, 0, 1)
random c_i ~ normal(0, 1) for i = 1..d seed 3
random A_ij ~ uniform(0, 1) seed 4
field u(x)
let near = sum_{i=1..d-1} x_i * x_{i+1}
let double = sum_i sum_{j=1..i} A_ij * x_i * x_j * i / d
let extreme = (max_i x_i) - (min_i x_i) + prod_i (1 + x_i)
let sundry = tan(x_1) + sinh(x_2) + erf(x_3) + expm1(x_4) + log1p(x_1) + atan(x_2) + max(x_1, x_2) + abs(x_3 - x_4)
equation sum_i d(u, x_i) = 1 + near
boundary u = 0
ansatz u = net * (near + double) + extreme + sundry + sum_i c_i * x_i
solve {
  network mlp(features = [x, c_i * x_i, near])
}
END
check sine "$examples/elliptic_sine_gordon.pde" 6 u 1 --set d=6
check features "$examples/elliptic_sine_gordon_features.pde" 6 u 0 --set d=6
check system system.pde 4 "u v" 1
check heat "$examples/parabolic_semilinear_heat.pde" 6 u 0 --set d=5
check inverse "$examples/inverse_diffusion.pde" 7 u 0 --set d=6
check shapes shapes.pde 4 u 0
# without any of the packages there is little to compare
"$python" -c 'import importlib.util as u, sys; sys.exit(not any(u.find_spec(m) for m in ("onnxruntime", "torch", "jax")))' ||
    { echo "$passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }
for activation in sin snake gelu silu softplus gauss relu3 square cube; do
    check $activation "$examples/elliptic_sine_gordon.pde" 5 u 0 --set d=5 --activation $activation --iterations 2
done
finish
