"""libpde by ctypes: the functions of pde.h with their types, and failures as exceptions."""
import ctypes
import ctypes.util
import json
import os
from ctypes import CFUNCTYPE, POINTER, byref, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

ABI = 1
QUANTITIES = 32


class Progress(ctypes.Structure):
    _fields_ = [("iteration", c_uint64), ("iterations", c_uint64), ("loss", c_double), ("error", c_double)]


Callback = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
_doubles = POINTER(c_double)

_signatures = {
    "version": (c_char_p, []),
    "abi": (c_int, []),
    "text_free": (None, [c_void_p]),
    "failure_code": (c_char_p, [c_void_p]),
    "failure_message": (c_char_p, [c_void_p]),
    "failure_diagnostics": (c_char_p, [c_void_p]),
    "failure_free": (None, [c_void_p]),
    "compile": (c_void_p, [c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "compile_file": (c_void_p, [c_char_p, POINTER(c_void_p)]),
    "problem_diagnostics": (c_char_p, [c_void_p]),
    "problem_show": (c_void_p, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "problem_free": (None, [c_void_p]),
    "solve": (c_void_p, [c_void_p, POINTER(c_char_p), Callback, c_void_p, POINTER(c_void_p)]),
    "load": (c_void_p, [c_char_p, POINTER(c_void_p)]),
    "run_directory": (c_char_p, [c_void_p]),
    "run_report": (c_char_p, [c_void_p]),
    "run_title": (c_char_p, [c_void_p]),
    "run_inputs": (c_size_t, [c_void_p]),
    "run_fields": (c_size_t, [c_void_p]),
    "run_field": (c_char_p, [c_void_p, c_size_t]),
    "columns": (c_void_p, [c_void_p, c_char_p, POINTER(c_size_t), POINTER(c_size_t)]),
    "evaluate": (c_void_p, [c_void_p, c_char_p, _doubles, c_size_t, _doubles]),
    "error_bars": (c_void_p, [c_void_p, _doubles, c_size_t, c_int, _doubles, _doubles]),
    "run_free": (None, [c_void_p]),
}


def _places():
    """Where libpde may be: PDE_LIBRARY, beside this file, where the package was installed from, the system's places."""
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("PDE_LIBRARY"):
        yield os.environ["PDE_LIBRARY"]
    yield os.path.join(here, "libpde.so.1")
    yield os.path.join(here, "..", "..", "..", "build", "libpde.so.1")
    yield "libpde.so.1"


def _open_carried():
    """What a wheel carries: the libraries that libpde needs, each after those that it needs itself, and a clang."""
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib")
    if os.environ.get("PDE_LIBRARY") or not os.path.exists(os.path.join(folder, "ORDER")):
        return
    with open(os.path.join(folder, "ORDER"), encoding="utf-8") as names:
        for name in names.read().split():
            ctypes.CDLL(os.path.join(folder, name))
    os.environ.setdefault("PDE_CLANG", os.path.join(folder, "clang"))


def _open():
    _open_carried()
    tried = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as why:
            tried.append(f"  {place}: {why}")
    raise ImportError(
        "libpde.so.1 could not be opened. Build it (cmake -B build && cmake --build build), install it "
        "(cmake --install build), or set PDE_LIBRARY to its path. Tried:\n" + "\n".join(tried)
    )


_library = _open()
for _name, (_result, _arguments) in _signatures.items():
    _function = getattr(_library, "pde_" + _name)
    _function.restype, _function.argtypes = _result, _arguments
    globals()[_name] = _function
if _library.pde_abi() != ABI:
    raise ImportError(f"libpde has ABI {_library.pde_abi()}, and this package is made for {ABI}")

_version = _library.pde_version


def version():
    return _version().decode()


def check(failure):
    """Raises what a function of libpde gave back, if it is a failure."""
    if not failure:
        return
    from .problem import Diagnostic, PdeError

    code = _library.pde_failure_code(failure).decode()
    message = _library.pde_failure_message(failure).decode(errors="replace")
    lines = _library.pde_failure_diagnostics(failure).decode(errors="replace").splitlines()
    _library.pde_failure_free(failure)
    raise PdeError(code, message, [Diagnostic(json.loads(line)) for line in lines if line.startswith("{")])
