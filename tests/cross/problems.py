"""Problems of examples/ written out once more, by hand, for nested automatic differentiation.

A point is z: x, then t where there is time. `u` is a function of z. `S` adds up the terms of a sum
that may be sampled: all of them, or those of an index set times |K| / |I|."""
from dataclasses import dataclass, field
from typing import Any, Callable

from step import jax, jnp


@dataclass
class Problem:
    trial: Callable                 # (net, z) -> the field, or the fields as an array
    operator: Callable              # (u, z, S) -> residual(s) without the source
    exact: Any = None               # z -> field(s); where given, the source is the operator of it
    conditions: dict = field(default_factory=dict)  # name -> (u, z, normal) -> residual
    weights: dict = field(default_factory=dict)     # of conditions, where not 1
    together: tuple = ()            # conditions on vectors with a sum over derivatives in each entry
    sources: tuple = ()             # their names in the trace, in the order of the residuals; None: it has none


def second(f, z):
    return jnp.diag(jax.hessian(f)(z))


def along(f, e):
    return lambda z: jax.jvp(f, (z,), (e,))[1]


def elliptic_sine_gordon(d, const):
    c = const["c"]

    def exact(x):
        return (1 - x @ x) * jnp.sum(c * jnp.sin(x[:-1] + jnp.cos(x[1:]) + x[1:] * jnp.cos(x[:-1])))

    return Problem(trial=lambda net, x: (1 - x @ x) * net(x)[0],
                   operator=lambda u, x, S: S(second(u, x)) + jnp.sin(u(x)),
                   exact=exact, sources=("source",))


def black_scholes(d, const):
    r, sigma, rho, T = 0.05, 0.4, 0.3, 1.0
    C = sigma**2 * (rho + (1 - rho) * jnp.eye(d))

    def operator(V, z, S):
        x, H, g = z[:d], jax.hessian(V)(z)[:d, :d], jax.grad(V)(z)
        # what may be sampled is the diagonal that is left beside the part of rank one
        diagonal = 0.5 * sigma**2 * (1 - rho) * x**2 * jnp.diag(H)
        whole = 0.5 * jnp.sum(C * jnp.outer(x, x) * H)
        return g[d] + whole - jnp.sum(diagonal) + S(diagonal) + r * x @ g[:d] - r * V(z)

    def exact(z):
        return jnp.exp((r + sigma**2) * (T - z[d])) * z[:d] @ z[:d]

    def trial(net, z):
        x, t = z[:d], z[d]
        return x @ x + (T - t) * net(jnp.stack([t, x @ x / d, jnp.sum(x) / d]))[0]

    return Problem(trial=trial, operator=operator,
                   conditions={"boundary1": lambda V, z, n: V(z) - exact(z)})


def fokker_planck(d, const):
    theta, a, b, s = 0.8, 0.6, 0.9, 1.3
    D = a * jnp.eye(d) + b / d

    def operator(p, z, S):
        def flux(y):
            return -theta * y[:d] * p(y)
        H = jax.hessian(p)(z)[:d, :d]
        diagonal = -a * jnp.diag(H)
        drift = jnp.trace(jax.jacfwd(flux)(z)[:, :d])
        rest = jax.grad(p)(z)[d] + drift - jnp.sum(D * H) - jnp.sum(diagonal)
        return (rest + S(diagonal)) / p(z)

    def trial(net, z):
        x, t = z[:d], z[d]
        scalars = jnp.stack([t, x @ x / d, jnp.sum(x) ** 2 / d])
        start = -0.5 * (d * jnp.log(2 * jnp.pi * s) + x @ x / s)
        return jnp.exp(start + t * net(jnp.concatenate([x / jnp.sqrt(d), scalars]))[0])

    return Problem(trial=trial, operator=operator)


def biharmonic(d, const):
    c = const["c"]

    def exact(x):
        r = x @ x
        return (1 - r) * (4 - r) * jnp.sum(c * jnp.exp(x[:-2] * x[1:-1] * x[2:]))

    def operator(u, x, S):
        def fourth(i, j):   # one program for all pairs: nested Hessians take minutes to compile
            f = u
            for e in (i, i, j, j):
                f = along(f, e)
            return f(x)
        row, unit = jax.vmap(fourth, (None, 0)), jnp.eye(d)
        return S(jax.vmap(row, (0, None))(unit, unit))

    def slope(f, x, n):
        return jax.grad(f)(x) @ n

    return Problem(trial=lambda net, x: (x @ x - 1) * (4 - x @ x) * net(x)[0],
                   operator=operator, exact=exact, sources=("source",),
                   conditions={"boundary1": lambda u, x, n: slope(u, x, n) - slope(exact, x, n)})


def biharmonic_system(d, const):
    c = const["c"]

    def single(x):
        r = x @ x
        return (1 - r) * (4 - r) * jnp.sum(c * jnp.exp(x[:-2] * x[1:-1] * x[2:]))

    def exact(x):
        return jnp.array([single(x), jnp.sum(second(single, x))])

    def operator(f, x, S):
        H = jax.vmap(jnp.diag)(jax.hessian(f)(x))
        return jnp.array([S(4 * d * H[0]) - 4 * d * f(x)[1], S(H[1])])

    def trial(net, x):
        triple = d * jnp.pad(x[:-2] * x[1:-1] * x[2:], 1)
        u, w = net(jnp.append(triple, x @ x))
        return jnp.array([(x @ x - 1) * (4 - x @ x) * u, w])

    return Problem(trial=trial, operator=operator, exact=exact, sources=(None, "source"),
                   conditions={"boundary1": lambda f, x, n: f(x)[1] - exact(x)[1]})


