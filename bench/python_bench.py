#!/usr/bin/env python3
"""Times the Python package beside scikit-learn and NumPy in the same run, and writes bench/results/python.md.

    python_bench.py BUILD_DIR [quick]

What is compared runs in turn, round after round, each fit in a process of its own, so that its peak memory is that of
the fit. Times are the smallest of the rounds: a machine that others use as well only ever makes them larger.
"""
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
LENGTH, SIGMA, LAMBDA, TEST = 1000, 3.63, 1e-6, 10000  # of phi; of the data of sklearn_ridge.py
FIELD_SIGMA, FIELD_LAMBDA, FIELD_FEATURES, FIELD_NOISE = 0.5, 1e-5, 300, 0.1


# ---- contenders: one fit in this process


def scikit_learn(n):
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    sampler = RBFSampler(gamma=1 / (2 * SIGMA**2), n_components=LENGTH, random_state=0)
    return make_pipeline(sampler, Ridge(alpha=n * LAMBDA, solver="cholesky"))


def orff_features(n):
    import orff

    return orff.ORFFRegressor(sigma=SIGMA, lambda_=LAMBDA, features=LENGTH // 2, scale_inputs=False, posterior=False)


def field_features(n):
    import orff

    return orff.ORFFRegressor(kernel="curl-free", sigma=FIELD_SIGMA, lambda_=FIELD_LAMBDA, features=FIELD_FEATURES,
                              center=False, posterior=False)


def field_exact(n):
    import orff

    return orff.OVKRegressor(kernel="curl-free", sigma=FIELD_SIGMA, lambda_=FIELD_LAMBDA, center=False,
                             posterior=False)


class NumpyExact:
    """Exact ridge with the curl-free Gaussian kernel, as one would write it with NumPy and SciPy."""

    def __init__(self, n):
        self.penalty = n * FIELD_LAMBDA

    def gram(self, X, Z):
        """K(x, z) = (I - e e^T / s^2) exp(-|e|^2 / 2 s^2) / s^2, e = x - z, as one matrix (2n x 2m)."""
        e = X[:, None, :] - Z[None, :, :]
        k = np.exp(-np.sum(e**2, axis=2) / (2 * FIELD_SIGMA**2)) / FIELD_SIGMA**2
        K = -(e[..., :, None] * e[..., None, :]) / FIELD_SIGMA**2
        K[..., range(2), range(2)] += 1.0
        K *= k[..., None, None]
        return K.transpose(0, 2, 1, 3).reshape(2 * len(X), 2 * len(Z))

    def fit(self, X, Y):
        from scipy.linalg import cho_factor, cho_solve

        K = self.gram(X, X)
        K[np.diag_indices_from(K)] += self.penalty
        self.X, self.alpha = X, cho_solve(cho_factor(K, lower=True, overwrite_a=True), Y.ravel())
        return self

    def predict(self, X):
        blocks = [self.gram(X[i:i + 1000], self.X) @ self.alpha for i in range(0, len(X), 1000)]
        return np.concatenate(blocks).reshape(-1, 2)


CONTENDERS = {"scikit-learn": scikit_learn, "orff": orff_features, "numpy": NumpyExact, "exact": field_exact,
              "features": field_features}


def memory_in_use(line, anew=False):
    """A line of /proc/self/status in MB: VmRSS is now, VmHWM the peak, which may begin anew."""
    if anew:
        Path("/proc/self/clear_refs").write_text("5")
    status = Path("/proc/self/status").read_text()
    return int(status.split(f"{line}:")[1].split()[0]) / 1024


def one(name, n, precision, data):
    """Prints seconds to fit, seconds to predict the test rows, their rmse, peak memory above the data in MB."""
    X, Y = (np.load(Path(data) / f"{part}.npy").astype(precision) for part in "XY")
    train, train_y, test, test_y = X[:n], Y[:n], X[-TEST:], Y[-TEST:]
    model = CONTENDERS[name](n)
    before = memory_in_use("VmRSS", anew=True)
    CONTENDERS[name](n).fit(train[:200], train_y[:200]).predict(test[:200])  # so that libraries and threads are ready
    start = time.perf_counter()
    model.fit(train, train_y)
    fit = time.perf_counter() - start
    memory = memory_in_use("VmHWM") - before
    start = time.perf_counter()
    F = model.predict(test)
    predict = time.perf_counter() - start
    np.save(Path(data) / f"F-{name}.npy", F)
    print(fit, predict, np.sqrt(np.mean((F - test_y) ** 2, dtype=float)), memory)


# ---- rounds


def rounds(contenders, n, data, count):
    """The smallest of each number over the rounds, by contender (name, precision)."""
    found = {contender: [] for contender in contenders}
    for _ in range(count):
        for name, precision in contenders:
            line = subprocess.run([sys.executable, __file__, "one", name, str(n), precision, data], check=True,
                                  stdout=subprocess.PIPE, text=True).stdout
            found[name, precision].append([float(word) for word in line.split()])
    return {contender: np.min(lines, axis=0) for contender, lines in found.items()}


def row(label, numbers, reference, more=""):
    fit, predict, rmse, memory = numbers
    return (f"| {label} | {fit:.3f} | {reference[0] / fit:.1f} | {predict:.3f} | {reference[1] / predict:.1f} "
            f"| {rmse:.4f} | {memory:.0f} |{more}\n")


HEAD = "| | fit, s | faster by | predict {rows}, s | faster by | test rmse | memory above the data, MB |{more}\n"


def against_scikit_learn(data, sizes, count):
    sys.path.insert(0, str(HERE))
    import sklearn_ridge

    sklearn_ridge.write_data(data, max(sizes))
    for part in "XY":  # 20 columns each
        np.save(Path(data) / f"{part}.npy", np.fromfile(Path(data) / f"{part}.bin").reshape(-1, 20))
    for n in sizes:
        sides = [("scikit-learn", "float64"), ("orff", "float64"), ("scikit-learn", "float32"), ("orff", "float32")]
        best = rounds(sides, n, data, count)
        yield f"\n### N = {n}\n\n" + HEAD.format(rows=TEST, more="") + "|---|--:|--:|--:|--:|--:|--:|\n"
        for side in sides:
            yield row(" ".join(side), best[side], best["scikit-learn", "float64"])


def field(data, n):
    """A gradient field with noise: its potential is a sum of waves; test rows are without noise."""
    rng = np.random.default_rng(2)
    omega, phase, size = rng.normal(size=(50, 2)) / 0.5, rng.uniform(0, 2 * np.pi, 50), rng.normal(size=50) / 5
    X = rng.uniform(-1, 1, (n + TEST, 2))
    Y = -np.sin(X @ omega.T + phase) * size @ omega
    Y[:n] += FIELD_NOISE * rng.normal(size=(n, 2))
    np.save(Path(data) / "X.npy", X)
    np.save(Path(data) / "Y.npy", Y)


def against_exact(data, sizes, count):
    labels = {"numpy": "NumPy, exact", "exact": "OVKRegressor, exact",
              "features": f"ORFFRegressor, D = {FIELD_FEATURES}"}
    for n in sizes:
        field(data, n)
        best = rounds([(name, "float64") for name in labels], n, data, count)
        exact = np.load(Path(data) / "F-numpy.npy")
        yield f"\n### N = {n}\n\n" + HEAD.format(rows=TEST, more=" from NumPy's |")
        yield "|---|--:|--:|--:|--:|--:|--:|--:|\n"
        for name, label in labels.items():
            apart = np.sqrt(np.mean((np.load(Path(data) / f"F-{name}.npy") - exact) ** 2)) / exact.std()
            yield row(label, best[name, "float64"], best["numpy", "float64"], f" {apart:.1e} |")


# ---- the page


def machine():
    import orff
    import scipy
    import sklearn

    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
                 platform.machine())
    return (f"{model}, {os.cpu_count()} cores; {orff.build_info()};\nPython {platform.python_version()}, "
            f"numpy {np.__version__}, scipy {scipy.__version__}, scikit-learn {sklearn.__version__}")


