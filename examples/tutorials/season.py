"""Winds of a region through the year.

Stations report the mean wind of each half month. The map has three inputs: longitude, latitude and day of the year. The year is a
circle, on which the end of December meets the beginning of January.
"""
import argparse
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where the picture goes")
options = parser.parse_args()

# %%
# ## A monsoon
#
# Winter winds blow from the north-east and summer winds from the south-west, strongest along a jet that moves with the season. A third
# of the 120 stations misses some of its reports.
rng = np.random.default_rng(3)


def wind(table):
    """Eastward and northward, m/s."""
    season = np.cos(2 * np.pi * (table["day"] - 200) / 365.25)  # 1 in summer
    jet = np.exp(-0.5 * ((table["lat"] - 12 - 3 * season) / 4) ** 2)
    east = 6 * season * jet + 1.5 * np.sin(np.radians(8 * table["lon"]))
    north = 3 * season * np.exp(-0.5 * ((table["lon"] - 55) / 8) ** 2)
    return np.c_[east, north]


stations = rng.uniform([42, 0], [72, 25], (120, 2))
days = 365.25 * (np.arange(24) + 0.5) / 24
rows = pd.DataFrame({"lon": np.repeat(stations[:, 0], 24), "lat": np.repeat(stations[:, 1], 24), "day": np.tile(days, 120)})
reports = wind(rows) + 0.8 * rng.normal(size=(len(rows), 2))
reports[(np.repeat(np.arange(120), 24) % 3 == 0) & (rng.random(len(rows)) < 0.4)] = np.nan

# %%
# ## Learn
#
# `geo="lonlat"` projects the region to a plane in km, and `period` closes the year. The fit chooses a length scale for each input.
there = np.isfinite(reports).all(axis=1)
model = orff.ORFFRegressor(geo="lonlat", period={"day": 365.25}).fit(rows[there], reports[there])
print(model.kernel_)

places = pd.DataFrame({name: rng.uniform(low, high, 1000) for name, low, high in
                       (("lon", 44, 70), ("lat", 2, 23), ("day", 0, 365.25))})
values, error = model.predict(places, return_std=True)
wrong = values - wind(places)
print(f"rmse at new places and days {np.sqrt(np.mean(wrong**2)):.2f} m/s; noise of a report 0.8, spread of the wind {wind(places).std():.1f} m/s")
print(f"{100 * np.mean(np.abs(wrong) < 1.96 * error):.0f} % of the truth is inside the 95 % intervals")

# %%
# The year is closed: its last instant is the first of the next.
ends = [model.predict(places.assign(day=day)) for day in (0.0, 365.25)]
print(f"largest jump at New Year below 1e-6 m/s: {np.abs(ends[1] - ends[0]).max() < 1e-6}")

# %%
# ## Draw
figure, panels = plt.subplots(1, 4, figsize=(15, 4), layout="constrained", sharey=True)
lon, lat = np.linspace(42, 72, 31), np.linspace(0, 25, 26)
east, north = np.meshgrid(lon, lat)
for panel, day, name in zip(panels, (15, 105, 200, 290), ("January", "April", "July", "October")):
    at = pd.DataFrame({"lon": east.ravel(), "lat": north.ravel(), "day": np.full(east.size, day, float)})
    u, v = model.predict(at).T.reshape(2, *east.shape)
    image = panel.pcolormesh(lon, lat, np.hypot(u, v), shading="gouraud", vmin=0, vmax=8, cmap="viridis")
    few = (slice(None, None, 2), slice(None, None, 2))
    panel.quiver(east[few], north[few], u[few], v[few], color="white", scale=90, width=0.005)
    panel.set(title=name, aspect="equal", xlabel="longitude")
panels[0].plot(*stations.T, ".", color="red", markersize=3)
panels[0].set(ylabel="latitude")
figure.colorbar(image, ax=panels, label="speed, m/s", shrink=0.8)
figure.savefig(options.o / "season.png", dpi=100)
