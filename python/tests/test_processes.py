"""Processes that fork after the package was used: a child that hangs fails the test, not the run."""
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import orff

PYTHON = Path(orff.__file__).resolve().parents[1]

START = f"""
import multiprocessing, sys, threading
sys.path.insert(0, {str(PYTHON)!r})
import numpy as np, orff

X = np.random.default_rng(0).random((600, 2))
Y = np.column_stack([np.sin(5 * X[:, 1]), np.cos(4 * X[:, 0])])

def fit(sigma):
    model = orff.ORFFRegressor(kernel="div-free", sigma=sigma, lambda_=1e-4, features=150).fit(X, Y)
    return orff.get_threads(), float(np.abs(model.predict(X)).sum())

def in_a_pool():
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(fit, [0.3, 0.4, 0.5, 0.6])
"""

END = """
here = [fit(sigma) for sigma in (0.3, 0.4, 0.5, 0.6)]
assert np.allclose(there, here, rtol=1e-6), (there, here)
assert {threads for threads, _ in there} == {3}
assert np.allclose(in_a_pool(), here, rtol=1e-6)
print("done")
"""


@pytest.mark.parametrize("before", [
    "there = in_a_pool()",
    "fit(1.0)\nthere = in_a_pool()",
    "thread = threading.Thread(target=fit, args=(1.0,))\nthread.start()\nthread.join()\nthere = in_a_pool()",
], ids=["unused", "used", "used in another thread"])
def test_children_of_a_fork_learn_as_their_parent(before):
    environment = {**os.environ, "OMP_NUM_THREADS": "3", "GOMP_SPINCOUNT": "100"}
    process = subprocess.Popen([sys.executable, "-c", START + before + END], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True)
    try:
        told, _ = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the children too: they hold the other end of the pipe
        process.wait()
        pytest.fail("a child of a fork hangs")
    assert process.returncode == 0 and told.endswith("done\n"), told
