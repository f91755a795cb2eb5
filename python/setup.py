"""Builds the wheel: the package, with the shared library, the header it declares and the version beside it.

The library is that of the environment variable ORFF_LIBRARY, or is built from the source tree around this directory.
"""
import os
import shutil
import subprocess
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE.parent


def built_library() -> Path:
    """liborff.so, brought up to date where it is ours."""
    given = os.environ.get("ORFF_LIBRARY")
    if given:
        return Path(given)
    build = TREE / "build" / "release"
    subprocess.run(["cmake", "-S", TREE, "-B", build], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "orff", "--parallel"], check=True)
    return build / "liborff.so"


class BuildWithLibrary(build_py):
    """Puts into the built package what the sources have elsewhere."""

    def run(self) -> None:
        super().run()
        package = Path(self.build_lib) / "orff"
        package.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(built_library(), package / "liborff.so")
        shutil.copyfile(TREE / "include" / "orff.h", package / "orff.h")
        shutil.copyfile(TREE / "VERSION", package / "VERSION")


class PlatformWheel(bdist_wheel):
    """For any Python 3, but for this kind of machine only: the library is in it."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple:
        return ("py3", "none", super().get_tag()[2])


class WithLibrary(Distribution):
    """Not pure: installed where platform-dependent packages go."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    version=(TREE / "VERSION").read_text().strip(),
    distclass=WithLibrary,
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel},
)
