"""The same training step in JAX, made as fast as JAX gets here: collapsed Taylor mode with its adjoint written
out, points stored by coordinate and left unnormalised (their scale goes into the small matrices), polynomials
for sine and cosine and hashed random numbers (XLA's own take several times as long), one jitted program with
donated buffers. bench.sh starts it with an allocator that keeps its pages.

A layer carries for each point its value y, a tangent for each direction k (A_k), ONE row S for the sum of second
derivatives and ONE row E for the derivative along sum_k x_k e_k. With z, T, R, D the images of y, A, S, E under
the weights and y' = tanh z, p = 1 - y'^2:
    A'_k = p T_k    S' = p (R - 2 y' sum_k T_k^2)    E' = p D
and for u = q N, q = 1 - |x|^2:  sum_k u_kk = q sum_k N_kk - 4 sum_k x_k N_k - 2 |I| N.
usage: peer_jax.py D TERMS ALGORITHM STEPS [POINTS]        ALGORITHM: 2, 3 or exact
       peer_jax.py --check                                 the gradient against jax.grad of nested derivatives
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

CHECK = sys.argv[1:] == ["--check"]
d, terms, algorithm, steps = (40, 6, "3", 1) if CHECK else (
    int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
B = 7 if CHECK else int(sys.argv[5]) if len(sys.argv) > 5 else 100
H, WARM, F = 128, 5, jnp.float32
terms = min(terms, d)
c = jnp.asarray(np.random.default_rng(7).standard_normal(d - 1), F)


# ---- functions of a coordinate, |x| <= 1, and of the angle of a term, |a| <= 3

def fit(function, parity, reach, count):
    """Least squares at Chebyshev nodes: an even or odd polynomial, coefficients in powers of x^2."""
    x = reach * np.cos(np.pi * (np.arange(400) + 0.5) / 400)
    table = np.stack([x ** (2 * k + parity) for k in range(count)], 1)
    scale = np.abs(table).max(0)
    return [float(v) for v in np.linalg.lstsq(table / scale, function(x), rcond=None)[0] / scale]


def even(coefficients, x2):
    total = F(coefficients[-1])
    for v in coefficients[-2::-1]:
        total = total * x2 + F(v)
    return total


SIN, COS = fit(np.sin, 1, np.pi / 2, 6), fit(np.cos, 0, np.pi / 2, 7)


def sine(x):
    return x * even(SIN, x * x)


def cosine(x):
    return even(COS, x * x)


def both(a):
    """Of an angle up to pi, by half of it."""
    s, k = sine(0.5 * a), cosine(0.5 * a)
    return 2 * s * k, 1 - 2 * s * s


# ---- points and source

def scrambled(index, seed):
    """Two rounds of multiply and shift: enough for points."""
    x = (index ^ seed) * jnp.uint32(0x9E3779B1)
    x = (x ^ (x >> 15)) * jnp.uint32(0x85EBCA77)
    x = (x ^ (x >> 13)) * jnp.uint32(0xC2B2AE3D)
    return x ^ (x >> 16)


def points(key):
    """n [d, B] and scale [B] with x = n scale, radius [B]. Rows 2k and 2k + 1 are the two normals of one pair
    (Box and Muller), each computed where it stands: that fuses, putting halves side by side would not."""
    seed = jax.random.bits(key, (3,), jnp.uint32)
    row = jax.lax.broadcasted_iota(jnp.uint32, (d, B), 0)
    pair = (row >> 1) * jnp.uint32(B) + jax.lax.broadcasted_iota(jnp.uint32, (d, B), 1)
    one = (scrambled(pair, seed[0]) >> 8).astype(jnp.int32).astype(F)
    two = (scrambled(pair, seed[1]) >> 8).astype(jnp.int32).astype(F)
    s, k = both((two - F(2.0**23)) * F(np.pi * 2.0**-23))
    n = jnp.sqrt(-2 * jnp.log((one + 1) * F(2.0**-24))) * jnp.where(row & 1 == 0, s, k)
    radius = ((scrambled(jnp.arange(B, dtype=jnp.uint32), seed[2]) >> 8).astype(jnp.int32).astype(F) + 0.5) * F(2.0**-24)
    return n, radius / jnp.sqrt(jnp.sum(n * n, 0)), radius


def source(n, scale, radius):
    x, q = n * scale, 1 - radius * radius
    p, r = x[:-1], x[1:]
    sp, cp, sr, cr = sine(p), cosine(p), sine(r), cosine(r)
    s, k = both(p + cr + r * cp)
    ap, ar = 1 - r * sp, cp - sr
    rows = -s * (q * (ap * ap + ar * ar) + 2.0 * d) - k * (q * (r * cp + cr) + 4 * (p * ap + r * ar))
    return c @ rows + jnp.sin(q * (c @ s))


# ---- the network and its derivatives

def times(t, W):
    return (t.reshape(-1, t.shape[-1]) @ W).reshape(*t.shape[:-1], W.shape[1])


def across(a, b):
    """sum over directions and points of a outer b"""
    return a.reshape(-1, a.shape[-1]).T @ b.reshape(-1, b.shape[-1])


def forward(params, z, D, rows):
    """z, D [B, H]: images of the point and of its ray in the first layer; rows [k, H]: of the directions."""
    R, T, saved = None, rows[:, None], []
    for level, (W, b) in enumerate(params[1:]):
        y = jnp.tanh(z)
        p, Q = 1 - y * y, jnp.sum(T * T, 0)
        bracket = -2 * y * Q if R is None else R - 2 * y * Q
        last = level == len(params) - 2
        A = None if last else p * T  # the value and the two rows are all that the output needs
        saved.append((y, p, Q, bracket, T, D, A))
        S, E = p * bracket, p * D
        z, R, D = y @ W + b, S @ W, E @ W
        T = None if last else times(A, W)
    return z[:, 0], R[:, 0], D[:, 0], saved


def backward(params, saved, fb, sb, eb):
    """Gradients of all layers but the first, then the adjoints of the first layer's z, D and rows."""
    zb, Rb, Db, Tb, grads = fb[:, None], sb[:, None], eb[:, None], None, []
    for (W, _), (y, p, Q, bracket, T, D, A) in zip(params[:0:-1], saved[::-1]):
        Wb = y.T @ zb + (p * bracket).T @ Rb + (p * D).T @ Db
        yb, Sb, Eb = zb @ W.T, Rb @ W.T, Db @ W.T
        pb = Sb * bracket + Eb * D
        if Tb is None:
            grads.append((Wb, zb.sum(0)))
            Tb = (-4 * y * p * Sb) * T
        else:
            grads.append((Wb + across(A, Tb), zb.sum(0)))
            Ab = times(Tb, W.T)
            pb = pb + jnp.sum(Ab * T, 0)
            Tb = p * Ab + (-4 * y * p * Sb) * T
        zb = (yb - 2 * Sb * p * Q - 2 * y * pb) * p
        Rb, Db = p * Sb, p * Eb
    return grads[::-1], zb, Db, Tb


