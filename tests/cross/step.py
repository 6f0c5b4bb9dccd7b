"""What checks of a traced step share: reading safetensors, the network, comparing."""
import json
import os
import shutil
import struct
import subprocess
import sys

try:
    import jax
    import jax.flatten_util
    import jax.numpy as jnp
    import numpy as np
except ImportError:
    sys.exit(77)
jax.config.update("jax_enable_x64", True)

TYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64}
ACTIVATIONS = {"tanh": jnp.tanh, "sin": jnp.sin, "silu": jax.nn.silu}


def load(path):
    """Arrays and metadata of a safetensors file."""
    with open(path, "rb") as file:
        data = file.read()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    text = header.pop("__metadata__", {})
    arrays = {}
    for name, row in header.items():
        lo, hi = row["data_offsets"]
        arrays[name] = np.frombuffer(data[8 + size + lo : 8 + size + hi],
                                     TYPES[row["dtype"]]).reshape(row["shape"])
    return arrays, text


def trace(pderun, module, scratch, options):
    """Arrays and metadata of the first step of a small run in float64."""
    out = os.path.join(scratch, "run")
    path = os.path.join(scratch, "step.safetensors")
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(scratch, exist_ok=True)
    subprocess.run([pderun, module, "--width", "7", "--depth", "4", "--points", "5",
                    "--precision", "float64", "--iterations", "1", "--quiet", "--no-report",
                    "--trace", path, "--out", out] + options,
                   check=True, stdout=subprocess.DEVNULL)
    return load(path)


def parameters(arrays):
    layers = sum(1 for name in arrays if name.startswith("W"))
    return [(jnp.array(arrays[f"W{i+1}"]), jnp.array(arrays[f"b{i+1}"])) for i in range(layers)]


def network(text):
    """The network as a function of parameters and one input row; outputs times their scales."""
    act = ACTIVATIONS[text["activation"]]
    scale = jnp.array([float(text[key]) for key in ("output_scale", "output_scale.1") if key in text])

    def net(params, y):
        for W, b in params[:-1]:
            y = act(y @ W + b)
        W, b = params[-1]
        return scale * (y @ W + b)

    return net


def close(where, name, have, want, limit=1e-9):
    """Ends the program if two arrays differ by more than `limit` of the larger one's size."""
    have, want = jnp.asarray(have), jnp.asarray(want)
    if have.shape != want.shape:
        sys.exit(f"{where}: {name} has the shape {have.shape}, not {want.shape}")
    error = float(jnp.max(jnp.abs(have - want)) / (jnp.max(jnp.abs(want)) + 1e-300))
    if not error < limit:
        sys.exit(f"{where}: {name} is off by {error}")


def close_gradients(where, arrays, grad):
    for i, (W, b) in enumerate(grad):
        close(where, f"grad.W{i+1}", arrays[f"grad.W{i+1}"], W)
        close(where, f"grad.b{i+1}", arrays[f"grad.b{i+1}"], b)
