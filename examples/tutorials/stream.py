"""A stream that forgets.

Vortices drift past an array of moorings, and every hour brings new measurements. A model of all measurements blurs the vortices; a
model of the last few hours follows them. Adding an hour and removing an old one costs the same no matter how long the stream has run.
"""
import argparse
from collections import deque
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
# ## The flow and its measurements
#
# The flow is incompressible. Its stream function is cos(4 (x - s t)) cos(4 y) / 4, so its vortices move by s = 0.02 km per hour. Each
# hour has 150 measurements with a noise of 0.3 m/s.
HOURS, WINDOW, ROWS, NOISE, DRIFT = 30, 6, 150, 0.3, 0.02
rng = np.random.default_rng(3)
side = np.linspace(-0.9, 0.9, 25)
places = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)


def flow(X, hour):
    x, y = X[:, 0] - DRIFT * hour, X[:, 1]
    return np.c_[np.cos(4 * x) * np.sin(4 * y), -np.sin(4 * x) * np.cos(4 * y)]


# %%
# ## Follow it
#
# `partial_fit` adds rows to the sums from which the model is solved, and `forget` subtracts rows from them. We give the length scale and
# lambda, because a model that is updated cannot choose them again.
settings = {"kernel": "div-free", "sigma": 0.4, "lambda_": 1e-3, "features": 100}
window, everything = orff.ORFFRegressor(**settings), orff.ORFFRegressor(**settings)
kept = deque()
errors = []
for hour in range(HOURS):
    X = rng.uniform(-1, 1, (ROWS, 2))
    Y = flow(X, hour) + NOISE * rng.normal(size=X.shape)
    kept.append((X, Y))
    window.partial_fit(X, Y)
    everything.partial_fit(X, Y)
    if len(kept) > WINDOW:
        window.forget(*kept.popleft())
    truth = flow(places, hour)
    errors.append([np.sqrt(np.mean((model.predict(places) - truth) ** 2)) for model in (window, everything)])
errors = np.array(errors)
print(f"rms error in the last hour: {errors[-1, 0]:.3f} m/s with a window, {errors[-1, 1]:.3f} m/s if nothing is forgotten")

# %%
# ## Forgetting is exact
#
# After forgetting, the model equals the model of the remaining rows, to rounding.
fresh = orff.ORFFRegressor(**settings).fit(*(np.concatenate(part) for part in zip(*kept)))
difference = np.abs(window.predict(places) - fresh.predict(places)).max()
print(f"largest difference from a new fit to the window: {difference:.6f} m/s")

# %%
# ## Draw
figure, panels = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
panels[0].plot(errors[:, 1], color="#d55e00", linestyle="--", label="nothing forgotten")
panels[0].plot(errors[:, 0], color="#0072b2", label=f"last {WINDOW} hours")
panels[0].set(xlabel="hour", ylabel="rms error (m/s)", ylim=(0, None))
panels[0].legend(frameon=False)
for panel, values, title in ((panels[1], window.predict(places), f"last {WINDOW} hours"), (panels[2], truth, "truth")):
    speed = np.hypot(*values.T).reshape(len(side), -1)
    panel.pcolormesh(side, side, speed, shading="gouraud", vmin=0, vmax=1, cmap="YlGnBu")
    panel.quiver(*places[::2].T, *values[::2].T, scale=22)
    panel.set(title=title, aspect="equal", xlabel="x (km)", ylabel="y (km)")
figure.savefig(options.o / "stream.png", dpi=100)
