"""pip install . : builds libpde with cmake and puts it into the package; what is missing is named in one message."""
import glob
import os
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


# What CMakeLists.txt needs: a program (one of several) or a header, and the package of Debian and Ubuntu that has it.
PROGRAMS = [
    (("cmake",), "cmake"),
    (("gcc", "clang", "cc"), "gcc"),
    (("make", "ninja"), "ninja-build"),
    (("re2c",), "re2c"),
    (("bison",), "bison"),
]
HEADERS = [("stdio.h", "libc6-dev"), ("sha2.h", "libmd-dev"), ("jansson.h", "libjansson-dev")]
LLVMS = range(14, 20)


def compiler():
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def has_header(name):
    """By a compiler's own search, or in the usual places where there is none yet."""
    if not compiler():
        return any(glob.glob(f"/usr/{place}/{name}") for place in ("include", "include/*", "local/include"))
    found = subprocess.run([compiler(), "-E", "-x", "c", "-"], input=f"#include <{name}>\n".encode(), capture_output=True)
    return found.returncode == 0


def has_library(name):
    if not compiler():
        return any(glob.glob(f"/usr/{place}/lib{name}.so") for place in ("lib", "lib/*", "lib64", "local/lib"))
    found = subprocess.run([compiler(), f"-print-file-name=lib{name}.so"], capture_output=True, text=True).stdout.strip()
    return os.path.isabs(found) and os.path.exists(found)


def has_llvm():
    """llvm-config and clang of one version."""
    if shutil.which("llvm-config") and shutil.which("clang"):
        return True
    return any(shutil.which(f"llvm-config-{n}") and shutil.which(f"clang-{n}") for n in LLVMS)


def missing_packages():
    missing = [package for names, package in PROGRAMS if not any(map(shutil.which, names))]
    missing += [package for name, package in HEADERS if not has_header(name)]
    if not has_library("openblas") and not has_library("lapack"):
        missing.append("libopenblas-dev")
    if not has_llvm():
        missing += ["clang", "llvm-dev"]
    return missing


class Build(build_py):
    def run(self):
        super().run()
        build = os.path.join(HERE, "build")
        library = os.path.join(build, "libpde.so.1")
        if not os.path.exists(library):
            missing = missing_packages()
            if missing:
                raise SystemExit(
                    "pde: to build libpde, these packages (as Debian and Ubuntu call them) are missing:\n"
                    f"    apt-get install {' '.join(missing)}\n"
                    "'./go' installs all that is needed; './go wheel' makes a wheel that needs none of them."
                )
            subprocess.run(["cmake", "-S", HERE, "-B", build], check=True)
            subprocess.run(["cmake", "--build", build, "--target", "pde", "--parallel"], check=True)
        shutil.copy(library, os.path.join(self.build_lib, "pde", "libpde.so.1"))


setup(cmdclass={"build_py": Build}, has_ext_modules=lambda: True)
