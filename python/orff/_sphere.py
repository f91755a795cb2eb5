"""Fields on a sphere, tangential everywhere, including the poles and the date line."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ._arrays import Array, doubles
from ._library import lib
from ._regressor import ORFFRegressor
from ._settings import name_of

_TURNED, _GRADIENT, _PLAIN = (name_of("rule", rule) for rule in (
    lib.ORFF_RULE_DIV_FREE, lib.ORFF_RULE_CURL_FREE, lib.ORFF_RULE_DECOMPOSABLE))
_KINDS = {_TURNED: _GRADIENT, _GRADIENT: _GRADIENT, "any": _PLAIN}  # the kernels on R^3 that they are made from


def _places(degrees: Any) -> Array:
    places = doubles(degrees)
    if places.ndim != 2 or places.shape[1] != 2:
        raise ValueError(f"expected longitudes and latitudes, of shape (n, 2), got {places.shape}")
    if not np.isfinite(places).all() or (np.abs(places[:, 1]) > 90).any():
        raise ValueError("longitudes and latitudes are degrees, and latitudes are between -90 and 90")
    return places


def _frames(degrees: Array) -> tuple[Array, Array, Array]:
    """Unit vectors up, east and north at each place (n x 3)."""
    lon, lat = np.radians(degrees).T
    up = np.c_[np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)]
    east = np.c_[-np.sin(lon), np.cos(lon), np.zeros_like(lon)]
    return up, east, np.cross(up, east)


class SphereField(RegressorMixin, BaseEstimator):
    """Winds, currents or other fields over the whole globe.

    A potential in R^3, restricted to the sphere, has a tangential gradient. Rotated by a right angle, that is a flow without
    divergence. So the field is learned with a kernel on R^3, of which each component is observed along a direction. The
    kernel is smooth on the whole sphere, poles and date line included. Lengths are chords, in radii of the sphere.

    Parameters
    ----------
    kind : {"div-free", "curl-free", "any"}, default="div-free"
        A flow without divergence on the sphere, the gradient of a potential on it, or any field.
    **parameters
        The parameters of `ORFFRegressor`, except `kernel`.

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> places = np.c_[rng.uniform(-180, 180, 200), np.degrees(np.arcsin(rng.uniform(-1, 1, 200)))]
    >>> turning = lambda at: np.c_[np.cos(np.radians(at[:, 1])), np.zeros(len(at))]          # as the Earth does
    >>> field = orff.SphereField(base="gaussian").fit(places, turning(places) + 0.01 * rng.normal(size=(200, 2)))
    >>> bool(np.abs(field.predict([[179.9, 89.0], [10.0, 0.0]]) - [[0.017, 0.0], [1.0, 0.0]]).max() < 0.05)
    True
    """

    def __init__(self, kind: str = _TURNED, **parameters: Any) -> None:
        self.kind = kind
        self.parameters = parameters

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, including those of the regressor."""
        del deep
        return {"kind": self.kind, **self.parameters}

    def set_params(self, **parameters: Any) -> "SphereField":
        """Change some parameters."""
        self.kind = parameters.pop("kind", self.kind)
        self.parameters = {**self.parameters, **parameters}
        return self

    def _directions(self, degrees: Array) -> tuple[Array, Array, Array]:
        """Points in space, and the directions of the eastward and northward components: e, or e x n for a flow n x grad."""
        up, east, north = _frames(degrees)
        return (up, np.cross(east, up), np.cross(north, up)) if self.kind == _TURNED else (up, east, north)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SphereField":
        """Learn from rows.

        Parameters
        ----------
        X : array-like of shape (n, 2)
            Longitudes and latitudes, degrees.
        y : array-like of shape (n, 2)
            Eastward and northward components; NaN where one is missing.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        """
        if self.kind not in _KINDS:
            raise ValueError(f"kind is {self.kind!r}; expected one of {', '.join(map(repr, _KINDS))}")
        places, Y = _places(X), doubles(y)
        if Y.shape != (len(places), 2):
            raise ValueError(f"expected eastward and northward components, of shape ({len(places)}, 2), got {Y.shape}")
        up, east, north = self._directions(places)
        seen = ~np.isnan(Y.T.ravel())
        weights = None if sample_weight is None else np.tile(doubles(sample_weight), 2)[seen]
        self.regressor_ = ORFFRegressor(kernel=_KINDS[self.kind], **self.parameters)
        self.regressor_.fit(np.tile(up, (2, 1))[seen], Y.T.ravel()[seen], weights,
                            directions=np.vstack([east, north])[seen])
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Eastward and northward components (n x 2) at longitudes and latitudes; with return_std also their errors."""
        check_is_fitted(self, "regressor_")
        up, east, north = self._directions(_places(X))
        along = np.stack([east, north], axis=1)
        if not return_std:
            return np.einsum("ika,ia->ik", along, self.regressor_.predict(up))
        F, covariance = self.regressor_.predict(up, return_cov=True)
        variances = np.einsum("ika,iab,ikb->ik", along, covariance, along)
        return np.einsum("ika,ia->ik", along, F), np.sqrt(np.maximum(variances, 0.0))
