"""A cluster.

Rows on many machines do not have to be collected in one place. Each machine reduces its rows to moments, sums whose size does not
depend on the number of rows. The sums of all machines are added, and give the model of all rows.
"""
import argparse
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import matplotlib
import numpy as np

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

# %%
# ## One machine
#
# Here a process plays the part of a machine. It makes rows instead of reading them: winds around two centres, in one part of the region.
# It writes its moments to a file. All machines use the same settings, and so the same frequencies.
SETTINGS = {"kernel": "div-free", "sigma": 0.5, "features": 150, "seed": 1}
MACHINES, ROWS, NOISE = 4, 4000, 0.4


def wind(X):
    speed = np.zeros_like(X)
    for (x, y), turn in (((-0.5, 0.2), 1.5), ((0.5, -0.3), -1)):
        away = X - (x, y)
        speed += turn * np.exp(-4 * (away ** 2).sum(axis=1))[:, None] * np.c_[-away[:, 1], away[:, 0]] * 4
    return speed


def rows_of(machine):
    rng = np.random.default_rng(machine)
    X = np.c_[rng.uniform(-1, 1, ROWS), -1 + (machine + rng.uniform(0, 1, ROWS)) * 2 / MACHINES]
    return X, wind(X) + NOISE * rng.normal(size=X.shape)


def work(machine, directory):
    path = Path(directory) / f"{machine}.orffm"
    orff.Moments(**SETTINGS).accumulate(*rows_of(machine)).save(path)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where the picture goes")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory, ProcessPoolExecutor(2, mp_context=get_context("spawn")) as machines:
        files = list(machines.map(work, range(MACHINES), [directory] * MACHINES))
        kilobytes = files[0].stat().st_size / 1000
        parts = [orff.Moments.load(path) for path in files]
    total = sum(parts[1:], start=parts[0])
    model = orff.ORFFRegressor(kernel="div-free", lambda_=1e-4).fit_moments(total)

    X, Y = (np.concatenate(part) for part in zip(*map(rows_of, range(MACHINES))))
    one = orff.ORFFRegressor(**SETTINGS, lambda_=1e-4, engine="features").fit(X, Y)
    side = np.linspace(-1, 1, 31)
    places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    found, truth = model.predict(places), wind(places)
    print(f"rms error {np.sqrt(np.mean((found - truth) ** 2)):.3f} m/s, noise of a row {NOISE:.1f} m/s")
    print(f"largest difference from one fit to all rows: {np.abs(found - one.predict(places)).max():.6f} m/s")
    print(f"{total.rows} rows on {MACHINES} machines; a file of moments has {kilobytes:.0f} kB")

    figure, panels = plt.subplots(1, MACHINES + 1, figsize=(17, 3.8), layout="constrained", sharey=True)
    alone = [orff.ORFFRegressor(kernel="div-free", lambda_=1e-4).fit_moments(part) for part in parts]
    titles = [f"machine {i + 1} alone" for i in range(MACHINES)] + ["all together"]
    for panel, each, title in zip(panels, [*alone, model], titles):
        values = each.predict(places)
        panel.pcolormesh(side, side, np.hypot(*values.T).reshape(31, 31), shading="gouraud", vmin=0, vmax=1.5, cmap="YlGnBu")
        panel.quiver(*places[::3].T, *values[::3].T, scale=20)
        panel.set(title=title, aspect="equal", xlabel="x", xlim=(-1, 1), ylim=(-1, 1))
    figure.savefig(options.o / "cluster.png", dpi=100)


# %%
# ## All machines
#
# Read the sums of all files, add them, and solve for the model. The result is the model of all rows, to rounding, no matter which
# part of the region each machine has seen.
# [Many processes by MPI](../distributed.md) do the same without files.
if __name__ == "__main__":
    main()
