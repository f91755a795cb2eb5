"""Processes that fork after the package was used, and processes with a limit of memory. What hangs fails the test, not
the run."""
import os
import re
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
there_again = in_a_pool()
for one, other, again in zip(there, here, there_again):
    assert np.allclose([one[1], again[1]], other[1], rtol=1e-6), (there, here, there_again)
    assert {one[0], again[0]} <= {1, 3} and other[0] == 3  # 1 where LLVM's OpenMP must not look after forks
print("done")
"""


@pytest.mark.parametrize("before", [
    "there = in_a_pool()",
    "fit(1.0)\nthere = in_a_pool()",
    "thread = threading.Thread(target=fit, args=(1.0,))\nthread.start()\nthread.join()\nthere = in_a_pool()",
], ids=["unused", "used", "used in another thread"])
def test_children_of_a_fork_learn_as_their_parent(before):
    assert output_of(START + before + END, 3).endswith("done\n")


def spin_count(**environment):
    """How long a thread of GNU's OpenMP that waits stays awake where the package is used, as the runtime says itself."""
    program = f"import os, sys\nsys.path.insert(0, {str(PYTHON)!r})\nbefore = dict(os.environ)\nimport orff\n" \
        "assert dict(os.environ) == before"
    given = {name: value for name, value in os.environ.items() if name not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    told = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True,
                          env={**given, "OMP_DISPLAY_ENV": "verbose", **environment}).stderr
    found = re.findall(r"GOMP_SPINCOUNT = '(\d+)'", told)
    if not found:
        pytest.skip("this is about GNU's OpenMP")
    return int(found[0])


def test_threads_that_wait_give_way():
    assert spin_count() == 100
    assert spin_count(GOMP_SPINCOUNT="7") == 7
    assert spin_count(OMP_WAIT_POLICY="active") > 100000


def output_of(text, threads):
    """What a Python program of its own prints."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "GOMP_SPINCOUNT": "100"}
    process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, env=environment, start_new_session=True)
    try:
        told, _ = process.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the children too: they hold the other end of the pipe
        process.wait()
        pytest.fail("it hangs")
    assert process.returncode == 0, told
    return told


LIMITED = f"""
import resource, sys
sys.path.insert(0, {str(PYTHON)!r})
import numpy as np, cffi, sklearn.base, sklearn.utils.validation  # with libraries of their own
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (ROOM << 20),) * 2)
try:
    import orff
    print("loaded")
    X = np.random.default_rng(0).random((200, 2))
    orff.ORFFRegressor(sigma=0.3, lambda_=1e-4, features=50).fit(X, X)
    print("done")
except MemoryError as trouble:
    print(trouble)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is read from /proc")
def test_a_limit_of_memory_is_an_error():
    if "OpenBLAS" not in orff.build_info():
        pytest.skip("this is about OpenBLAS")
    assert "the limit on memory" in output_of(LIMITED.replace("ROOM", "100"), 1)
    told = output_of(LIMITED.replace("ROOM", "240"), 1)
    assert "loaded" in told and ("the limit on memory" in told or "done" in told)
    assert output_of(LIMITED.replace("ROOM", "1000"), 1) == "loaded\ndone\n"
