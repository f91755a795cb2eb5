"""Winds from a NetCDF file: the field, its vorticity and its error bars, on a finer grid.

    python wind.py -o DIR                                  January winds over the North Atlantic (COADS)
    python wind.py --data FILE.nc --u NAME --v NAME -o DIR     winds of your own on a grid of lon and lat

The file may have gaps: land, clouds, missing reports. A fifth of the points is held out to say how good the result is.
Writes wind_grid.nc and wind.png.
"""
import argparse
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import xarray as xr

import orff

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

SHIPS = Path(__file__).resolve().parents[2] / "examples" / "data" / "coads_january_atlantic.csv"

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--data", help="NetCDF file; by default one is made from the winds that come with orff")
parser.add_argument("--u", default="u", help="eastward wind, a variable of the file on (lat, lon)")
parser.add_argument("--v", default="v", help="northward wind")
parser.add_argument("--quick", action="store_true", help="one simple kernel instead of a mixture")
parser.add_argument("-o", default=".", metavar="DIR", type=Path, help="where to write")
options = parser.parse_args()
options.o.mkdir(parents=True, exist_ok=True)

# ---- a NetCDF file with gaps

if options.data is None:
    table = pd.read_csv(SHIPS).set_axis(["lon", "lat", "u", "v"], axis=1).astype(float)
    table["lon"] -= 360.0  # degrees east, west of Greenwich
    options.data = options.o / "wind_ships.nc"
    table.set_index(["lat", "lon"]).to_xarray().to_netcdf(options.data)

# ---- read it: one row for each cell with a value

with xr.open_dataset(options.data) as file:
    rows = file[[options.u, options.v]].to_dataframe().dropna().reset_index()
X, Y = rows[["lon", "lat"]], rows[[options.u, options.v]]
held_out = np.random.default_rng(0).permutation(len(rows)) % 5 == 0
print(f"{options.data}: {len(rows)} winds, {held_out.sum()} of them held out")

# ---- learn, on a plane in km: kernel "auto" is what fits best of single kernels and mixtures of them

kernel = "decomposable" if options.quick else "auto"
model = orff.ORFFRegressor(geo="lonlat", kernel=kernel).fit(X[~held_out], Y[~held_out])
F, std = model.predict(X[held_out], return_std=True)
error = F - Y[held_out].to_numpy()
inside = np.mean(np.abs(error) < 1.645 * np.sqrt(std**2 + model.noise_**2))
print(f"kernel: {model.kernel_}")
print(f"held out: rmse {np.sqrt(np.mean(error**2)):.2f} m/s; noise {np.round(model.noise_, 2)} m/s; "
      f"{100 * inside:.0f} % of the errors are inside the error bars of 90 %")

# ---- a finer grid, as a dataset

lon = np.arange(X.lon.min(), X.lon.max() + 0.5, 1.0)
lat = np.arange(X.lat.min(), X.lat.max() + 0.5, 1.0)
places = pd.DataFrame({"lon": np.tile(lon, len(lat)), "lat": np.repeat(lat, len(lon))})
F, std = model.predict(places, return_std=True)
vorticity = 100.0 * model.curl(places)  # (m/s) / km is 1e-3 / s: in 1e-5 / s
far = np.sqrt(((places.to_numpy()[:, None] - X.to_numpy()) ** 2).sum(axis=2).min(axis=1)) > 2.5  # degrees


def gridded(values, units, name):
    values = np.where(far, np.nan, values).reshape(len(lat), len(lon))
    return ("lat", "lon"), values, {"units": units, "long_name": name}


grid = xr.Dataset(
    {"u": gridded(F[:, 0], "m s-1", "eastward wind"), "v": gridded(F[:, 1], "m s-1", "northward wind"),
     "std": gridded(np.sqrt((std**2).sum(axis=1)), "m s-1", "standard deviation of the wind, both components"),
     "vorticity": gridded(vorticity, "1e-5 s-1", "relative vorticity")},
    {"lon": ("lon", lon, {"units": "degrees_east"}),
     "lat": ("lat", lat, {"units": "degrees_north"})})
grid.to_netcdf(options.o / "wind_grid.nc")

# ---- the picture

figure, panels = plt.subplots(1, 3, figsize=(15, 6.2), layout="constrained", sharey=True)
most, unsure = float(np.abs(grid.vorticity).quantile(0.99)), float(grid["std"].quantile(0.95))
for panel, values, colours, label, limits in (
    (panels[0], np.hypot(grid.u, grid.v), "viridis", "speed, m/s", {}),
    (panels[1], grid.vorticity, "PuOr_r", "vorticity, 1e-5 / s", {"vmin": -most, "vmax": most}),
    (panels[2], grid["std"], "cividis", "standard deviation, m/s", {"vmax": unsure}),
):
    image = panel.pcolormesh(lon, lat, values, cmap=colours, shading="nearest", **limits)
    extend = {2: "both", 1: "max"}.get(len(limits), "neither")  # the largest values, at the edges, are cut off
    figure.colorbar(image, ax=panel, label=label, orientation="horizontal", shrink=0.9, extend=extend)
    panel.set(aspect=1 / np.cos(np.deg2rad(lat.mean())), xlabel="longitude, degrees east")
few = grid.isel(lon=slice(None, None, 3), lat=slice(None, None, 3))
arrows = panels[0].quiver(few.lon, few.lat, few.u, few.v, color="white", edgecolor="black", linewidth=0.4, scale=130,
                          width=0.005)
panels[0].quiverkey(arrows, 0.8, 1.03, 5.0, "5 m/s", labelpos="E", labelcolor="black")
panels[2].plot(X.lon[~held_out], X.lat[~held_out], ".", color="white", markersize=1.5)
panels[0].set(title="wind", ylabel="latitude, degrees north")
panels[1].set(title="relative vorticity")
panels[2].set(title="error bars; dots: winds learned from")
figure.savefig(options.o / "wind.png", dpi=110)
print(f"written: {options.o / 'wind_grid.nc'}, {options.o / 'wind.png'}")
