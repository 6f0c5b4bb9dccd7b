"""One step of modules that pdec made of examples/ and cross/pde/, recomputed with JAX in float64: residuals, source,
loss and parameter gradients, from the equations as problems.py writes them; and a step of natural gradient, from
explicit Jacobians of all rows.
usage: examples.py PDEC PDERUN EXAMPLES SCRATCH [NAME]; exit code 77 where JAX is absent."""
import os
import subprocess
import sys

from step import close, close_gradients, jax, jnp, load, network, parameters, trace
import problems

pdec, pderun, examples, scratch = sys.argv[1:5]
only = sys.argv[5:]


def sampled(index):
    """The sum over a set of a term given at every index (a vector, or a matrix for pairs)."""
    if index is None:
        return jnp.sum
    index = index.reshape(len(index), -1) - 1
    return lambda terms: terms.size / len(index) * jnp.sum(terms[tuple(index.T)])


def points(a, prefix=""):
    x = jnp.array(a[prefix + "x"])
    return jnp.concatenate([x, jnp.array(a[prefix + "t"])[:, None]], 1) if prefix + "t" in a else x


def check(name, module, d, make, options):
    a, text = trace(pderun, module, os.path.join(scratch, name), ["--set", f"d={d}"] + options)
    where = " ".join([name] + options)
    p = make(d, {k[6:]: jnp.array(v) for k, v in a.items() if k.startswith("const.")})
    net = network(text)

    def of(params):
        return lambda z: p.trial(lambda y: net(params, y), z)

    known = jax.jit(jax.vmap(lambda z: p.operator(p.exact, z, jnp.sum)))
    source = known(points(a)) if p.sources else 0

    def equation(params, S):
        return jax.vmap(lambda z: p.operator(of(params), z, S))(points(a)) - source

    def entries(params, key):
        z, rule = points(a, key + "."), p.conditions[key]
        n = jnp.array(a[key + ".normal"]) if key + ".normal" in a else z
        return jax.vmap(lambda y, m: rule(of(params), y, m))(z, n)

    def condition(params, key):
        values = entries(params, key)
        if key + ".squares" not in text:
            return values
        if key + ".I" in a:     # some entries of the vector stand for all
            values = values[:, a[key + ".I"].ravel() - 1]
        return jnp.mean(values**2, 1)

    # where the algorithm has a value of its own and no set for it, the value is that of all terms
    S_I = sampled(a.get("I"))
    S_J = sampled(a.get("J")) if "residual_J" in a else S_I

    def lost(prefix, residual):
        """What a residual adds to the loss, and its slope: residuals may be squares already."""
        return residual if prefix + "squares" in text else residual**2

    def slope(prefix, residual):
        return jnp.ones_like(residual) if prefix + "squares" in text else 2 * residual

    def factor(prefix):
        return float(text[prefix + "weight"]) / float(text[prefix + "residual_scale"]) ** 2 / 5

    def balance(params):
        """What --weights balance makes of the weights in its first step."""
        def norm(rule, key):
            scale = float(text[key + "residual_scale"])
            grad = jax.jit(jax.grad(lambda q: jnp.sum(lost(key, rule(q))) / 5 / scale**2))(params)
            return jnp.sqrt(sum(jnp.sum(g ** 2) for layer in grad for g in layer))
        unit = norm(lambda q: equation(q, jnp.sum), "")
        for key in p.conditions:
            given = p.weights.get(key, 1)
            close(where, key + " weight", float(text[key + ".weight"]),
                  given * unit / norm(lambda q: condition(q, key), key + "."))

    def natural(params):
        """The parameters after one step: all residuals and all entries of vectors are rows, or the root of their
        mean square where entries are not had one by one."""
        start, shape = jax.flatten_util.ravel_pytree(params)

        def rows(theta):
            q = shape(theta)
            mine = {"": equation(q, jnp.sum)}
            mine.update({key + ".": jnp.sqrt(condition(q, key))[:, None] if key in p.together
                         else entries(q, key) for key in p.conditions})
            share = {k: v.shape[1] if k + "squares" in text else 1 for k, v in mine.items()}
            return jnp.concatenate([jnp.sqrt(factor(k) / share[k]) * v.ravel() for k, v in mine.items()])
        r, J = rows(start), jax.jit(jax.jacrev(rows))(start)
        K = J @ J.T
        damped = K + DAMPING * jnp.trace(K) / len(r) * jnp.eye(len(r))
        return start - RATE * J.T @ jnp.linalg.solve(damped, r), start

    if options == NATURAL:
        want, start = natural(parameters(a))
        b, _ = load(os.path.join(scratch, name, "run", "model.safetensors"))
        have = jax.flatten_util.ravel_pytree(parameters(b))[0]
        close(where, "step", have - start, want - start)
        return

    @jax.jit
    def compute(params):
        value = {"": equation(params, S_J)}
        value.update({key + ".": condition(params, key) for key in p.conditions})

        def surrogate(q):
            mine = {"": equation(q, S_I)}
            mine.update({key + ".": condition(q, key) for key in p.conditions})
            total = sum(factor(k) * jnp.sum(jax.lax.stop_gradient(slope(k, value[k])) * mine[k])
                        for k in mine)
            return total, mine
        grad, mine = jax.grad(surrogate, has_aux=True)(params)
        loss = sum(factor(k) * jnp.sum(lost(k, value[k])) for k in value)
        return value[""], mine, loss, grad

    value, mine, loss, grad = compute(parameters(a))
    if BALANCE[0] in options:
        balance(parameters(a))
    for k, key in enumerate(p.sources):
        if key:
            close(where, key, a[key], source if source.ndim == 1 else source[:, k])
    for k, residual in mine.items():
        close(where, k + "residual_I", a[k + "residual_I"], residual)
    if "residual_J" in a:
        close(where, "residual_J", a["residual_J"], value)
    tasks = sum(1 for k in a if k.endswith("residual_I"))
    if tasks != len(mine):
        sys.exit(f"{where}: {tasks} tasks in the trace, {len(mine)} here")
    close(where, "loss", a["loss"][0], loss)
    close_gradients(where, a, grad)


BALANCE = ["--weights", "balance"]
METHODS = (["--algorithm", "2", "--terms", "3"], ["--algorithm", "3", "--terms", "3"],
           ["--algorithm", "full"])
DAMPING, RATE = 1e-2, 0.03   # short: a step that raises its loss would be made again
NATURAL = ["--algorithm", "full", "--optimiser", "natural", "--damping", str(DAMPING), "--momentum", "0",
           "--rate", f"constant({RATE})", "--step-limit", "0"]
for name, d, make in problems.ALL:
    if only and name not in only:
        continue
    os.makedirs(scratch, exist_ok=True)
    module = os.path.join(scratch, name + ".so")
    here = os.path.join(os.path.dirname(__file__), "pde", name + ".pde")
    source = here if os.path.exists(here) else os.path.join(examples, name + ".pde")
    subprocess.run([pdec, source, "-o", module], check=True)
    methods = METHODS + ((NATURAL,) if name in problems.NATURAL else ())
    methods += ((METHODS[-1] + BALANCE,) if name in problems.BALANCED else ())
    for options in methods:
        check(name, module, d, make, options)
    print(f"{name}: d = {d}, {len(methods)} methods agree", flush=True)
