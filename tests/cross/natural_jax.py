"""K = J J', J phi and J' s of small cases against explicit Jacobians by JAX in float64.
usage: natural_jax.py DUMP (the program natural_dump); exit code 77 where JAX is absent."""
import json
import subprocess
import sys

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
except ImportError:
    sys.exit(77)
jax.config.update("jax_enable_x64", True)
SETS = [1, 3, 5, 7]
LIMIT = 1e-9


def unpack(theta, width):
    layers, at = [], 0
    for n, m in zip(width[:-1], width[1:]):
        W = theta[at : at + n * m].reshape(n, m)
        at += n * m
        layers.append((W, theta[at : at + m]))
        at += m
    return layers


def network(layers, x):
    for W, b in layers[:-1]:
        x = jnp.tanh(x @ W + b)
    W, b = layers[-1]
    return x @ W + b


def residual(name, N, x, v):
    """The residuals of one point; N is the network, v the point's own direction."""
    first = lambda y: N(y)[0]
    u = lambda y: (1 - y @ y) * first(y)
    if name == "ball":
        return jnp.array([jnp.trace(jax.hessian(u)(x)) + jnp.sin(u(x))])
    if name == "sampled":
        # terms of the Laplacian of (1 - |x|^2) N without its multiple of N, which is exact
        terms = jnp.diag(jax.hessian(u)(x)) + 2 * first(x)
        return jnp.array([len(x) / len(SETS) * terms[jnp.array(SETS)].sum()
                          - 2 * len(x) * first(x) + jnp.sin(u(x))])
    if name == "hjb":
        w = lambda y: (1 - y[-1]) * first(y)
        g = jax.grad(w)(x)
        return jnp.array([g[-1] + jnp.trace(jax.hessian(w)(x)[:-1, :-1]) - g[:-1] @ g[:-1]])
    if name == "gradient square":
        g = jax.grad(first)(x)
        return jnp.array([g @ g / 2 + first(x)])
    if name == "value":
        return jnp.array([first(x) + first(x) ** 2 - x[0]])
    if name == "normal":
        return jnp.array([jax.grad(first)(x) @ v])
    if name == "two":
        second = lambda y: N(y)[1]
        n = N(x)
        return jnp.array([jnp.trace(jax.hessian(first)(x)) + n[1] ** 2,
                          jax.grad(second)(x) @ x + n[0] * n[1]])
    raise SystemExit("unknown loss " + name)


def rows(case, theta):
    width = [int(w) for w in case["width"]]
    out = []
    for loss in case["losses"]:
        X = jnp.array(loss["x"]).reshape(-1, width[0])
        V = jnp.array(loss.get("v", loss["x"])).reshape(-1, width[0])
        N = lambda y: network(unpack(theta, width), y)
        R = jax.vmap(lambda x, v: residual(loss["name"], N, x, v))(X, V)
        out.append(loss["scale"] * R.reshape(-1))
    return jnp.concatenate(out)


failed = 0
for line in subprocess.run(sys.argv[1:2], check=True, capture_output=True, text=True).stdout.splitlines():
    case = json.loads(line)
    theta, phi, s = (jnp.array(case[k]) for k in ("theta", "phi", "s"))
    J = np.array(jax.jacrev(lambda t: rows(case, t))(theta))
    R = np.concatenate([loss["scale"] * np.array(loss["residual"]) for loss in case["losses"]])
    want = {"residual": np.array(rows(case, theta)), "K": (J @ J.T).ravel(), "times": J @ phi,
            "transposed": J.T @ s}
    got = {"residual": R} | {k: np.array(case[k]) for k in ("K", "times", "transposed")}
    worst = {k: float(abs(want[k] - got[k]).max() / abs(want[k]).max()) for k in want}
    bad = max(worst.values()) > LIMIT
    failed += bad
    print(f"{case['name']:16s}", *(f"{k} {e:.1e}" for k, e in worst.items()), "FAILED" if bad else "")
sys.exit(1 if failed else 0)
