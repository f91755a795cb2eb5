"""What the tests share: where things are, data, and one thread, so that many small problems run well anywhere."""
import os
import runpy
import shutil
import signal
import sys
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "python"))

import orff  # noqa: E402

orff.set_threads(1)
# Where the tests run in the background of a shell Ctrl-C is ignored, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def field():
    """400 rows of a swirl with noise: X, Y."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (400, 2))
    Y = np.c_[-np.sin(2 * X[:, 1]), np.sin(2 * X[:, 0])] + 0.05 * rng.normal(size=(400, 2))
    return X, Y


@pytest.fixture(scope="session")
def program():
    """The program orff."""
    given = os.environ.get("ORFF_PROGRAM", str(TREE / "build" / "release" / "cli" / "orff"))
    if not shutil.which(given):
        pytest.fail(f"the program orff is not at {given}")
    return given


@pytest.fixture(scope="session")
def golden():
    """Numbers that any implementation must hit, by name of the file."""
    import json

    return lambda name: json.loads((TREE / "tests" / "golden" / f"{name}.json").read_text())


@pytest.fixture
def run_script(tmp_path):
    """Runs a script as Python would, in a child of this process, which has imported already what it needs; returns what it prints."""
    pytest.importorskip("matplotlib").use("Agg")
    pytest.importorskip("matplotlib.pyplot")

    def run(script, *arguments):
        printed, complained = tmp_path / f"{script.stem}.out", tmp_path / f"{script.stem}.err"
        sys.stdout.flush()
        child = os.fork()
        if not child:
            status = 1
            try:
                for number, path in ((1, printed), (2, complained)):
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
                sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
                os.chdir(tmp_path)
                warnings.resetwarnings()  # pytest's own
                warnings.filterwarnings("default", module="__main__")
                for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
                    warnings.filterwarnings("ignore", category=kind, append=True)
                sys.argv = [str(script), *map(str, arguments)]
                sys.path[0:0] = [str(script.parent)]
                runpy.run_path(str(script), run_name="__main__")
                status = 0
            except SystemExit as leaving:
                status = leaving.code or 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status if isinstance(status, int) else 1)
        _, ended = os.waitpid(child, 0)
        said = complained.read_text()
        assert ended == 0, printed.read_text() + said
        assert "Warning" not in said, said
        picture = tmp_path / f"{script.stem}.png"
        assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" and picture.stat().st_size > 20000
        return printed.read_text()

    return run
