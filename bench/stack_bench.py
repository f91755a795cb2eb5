#!/usr/bin/env python3
"""Stacks beside single layers: bench/results/stack.md.

    ORFF_LIBRARY=build/release/liborff.so python3 bench/stack_bench.py [--data ../shared/data] [front|table|digits ..]

Without the names of parts it runs all of them and writes the page; with names it shows these and writes nothing. The table and the
digits are left out where there are no data.
"""
import argparse
import gzip
import os
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import numpy as np  # noqa: E402

import orff  # noqa: E402

warnings.simplefilter("ignore")  # features are few on purpose


def bent_front(X):
    """A field of two components that jumps across a bent line, in coordinates that are bent too."""
    x, y = X.T
    s, t = x + 0.35 * np.sin(2.2 * y) + 0.15 * y * y, y - 0.3 * np.cos(1.7 * x)
    jump = np.tanh(12 * s)
    return np.c_[jump * (1 + 0.3 * np.cos(1.5 * t)), 0.6 * np.sin(1.5 * t) * np.exp(-4.5 * s * s) + 0.4 * jump * np.sin(t)]


def measure(model, X, Y, Z, T, error):
    """One line: coefficients, error, seconds."""
    start = time.perf_counter()
    model.fit(X, Y)
    seconds = time.perf_counter() - start
    return int(model.model_.describe().parameters), error(model, Z, T), seconds


def rmse(model, Z, T):
    return float(np.sqrt(np.mean((model.predict(Z) - T) ** 2)))


def table_of(lines, error):
    """Means over the runs, and the standard deviation of the error."""
    out = [f"| | coefficients | {error} | fit, s |", "|---|--:|--:|--:|"]
    for name, runs in lines.items():
        parameters, errors, seconds = (np.array(column) for column in zip(*runs))
        spread = f" ± {errors.std(ddof=1):.2g}" if len(errors) > 1 else ""
        out.append(f"| {name} | {int(parameters.mean())} | {errors.mean():.3g}{spread} | {seconds.mean():.1f} |")
    return "\n".join(out)


def front(_data):
    lines = {}
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X, Z = rng.uniform(-1.5, 1.5, (1500, 2)), rng.uniform(-1.5, 1.5, (4000, 2))
        Y = bent_front(X) + 0.05 * rng.normal(size=(1500, 2))
        for name, model in {
            "one layer, 250 frequencies": orff.ORFFRegressor(engine="features", features=250, seed=seed),
            "two layers, 2 -> 2 -> 2, 100 and 150": orff.ORFFStack(stack=2, features=150, seed=seed),
            "three layers, 2 -> 2 -> 2 -> 2, 50, 50 and 150": orff.ORFFStack(stack=(2, 2), features=150, stack_features=50, seed=seed),
            "one layer, 600 frequencies": orff.ORFFRegressor(engine="features", features=600, seed=seed),
            "the exact kernel": orff.OVKRegressor(),
        }.items():
            lines.setdefault(name, []).append(measure(model, X, Y, Z, bent_front(Z), rmse))
    return "## A warped field with a front\n\n" + " ".join(front.__doc__.split()) + "\n\n" + table_of(lines, "RMSE")


front.__doc__ = """1500 rows in a square, noise 0.05 in both components; errors are those against the field itself at 4000 other points, over five
draws of rows and frequencies."""


def table(data):
    """Energy efficiency of buildings (multitarget/enb.csv): 8 inputs, 2 outputs, 768 rows, of which 614 are learned from, over five
    divisions. RMSE over both outputs."""
    A = np.genfromtxt(data / "multitarget/enb.csv", delimiter=",", skip_header=1)
    lines = {}
    for seed in range(5):
        rows = np.random.default_rng(seed).permutation(len(A))
        X, Y, Z, T = A[rows[:614], :8], A[rows[:614], 8:], A[rows[614:], :8], A[rows[614:], 8:]
        for name, model in {
            "one layer, 300 frequencies": orff.ORFFRegressor(engine="features", features=300),
            "two layers, 8 -> 8 -> 2, 12 and 236": orff.ORFFStack(stack=8, features=236, stack_features=12),
            "one layer, 300, folds by rows": orff.ORFFRegressor(engine="features", features=300, folds_by="random"),
            "two layers, folds by rows": orff.ORFFStack(stack=8, features=236, stack_features=12, folds_by="random"),
            "the exact kernel": orff.OVKRegressor(),
        }.items():
            lines.setdefault(name, []).append(measure(model, X, Y, Z, T, rmse))
    return "## A table with two targets\n\n" + " ".join(table.__doc__.split()) + "\n\n" + table_of(lines, "RMSE")


def read_idx(path):
    with gzip.open(path) as file:
        head, body = file.read(4), file.read()
    return np.frombuffer(body, np.uint8, offset=4 * head[3])


def digits(data):
    """MNIST: the first 10 000 digits to learn from, all 10 000 of the test set, few frequencies. Classes that are wrong, in per cent."""
    names = [data / "mnist" / f"{part}-ubyte.gz" for part in (
        "train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")]
    X, y, Z, t = (read_idx(name) for name in names)
    X, Z = (images.reshape(-1, 784)[:10000] / 255.0 for images in (X, Z))
    lines = {}
    for name, model in {
        "one layer, 300 frequencies": orff.ORFFClassifier(features=300),
        "two layers, 784 -> 32 -> 9, 50 and 300": orff.ORFFClassifier(features=300, stack=32, stack_features=50),
        "one layer, 1000 frequencies": orff.ORFFClassifier(features=1000),
    }.items():
        lines[name] = [measure(model, X, y[:10000], Z, t, lambda model, Z, T: 100 - 100 * model.score(Z, T))]
    return "## Digits\n\n" + " ".join(digits.__doc__.split()) + "\n\n" + table_of(lines, "wrong, %")


PARTS = {"front": (front, None), "table": (table, "multitarget/enb.csv"), "digits": (digits, "mnist")}


def page(parts):
    load = os.getloadavg()[0]
    return "\n\n".join([
        "# Stacks",
        f"Made by `bench/stack_bench.py`. Machine: {os.cpu_count()} cores; {orff.build_info()}. Others used the machine meanwhile (load "
        f"{load:.1f} at the end): times are too large.", *parts]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("ORFF_DATA", "../shared/data")))
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS])
    asked = parser.parse_args()
    done = []
    for name in asked.parts or PARTS:
        function, needs = PARTS[name]
        if needs and not (asked.data / needs).exists():
            print(f"{name}: there is no {asked.data / needs}")
            continue
        done.append(function(asked.data))
        print(done[-1], flush=True)
    if not asked.parts and len(done) == len(PARTS):
        (HERE / "results/stack.md").write_text(page(done))


if __name__ == "__main__":
    main()
