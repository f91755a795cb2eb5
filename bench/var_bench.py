#!/usr/bin/env python3
"""Vector autoregression beside statsmodels and ridge: bench/results/var.md.

    python3 bench/var_bench.py BUILD_DIR

Wants numpy, pandas, scikit-learn and statsmodels (python3-statsmodels). The data are those of shared/data/timeseries beside the
project, or of ORFF_DATA. Every method sees the first part of a series, once; then each value of the rest is predicted from the
true values before it. Errors are root mean squares over the rest, each series in units of its standard deviation there, so that 1 is
the error of its mean.
"""
import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("ORFF_DATA", HERE.parent.parent / "shared/data")) / "timeseries"


# ---- series

def macro():
    """Quarterly growth of output, consumption, investment and income, and changes of interest and unemployment."""
    table = pd.read_csv(DATA / "macrodata.csv")
    grown = np.log(table[["realgdp", "realcons", "realinv", "realdpi"]]).diff()
    changed = table[["tbilrate", "unemp"]].diff()
    return 100 * grown.iloc[1:].to_numpy(), changed.iloc[1:].to_numpy()


def wind():
    """Roots of daily speeds at 12 stations, without the year's course, which is learned from the first part alone."""
    table = pd.read_csv(DATA / "wind_ireland.csv")
    speed = np.sqrt(table.iloc[:, 3:].to_numpy(dtype=float))[:3000]
    day = np.arange(len(speed)) * 2 * np.pi / 365.25
    waves = np.c_[np.ones(len(day)), np.cos(day), np.sin(day), np.cos(2 * day), np.sin(2 * day)]
    first = 2000
    beta = np.linalg.lstsq(waves[:first], speed[:first], rcond=None)[0]
    return speed - waves @ beta


def bent(n=900):
    """Three series in a chain, each moved by the last by a bent function: a linear model sees little of it."""
    rng = np.random.default_rng(0)
    y = np.zeros((n, 3))
    for t in range(1, n):
        a, b, c = y[t - 1]
        y[t] = [1.5 * np.sin(1.8 * a), 0.3 * b + 1.2 * np.cos(1.5 * a), 0.4 * c + np.sin(2 * b)] + 0.25 * rng.normal(size=3)
    return y


def linear(n=400):
    """A linear autoregression: what statsmodels assumes."""
    rng = np.random.default_rng(1)
    A = np.array([[0.5, 0.3, 0.0], [0.0, 0.6, -0.2], [0.1, 0.0, 0.7]])
    y = np.zeros((n, 3))
    for t in range(1, n):
        y[t] = A @ y[t - 1] + 0.5 * rng.normal(size=3)
    return y


def sets():
    yield "macrodata: growth and changes, 202 quarters", np.hstack(macro()), 140, [1, 2]
    yield "wind_ireland: 12 stations, 3000 days", wind(), 2000, [1, 2]
    yield "bent chain, 900 steps", bent(), 600, [1]
    yield "linear, 400 steps", linear(), 280, [1]


# ---- methods: from the first part to a function of the last values (lags x p) to the next

def lagged(y, lags):
    depth = max(lags)
    return np.hstack([y[depth - lag:len(y) - lag] for lag in lags]), y[depth:]


def statsmodels_var(y, lags):
    """All lags up to the longest."""
    from statsmodels.tsa.api import VAR
    fitted = VAR(y).fit(max(lags))
    return lambda past: fitted.forecast(past[-max(lags):], 1)[0]


def ridge(y, lags):
    """Each series by itself, of all lags of all, with a penalty of its own by cross-validation."""
    from sklearn.linear_model import RidgeCV
    X, Y = lagged(y, lags)
    models = [RidgeCV(np.logspace(-3, 4, 30)).fit(X, Y[:, k]) for k in range(Y.shape[1])]

    def predict(past):
        x = np.hstack([past[len(past) - lag] for lag in lags])[None]
        return np.array([model.predict(x)[0] for model in models])

    return predict


def ours(**settings):
    def method(y, lags):
        import orff
        model = orff.ORFFVAR(lags=lags, **settings).fit(y)
        return lambda past: model.forecast(1, history=past, n_samples=0)[0]

    return method


METHODS = {
    "the last value": lambda y, lags: lambda past: past[-1],
    "ridge, each by itself": ridge,
    "statsmodels VAR": statsmodels_var,
    "ORFFVAR": ours(),
    'ORFFVAR, output_matrix="learn"': ours(output_matrix="learn"),
    'ORFFVAR, trend="linear"': ours(trend="linear"),
}


# ---- the table

def error(method, y, first, lags):
    start = time.process_time()
    predict = method(y[:first], lags)
    seconds = time.process_time() - start
    got = np.array([predict(y[:t]) for t in range(first, len(y))])
    spread = y[first:].std(axis=0)
    return float(np.sqrt(np.mean(((got - y[first:]) / spread) ** 2))), seconds


def main():
    os.environ.setdefault("ORFF_LIBRARY", str(next(Path(sys.argv[1]).resolve().glob("liborff.so*"))))
    os.environ.setdefault("GOMP_SPINCOUNT", "100")
    sys.path.insert(0, str(HERE.parent / "python"))
    lines = ["# Vector autoregression", "", "Made by `bench/var_bench.py BUILD_DIR`. " + " ".join(__doc__.split("\n\n")[-1].split()),
             "Seconds of the processor are those of learning.", ""]
    for name, y, first, lags in sets():
        lines += [f"## {name}", "", f"Learned from the first {first}; lags {', '.join(map(str, lags))}.", "",
                  "| method | error of one step | seconds |", "|---|---|---|"]
        for label, method in METHODS.items():
            try:
                found, seconds = error(method, y, first, lags)
                lines.append(f"| {label} | {found:.4f} | {seconds:.1f} |")
            except Exception as trouble:  # what a method refuses is told
                lines.append(f"| {label} | {trouble} | |")
            print(lines[-1], flush=True)
        lines.append("")
    (HERE / "results/var.md").write_text("\n".join(lines))


if __name__ == "__main__":
    main()
