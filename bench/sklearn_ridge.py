"""Data for the comparison with scikit-learn, and its side of it.

    sklearn_ridge.py data DIR N              writes DIR/X.bin, DIR/Y.bin: N + 10000 rows, d = p = 20, float64
    sklearn_ridge.py fit DIR N SIGMA LAMBDA  RBFSampler(2000) + Ridge(cholesky): prints seconds to fit, seconds to predict
                                             100 000 rows, rmse on the 10 000 last rows, peak memory above the data (MB)
"""

import os
import resource
import sys
import time

import numpy as np

D = P = 20
TEST = 10000


def write_data(directory, n):
    rng = np.random.default_rng(1)
    waves = 500
    w = rng.standard_normal((waves, D)) / 3.63
    c = rng.standard_normal((2 * waves, P)) / np.sqrt(waves)
    x = rng.uniform(-1, 1, (n + TEST, D))
    y = np.empty((n + TEST, P))
    for i in range(0, n + TEST, 10000):
        t = x[i : i + 10000] @ w.T
        y[i : i + 10000] = np.hstack([np.cos(t), np.sin(t)]) @ c
    y += 0.1 * rng.standard_normal(y.shape)
    x.tofile(os.path.join(directory, "X.bin"))
    y.tofile(os.path.join(directory, "Y.bin"))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fit(directory, n, sigma, lam):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    x = np.fromfile(os.path.join(directory, "X.bin"), count=(n + TEST) * D).reshape(-1, D)
    y = np.fromfile(os.path.join(directory, "Y.bin"), count=(n + TEST) * P).reshape(-1, P)
    model = make_pipeline(
        RBFSampler(gamma=1 / (2 * sigma**2), n_components=2000, random_state=0),
        Ridge(alpha=n * lam, solver="cholesky"),
    )
    before = peak()
    start = time.perf_counter()
    model.fit(x[:n], y[:n])
    seconds = time.perf_counter() - start
    memory = peak() - before
    many = np.resize(x, (100000, D))
    start = time.perf_counter()
    model.predict(many)
    predict = time.perf_counter() - start
    rmse = np.sqrt(np.mean((model.predict(x[n:]) - y[n:]) ** 2))
    print(f"{seconds:.3f} {predict:.3f} {rmse:.5f} {memory:.0f}")


if __name__ == "__main__":
    if sys.argv[1] == "data":
        write_data(sys.argv[2], int(sys.argv[3]))
    else:
        fit(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5]))
