"""The package as installed works: fit, predict, error bars, files, scikit-learn's search, children of a fork.

    python smoke.py [version=1.2.3] [lattice=yes|no] [inside=yes|no]      (words may be one argument)

inside: the libraries that liborff needs are those of the wheel, none of the system's but the C library's.
"""
import multiprocessing
import os
import sys
import tempfile

import numpy as np
import sklearn
from sklearn.model_selection import GridSearchCV

import orff

ASKED = dict(word.split("=") for argument in sys.argv[1:] for word in argument.split())


def rows(n: int = 600) -> tuple:
    """An incompressible flow, and a little noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.c_[-np.sin(3 * X[:, 1]), np.sin(3 * X[:, 0])] + rng.normal(0, 0.02, (n, 2))


def learns() -> None:
    X, Y = rows()
    for engine in ["exact", "features"] + ["lattice"] * (ASKED.get("lattice") == "yes"):
        model = orff.ORFFRegressor(kernel="div-free", engine=engine).fit(X[:400], Y[:400])
        F, std = model.predict(X[400:], return_std=True)
        assert np.abs(F - Y[400:]).max() < 0.15 and (std >= 0).all(), engine
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "flow.orff")
            model.save(path)
            assert np.array_equal(orff.load(path).predict(X), model.predict(X)), engine
    search = GridSearchCV(orff.ORFFRegressor(kernel="div-free", engine="features", features=100), {"sigma": [0.5, 1.0]}, cv=2)
    assert search.fit(X, Y).best_score_ > 0.9


def in_a_child(sigma: float) -> float:
    X, Y = rows(300)
    return float(orff.ORFFRegressor(sigma=sigma, lambda_=1e-4, engine="features", features=100).fit(X, Y).predict(X).sum())


def forks() -> None:
    orff.set_threads(2)
    here = in_a_child(0.5)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.map_async(in_a_child, [0.5, 0.5]).get(timeout=120)
    assert np.allclose(there, here, rtol=1e-6)


def is_self_contained() -> None:
    place = os.path.dirname(os.path.dirname(orff.__file__))
    ours = ("liborff", "libopenblas", "libfftw3", "libsleef", "libjansson", "liblapack")
    with open("/proc/self/maps") as maps:
        loaded = {line.split()[-1] for line in maps if ".so" in line}
    strangers = [path for path in loaded if os.path.basename(path).startswith(ours) and not path.startswith(place)]
    assert not strangers, strangers


def has_no_lattice() -> None:
    try:
        orff.ORFFRegressor(engine="lattice").fit(*rows(100))
    except Exception as refused:  # whatever its kind, it says why
        assert "FFTW" in str(refused), refused
    else:
        raise AssertionError("there is a lattice engine")


learns()
forks()
if ASKED.get("lattice") == "no":
    has_no_lattice()
if ASKED.get("inside") == "yes":
    is_self_contained()
assert ASKED.get("version", orff.__version__) == orff.__version__
print(f"orff {orff.__version__} ({orff.build_info()}) works with numpy {np.__version__}, scikit-learn {sklearn.__version__}")
