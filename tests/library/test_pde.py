"""test_pde.py SCRATCH: the package pde: values against the exact solution, mistakes as exceptions, callbacks, the log."""
import os
import sys
import threading
import time

os.chdir(sys.argv[1])
try:
    import numpy
except ImportError:
    print("no numpy")
    sys.exit(77)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "library", "python"))
import pde

passed = 0


def good(condition, what):
    global passed
    if not condition:
        print(f"FAIL: {what}")
        print(f"{passed} passed, 1 failed")
        sys.exit(1)
    passed += 1


TEXT = """
problem  "From Python"
dim      d = 4
param    a = 1
domain   x in ball(d, 1)
field    u(x)
equation lap(u) = g
exact    u = a * (1 - norm(x)^2) * exp(x_1 / 4)
source   g from exact
boundary u = 0 exactly
"""
SMALL = dict(effort="none", iterations=300, width=12, points=30, threads=1, precision="float64", log_every=20,
             optimizer="natural", no_report=True, progress=False)

try:
    pde.compile("dim d = 2\ndomain x in ball(d, 1)\nfield u(x)\nequation lap(v) = 1\n")
    good(False, "an error was not raised")
except pde.PdeError as error:
    good(error.code == "R108" and error.line == 4 and error.diagnostics[0].code == "E0301", "place of the error")
    good("E0301" in str(error), "the message has the code")

p = pde.compile(TEXT, "python.pde")
good("lap" in p.terms or "d2(u, x_i)" in p.terms, "terms")
good("frac" in p._repr_latex_() or "Delta" in p._repr_latex_() or "partial" in p._repr_latex_(), "LaTeX")
try:
    p.solve(lr=1, **SMALL)
    good(False, "a wrong option was taken")
except pde.PdeError as error:
    good("'--rate'" in str(error), "the right name of lr")

seen = []
r = p.solve(a=2, callback=lambda state: seen.append((state.iteration, state.loss)), **SMALL)
good(len(seen) > 5 and seen[-1][0] == 300, f"callback: {seen[-3:]}")
good(r.directory == "python.run" and r.fields == ["u"] and r.inputs == 4, "names")
good("verdict:" in r.report and "From Python" in r._repr_html_(), "report")
rows = r.log
good(len(rows) >= 15 and rows[-1]["iteration"] == 300 and "loss" in rows[0], "log")

X = numpy.random.default_rng(0).normal(0, 0.2, (500, 4))
u = 2 * (1 - (X**2).sum(1)) * numpy.exp(X[:, 0] / 4)
good(abs(r.u(X) - u).max() < 0.02, f"values: {abs(r.u(X) - u).max()}")
slope = -4 * X * numpy.exp(X[:, :1] / 4)
slope[:, 0] += u / 4
good(abs(r.grad(X) - slope).max() < 0.05, f"gradient: {abs(r.grad(X) - slope).max()}")
both = r.evaluate("u, lap(u)", X)
good(numpy.array_equal(both[0], r.u(X)) and numpy.array_equal(both[1], r.lap(X)), "lists of quantities")
good(abs(sum(r(f"d2(u, x_{i})", X) for i in range(1, 5)) - r.lap(X)).max() < 1e-9, "second derivatives")
good(abs(r.residual(X)).max() < 0.5, "residual")
e, half = r.error(X[:6])
good((abs(r.u(X[:6]) - e - u[:6]) <= 2 * half).all() and (half < 0.1).all(), "error bars")
good(r.u(X[0]).shape == (1,), "one point")
for wrong in (X[:, :3], X[None]):
    try:
        r.u(wrong)
        good(False, "points of another dimension were taken")
    except ValueError as error:
        good("4 numbers" in str(error), "what is wrong with the points")
try:
    r.v
    good(False, "a field that is none")
except AttributeError as error:
    good("fields are ['u']" in str(error), "the fields are named")

again = pde.load("python.run")
good(numpy.array_equal(again.u(X), r.u(X)), "loaded")
results = [None] * 4


def work(k):
    results[k] = again("u", X)


threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
good(all(numpy.array_equal(v, r.u(X)) for v in results), "threads")

stopped = p.solve(callback=lambda state: state.iteration >= 100, **SMALL)
good("interrupted" in stopped.report and stopped.directory == "python.2.run", "stopped, beside the first")
try:
    p.solve(callback=lambda state: 1 / 0, **SMALL)
    good(False, "an exception in a callback was lost")
except ZeroDivisionError:
    good(True, "")

# a batch costs what it costs pderun --predict: no more than the work itself
many = numpy.random.default_rng(1).normal(0, 0.2, (100000, 4))
r.u(many[:10])
begun = time.time()
r.u(many)
print(f"{100000 / (time.time() - begun):.3g} points a second")
try:
    pde.load("nowhere")
    good(False, "a run that is not there")
except pde.PdeError as error:
    good(error.code.startswith("R"), "code")
print(f"{passed} passed, 0 failed")
