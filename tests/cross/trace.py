"""One step of the stand-in module, recomputed with JAX in float64 from the trace alone.
usage: trace.py PDERUN MODULE SCRATCH; exit code 77 where JAX is absent."""
import json
import os
import shutil
import struct
import subprocess
import sys

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
except ImportError:
    sys.exit(77)
jax.config.update("jax_enable_x64", True)

pderun, module, scratch = sys.argv[1:4]
TYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64}


def load(path):
    data = open(path, "rb").read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    text = header.pop("__metadata__", {})
    arrays = {}
    for name, row in header.items():
        lo, hi = row["data_offsets"]
        arrays[name] = np.frombuffer(data[8 + size + lo : 8 + size + hi],
                                     TYPES[row["dtype"]]).reshape(row["shape"])
    return arrays, text


def check(options):
    out = os.path.join(scratch, "run")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(scratch, exist_ok=True)
    path = os.path.join(scratch, "step.safetensors")
    subprocess.run([pderun, module, "--set", "d=8", "--width", "7", "--depth", "4", "--points", "5",
                    "--precision", "float64", "--iterations", "1", "--quiet", "--no-report",
                    "--trace", path, "--out", out] + options,
                   check=True, stdout=subprocess.DEVNULL)
    a, text = load(path)
    layers = sum(1 for k in a if k.startswith("W"))
    params = [(jnp.array(a[f"W{i+1}"]), jnp.array(a[f"b{i+1}"])) for i in range(layers)]
    c, X, d, scale = jnp.array(a["const.c"]), jnp.array(a["x"]), a["x"].shape[1], float(text["output_scale"])
    act = {"tanh": jnp.tanh, "sin": jnp.sin, "silu": jax.nn.silu}[text["activation"]]

    def u(params, x):
        y = x
        for W, b in params[:-1]:
            y = act(y @ W + b)
        W, b = params[-1]
        return (1 - x @ x) * scale * (y @ W + b)[0]

    def exact(x):
        return (1 - x @ x) * jnp.sum(c * jnp.sin(x[:-1] + jnp.cos(x[1:]) + x[1:] * jnp.cos(x[:-1])))

    def second(f, x):
        return jnp.diag(jax.hessian(f)(x))

    source = jax.vmap(lambda x: jnp.sum(second(exact, x)) + jnp.sin(exact(x)))(X)

    def residual(params, index):
        def one(x, g):
            terms = second(lambda y: u(params, y), x)[index]
            return d / len(index) * jnp.sum(terms) + jnp.sin(u(params, x)) - g
        return jax.vmap(one)(X, source)

    I = jnp.array(a["I"]).ravel() - 1 if "I" in a else jnp.arange(d)
    J = jnp.array(a["J"]).ravel() - 1 if "J" in a else jnp.arange(d) if "residual_J" in a else I
    R_I, R_J = residual(params, I), residual(params, J)
    weight = float(text["weight"]) / float(text["residual_scale"]) ** 2
    grad = jax.grad(lambda p: weight * 2 * jnp.mean(R_J * residual(p, I)))(params)

    def close(name, have, want, limit=1e-9):
        error = float(jnp.max(jnp.abs(have - want)) / (jnp.max(jnp.abs(want)) + 1e-300))
        if not error < limit:
            sys.exit(f"{options}: {name} is off by {error}")

    close("source", a["source"], source)
    close("residual_I", a["residual_I"], R_I)
    if "residual_J" in a:
        close("residual_J", a["residual_J"], R_J)
    close("loss", a["loss"][0], weight * jnp.mean(R_J**2))
    for i, (W, b) in enumerate(grad):
        close(f"grad.W{i+1}", a[f"grad.W{i+1}"], W)
        close(f"grad.b{i+1}", a[f"grad.b{i+1}"], b)


for options in (["--algorithm", "3", "--terms", "3"], ["--algorithm", "2", "--terms", "3"],
                ["--algorithm", "1", "--terms", "4", "--activation", "sin"],
                ["--algorithm", "full"], ["--algorithm", "exact", "--activation", "silu"]):
    check(options)
