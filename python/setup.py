"""Builds the wheel: the package, with the shared library, the header it declares, the version and the licence beside it.

The library is built from the sources around this directory, or from those that a source distribution carries in library/;
CMAKE_ARGS are options for CMake. ORFF_LIBRARY names one that is there already; ORFF_LIBRARY=system leaves it out of the wheel, for
machines where liborff is installed. ORFF_LOCAL_VERSION ends the version of the wheel, as in 1.0.0+nofftw.
"""
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Optional

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70
    from wheel.bdist_wheel import bdist_wheel

HERE = Path(__file__).resolve().parent
TREE = HERE / "library" if (HERE / "library").is_dir() else HERE.parent
GIVEN = os.environ.get("ORFF_LIBRARY")
LOCAL = os.environ.get("ORFF_LOCAL_VERSION")
SOURCES = ("CMakeLists.txt", "LICENSE", "VERSION", "cmake", "include", "src")  # what CMake needs for the library alone


def built_library() -> Optional[Path]:
    """liborff.so, brought up to date where it is ours; None where the system's is to be used."""
    if GIVEN:
        return None if GIVEN == "system" else Path(GIVEN)
    build = TREE / "build" / "release"
    options = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    if TREE != HERE.parent:  # no tests have come along
        options.append("-DORFF_TESTS=OFF")
    subprocess.run(["cmake", "-S", TREE, "-B", build, *options], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "orff", "--parallel", str(os.cpu_count() or 1)], check=True)
    return build / "liborff.so"


class BuildWithLibrary(build_py):
    """Puts into the built package what the sources have elsewhere."""

    def run(self) -> None:
        super().run()
        package = Path(self.build_lib) / "orff"
        package.mkdir(parents=True, exist_ok=True)
        library = built_library()
        if library:
            shutil.copyfile(library, package / "liborff.so")
        shutil.copyfile(TREE / "include" / "orff.h", package / "orff.h")
        shutil.copyfile(TREE / "VERSION", package / "VERSION")
        shutil.copyfile(TREE / "LICENSE", package / "LICENSE")


class PlatformWheel(bdist_wheel):
    """For any Python 3; for this kind of machine only where the library is in it."""

    def finalize_options(self) -> None:
        super().finalize_options()
        self.root_is_pure = GIVEN == "system"

    def get_tag(self) -> tuple:
        return ("py3", "none", "any" if self.root_is_pure else super().get_tag()[2])


class WithSources(sdist):
    """Takes the sources of the library along, as library/."""

    def make_release_tree(self, base_dir: str, files: list) -> None:
        super().make_release_tree(base_dir, files)
        place = Path(base_dir) / "library"
        place.mkdir(exist_ok=True)
        for name in SOURCES:
            if (TREE / name).is_dir():
                shutil.copytree(TREE / name, place / name)
            else:
                shutil.copyfile(TREE / name, place / name)
        shutil.copyfile(TREE / "LICENSE", Path(base_dir) / "LICENSE")


class WithLibrary(Distribution):
    """Not pure: installed where platform-dependent packages go."""

    def has_ext_modules(self) -> bool:
        return GIVEN != "system"


setup(
    version=(TREE / "VERSION").read_text().strip() + (f"+{LOCAL}" if LOCAL else ""),
    distclass=WithLibrary,
    cmdclass={"build_py": BuildWithLibrary, "bdist_wheel": PlatformWheel, "sdist": WithSources},
    setup_requires=[] if GIVEN or shutil.which("cmake") else ["cmake>=3.25"],
)
