"""pip install . : builds libpde with cmake and puts it into the package; what is missing is named in one message."""
import os
import shutil
import subprocess

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = os.path.dirname(os.path.abspath(__file__))


class Build(build_py):
    def run(self):
        super().run()
        build = os.path.join(HERE, "build")
        library = os.path.join(build, "libpde.so.1")
        if not os.path.exists(library):
            missing = [name for name in ("cmake", "re2c", "bison") if not shutil.which(name)]
            if not shutil.which("gcc") and not shutil.which("clang"):
                missing.append("gcc")
            if missing:
                raise SystemExit(
                    f"pde: not found: {', '.join(missing)}. On Debian and Ubuntu './go' installs all that is needed; by "
                    "hand: apt-get install cmake ninja-build gcc re2c bison clang llvm-dev libmd-dev libjansson-dev "
                    "libopenblas-dev"
                )
            subprocess.run(["cmake", "-S", HERE, "-B", build], check=True)
            subprocess.run(["cmake", "--build", build, "--target", "pde"], check=True)
        shutil.copy(library, os.path.join(self.build_lib, "pde", "libpde.so.1"))


setup(cmdclass={"build_py": Build}, has_ext_modules=lambda: True)