def outcome(f, s, e, radius, g, count):
    q = 1 - radius * radius
    return F(d / count) * (q * s - 4 * e - 2 * count * f) + jnp.sin(q * f) - g


def value(params, n, scale, radius, g, xW, index):
    W, b = params[0]
    rows = W[index]
    f, s, e, _ = forward(params, xW + b, (n[index] * scale).T @ rows, rows)
    return outcome(f, s, e, radius, g, terms)


def gradient(params, n, scale, radius, g, I, J):
    W, b = params[0]
    xW = (n.T @ W) * scale[:, None]
    exact = algorithm == "exact"
    if exact:  # the sum over all coordinates sees W only through W'W: its Cholesky factor stands for the rows
        count = d
        rows = W if d <= H else jnp.linalg.cholesky(W.T @ W + 1e-7 * jnp.eye(H, dtype=F)).T
        ray, xI = xW, None
    else:
        count, rows, xI = terms, W[I], n[I] * scale
        ray = xI.T @ rows
    f, s, e, saved = forward(params, xW + b, ray, rows)
    mine = outcome(f, s, e, radius, g, count)
    factor = value(params, n, scale, radius, g, xW, J) if algorithm == "2" else mine
    rb, q = 2 / B * factor, 1 - radius * radius
    grads, zb, Db, Tb = backward(params, saved, rb * (q * jnp.cos(q * f) - 2.0 * d), rb * F(d / count) * q,
                                 rb * F(-4 * d / count))
    rows_b = Tb.sum(1)
    if not exact:
        first = (n @ (zb * scale[:, None])).at[I].add(rows_b + xI @ Db)
    else:
        first = n @ ((zb + Db) * scale[:, None])
        first = first + (rows_b if d <= H else W @ jax.scipy.linalg.solve_triangular(rows, rows_b, lower=False))
    return [(first, zb.sum(0))] + grads


