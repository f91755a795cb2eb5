"""Temperatures under clouds.

A satellite measures the temperature of the sea, but not through clouds. This tutorial fills the holes in such a picture from the
temperatures around them, shows how reliable the result is, and leaves out what is not reliable.
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
# ## A sea and its clouds
#
# The sea has a front, eddies of some tens of km, and white noise of 0.2 degrees. The function `smooth` makes a random field of a given
# length scale. Clouds are where such a field is large.
rng = np.random.default_rng(5)
side = np.linspace(0, 300, 76)  # km
east, north = np.meshgrid(side, side)


def smooth(scale, waves=400):
    k = rng.normal(size=(waves, 2)) / scale
    phase = rng.uniform(0, 2 * np.pi, waves)
    return np.sqrt(2 / waves) * np.cos(east[..., None] * k[:, 0] + north[..., None] * k[:, 1] + phase).sum(axis=-1)


truth = 15 + 2 * np.tanh((150 - north + 0.25 * (east - 150)) / 40) + 0.8 * smooth(25)
clouds = smooth(28) > 0.3
seen = np.where(clouds, np.nan, truth + 0.2 * rng.normal(size=truth.shape))
print(f"{100 * clouds.mean():.0f} % of the picture is under clouds")

# %%
# ## Learn
#
# Leave out the places without a value. With two inputs and several thousand rows, the engine is a lattice. The fit chooses the base,
# length scale and noise under which the temperatures are most probable.
places = np.c_[east.ravel(), north.ravel()]
there = np.isfinite(seen.ravel())
model = orff.ORFFRegressor().fit(places[there], seen.ravel()[there])
filled, error = (values.reshape(truth.shape) for values in model.predict(places, return_std=True))
print(f"{model.kernel_}")
print(f"noise found {float(np.ravel(model.noise_)[0]):.2f} degrees, put in 0.20")

# %%
# ## How good is it under the clouds?
#
# Errors are larger there than elsewhere, and the error bars show it. Where the error bar exceeds a limit, the map stays empty.
wrong = filled - truth
kept = error < 0.4
print(f"error in the open {wrong[~clouds].std():.2f}, under clouds {wrong[clouds].std():.2f} degrees; spread of the sea {truth.std():.2f}")
print(f"{100 * np.mean(np.abs(wrong[clouds]) < 1.96 * error[clouds]):.0f} % of the truth under clouds is inside the 95 % intervals")
print(f"error bar below 0.4 degrees: {100 * kept[clouds].mean():.0f} % of what is under clouds, with an error of {wrong[clouds & kept].std():.2f}")

# %%
# ## Draw
figure, panels = plt.subplots(1, 4, figsize=(16, 4.2), layout="constrained", sharey=True)
limits = {"vmin": truth.min(), "vmax": truth.max(), "cmap": "inferno"}
for panel, values, title, how in (
        (panels[0], seen, "seen", limits), (panels[1], np.where(kept, filled, np.nan), "filled, error bar below 0.4", limits),
        (panels[2], truth, "truth", limits), (panels[3], error, "error bar", {"cmap": "cividis"})):
    image = panel.pcolormesh(side, side, values, shading="nearest", **how)
    panel.set(title=title, aspect="equal", xlabel="x, km")
    if panel in (panels[2], panels[3]):
        figure.colorbar(image, ax=panel, label="degrees", shrink=0.85)
panels[0].set_ylabel("y, km")
figure.savefig(options.o / "temperatures.png", dpi=100)
