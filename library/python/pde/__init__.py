"""Partial differential equations in many dimensions, written as in a paper.

    import pde
    p = pde.compile('''
        dim      d = 100
        domain   x in ball(d, 1)
        field    u(x)
        equation lap(u) + sin(u) = 1
        boundary u = 0 exactly
    ''')
    r = p.solve(d=50)          # a progress bar, in a terminal and in a notebook
    r.u(X), r.grad(X), r("lap(u)", X), r.error(X)
    r = pde.load("problem.run")
"""
from .problem import Diagnostic, PdeError, Problem, compile, compile_file
from .run import Run, load
from ._library import version

__version__ = version()
__all__ = ["Diagnostic", "PdeError", "Problem", "Run", "compile", "compile_file", "load"]
