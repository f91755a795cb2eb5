"""The data sets of the report: how each is read, and what a whole block of it is.

A set is read to a Data; a split is a mask of the rows that are held out. Nothing is scaled here.
"""
import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np

SHARE = 5  # one row, block or group in five is held out


@dataclass
class Data:
    X: np.ndarray  # n x d
    Y: np.ndarray  # n x p
    inputs: list
    outputs: list
    groups: np.ndarray  # n: the block of each row


@dataclass
class Set:
    name: str  # in the results
    title: str  # in the table
    path: str  # below the folder of data
    blocks: str  # what is held out as a whole, in words
    read: Callable  # the path -> Data


def columns(path, names, keep=lambda row: True):
    """The columns named, of the rows that keep() accepts and that have a number in each: n x len(names)."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        rows = [[number(row[name]) for name in names] for row in csv.DictReader(file) if keep(row)]
    table = np.array(rows, float)
    return table[np.isfinite(table).all(1)]


def number(text):
    try:
        return float(text)
    except ValueError:
        return np.nan


def cells(X, parts=5):
    """The cell of each row in a grid of parts x parts over the first two inputs, whose lines are quantiles."""
    cell = 0
    for x in X[:, :2].T:
        lines = np.quantile(x, np.arange(1, parts) / parts)
        cell = cell * parts + np.searchsorted(lines, x, side="right")
    return cell


def field(inputs, outputs, keep=lambda row: True):
    """A reader of vectors over a plane, whose blocks are cells of it."""
    def read(path):
        table = columns(path, inputs + outputs, keep)
        X = table[:, : len(inputs)]
        return Data(X, table[:, len(inputs):], inputs, outputs, cells(X))
    return read


def all_hours(path):
    names = ["lon_deg", "lat_deg", "u_ms", "v_ms"]
    with gzip.open(path, "rt") as file:
        rows = [r for r in csv.DictReader(file)]
    table = np.array([[number(r[n]) for n in names] + [hour(r["time_utc"])] for r in rows])
    _, station = np.unique([r["station"] for r in rows], return_inverse=True)
    good = np.isfinite(table).all(1)
    table, station = table[good], station[good]
    return Data(table[:, [0, 1, 4]], table[:, 2:4], ["lon_deg", "lat_deg", "hour"], ["u_ms", "v_ms"], station)


def hour(time):
    clock = time.split()[1].split(":")
    return int(clock[0]) + int(clock[1]) / 60


def magnetic(inputs):
    """Residuals along the track of a satellite, which goes around the Earth in 94 minutes: a block is one orbit."""
    def read(path):
        outputs = ["N_res", "E_res", "C_res"]
        table = columns(path, ["epoch"] + inputs + outputs)
        orbit = np.floor((table[:, 0] - table[0, 0]) / (94 * 60))
        return Data(table[:, 1 : 1 + len(inputs)], table[:, 1 + len(inputs):], inputs, outputs, orbit)
    return read


def january_winds(path):
    return field(["lon_deg", "lat_deg"], ["u_ms", "v_ms"], lambda row: row["month"] == "1")(path)


def january_fields(path):
    """Sea and air temperature, humidity and pressure: outputs in four units."""
    from scipy.io import netcdf_file
    names = ["SST", "AIRT", "SPEH", "SLP"]
    with gzip.open(path) as file, netcdf_file(file, mmap=False) as cdf:
        axes = {kind: cdf.variables[name][:].astype(float) for kind, name in zip("xy", ("COADSX", "COADSY"))}
        values = np.stack([cdf.variables[name][0].astype(float) for name in names], -1)  # lat x lon x 4
    x, y = np.meshgrid(axes["x"], axes["y"])
    X, Y = np.column_stack([x.ravel(), y.ravel()]), values.reshape(-1, len(names))
    good = (np.abs(Y) < 1e10).all(1)
    return Data(X[good], Y[good], ["lon_deg", "lat_deg"], names, cells(X[good]))


def all_winds(path):
    """All months: a block is a cell of the sea in all of them."""
    inputs, outputs = ["month", "lon_deg", "lat_deg"], ["u_ms", "v_ms"]
    table = columns(path, inputs + outputs)
    return Data(table[:, :3], table[:, 3:], inputs, outputs, cells(table[:, 1:3], 10))


def buildings(path):
    inputs = ["Relative_compactness", "X1", "X3", "X4", "X5", "X6", "X7", "X8"]
    table = columns(path, inputs + ["Y1", "Y2"])
    _, shape = np.unique(table[:, 0], return_inverse=True)
    return Data(table[:, :8], table[:, 8:], inputs, ["Y1", "Y2"], shape)


def economy(path):
    table = columns(path, ["year", "quarter", "realgdp", "realcons"])
    return Data(table[:, :2], table[:, 2:], ["year", "quarter"], ["realgdp", "realcons"], np.floor(table[:, 0] / 3))


IRISH = ["RPT", "VAL", "ROS", "KIL", "SHA", "BIR", "DUB", "CLA", "MUL", "CLO", "BEL", "MAL"]


def irish_dates(path):
    table = columns(path, ["year", "month", "day"] + IRISH)
    return Data(table[:, 1:3], table[:, 3:], ["month", "day"], IRISH, table[:, 0])


def irish_ahead(path):
    """From the date and yesterday's winds at the twelve stations to today's."""
    table = columns(path, ["year", "month", "day"] + IRISH)
    X = np.column_stack([table[1:, 1:3], table[:-1, 3:]])
    return Data(X, table[1:, 3:], ["month", "day"] + [f"{s}_before" for s in IRISH], IRISH, table[1:, 0])


XY = field(["x_km", "y_km"], ["u_ms", "v_ms"])
FILM = field(["x_mm", "y_mm"], ["u_ms", "v_ms"], lambda row: float(row["chc"]) > 0)
LONLAT = ["lon_deg", "lat_deg"]
WINDS = "wind/coads_wind_climatology.csv.gz"
SWARM = "magnetic/swarm_Concat_A.csv"
RADAR = "ocean/hfradar_20220221T12.csv.gz"

SETS = [
    Set("glad", "drifters, GLAD", "drifters/gladfull.csv", "cells", XY),
    Set("glad-sparse", "drifters, GLAD, sparse", "drifters/gladsparse.csv", "cells", XY),
    Set("laser", "drifters, LASER", "drifters/laserfull.csv", "cells", XY),
    Set("laser-sparse", "drifters, LASER, sparse", "drifters/lasersparse.csv", "cells", XY),
    Set("film1", "soap film 1", "piv/soapfilm_1.csv.gz", "cells", FILM),
    Set("film2", "soap film 2", "piv/soapfilm_2.csv.gz", "cells", FILM),
    Set("radar", "HF radar", RADAR, "cells", field(LONLAT, ["u_ms", "v_ms"])),
    Set("radar-good", "HF radar, good rows", RADAR, "cells",
        field(LONLAT, ["u_ms", "v_ms"], lambda row: row["qc_primary_flag"] == "1")),
    Set("stations", "stations, 16:00", "stations/surface_wind.csv.gz", "cells",
        field(LONLAT, ["u_ms", "v_ms"], lambda row: row["time_utc"].endswith("16:00:00"))),
    Set("stations-day", "stations, all hours", "stations/surface_wind.csv.gz", "stations", all_hours),
    Set("magnetic", "magnetic, by place", SWARM, "orbits", magnetic(["Latitude", "Longitude", "Radius"])),
    Set("magnetic-time", "magnetic, by time", SWARM, "orbits", magnetic(["epoch"])),
    Set("winds", "COADS winds, January", WINDS, "cells", january_winds),
    Set("fields", "COADS fields, January", "wind/coads_climatology.cdf.gz", "cells", january_fields),
    Set("buildings", "buildings", "multitarget/enb.csv", "shapes", buildings),
    Set("economy", "macroeconomics", "timeseries/macrodata.csv", "three years", economy),
    Set("irish-date", "Irish wind, by date", "timeseries/wind_ireland.csv", "years", irish_dates),
    Set("irish-ahead", "Irish wind, a day ahead", "timeseries/wind_ireland.csv", "years", irish_ahead),
    Set("winds-all", "COADS winds, all months", WINDS, "cells", all_winds),
]


def held_out(data, split, seed):
    """The rows that a split holds out: n truth values. The rows of a random split are drawn alone, else with their block."""
    random = np.random.default_rng([seed, split == "blocks"])
    unit = np.arange(len(data.X)) if split == "random" else data.groups
    kinds = random.permutation(np.unique(unit))
    return np.isin(unit, kinds[: max(1, len(kinds) // SHARE)])


def find(name):
    return next(s for s in SETS if s.name == name)


def present(folder):
    """The sets whose file is in the folder, and those whose file is not."""
    here = [s for s in SETS if (Path(folder) / s.path).exists()]
    return here, [s for s in SETS if s not in here]
