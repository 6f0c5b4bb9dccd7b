"""What a training has left: values of the solution, the log, the report."""
import ctypes
import html
import json
import os

import numpy

from . import _library


def _pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(ctypes.c_double))


class Run:
    """A trained solution. r(what, X) gives any quantity at the rows of X; r.u(X) is r("u", X)."""

    def __init__(self, handle):
        self._handle = handle
        self.directory = os.fsdecode(_library.run_directory(handle))
        self.title = _library.run_title(handle).decode(errors="replace")
        self.report = _library.run_report(handle).decode(errors="replace")
        self.inputs = _library.run_inputs(handle)
        self.fields = [
            _library.run_field(handle, k).decode() for k in range(_library.run_fields(handle))
        ]

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.run_free(self._handle)

    def _points(self, X):
        X = numpy.ascontiguousarray(X, dtype=numpy.float64)
        if X.ndim == 1:
            X = X[None, :]
        if X.ndim != 2 or X.shape[1] != self.inputs:
            raise ValueError(
                f"points are rows of {self.inputs} numbers (the coordinates, and the time where there is one), "
                f"not of shape {X.shape}"
            )
        return X

    def evaluate(self, what, X):
        """Quantities as `pderun --predict --what` names them, "u, grad, lap(u)": a list of arrays."""
        X = self._points(X)
        name = what.encode() if what else None
        count = ctypes.c_size_t()
        columns = (ctypes.c_size_t * _library.QUANTITIES)()
        _library.check(_library.columns(self._handle, name, ctypes.byref(count), columns))
        width = list(columns[: count.value])
        out = numpy.empty(len(X) * sum(width))
        _library.check(_library.evaluate(self._handle, name, _pointer(X), len(X), _pointer(out)))
        parts, at = [], 0
        for w in width:
            part = out[at : at + len(X) * w]
            parts.append(part if w == 1 else part.reshape(len(X), w))
            at += len(X) * w
        return parts

    def __call__(self, what, X):
        """One quantity, or any expression in the fields: r("d2(u, x_1)", X)."""
        return self.evaluate(what, X)[0]

    def grad(self, X, field=None):
        """The gradient of a field by all numbers of a point."""
        return self(f"grad.{field}" if field else "grad", X)

    def lap(self, X, field=None):
        return self(f"lap({field or self.fields[0]})", X)

    def residual(self, X):
        return self("residual", X)

    def error(self, X, paths=0):
        """The estimated error (value minus truth) at each point, and half of its 95 % interval."""
        X = self._points(X)
        error, half = numpy.empty(len(X)), numpy.empty(len(X))
        _library.check(
            _library.error_bars(self._handle, _pointer(X), len(X), paths, _pointer(error), _pointer(half))
        )
        return error, half

    def __getattr__(self, name):
        if not name.startswith("_") and name in self.__dict__.get("fields", ()):
            return lambda X: self(name, X)
        raise AttributeError(f"a run has no '{name}'; fields are {self.__dict__.get('fields')}")

    @property
    def log(self):
        """The rows of log.jsonl: pandas.DataFrame(r.log)."""
        with open(os.path.join(self.directory, "log.jsonl"), encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def __repr__(self):
        return f"<pde.Run of '{self.title}' in {self.directory}>"

    def _repr_html_(self):
        page = os.path.join(self.directory, "report.html")
        if os.path.exists(page):
            with open(page, encoding="utf-8") as file:
                text = html.escape(file.read(), quote=True)
            return f'<iframe srcdoc="{text}" style="width:100%;height:640px;border:0"></iframe>'
        return f"<pre>{html.escape(self.report or repr(self))}</pre>"


def load(directory):
    """The run in a directory, of this package or of pderun."""
    handle = ctypes.c_void_p()
    _library.check(_library.load(os.fsencode(directory), ctypes.byref(handle)))
    return Run(handle)
