"""Recomputes a tensor network's Rayleigh quotient and its gradient with JAX, from a trace.

usage: tnn_jax.py PDEC PDERUN DIRECTORY
Compiles a small problem (d = 3, rank 4, neighbours and all pairs), takes the trace of its first
step with pderun, and computes lambda and its gradient by automatic differentiation in float64: the
network, its boundary factor, the quadrature and all integrals are written here anew, as full tensors
over the nodes of the three dimensions. Exit code 77 (skipped) without JAX."""
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
    print("no JAX here: skipped")
    sys.exit(77)

jax.config.update("jax_enable_x64", True)
TOLERANCE = 1e-10

PROBLEM = """dim d = 3
domain x in R(d)
field psi(x)
unknown lambda = d
equation -1.5 * lap(psi) + (sum_i (x_i^2 + 0.2 * x_i^4) - sum_{i=1..d-1} x_i * x_{i+1}
         + 0.3 * sum_{i<j} x_i^2 * cos(x_j) + 2 + x_1 * x_2 / 4 + 0.1 * x_2^3
         + sum_{i=1..d-1} i * (x_{i+1} - 2 * x_i)^2 / 10 + (sum_i sin(x_i))^2 / 5) * psi = lambda * psi
eigen lambda smallest
solve {
  network tnn(rank = 4, width = 6, depth = %d, activation = %s, cells = 2, nodes = 10, halfwidth = 4)
  method full
  iterations 1
}
"""


# The same potential, written for three coordinates.
def potential(x, y, z):
    each = sum(v**2 + 0.2 * v**4 for v in (x, y, z))
    pairs = x**2 * jnp.cos(y) + x**2 * jnp.cos(z) + y**2 * jnp.cos(z)
    chain = (y - 2 * x) ** 2 / 10 + 2 * (z - 2 * y) ** 2 / 10
    square = (jnp.sin(x) + jnp.sin(y) + jnp.sin(z)) ** 2 / 5
    return each - x * y - y * z + 0.3 * pairs + 2 + x * y / 4 + 0.1 * y**3 + chain + square


# Coordinates by an orthogonal matrix that makes x'Ax diagonal.
ROTATED = """dim d = 5
domain x in R(d)
field psi(x)
unknown lambda = d
data A_ij from "a.npy"
data Q_ij from "q.npy"
equation -lap(psi) + (sum_ij A_ij * x_i * x_j) * psi = lambda * psi
eigen lambda smallest
coordinates y = Q * x
solve {
  network tnn(rank = 1)
}
"""


def read(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        head = json.loads(file.read(size))
        data = file.read()
    text = head.pop("__metadata__", {})
    arrays = {}
    for name, row in head.items():
        lo, hi = row["data_offsets"]
        arrays[name] = np.frombuffer(data[lo:hi], dtype=np.float64).reshape(row["shape"])
    return arrays, text


def network(theta, s, width, depth, rank, activation):
    sigma = {"sin": jnp.sin, "tanh": jnp.tanh}[activation]
    at = 2 * width
    value = sigma(s * theta[:width] + theta[width:at])
    for _ in range(depth - 2):
        W = theta[at:at + width * width].reshape(width, width)
        at += width * width
        value = sigma(value @ W + theta[at:at + width])
        at += width
    W = theta[at:at + width * rank].reshape(width, rank)
    return (1 - s * s) * (value @ W + theta[at + width * rank:])


def quotient(networks, coefficients, t, sizes):
    """psi on the whole grid, and the integrals of psi H psi by its gradient."""
    d = networks.shape[0]
    nodes, weights = t["nodes"], t["weights"]
    phi, slope = [], []
    for i in range(d):
        f = lambda s, i=i: network(networks[i], s, *sizes)
        value = jax.vmap(f)(nodes)
        derivative = jax.vmap(jax.jacfwd(f))(nodes) / t["half"][i]
        norm = jnp.sqrt(jnp.sum(weights[:, None] * value**2, axis=0))
        phi.append(value / norm)
        slope.append(derivative / norm)
    grid = lambda a, b, c: jnp.einsum("j,aj,bj,cj->abc", coefficients, a, b, c)
    psi = grid(*phi)
    w = jnp.einsum("a,b,c->abc", weights, weights, weights)
    energy = 0.0
    for i in range(d):
        rows = [slope[k] if k == i else phi[k] for k in range(d)]
        energy += t["kinetic"][i] * jnp.sum(w * grid(*rows) ** 2)
    spread = lambda i: (nodes * t["half"][i]).reshape([-1 if k == i else 1 for k in range(d)])
    V = potential(*(spread(i) for i in range(d)))
    return (energy + jnp.sum(w * V * psi**2)) / jnp.sum(w * psi**2)


def check(pdec, pderun, directory, depth, activation):
    source, module, trace = (os.path.join(directory, name) for name in ("t.pde", "t.so", "t.trace"))
    with open(source, "w") as file:
        file.write(PROBLEM % (depth, activation))
    subprocess.run([pdec, source, "-o", module], check=True)
    subprocess.run([pderun, module, "--out", os.path.join(directory, f"run{depth}"), "--trace", trace,
                    "--quiet", "--no-report", "--no-cache"], check=True, stdout=subprocess.DEVNULL)
    t, text = read(trace)
    sizes = (int(text["width"]), int(text["depth"]), int(text["rank"]), text["activation"])
    value, gradient = jax.value_and_grad(quotient, argnums=(0, 1))(
        jnp.asarray(t["networks"]), jnp.asarray(t["coefficients"]), t, sizes)
    worst = abs(float(value) / t["lambda"][0] - 1)
    for name, ours in zip(("gradient.networks", "gradient.coefficients"), gradient):
        size = np.max(np.abs(t["gradient.networks"]))
        worst = max(worst, float(np.max(np.abs(np.asarray(ours) - t[name]))) / size)
    print(f"depth {depth}, {activation}: largest difference {worst:.2e}")
    return worst < TOLERANCE


def check_rotated(pdec, pderun, directory):
    root = np.random.default_rng(1).normal(size=(5, 5))
    A = root @ root.T + np.eye(5)
    values, vectors = np.linalg.eigh(A)
    np.save(os.path.join(directory, "a.npy"), A)
    np.save(os.path.join(directory, "q.npy"), np.ascontiguousarray(vectors.T))
    with open(os.path.join(directory, "r.pde"), "w") as file:
        file.write(ROTATED)
    subprocess.run([pdec, "r.pde", "-o", "r.so"], check=True, cwd=directory)
    subprocess.run([pderun, "r.so", "--out", "rotated", "--quiet", "--no-report", "--no-cache"], check=True,
                   stdout=subprocess.DEVNULL, cwd=directory)
    arrays, _ = read(os.path.join(directory, "rotated", "model.safetensors"))
    error = abs(arrays["unknowns"][0] / np.sum(np.sqrt(values)) - 1)
    np.save(os.path.join(directory, "q.npy"), np.eye(5))
    refused = subprocess.run([pdec, "r.pde", "-o", "r.so"], cwd=directory, capture_output=True, text=True)
    print(f"matrix coordinates: relative error {error:.2e}")
    return error < 1e-8 and refused.returncode == 1 and "E0563" in refused.stderr


def main():
    pdec, pderun, directory = sys.argv[1:4]
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    passed = [check(pdec, pderun, directory, depth, activation)
              for depth, activation in ((2, "sin"), (3, "tanh"), (4, "sin"))]
    passed.append(check_rotated(pdec, pderun, directory))
    return 0 if all(passed) else 1


sys.exit(main())
