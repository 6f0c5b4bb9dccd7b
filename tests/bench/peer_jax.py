"""The same training step in JAX, in collapsed Taylor mode, otherwise plain: jax.grad, jax.random and XLA's
own sines. Where d is large points and source dominate it, and a program tuned by hand (own sines, own
random numbers, own adjoint) is several times faster: a ratio to this one is no proof of speed.

Per point the network carries its value, one tangent for each sampled coordinate (the rows of W1 they
start from are shared by all points) and ONE row for the sum of second derivatives. For u = q N with
q = 1 - |x|^2 the sum over I of d2 u is q sum N_kk - 4 sum x_k N_k - 2 |I| N. Jitted, buffers donated,
Adam inside the program, points drawn on the device.
usage: peer_jax.py D TERMS ALGORITHM STEPS [POINTS]
prints the least and the median time of a step in ms, and the peak memory in MB; 77 without JAX."""
import resource
import sys
import time

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
except ImportError:
    sys.exit(77)
jax.config.update("jax_default_prng_impl", "unsafe_rbg")

d, terms, algorithm, steps = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
B = int(sys.argv[5]) if len(sys.argv) > 5 else 100
H, WARM = 128, 3
terms = min(terms, d)
c = jnp.asarray(np.random.default_rng(7).standard_normal(d - 1), jnp.float32)


def points(key):
    direction, radius = jax.random.split(key)
    x = jax.random.normal(direction, (B, d))
    return x * (jax.random.uniform(radius, (B, 1)) / jnp.linalg.norm(x, axis=1, keepdims=True))


def source(x):
    """Laplacian and sine of q S, S = sum c_i sin(a_i), in O(d) from the derivatives of a_i."""
    p, r = x[:, :-1], x[:, 1:]
    sp, cp, sr, cr = jnp.sin(p), jnp.cos(p), jnp.sin(r), jnp.cos(r)
    a = p + cr + r * cp
    ap, ar = 1 - r * sp, cp - sr
    s, k = c * jnp.sin(a), c * jnp.cos(a)
    S = jnp.sum(s, 1)
    q = 1 - jnp.sum(x * x, 1)
    second = jnp.sum(-s * (ap**2 + ar**2) - k * (r * cp + cr), 1)
    along = jnp.sum(k * (p * ap + r * ar), 1)
    return q * second - 4 * along - 2 * d * S + jnp.sin(q * S)


def residual(params, x, g, tangents, x_of, count):
    """tangents [n, H]: first-layer rows of the directions; x_of [B, n]: their weights in the sum of
    x_k N_k, or None: the direction is x itself. count: coordinates they stand for."""
    (W, b), rest = params[0], params[1:]
    z = x @ W
    ray = None if x_of is not None else z
    z = z + b
    first, second = tangents[None], None
    for W, b in rest:
        y = jnp.tanh(z)
        dy = 1 - y * y
        square = -2 * y * dy * jnp.sum(first * first, 1)
        second = square if second is None else square + dy * second
        first = dy[:, None, :] * first
        z, first, second = y @ W + b, first @ W, second @ W
        ray = None if ray is None else (dy * ray) @ W
    n, q = z[:, 0], 1 - jnp.sum(x * x, 1)
    along = ray[:, 0] if ray is not None else jnp.sum(x_of * first[..., 0], 1)
    total = q * second[:, 0] - 4 * along - 2 * count * n
    return d / count * total + jnp.sin(q * n) - g


def sampled(params, x, g, index):
    return residual(params, x, g, params[0][0][index], x[:, index], len(index))


def exact(params, x, g):
    """Sums over all coordinates see W1 only through W1' W1: H rows of a Cholesky factor stand for d."""
    W = params[0][0]
    rows = W if d <= H else jnp.linalg.cholesky(W.T @ W + 1e-7 * jnp.eye(H)).T
    return residual(params, x, g, rows, None, d)


def loss(params, x, g, I, J):
    if algorithm == "exact":
        return jnp.mean(exact(params, x, g) ** 2)
    mine = sampled(params, x, g, I)
    if algorithm == "2":
        return 2 * jnp.mean(jax.lax.stop_gradient(sampled(params, x, g, J)) * mine)
    return jnp.mean(mine**2)


def step(params, m, v, t, key, I, J):
    x = points(key)
    grad = jax.grad(loss)(params, x, source(x), I, J)
    t = t + 1
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, grad)
    v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, grad)
    rate, root = 1e-4 / (1 - 0.9**t), 1 / jnp.sqrt(1 - 0.999**t)
    params = jax.tree.map(lambda w, a, b: w - rate * a / (root * jnp.sqrt(b) + 1e-8), params, m, v)
    return params, m, v, t


rng = np.random.default_rng(0)
widths = [d, H, H, H, 1]
state = [(jnp.asarray(rng.uniform(-1, 1, (a, b)) / np.sqrt(a), jnp.float32),
          jnp.asarray(rng.uniform(-1, 1, b) / np.sqrt(a), jnp.float32))
         for a, b in zip(widths, widths[1:])]
m, v = jax.tree.map(jnp.zeros_like, state), jax.tree.map(jnp.zeros_like, state)
t, train, key, times = jnp.float32(0), jax.jit(step, donate_argnums=(0, 1, 2, 3)), jax.random.key(0), []
for k in range(WARM + steps):
    start = time.perf_counter()
    I, J = (rng.choice(d, terms, replace=False, shuffle=False) for _ in range(2))
    state, m, v, t = train(state, m, v, t, jax.random.fold_in(key, k), I, J)
    jax.block_until_ready(state)
    times.append(1e3 * (time.perf_counter() - start))
times = sorted(times[WARM:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{times[0]:.3f} {times[len(times) // 2]:.3f} {peak}")
