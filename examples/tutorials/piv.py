"""Vorticity from PIV, with its error.

Particle image velocimetry gives vectors on a grid, with noise, and with holes where no particles were seen. If you compute the
vorticity from differences of neighbouring vectors, the noise grows. A divergence-free model gives the vorticity analytically, with an
error bar at every point.
"""
import argparse
from pathlib import Path

import matplotlib
import numpy as np
import xarray as xr

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where the picture goes")
options = parser.parse_args()

# %%
# ## A pair of vortices
#
# Two Lamb-Oseen vortices rotate in opposite directions. Velocities are in mm/s and places in mm. The noise is 6 % of the largest speed,
# and a quarter of the vectors is missing.
rng = np.random.default_rng(1)
x, y = np.linspace(0, 40, 41), np.linspace(0, 30, 31)
east, north = np.meshgrid(x, y)


def vortex(x0, y0, circulation, core):
    dx, dy = east - x0, north - y0
    r2 = dx**2 + dy**2 + 1e-12
    turn = circulation / (2 * np.pi * r2) * (1 - np.exp(-r2 / core**2))
    return -turn * dy, turn * dx, circulation / (np.pi * core**2) * np.exp(-r2 / core**2)


first, second = vortex(13, 15, 500.0, 4.0), vortex(27, 15, -500.0, 4.0)
u, v, truth = (one + other for one, other in zip(first, second))
noise = 0.06 * np.hypot(u, v).max()
missing = rng.random(u.shape) < 0.25
measured = [np.where(missing, np.nan, part + noise * rng.normal(size=u.shape)) for part in (u, v)]

units = {"units": "mm s-1"}
piv = xr.Dataset({"u": (("y", "x"), measured[0], units), "v": (("y", "x"), measured[1], units)},
                 {"x": ("x", x, {"units": "mm"}), "y": ("y", y, {"units": "mm"})})

# %%
# ## Learn
#
# `fit_field` accepts the Dataset as it is; holes are missing outputs. `derive="curl"` with `std=True` gives `curl` and `curl_std`. These
# error bars have a closed form for features, the exact kernel and lattices of few waves; larger lattices use samples.
flow = orff.fit_field(piv, ["u", "v"], coords=("x", "y"), kernel="div-free", features=300)
result = flow.predict({"x": x, "y": y}, std=True, derive="curl").transpose("y", "x")
vorticity, error = result.curl.values, result.curl_std.values

# %%
# ## Compare with differences
#
# Central differences need both neighbours, and contain the noise of two vectors, divided by two grid steps.
differences = np.gradient(measured[1], x, axis=1) - np.gradient(measured[0], y, axis=0)
there = np.isfinite(differences)
inside = np.mean(np.abs(vorticity - truth) < 1.96 * error)
print(f"largest vorticity {truth.max():.1f} / s, noise of the vectors {noise:.1f} mm/s")
print(f"error by differences {np.sqrt(np.mean((differences - truth)[there] ** 2)):.2f} / s, at {100 * there.mean():.0f} % of the points")
print(f"error by the model   {np.sqrt(np.mean((vorticity - truth) ** 2)):.2f} / s, at all of them")
print(f"{100 * inside:.0f} % of the truth is inside the 95 % intervals")

# %%
# ## Draw
figure, panels = plt.subplots(1, 3, figsize=(14, 4), layout="constrained", sharey=True)
most = np.abs(truth).max()
for panel, values, title in zip(panels, (differences, vorticity, error),
                                ("vorticity by differences, 1/s", "vorticity by orff, 1/s", "its error bar, 1/s")):
    limits = {"cmap": "cividis"} if values is error else {"cmap": "PuOr_r", "vmin": -most, "vmax": most}
    image = panel.pcolormesh(x, y, values, shading="nearest", **limits)
    figure.colorbar(image, ax=panel, shrink=0.85)
    panel.set(title=title, aspect="equal", xlabel="x, mm")
few = (slice(None, None, 2), slice(None, None, 2))
panels[0].quiver(east[few], north[few], measured[0][few], measured[1][few], scale=500, width=0.003)
panels[1].quiver(east[few], north[few], result.u.values[few], result.v.values[few], scale=500, width=0.003)
panels[0].set_ylabel("y, mm")
figure.savefig(options.o / "piv.png", dpi=100)
