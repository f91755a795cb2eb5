"""What the tests share: where things are, data, and one thread, so that many small problems run well anywhere."""
import os
import shutil
import signal
import sys
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
