"""Problems, and what is wrong with them."""
import ctypes
import json
import os
import sys

from . import _library


class Diagnostic:
    """One message of the compiler: code, severity, message, line, column, hint."""

    def __init__(self, entry):
        self.code, self.severity, self.message = entry["code"], entry["severity"], entry["message"]
        self.file, self.line, self.column = entry["file"], entry["line"], entry["column"]
        self.label, self.notes = entry.get("label", ""), entry.get("notes", [])
        self.hint = (entry.get("fix") or {}).get("help", "")

    def __str__(self):
        more = "".join(f"\n  {text}" for text in [self.label, *self.notes, self.hint] if text)
        return f"{self.severity}[{self.code}] {self.file}:{self.line}:{self.column}: {self.message}{more}"

    __repr__ = __str__


class PdeError(Exception):
    """What went wrong: code (as `pderun --explain` takes it), message, and the compiler's diagnostics."""

    def __init__(self, code, message, diagnostics=()):
        super().__init__("\n".join([f"[{code}] {message}", *map(str, diagnostics)]))
        self.code, self.message, self.diagnostics = code, message, list(diagnostics)
        first = self.diagnostics[0] if self.diagnostics else None
        self.line = first.line if first else None
        self.column = first.column if first else None
        self.hint = first.hint if first else ""


def _option(name, value):
    name = name.replace("_", "-")
    if isinstance(value, bool):
        value = "true" if value else "false"
    return f"{name}={value}".encode()


class _Bar:
    """A progress bar: one line in a terminal, one that is replaced in a notebook, nothing elsewhere."""

    def __init__(self):
        self.display = None
        self.terminal = sys.stderr.isatty()
        try:
            from IPython import get_ipython

            if get_ipython() is not None and "IPKernelApp" in get_ipython().config:
                from IPython.display import display

                self.display = display("", display_id=True)
        except ImportError:
            pass

    def __call__(self, progress):
        if not self.display and not self.terminal:
            return
        part = progress.iteration / progress.iterations if progress.iterations else 0
        text = f"{'#' * int(30 * part):30s} {progress.iteration}/{progress.iterations}  loss {progress.loss:.3g}"
        if progress.error == progress.error:
            text += f"  error {progress.error:.3g}"
        if self.display:
            self.display.update({"text/plain": text}, raw=True)
        else:
            sys.stderr.write("\r" + text + "\x1b[K")
            if progress.iteration == progress.iterations:
                sys.stderr.write("\n")


class Problem:
    """A problem that was compiled."""

    def __init__(self, handle):
        self._handle = handle
        lines = _library.problem_diagnostics(handle).decode(errors="replace").splitlines()
        self.diagnostics = [Diagnostic(json.loads(line)) for line in lines if line.startswith("{")]

    def __del__(self):
        if getattr(self, "_handle", None):
            _library.problem_free(self._handle)

    def show(self, stage):
        """What `pdec --emit=STAGE` prints: "terms", "plan", "latex", ..."""
        text = ctypes.c_void_p()
        _library.check(_library.problem_show(self._handle, stage.encode(), ctypes.byref(text)))
        try:
            return ctypes.string_at(text).decode(errors="replace")
        finally:
            _library.text_free(text)

    @property
    def terms(self):
        """What was understood: the terms of every residual, and which sums may be sampled."""
        return self.show("terms")

    def _repr_latex_(self):
        return "$$" + self.show("latex") + "$$"

    def solve(self, callback=None, progress=True, options=None, **keywords):
        """Trains, and returns the Run.

        Keywords are pderun's options (iterations=1000, effort="quick", out="my.run"), with _ for -; any other
        keyword is the value of a dim or param of the problem (d=100). options: a dict of either kind, where a name is
        both. callback(progress) sees iteration, iterations, loss and error; if it returns True, the training
        stops. KeyboardInterrupt does the same, and what was trained is returned.
        """
        from .run import Run

        bar = _Bar() if progress else None
        raised = []
        given = self._options({**keywords, **(options or {})})

        def watch(_context, state):
            try:
                if bar:
                    bar(state.contents)
                return 1 if callback and callback(state.contents) else 0
            except BaseException as why:  # must not pass through C
                raised.append(why)
                return 1

        handle = ctypes.c_void_p()
        array = (ctypes.c_char_p * (len(given) + 1))(*given, None)
        _library.check(
            _library.solve(self._handle, array, _library.Callback(watch), None, ctypes.byref(handle))
        )
        run = Run(handle)
        if raised and not isinstance(raised[0], KeyboardInterrupt):
            raise raised[0]
        return run

    def _options(self, keywords):
        names = self._names()
        given = []
        for name, value in keywords.items():
            if value is None:
                continue
            given.append(f"set={name}={value}".encode() if name in names else _option(name, value))
        return given

    def _names(self):
        """Names of the dims and params, from the syntax tree."""
        names, inside = set(), False
        for line in self.show("ast").splitlines():
            words = line.split()
            if line.startswith("  ") and line[2] != " ":
                inside = words[0] in ("dim", "param")
            elif inside and words[0] == "bind":
                names.add(words[1])
        return names


def compile(text, name=None):
    """The problem in a text. name: the file that data lie beside, and what messages call it."""
    text = text.encode()
    handle = ctypes.c_void_p()
    _library.check(
        _library.compile(name.encode() if name else None, text, len(text), ctypes.byref(handle))
    )
    return Problem(handle)


def compile_file(path):
    handle = ctypes.c_void_p()
    _library.check(_library.compile_file(os.fsencode(path), ctypes.byref(handle)))
    return Problem(handle)