def load():
    return f"{os.getloadavg()[0]:.1f}"


def page(data, quick):
    count, sizes = (1, (2000,)) if quick else (3, (10000, 100000))
    few = (500,) if quick else (500, 1000, 2000)
    yield f"# The Python package\n\nMade by `bench/python_bench.py`. Machine: {machine()}.\n"
    before = load()
    shared = (f" Others used the machine meanwhile (load {before} at the\nstart): times are too large, ratios rough."
              if float(before) > 0.5 else "")
    yield (f"\nTimes are the smallest of {count} rounds, in which everything that a table compares runs in turn, each "
           f"in a process of its\nown; *memory* is the peak of the fit above the data.{shared}\n")
    yield (f"\n## Against scikit-learn\n\nRBFSampler({LENGTH}) and Ridge(cholesky), ORFFRegressor with {LENGTH // 2} "
           f"frequencies, so that phi has the same length; same sigma\n({SIGMA}) and lambda ({LAMBDA:g}). The data: "
           "d = p = 20, a sum of 500 random waves and noise 0.1. Ratios are to scikit-learn in\nfloat64.\n")
    yield from against_scikit_learn(data, sizes, count)
    yield (f"\n## Curl-free, against an exact solver\n\nA gradient field in the plane with noise {FIELD_NOISE}, sigma "
           f"{FIELD_SIGMA}, lambda {FIELD_LAMBDA:g}. The exact solver of NumPy and SciPy builds the\n2N x 2N matrix "
           "and factors it by Cholesky; OVKRegressor also computes the exact leave-one-out error, for which it\ninverts "
           "the matrix. Errors are to the field without noise. *From NumPy's*: root mean square difference of the\n"
           "predictions to those of the exact solver, over their spread.\n")
    yield from against_exact(data, few, count)
    yield (f"\nLoad of the machine (processes that want to run, for {os.cpu_count()} cores): {before} before, "
           f"{load()} after.\n")


def main(build, quick):
    os.environ.setdefault("ORFF_LIBRARY", str(Path(build).resolve() / "liborff.so"))
    os.environ.setdefault("GOMP_SPINCOUNT", "100")  # threads that wait give way soon, on both sides
    os.environ["PYTHONPATH"] = os.pathsep.join([str(HERE.parent / "python"), os.environ.get("PYTHONPATH", "")])
    sys.path.insert(0, str(HERE.parent / "python"))
    with tempfile.TemporaryDirectory() as data:
        text = ""
        for piece in page(data, quick):
            text += piece
            print(piece, end="", flush=True)
    if not quick:  # whole, at the end
        (HERE / "results" / "python.md").write_text(text)


if __name__ == "__main__":
    if len(sys.argv) == 6 and sys.argv[1] == "one":
        one(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5])
    elif len(sys.argv) in (2, 3) and sys.argv[2:] in ([], ["quick"]):
        main(sys.argv[1], sys.argv[2:] == ["quick"])
    else:
        sys.exit("usage: python_bench.py BUILD_DIR [quick]   (a build of orff; quick: small, only shown)")
