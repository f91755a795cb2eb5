"""Coordinates of xarray as inputs: which ones to use, and their values as numbers."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import Array

_HOUR = np.timedelta64(1, "h")
_NAMES = {"lon": ("lon", "longitude"), "lat": ("lat", "latitude"), "x": ("x",), "y": ("y",),
          "z": ("z", "depth", "height", "lev"), "time": ("time", "t")}
_UNITS = {"lon": ("degrees_east", "degree_east", "degrees_e", "degree_e", "degreese", "degreee"),
          "lat": ("degrees_north", "degree_north", "degrees_n", "degree_n", "degreesn", "degreen")}
_AXES = {"X": "x", "Y": "y", "Z": "z", "T": "time"}
_ORDER = ("lon", "x", "lat", "y", "z", "", "time")


def kind_of(coordinate: Any) -> str:
    """lon, lat, x, y, z or time, by standard name, units, axis or name; "" for others."""
    attributes, name = coordinate.attrs, str(coordinate.name).lower()
    for kind in ("lon", "lat"):
        standard = str(attributes.get("standard_name", "")) == _NAMES[kind][1]
        if standard or str(attributes.get("units", "")).lower() in _UNITS[kind]:
            return kind
    if coordinate.dtype.kind == "M":
        return "time"
    for kind in ("lon", "lat"):
        if name in _NAMES[kind]:
            return kind
    axis = _AXES.get(str(attributes.get("axis", "")), "")
    return axis or next((kind for kind, names in _NAMES.items() if name in names), "")


def guess(dataset: Any, variables: Sequence[str]) -> tuple:
    """The inputs of variables: longitude and latitude where there are such coordinates, on a grid of their own or not, and
    the coordinate of every other dimension that is longer than one; x before y, time last."""
    dims = [dim for name in variables for dim in dataset[name].dims]
    dims = [dim for dim in dict.fromkeys(dims) if dataset.sizes[dim] > 1]
    chosen = _longitude_and_latitude(dataset, dims)
    covered = {dim for name in chosen for dim in dataset[name].dims}
    for dim in dims:
        if dim in covered:
            continue
        if dim not in dataset.coords:
            raise ValueError(f"dimension {dim!r} of {', '.join(variables)} has no coordinate: name the inputs by coords=(..); "
                             f"there are {', '.join(map(str, dataset.coords)) or 'none'}")
        chosen.append(dim)
    return tuple(sorted(chosen, key=lambda name: _ORDER.index(kind_of(dataset[name]))))


def _longitude_and_latitude(dataset: Any, dims: list) -> list:
    found = {}
    for name, coordinate in dataset.coords.items():
        if coordinate.dims and set(coordinate.dims) <= set(dims) and coordinate.dtype.kind in "fiu":
            found.setdefault(kind_of(coordinate), name)
    return [found["lon"], found["lat"]] if "lon" in found and "lat" in found else []


# ---- numbers


def origin_of(coordinate: Any) -> Optional[np.datetime64]:
    """The first time, from which hours are counted; None if the coordinate has no times."""
    return None if coordinate.dtype.kind != "M" else np.nanmin(coordinate.values)


def units_of(coordinate: Any, origin: Optional[np.datetime64]) -> str:
    """The units of the numbers from a coordinate."""
    if origin is not None:
        return f"hours since {np.datetime_as_string(origin, unit='s')}Z"
    return "hours" if coordinate.dtype.kind == "m" else str(coordinate.attrs.get("units", ""))


def numbers_of(coordinate: Any, origin: Optional[np.datetime64]) -> Array:
    """The values as float64: hours since the origin for times, hours for time differences; NaN if missing."""
    values, kind = coordinate.values, coordinate.dtype.kind
    if kind == "M":
        if origin is None:
            raise ValueError(f"coordinate {coordinate.name!r} contains times, but the model was learned from numbers")
        return (values - origin) / _HOUR
    if kind == "m":
        return values / _HOUR
    if kind not in "fiub":
        raise ValueError(f"coordinate {coordinate.name!r} contains {values.dtype}; expected numbers or datetime64")
    return values.astype(np.float64)


def times_of(hours: Array, origin: np.datetime64) -> Array:
    """Hours since the origin as times."""
    return origin + (hours * 3.6e12).round().astype("timedelta64[ns]")
