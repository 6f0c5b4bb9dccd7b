"""The same Adam step in JAX for two problems of low dimension: Poisson on a square, and Kovasznay's Navier-Stokes flow
with its three conditions on shared points. Forward jets of value, gradient and second derivatives by hand, one jitted
program, fresh points in each step: the fastest form that we found.
usage: peer_low.py poisson|kovasznay POINTS WIDTH STEPS
prints the least and the median time of a step in ms; 77 without JAX."""
import sys
import time

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    sys.exit(77)

problem, B, width, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
outputs = 1 if problem == "poisson" else 3
REYNOLDS = 40.0
RATE = REYNOLDS / 2 - (REYNOLDS**2 / 4 + 4 * jnp.pi**2) ** 0.5
RUN = 25  # steps between two looks at the clock: a step alone is too short for it


def network(key):
    layers = []
    for n_in, n_out in ((2, width), (width, width), (width, width), (width, outputs)):
        key, own = jax.random.split(key)
        layers.append((jax.random.normal(own, (n_in, n_out)) / n_in**0.5, jnp.zeros(n_out)))
    return layers


def value(layers, x):
    for weight, bias in layers[:-1]:
        x = jnp.tanh(x @ weight + bias)
    return x @ layers[-1][0] + layers[-1][1]


def jets(layers, x):
    """Value, both first derivatives and the Laplacian: the last as one row, since only the sum counts."""
    first = [jnp.broadcast_to(row, x.shape) for row in jnp.eye(2)]
    second = jnp.zeros_like(x)
    for weight, bias in layers[:-1]:
        a = jnp.tanh(x @ weight + bias)
        slope = 1 - a * a
        z = [t @ weight for t in first]
        second = slope * (second @ weight) - 2 * a * slope * (z[0] * z[0] + z[1] * z[1])
        x, first = a, [slope * t for t in z]
    weight, bias = layers[-1]
    return x @ weight + bias, first[0] @ weight, first[1] @ weight, second @ weight


def loss(layers, key):
    inside, side, along = jax.random.split(key, 3)
    x = jax.random.uniform(inside, (B, 2), minval=-1, maxval=1)
    face, t = jax.random.randint(side, (B,), 0, 4), jax.random.uniform(along, (B,), minval=-1, maxval=1)
    end = jnp.where(face % 2 == 0, -1.0, 1.0)
    edge = jnp.where((face < 2)[:, None], jnp.stack([end, t], 1), jnp.stack([t, end], 1))
    n, n_x, n_y, lap = jets(layers, x)
    on_edge = value(layers, edge)
    if problem == "poisson":
        return jnp.mean((lap[:, 0] + 1) ** 2) + jnp.mean(on_edge**2)
    u, v = n[:, 0], n[:, 1]
    first = u * n_x[:, 0] + v * n_y[:, 0] + n_x[:, 2] - lap[:, 0] / REYNOLDS
    second = u * n_x[:, 1] + v * n_y[:, 1] + n_y[:, 2] - lap[:, 1] / REYNOLDS
    mass = n_x[:, 0] + n_y[:, 1]
    wave = jnp.exp(RATE * edge[:, 0])
    angle = 2 * jnp.pi * edge[:, 1]
    exact = jnp.stack([1 - wave * jnp.cos(angle), RATE / (2 * jnp.pi) * wave * jnp.sin(angle),
                       (1 - wave * wave) / 2], 1)
    return (first**2).mean() + (second**2).mean() + (mass**2).mean() + 3 * ((on_edge - exact) ** 2).mean()


@jax.jit
def step(layers, m, v, i, key):
    key, own = jax.random.split(key)
    g = jax.grad(loss)(layers, own)
    i = i + 1
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
    v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, g)
    move = lambda p, a, b: p - 1e-3 * (a / (1 - 0.9**i)) / (jnp.sqrt(b / (1 - 0.999**i)) + 1e-8)
    return jax.tree.map(move, layers, m, v), m, v, i, key


state = network(jax.random.PRNGKey(0))
state = (state, jax.tree.map(jnp.zeros_like, state), jax.tree.map(jnp.zeros_like, state), jnp.float32(0),
         jax.random.PRNGKey(1))
times = []
for k in range(-1, max(2, steps // RUN)):
    start = time.perf_counter()
    for _ in range(RUN):
        state = step(*state)
    jax.block_until_ready(state)
    if k >= 0:
        times.append(1e3 * (time.perf_counter() - start) / RUN)
times.sort()
print(f"{times[0]:.4f} {times[len(times) // 2]:.4f}")
