"""Reference of examples/hjb_rosenbrock.pde: the expansion in cumulants that the file states, against the Laplace
integral with the determinant and the inverse of the tridiagonal matrix computed by elimination.

usage: rosenbrock.py [d ...]; prints the relative L2 difference on x ~ N(0, I), t ~ U(0, 1); fails above 1e-4"""
import sys

import numpy as np

def chain(d, rng):
    a, b = rng.uniform(0.5, 1.5, d - 1), rng.uniform(0.5, 1.5, d - 1)
    diagonal = np.zeros(d)
    diagonal[:-1] += a
    diagonal[1:] += a + b
    return diagonal, -a


def exact(diagonal, off, x, s2, nodes=600):
    """exp(-u) = 2 int e^-l det(I + 2 l s2 M)^-1/2 exp(-l x'(I + 2 l s2 M)^-1 M x) dl, trapezoid in log l"""
    d = len(x)
    scale = 1 + x @ x + s2 * d
    v = np.linspace(-np.log(scale) - 42, np.log(800), nodes)
    l = np.exp(v)
    mx = diagonal * x
    mx[:-1] += off * x[1:]
    mx[1:] += off * x[:-1]
    pivot = 1 + 2 * l * s2 * diagonal[0]
    y = np.full(nodes, mx[0])
    logdet = np.log(pivot)  # elimination of (I + 2 l s2 M) z = M x, then x'z by back substitution
    ys, pivots, factors = [y], [pivot], []
    for i in range(1, d):
        e = 2 * l * s2 * off[i - 1]
        f = e / pivot
        pivot = 1 + 2 * l * s2 * diagonal[i] - e * f
        y = mx[i] - f * y
        logdet += np.log(pivot)
        ys.append(y)
        pivots.append(pivot)
        factors.append(f)
    z = ys[-1] / pivots[-1]
    total = x[-1] * z
    for i in range(d - 2, -1, -1):
        z = ys[i] / pivots[i] - factors[i] * z
        total = total + x[i] * z
    log_value = v - l - 0.5 * logdet - l * total
    top = log_value.max()
    return -(np.log(2 * (v[1] - v[0])) + top + np.log(np.exp(log_value - top).sum()))


def expansion(diagonal, off, x, s2):
    mx = diagonal * x
    mx[:-1] += off * x[1:]
    mx[1:] += off * x[:-1]
    m = 1 + x @ mx + s2 * diagonal.sum()
    v = 2 * s2**2 * ((diagonal**2).sum() + 2 * (off**2).sum()) + 4 * s2 * (mx @ mx)
    return np.log(m / 2) - np.log1p(v / m**2 + 3 * v**2 / m**4)


def main():
    worst = 0
    for d in [int(a) for a in sys.argv[1:]] or [250, 1000]:
        rng = np.random.default_rng(d)
        diagonal, off = chain(d, rng)
        u, w = [], []
        for _ in range(40):
            x, s2 = rng.normal(size=d), 2 * (1 - rng.uniform())
            u.append(exact(diagonal, off, x, s2))
            w.append(expansion(diagonal, off, x, s2))
        error = np.linalg.norm(np.subtract(u, w)) / np.linalg.norm(u)
        print(f"d = {d}: {error:.2e}")
        worst = max(worst, error)
    return int(worst > 1e-4)


if __name__ == "__main__":
    sys.exit(main())