def step(params, m, v, t, key, I, J):
    n, scale, radius = points(jax.random.fold_in(key, t.astype(jnp.int32)))
    grad = gradient(params, n, scale, radius, source(n, scale, radius), I, J)
    t = t + 1
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, grad)
    v = jax.tree.map(lambda a, b: 0.999 * a + 0.001 * b * b, v, grad)
    rate, root = 1e-3 * (1 - t / 10000) / (1 - 0.9**t), 1 / jnp.sqrt(1 - 0.999**t)
    params = jax.tree.map(lambda w, a, b: w - rate * a / (root * jnp.sqrt(b) + 1e-8), params, m, v)
    return params, m, v, t


def start(rng):
    widths = [d, H, H, H, 1]
    return [(jnp.asarray(rng.uniform(-1, 1, (a, b)) / np.sqrt(a), F),
             jnp.asarray(rng.uniform(-1, 1, b) / np.sqrt(a), F)) for a, b in zip(widths, widths[1:])]


# ---- running

def check():
    """Against the plain definition: second derivatives by jax.hessian, gradients by jax.grad."""
    global algorithm
    params, key = start(np.random.default_rng(0)), jax.random.key(1)
    n, scale, radius = points(key)
    x = (n * scale).T
    I, J = (jnp.asarray(np.random.default_rng(k).choice(d, terms, replace=False)) for k in (2, 3))

    def exact_u(x):
        return (1 - x @ x) * (c @ jnp.sin(x[:-1] + jnp.cos(x[1:]) + x[1:] * jnp.cos(x[:-1])))

    def net_u(params, x):
        y = x
        for W, b in params[:-1]:
            y = jnp.tanh(y @ W + b)
        return (1 - x @ x) * (y @ params[-1][0] + params[-1][1])[0]

    g = jax.vmap(lambda x: jnp.trace(jax.hessian(exact_u)(x)) + jnp.sin(exact_u(x)))(x)

    def plain(params, index):
        def one(x, g):
            second = jnp.diag(jax.hessian(lambda x: net_u(params, x))(x))
            return d / len(index) * second[index].sum() + jnp.sin(net_u(params, x)) - g
        return jax.vmap(one)(x, g)

    def distance(a, b):
        a, b = (jnp.concatenate([jnp.ravel(v) for v in jax.tree.leaves(t)]) for t in (a, b))
        return float(jnp.linalg.norm(a - b) / jnp.linalg.norm(b))

    worst = distance(source(n, scale, radius), g)
    for algorithm, of in (("3", lambda p: jnp.mean(plain(p, I) ** 2)),
                          ("2", lambda p: 2 * jnp.mean(jax.lax.stop_gradient(plain(p, J)) * plain(p, I))),
                          ("exact", lambda p: jnp.mean(plain(p, jnp.arange(d)) ** 2))):
        worst = max(worst, distance(gradient(params, n, scale, radius, g, I, J), jax.grad(of)(params)))
    print(f"largest relative difference {worst:.1e}")
    sys.exit(worst > 2e-4)


def measure():
    rng = np.random.default_rng(0)
    state = start(rng)
    m, v = jax.tree.map(jnp.zeros_like, state), jax.tree.map(jnp.zeros_like, state)
    t, train, key, spent = F(0), jax.jit(step, donate_argnums=(0, 1, 2, 3)), jax.random.key(0), []
    for k in range(WARM + steps):
        begin = time.perf_counter()
        I, J = (rng.choice(d, terms, replace=False, shuffle=False).astype(np.int32) for _ in range(2))
        state, m, v, t = train(state, m, v, t, key, I, J)
        jax.block_until_ready(state)
        spent.append(1e3 * (time.perf_counter() - begin))
    spent = sorted(spent[WARM:])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{spent[0]:.3f} {spent[len(spent) // 2]:.3f} {peak}")


check() if CHECK else measure()
