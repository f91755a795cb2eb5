"""Ocean currents from radials and drifters.

Two coastal radars measure only the component of the current towards or away from them, and one is noisier than the other. A few
drifters give whole vectors at the places where they happen to be. This tutorial combines all of them into one map of the current
with error bars, and predicts where something lost at sea will be a day later.
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
# ## A sea that we know
#
# The current comes from a stream function, in km and m/s, so it has no divergence: two eddies and a stream along the coast.
rng = np.random.default_rng(7)


def current(X):
    """(n, 2) velocities in m/s at (n, 2) places in km."""
    velocity = np.c_[np.full(len(X), 0.0), 0.15 + 0.1 * np.tanh((X[:, 0] - 60) / 15)]
    for centre, strength, radius in ([35, 60], 0.45, 16), ([70, 30], -0.4, 14):
        away = (X - centre) / radius
        swirl = strength * np.exp(0.5 - 0.5 * (away**2).sum(axis=1))
        velocity += swirl[:, None] * np.c_[-away[:, 1], away[:, 0]]
    return velocity


# %%
# ## What the instruments see
#
# A radial is the component of the current along the line from the radar, $y = e \cdot f(x)$ with a unit vector $e$. A drifter gives
# two such rows, one along each axis.
sites, noise = np.array([[0.0, 15.0], [0.0, 85.0]]), np.array([0.04, 0.12])
seen = rng.uniform([8, 0], [95, 100], (700, 2))
site = rng.integers(0, 2, len(seen))
along = seen - sites[site]
along /= np.linalg.norm(along, axis=1, keepdims=True)
radial = (along * current(seen)).sum(axis=1) + noise[site] * rng.normal(size=len(seen))

drifters = rng.uniform([10, 5], [90, 95], (25, 2))
vectors = current(drifters) + 0.03 * rng.normal(size=drifters.shape)

X = np.r_[seen, drifters, drifters]
y = np.r_[radial, vectors[:, 0], vectors[:, 1]]
directions = np.r_[along, np.tile([1.0, 0.0], (25, 1)), np.tile([0.0, 1.0], (25, 1))]
instruments = np.r_[np.array(["south", "north"])[site], np.repeat("drifter", 50)]

# %%
# ## Learn
#
# `div-free` states that what flows in must flow out. `instruments` gives each instrument its own noise. The fit finds these noises, and
# the length scale.
model = orff.ORFFRegressor(kernel="div-free").fit(X, y, directions=directions, instruments=instruments)
alone = orff.ORFFRegressor(kernel="div-free").fit(seen, radial, directions=along)

grid = np.stack(np.meshgrid(np.linspace(8, 95, 45), np.linspace(0, 100, 51)), axis=-1).reshape(-1, 2)
flow, error = model.predict(grid, return_std=True)


def rmse(one):
    return np.sqrt(np.mean((one.predict(grid) - current(grid)) ** 2))


inside = np.mean(np.abs(flow - current(grid)) < 1.96 * error)
print(f"rmse of a component: {rmse(model):.3f} m/s; radials alone, all of the same quality: {rmse(alone):.3f} m/s")
print(f"spread of the current: {current(grid).std():.2f} m/s; {100 * inside:.0f} % of the truth is inside the 95 % intervals")

# %%
# ## Where will it be tomorrow?
#
# `drift` follows particles through the map and through samples, which are whole currents that agree with the data. The inputs are in km
# and the outputs in m/s, so a day is 86.4 in units of km/(m/s).
lost = np.array([[50.0, 45.0]])
tracks = model.drift(lost, time=86.4, samples=40)
place, spread = tracks.mean[-1, 0], np.sqrt(np.linalg.eigvalsh(tracks.covariance[-1, 0]))
truth = lost[0].copy()
for _ in range(2000):
    truth += 86.4 / 2000 * current(truth[None])[0]
print(f"after a day: x {place[0]:.1f} km, y {place[1]:.1f} km, standard deviations {spread[0]:.1f} and {spread[1]:.1f} km")
print(f"the truth is {np.linalg.norm(truth - place):.1f} km away")

# %%
# ## Draw
figure, panels = plt.subplots(1, 2, figsize=(11, 5.6), layout="constrained", sharey=True)
speed = np.hypot(*flow.T).reshape(51, 45)
sure = np.sqrt((error**2).sum(axis=1)).reshape(51, 45)
for panel, values, label, colours in (panels[0], speed, "speed, m/s", "viridis"), (panels[1], sure, "error bar, m/s", "cividis"):
    image = panel.contourf(grid[:45, 0], grid[::45, 1], values, 20, cmap=colours)
    figure.colorbar(image, ax=panel, label=label, shrink=0.85)
    panel.plot(*sites.T, "^", color="black", markersize=10, clip_on=False)
    panel.set(aspect="equal", xlabel="x, km", xlim=(0, 95), ylim=(0, 100))
few = grid.reshape(51, 45, 2)[::4, ::4].reshape(-1, 2)
panels[0].quiver(*few.T, *model.predict(few).T, color="white", scale=6, width=0.004)
for member in tracks.members:
    panels[0].plot(*member[:, 0].T, color="orange", linewidth=0.5, alpha=0.6)
panels[0].plot(*tracks.path[:, 0].T, color="red")
panels[0].set(title="current, and 40 paths of a day", ylabel="y, km")
panels[1].plot(*seen[site == 0].T, ".", color="white", markersize=2)
panels[1].plot(*seen[site == 1].T, ".", color="grey", markersize=2)
panels[1].quiver(*drifters.T, *vectors.T, color="red", scale=6, width=0.004)
panels[1].set(title="how sure; dots: radials, red: drifters")
figure.savefig(options.o / "currents.png", dpi=100)
