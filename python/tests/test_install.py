"""pip install ./python, without a network, into a fresh virtual environment that sees the system's packages."""
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import orff

TREE = Path(__file__).resolve().parents[2]


def call(*command, **how):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_wheel_has_everything(tmp_path):
    for module in ("pip", "setuptools", "wheel"):
        pytest.importorskip(module)
    library = os.environ.get("ORFF_LIBRARY", str(TREE / "build" / "release" / "liborff.so"))
    sources = tmp_path / "tree"  # a copy, so that nothing is written beside the sources
    shutil.copytree(TREE / "python", sources / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    (sources / "include").mkdir()
    shutil.copy(TREE / "include" / "orff.h", sources / "include")
    shutil.copy(TREE / "VERSION", sources)
    shutil.copy(TREE / "LICENSE", sources)
    call(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    environment = {**os.environ, "ORFF_LIBRARY": library, "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    call(python, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path, sources / "python",
         env=environment)
    (wheel,) = tmp_path.glob("orff-*.whl")
    assert wheel.name.startswith(f"orff-{orff.__version__}-py3-none-linux_")
    call(python, "-m", "pip", "install", "--no-deps", wheel, env=environment)
    del environment["ORFF_LIBRARY"]
    shutil.rmtree(sources)
    told = call(python, "-c", "import orff, os; print(os.path.dirname(orff.__file__), orff.__version__); "
                "X = [[0.0], [1.0], [2.0]]; model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3); "
                "print(model.fit(X, X).predict(X).shape)",
                env=environment, cwd=tmp_path)
    place, version = told.split("\n")[0].split()
    assert str(tmp_path / "venv") in place and version == orff.__version__ and "(3, 1)" in told
    assert {"liborff.so", "orff.h", "VERSION", "LICENSE", "py.typed"} <= set(os.listdir(place))
    for element in search_path(Path(place) / "liborff.so"):
        assert element.startswith(("/", "$ORIGIN")), f"{element!r} depends on the current directory"


def test_a_wheel_for_the_library_of_the_system_has_none(tmp_path):
    for module in ("pip", "setuptools", "wheel"):
        pytest.importorskip(module)
    shutil.copytree(TREE / "python", tmp_path / "python", ignore=shutil.ignore_patterns("build", "*.egg-info", "tests"))
    for name in ("include", "VERSION", "LICENSE"):
        copy = shutil.copytree if (TREE / name).is_dir() else shutil.copy
        copy(TREE / name, tmp_path / name)
    environment = {**os.environ, "ORFF_LIBRARY": "system", "PIP_NO_INDEX": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    call(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", tmp_path, tmp_path / "python",
         env=environment)
    wheel = tmp_path / f"orff-{orff.__version__}-py3-none-any.whl"
    names = zipfile.ZipFile(wheel).namelist()
    assert "orff/orff.h" in names and not [name for name in names if name.endswith(".so")]


def test_a_source_distribution_takes_the_library_along(tmp_path):
    pytest.importorskip("setuptools")
    shutil.copytree(TREE / "python", tmp_path / "python", ignore=shutil.ignore_patterns("build", "*.egg-info", "tests"))
    for name in ("CMakeLists.txt", "LICENSE", "VERSION", "cmake", "include", "src"):
        copy = shutil.copytree if (TREE / name).is_dir() else shutil.copy
        copy(TREE / name, tmp_path / name)
    call(sys.executable, "setup.py", "-q", "sdist", cwd=tmp_path / "python")
    (archive,) = (tmp_path / "python" / "dist").glob("orff-*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.split("/", 1)[-1] for name in packed.getnames()}
    assert {"library/CMakeLists.txt", "library/src/base/version.c", "library/include/orff.h", "LICENSE"} <= names


def search_path(library):
    """Where the loader looks for what a library needs; an empty element is the current directory."""
    if not shutil.which("readelf"):
        return []
    found = re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", call("readelf", "-dW", library))
    return [element for path in found for element in path.split(":")]


def test_without_the_library_it_is_said_where_it_was_looked_for(tmp_path):
    shutil.copytree(Path(orff.__file__).parent, tmp_path / "lonely" / "python" / "orff")
    (tmp_path / "lonely" / "include").mkdir()
    shutil.copy(TREE / "include" / "orff.h", tmp_path / "lonely" / "include")
    shutil.copy(TREE / "VERSION", tmp_path / "lonely")
    (tmp_path / "lonely" / "python" / "orff" / "liborff.so").unlink(missing_ok=True)
    environment = {name: value for name, value in os.environ.items() if name != "ORFF_LIBRARY"}
    environment["PYTHONPATH"] = str(tmp_path / "lonely" / "python")
    done = subprocess.run([sys.executable, "-c", "import orff"], capture_output=True, text=True, env=environment,
                          cwd=tmp_path)
    if done.returncode == 0:
        pytest.skip("a library of the system was found")
    assert "ORFF_LIBRARY" in done.stderr and "build tree" in done.stderr
    environment["ORFF_LIBRARY"] = str(tmp_path / "nowhere.so")
    done = subprocess.run([sys.executable, "-c", "import orff"], capture_output=True, text=True, env=environment)
    assert done.returncode != 0 and "nowhere.so" in done.stderr
