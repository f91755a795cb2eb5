"""The magnetic field of a room.

Indoors, steel in the walls distorts the Earth's magnetic field. With a map of the field, a robot or a phone can find out where it is.
No currents flow between the walls, so the field is a gradient. A curl-free kernel knows this, and needs fewer measurements than
three components learned one by one.
"""
import argparse
from pathlib import Path

import matplotlib
import numpy as np

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where the picture goes")
options = parser.parse_args()

# %%
# ## A room with steel in its walls
#
# The Earth's field in microtesla, and dipoles in floor, ceiling and walls: $B = (3 n (m \cdot n) - m) / r^3$ with $n = r/|r|$.
rng = np.random.default_rng(4)
room = np.array([6.0, 4.0, 2.5])  # m
earth = np.array([18.0, 2.0, -44.0])
steel = rng.uniform(-0.2, 1.2, (40, 3)) * room
wall = rng.integers(0, 3, 40)
steel[np.arange(40), wall] = np.where(rng.random(40) < 0.5, -0.6, room[wall] + 0.6)
moments = rng.normal(size=(40, 3)) * 6


def field(X):
    """(n, 3) microtesla at (n, 3) places."""
    away = X[:, None] - steel
    r = np.linalg.norm(away, axis=2, keepdims=True)
    n = away / r
    return earth + ((3 * n * (n * moments).sum(axis=2, keepdims=True) - moments) / r**3).sum(axis=1)


# %%
# ## A walk through it
#
# 150 readings along a winding path at three heights, with a noise of 0.5 microtesla.
t = np.linspace(0, 1, 150)
path = np.c_[0.3 + 5.4 * t, 2 + 1.6 * np.sin(40 * t), np.array([0.6, 1.2, 1.8])[np.arange(150) % 3]]
readings = field(path) + 0.5 * rng.normal(size=path.shape)

# %%
# ## Learn, with and without physics
models = {"components one by one": orff.ORFFRegressor(kernel="decomposable"), "curl-free": orff.ORFFRegressor(kernel="curl-free")}
x, y = np.linspace(0.3, 5.7, 55), np.linspace(0.4, 3.6, 33)
plane = np.stack([*np.meshgrid(x, y), np.full((33, 55), 1.0)], axis=-1).reshape(-1, 3)
truth = field(plane)
told = {}
for name, model in models.items():
    told[name] = model.fit(path, readings).predict(plane, return_std=True)
    wrong = told[name][0] - truth
    inside = np.mean(np.abs(wrong) < 1.96 * told[name][1])
    print(f"{name:22s} rmse {np.sqrt(np.mean(wrong**2)):.2f} uT; {100 * inside:.0f} % inside the 95 % intervals")
print(f"spread of a component {truth.std(axis=0).mean():.2f} uT, at a height of 1.0 m, where nobody walked")

# %%
# ## Draw
figure, panels = plt.subplots(2, 2, figsize=(11, 7), layout="constrained", sharex=True, sharey=True)
size = {name: np.linalg.norm(values, axis=1).reshape(33, 55) for name, values in
        {"truth": truth, **{name: values for name, (values, _) in told.items()}}.items()}
limits = {"vmin": np.quantile(size["truth"], 0.01), "vmax": np.quantile(size["truth"], 0.99), "cmap": "viridis"}
for panel, (name, values) in zip(panels.flat, size.items()):
    image = panel.pcolormesh(x, y, values, shading="gouraud", **limits)
    panel.set(title=name, aspect="equal")
figure.colorbar(image, ax=panels[0], label="size of the field, uT", extend="both")
error = np.linalg.norm(told["curl-free"][1], axis=1).reshape(33, 55)
image = panels[1, 1].pcolormesh(x, y, error, shading="gouraud", cmap="cividis")
figure.colorbar(image, ax=panels[1], label="error bar, uT")
panels[1, 1].plot(*path.T[:2], color="white", linewidth=0.7)
panels[1, 1].set(title="error bar of curl-free, and the path", aspect="equal", xlabel="x, m")
panels[1, 0].set(xlabel="x, m", ylabel="y, m")
panels[0, 0].set(ylabel="y, m")
figure.savefig(options.o / "magnetic.png", dpi=100)
