"""wheel.py BUILD OUT: a wheel of the package that needs only Python and numpy (./go wheel).

It carries libpde, the libraries that libpde and clang need (LLVM, BLAS and what these need; the C library is the
machine's), and clang with its headers, which compiles a problem's kernels. _library.py opens them in the order of
lib/ORDER, so that each finds those it needs by their names. A wheel is a ZIP archive with a list of its files: nothing
but Python is needed to make one."""
import base64
import hashlib
import os
import platform
import re
import stat
import subprocess
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "..")
# Of the machine: the C library and its loader, in every version not older than the one that this was built with.
OF_MACHINE = re.compile(r"^(linux-vdso|ld-linux|libc\.so|libm\.so|libdl\.so|libpthread\.so|librt\.so)")


def fail(why):
    sys.exit(f"wheel.py: {why}")


def output(*command):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as why:
        fail(f"{command[0]}: {why}")


def needed(path):
    """Name -> path of all libraries that a program or library needs, those that others need first."""
    found, missing = {}, []
    for line in output("ldd", path).splitlines():
        words = line.split()
        if OF_MACHINE.match(os.path.basename(words[0])):
            continue
        if "not found" in line:
            missing.append(words[0])
        elif len(words) > 2 and words[1] == "=>":
            found[words[0]] = words[2]
    if missing:
        fail(f"{path} needs {', '.join(missing)}, not found")
    return found


def in_order(libraries):
    """Each after those that it needs."""
    order = []

    def visit(name):
        if name in order or name not in libraries:
            return
        for line in output("readelf", "-d", libraries[name]).splitlines():
            match = re.search(r"\(NEEDED\).*\[(.*)\]", line)
            if match and match.group(1) != name:
                visit(match.group(1))
        if name not in order:
            order.append(name)

    for name in sorted(libraries):
        visit(name)
    return order


def cached(build, name):
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith(name + ":"):
                return line.split("=", 1)[1].strip()
    return ""


def clang_of(build):
    """The program and its headers, of the LLVM that libpde was linked with."""
    for line in output(os.path.join(build, "pdec"), "--version").splitlines():
        words = line.split()
        if words and words[0] == "clang":
            path = output("sh", "-c", f"command -v '{words[1]}'").strip()
            return os.path.realpath(path), output(path, "-print-resource-dir").strip()
    fail("pdec does not say which clang it was built with")


def blas_of(build):
    path = cached(build, "LAPACK_LIBRARY")
    name = re.search(r"\(SONAME\).*\[(.*)\]", output("readelf", "-d", path))
    return name.group(1) if name else os.path.basename(path), os.path.realpath(path)


class Wheel:
    def __init__(self, path, info):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.info, self.record = info, []

    def add(self, name, data, mode=0o644):
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (stat.S_IFREG | mode) << 16
        data = data.encode() if isinstance(data, str) else data
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def add_file(self, name, path, mode=0o644):
        with open(path, "rb") as file:
            self.add(name, file.read(), mode)

    def close(self):
        name = f"{self.info}/RECORD"
        self.add(name, "\n".join(self.record + [f"{name},,", ""]))
        self.zip.close()


# Clang finds its libraries and headers beside itself, wherever that is.
CLANG = """#!/bin/sh
here=$(dirname "$0")
LD_LIBRARY_PATH=$here exec "$here/clang.bin" -resource-dir "$here/resource" "$@"
"""


# What generated kernels ask of the C library's headers, which a machine without a compiler does not have.
ONE = """acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma log log10 log1p log2
    nearbyint rint round sin sinh sqrt tan tanh tgamma trunc""".split()
TWO = "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder".split()
STRING_H = """#pragma once
#include <stddef.h>
void *memcpy(void *restrict, const void *restrict, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
"""
MATH_H = "\n".join(
    ["#pragma once", "#define INFINITY __builtin_inff()", "#define NAN __builtin_nanf(\"\")", "#define HUGE_VAL __builtin_huge_val()"]
    + [f"#define {name}(x) __builtin_{name}(x)" for name in ("isnan", "isinf", "isfinite", "signbit")]
    + [f"double {name}(double);\nfloat {name}f(float);" for name in ONE]
    + [f"double {name}(double, double);\nfloat {name}f(float, float);" for name in TWO]
    + ["double fma(double, double, double);\nfloat fmaf(float, float, float);", "double ldexp(double, int);\nfloat ldexpf(float, int);",
       "long long llrint(double);\nlong long llround(double);\nlong lrint(double);\nlong lround(double);", ""]
)


def add_libraries(wheel, build):
    library = os.path.join(build, "libpde.so.1")
    clang, resource = clang_of(build)
    blas, blas_path = blas_of(build)
    libraries = {**needed(library), **needed(clang), **needed(blas_path), blas: blas_path}
    for name, path in sorted(libraries.items()):
        wheel.add_file(f"pde/lib/{name}", path)
    # Python opens those that libpde and BLAS need; the rest is clang's alone.
    opened = {name: path for name, path in libraries.items() if name in {**needed(library), **needed(blas_path), blas: 1}}
    wheel.add("pde/lib/ORDER", "\n".join(in_order(opened)) + "\n")
    wheel.add_file("pde/libpde.so.1", library)
    wheel.add_file("pde/lib/clang.bin", clang, 0o755)
    wheel.add("pde/lib/clang", CLANG, 0o755)
    wheel.add("pde/lib/resource/include/string.h", STRING_H)
    wheel.add("pde/lib/resource/include/math.h", MATH_H)
    for folder, _, names in os.walk(os.path.join(resource, "include")):
        for name in names:
            # of the plain C headers only: not those of processors and of other languages
            if os.path.samefile(folder, os.path.join(resource, "include")) and name.startswith(
                ("std", "__std", "float", "limits", "inttypes", "iso646", "tgmath")
            ):
                wheel.add_file(f"pde/lib/resource/include/{name}", os.path.join(folder, name))


def main():
    build, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    version = cached(build, "CMAKE_PROJECT_VERSION") or "0"
    tag = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"pde-{version}.dist-info"
    os.makedirs(out, exist_ok=True)
    path = os.path.join(out, f"pde-{version}-{tag}.whl")
    wheel = Wheel(path, info)
    for name in sorted(os.listdir(os.path.join(HERE, "pde"))):
        if name.endswith(".py"):
            wheel.add_file(f"pde/{name}", os.path.join(HERE, "pde", name))
    add_libraries(wheel, build)
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    wheel.add(
        f"{info}/METADATA",
        f"Metadata-Version: 2.1\nName: pde\nVersion: {version}\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
        "Summary: Partial differential equations in many dimensions, written as in a paper\n"
        f"Description-Content-Type: text/markdown\n\n{readme}",
    )
    wheel.add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: wheel.py\nRoot-Is-Purelib: false\nTag: {tag}\n")
    wheel.add_file(f"{info}/LICENSE", os.path.join(SOURCE, "LICENSE"))
    wheel.close()
    print(f"{path}  ({os.path.getsize(path) / 1e6:.0f} MB, for {platform.libc_ver()[0]} {platform.libc_ver()[1]} and newer)")


main()
