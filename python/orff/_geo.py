"""Longitude and latitude on a local plane, the same that the program `orff` uses.

The projection is azimuthal and equidistant around the centre of the data, in km; vectors are turned with it. Sines and
cosines are those of the C library, not NumPy's, so that both programs compute the same numbers.
"""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import Array

_EARTH_KM = 6371.0088
_DEGREE = 0.017453292519943295


def _of_c(function: Any, inputs: int) -> Any:
    called = np.frompyfunc(function, inputs, 1)
    return lambda *arguments: called(*arguments).astype(np.float64)


_sin, _cos, _atan2 = _of_c(math.sin, 1), _of_c(math.cos, 1), _of_c(math.atan2, 2)


class Plane(NamedTuple):
    """A plane that touches the Earth at a centre, and the two inputs that are degrees."""

    lon: float
    lat: float
    columns: tuple

    @classmethod
    def around(cls, X: Array, columns: tuple) -> "Plane":
        """At the centre of places on the sphere."""
        lon, lat = X[:, columns[0]], X[:, columns[1]]
        if np.abs(lat).max() > 90.0 or np.abs(lon).max() > 540.0:
            raise ValueError("geo: expected degrees of longitude and latitude in the first two inputs of the field")
        across = _cos(lat * _DEGREE)
        sums = [np.add.accumulate(part)[-1]  # one after the other, as C does
                for part in (across * _cos(lon * _DEGREE), across * _sin(lon * _DEGREE), _sin(lat * _DEGREE))]
        level = float(np.hypot(sums[0], sums[1]))
        if float(np.hypot(level, sums[2])) <= 1e-9:
            raise ValueError("geo: the data have no centre: they surround the Earth")
        return cls(math.atan2(sums[1], sums[0]) / _DEGREE, math.atan2(sums[2], level) / _DEGREE, columns)

    def notes(self) -> dict[str, Any]:
        """As they travel in a file."""
        return {"projection": "azimuthal-equidistant", "lon": self.lon, "lat": self.lat, "units": "km"}

    def forward(self, X: Array) -> tuple[Array, Array]:
        """Places on the plane, and cosine and sine of the angle by which vectors are turned there (n x 2)."""
        l, f = (X[:, self.columns[0]] - self.lon) * _DEGREE, X[:, self.columns[1]] * _DEGREE
        f0 = np.array([self.lat * _DEGREE])
        cf, sf, cl, sl, c0, s0 = _cos(f), _sin(f), _cos(l), _sin(l), _cos(f0), _sin(f0)
        east, north = cf * sl, c0 * sf - s0 * cf * cl
        sine, cosine = np.hypot(east, north), s0 * sf + c0 * cf * cl
        apart = sine > 0.0
        stretch = np.where(apart, _atan2(sine, cosine) / np.where(apart, sine, 1.0), 1.0)
        places = np.array(X, dtype=np.float64)
        places[:, self.columns[0]] = _EARTH_KM * stretch * east
        places[:, self.columns[1]] = _EARTH_KM * stretch * north
        onward = _atan2(c0 * sl, c0 * sf * cl - s0 * cf)
        angle = np.where(apart, onward - _atan2(east, north), 0.0)
        return places, np.c_[_cos(angle), _sin(angle)]


def to_plane(turn: Array, V: Array) -> Array:
    """Vectors (n x 2) from eastward and northward to the plane."""
    c, s = turn.T
    return np.c_[c * V[:, 0] - s * V[:, 1], s * V[:, 0] + c * V[:, 1]]


def from_plane(turn: Array, V: Array) -> Array:
    """Vectors (n x 2) from the plane to eastward and northward."""
    c, s = turn.T
    return np.c_[c * V[:, 0] + s * V[:, 1], c * V[:, 1] - s * V[:, 0]]


def covariance_from_plane(turn: Array, C: Array) -> Array:
    """Covariances (n x 2 x 2) of the turned vectors: T C T^T."""
    c, s = turn.T
    T = np.stack([np.c_[c, s], np.c_[-s, c]], axis=1)
    return T @ C @ T.transpose(0, 2, 1)


def jacobian_from_plane(turn: Array, J: Array, columns: tuple) -> Array:
    """Derivatives (n x 2 x d): outputs and the two inputs of the plane are turned."""
    out = np.stack([from_plane(turn, J[:, :, k]) for k in range(J.shape[2])], axis=2)
    pair = list(columns)
    for j in range(2):
        out[:, j, pair] = from_plane(turn, out[:, j, pair])
    return out


def plane_for(geo: Any, X: Array, outputs: int, covariates: Optional[Any], names: Any) -> Optional[Plane]:
    """The plane that the parameter geo asks for."""
    if geo is None:
        return None
    if geo != "lonlat":
        raise ValueError(f"geo is {geo!r}; expected 'lonlat' or None")
    from ._kernel import covariate_mask

    free = np.flatnonzero(~covariate_mask(covariates, X.shape[1], names))
    if len(free) < 2 or outputs != 2:
        raise ValueError(
            f"geo needs two inputs (longitude, latitude) and two outputs (eastward, northward); there are {len(free)} "
            f"and {outputs}"
        )
    return Plane.around(X, (int(free[0]), int(free[1])))