def wave(d, const):
    def exact(z):
        return jnp.cosh(z[d]) * jnp.sum(jnp.sinh(z[:d]))

    def operator(u, z, S):
        H = second(u, z)
        return H[d] + S(-H[:d])

    def value(u, z, n):
        return u(z) - exact(z)

    def trial(net, z):      # the features: x, then t and the initial data
        return net(jnp.append(z, jnp.sum(jnp.sinh(z[:d]))))[0]

    return Problem(trial=trial, operator=operator,
                   conditions={"initial1": value,
                               "initial2": lambda u, z, n: jax.grad(u)(z)[d],
                               "boundary3": value})


def fitzhugh(d, const):
    D, eps, beta = 0.5, 0.1, 0.8

    def exact(z):
        y = jnp.sum(z[:d]) / jnp.sqrt(d)
        return jnp.exp(-z[d]) * jnp.array([jnp.sin(y), jnp.cos(y)])

    def operator(w, z, S):
        (u, v), slope = w(z), jax.jacfwd(w)(z)[:, d]
        H = jax.vmap(jnp.diag)(jax.hessian(w)(z))[:, :d]
        return jnp.array([slope[0] + S(-D * H[0]) - u + u**3 + v,
                          slope[1] + S(-H[1]) - eps * (u - beta * v)])

    def component(k):
        return lambda w, z, n: w(z)[k] - exact(z)[k]

    return Problem(trial=lambda net, z: net(z), operator=operator, exact=exact,
                   sources=("source", "source.h"), weights={"boundary3": 10, "boundary4": 10},
                   conditions={"initial1": component(0), "initial2": component(1),
                               "boundary3": component(0), "boundary4": component(1)})


def wave_gradients(d, const):
    def exact(z):
        x, t = z[:d], z[d]
        return jnp.cosh(t) * jnp.sum(jnp.sinh(x)) + t * jnp.sum(x**3) / 6

    def operator(u, z, S):
        H = second(u, z)
        return H[d] + S(-H[:d]) + z[d] * jnp.sum(z[:d])

    def gradient(f, z):
        return jax.grad(f)(z)[:d]

    def velocity(f):
        return lambda z: jax.grad(f)(z)[d]

    def off(u):
        return lambda z: u(z) - exact(z)

    def cubed(f, z):
        return jnp.sum(gradient(f, z) ** 2) * gradient(f, z)

    return Problem(trial=lambda net, z: net(z)[0], operator=operator,
                   conditions={"initial1": lambda u, z, n: off(u)(z),
                               "initial2": lambda u, z, n: gradient(off(u), z),
                               "initial3": lambda u, z, n: velocity(off(u))(z),
                               "initial4": lambda u, z, n: gradient(velocity(off(u)), z),
                               "initial5": lambda u, z, n: cubed(u, z) - cubed(exact, z),
                               "boundary6": lambda u, z, n: gradient(off(u), z)},
                   weights={"initial2": 3, "initial4": 2}, together=("initial5",))


def vectors_of_features(d, const):
    def exact(z):
        x, t = z[:d], z[d]
        return jnp.exp(-t) * jnp.sum(jnp.sin(x[:-1] * x[1:])) + t * x @ x

    def operator(u, z, S):
        x, g = z[:d], jax.grad(u)(z)
        return g[d] + S(-(1 + x**2) * second(u, z)[:d]) + g[:d] @ g[:d] - x @ g[:d]

    def trial(net, z):
        x, t = z[:d], z[d]
        return net(jnp.concatenate([2 * x, jnp.sin(x[:-2] * x[1:-1] * x[2:]), jnp.exp(-t) * x[:-1] * x[1:],
                                    jnp.array([t, x @ x / d])]))[0]

    def flux(u, z, n):
        return jax.grad(u)(z)[:d] @ n

    return Problem(trial=trial, operator=operator, exact=exact, sources=("source",),
                   conditions={"initial1": lambda u, z, n: u(z) - exact(z),
                               "initial2": lambda u, z, n: (jax.grad(u)(z) - jax.grad(exact)(z))[:d],
                               "boundary3": lambda u, z, n: flux(u, z, n) - flux(exact, z, n)})


# name of the example, its dimension in the test, its definition
ALL = (("elliptic_sine_gordon", 8, elliptic_sine_gordon), ("black_scholes", 6, black_scholes),
       ("fokker_planck", 6, fokker_planck), ("biharmonic", 4, biharmonic),
       ("biharmonic_system", 5, biharmonic_system), ("wave", 4, wave), ("fitzhugh", 6, fitzhugh), ("wave_gradients", 6, wave_gradients),
       ("vectors_of_features", 6, vectors_of_features))
# those on which balanced weights of the losses are tried as well
BALANCED = ("fitzhugh", "wave_gradients")
# those with a step of natural gradient as well: a system, conditions on vectors
NATURAL = ("fitzhugh", "wave_gradients")
