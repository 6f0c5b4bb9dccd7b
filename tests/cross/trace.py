"""One step of the stand-in module, recomputed with JAX in float64 from the trace alone.
usage: trace.py PDERUN MODULE SCRATCH; exit code 77 where JAX is absent."""
import sys

from step import close, close_gradients, jax, jnp, network, parameters, trace

pderun, module, scratch = sys.argv[1:4]


def check(options):
    a, text = trace(pderun, module, scratch, ["--set", "d=8"] + options)
    params, net = parameters(a), network(text)
    c, X, d = jnp.array(a["const.c"]), jnp.array(a["x"]), a["x"].shape[1]

    def u(params, x):
        return (1 - x @ x) * net(params, x)[0]

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

    close(options, "source", a["source"], source)
    close(options, "residual_I", a["residual_I"], R_I)
    if "residual_J" in a:
        close(options, "residual_J", a["residual_J"], R_J)
    close(options, "loss", a["loss"][0], weight * jnp.mean(R_J**2))
    close_gradients(options, a, grad)


for options in (["--algorithm", "3", "--terms", "3"], ["--algorithm", "2", "--terms", "3"],
                ["--algorithm", "1", "--terms", "4", "--activation", "sin"],
                ["--algorithm", "full"], ["--algorithm", "exact", "--activation", "silu"]):
    check(options)
