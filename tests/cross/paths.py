"""A step of algorithm 2 along paths, with sets for each slice, recomputed with JAX in float64.
usage: paths.py PDERUN MODULE SCRATCH, the module of session/paths.pde; exit code 77 where JAX is absent."""
import sys

from step import close, close_gradients, jax, jnp, network, parameters, trace

pderun, module, scratch = sys.argv[1:4]
SLICES, PATHS, D = 4, 5, 6      # the slices, their sets and the algorithm are the module's
options = ["--set", f"d={D}", "--points", str(SLICES * PATHS), "--terms", "2", "--value-terms", "3"]
a, text = trace(pderun, module, scratch, options)
params, net = parameters(a), network(text)


def points(prefix):
    return jnp.concatenate([a[prefix + "x"], a[prefix + "t"][:, None]], 1)


def sets(letter):
    """One row for each slice, from the rows of the first path; those of the others are the same."""
    rows = jnp.array(a[letter]).reshape(PATHS, SLICES, -1) - 1
    close(options, letter, rows, jnp.broadcast_to(rows[0], rows.shape))
    return rows[0]


def equation(params, rows):
    """Slice by slice, [slices, paths]."""
    def one(z, row):
        def u(y):
            return net(params, y)[0]
        second = jnp.diag(jax.hessian(u)(z))[row]
        return jax.grad(u)(z)[D] + D / len(row) * jnp.sum(second) + jnp.sin(u(z))
    by_slice = points("").reshape(PATHS, SLICES, D + 1).transpose(1, 0, 2)
    return jnp.stack([jax.vmap(lambda z: one(z, rows[n]))(by_slice[n]) for n in range(SLICES)])


def terminal(params):
    return jax.vmap(lambda z: net(params, z)[0] - 5 / (10 + 2 * z[:D] @ z[:D]))(points("terminal1."))


def weight(prefix):
    return float(text[prefix + "weight"]) / float(text[prefix + "residual_scale"]) ** 2


R_J, end = equation(params, sets("J")), terminal(params)


def surrogate(p):
    slices = jnp.mean(R_J * equation(p, sets("I")), 1)      # of each slice, over its paths
    return 2 * weight("") * jnp.sum(slices) / SLICES + 2 * weight("terminal1.") * jnp.mean(end * terminal(p))


close(options, "times", a["t"].reshape(PATHS, SLICES), jnp.tile(0.5 * jnp.arange(1, SLICES + 1) / SLICES, (PATHS, 1)))
close(options, "residual_J", a["residual_J"].reshape(PATHS, SLICES).T, R_J)
close(options, "loss", a["loss"][0],
      weight("") * jnp.mean(R_J**2) + weight("terminal1.") * jnp.mean(end**2))
close_gradients(options, a, jax.grad(surrogate)(params))
