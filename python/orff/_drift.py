"""Particles that drift with a field, and how far a field can be trusted."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ._arrays import Array, doubles, pointer
from ._errors import check
from ._library import ffi, lib, owner, text
from ._progress import run


class Tracks(NamedTuple):
    """The result of `drift`. Positions are NaN after a particle has ended."""

    times: Array  #: (times,): hours, or the unit of the inputs over that of the outputs
    path: Array  #: (times, n, d): through the prediction
    members: Optional[Array]  #: (samples, times, n, d): through each sample; None without samples
    mean: Optional[Array]  #: (times, n, d): the mean of the members
    covariance: Optional[Array]  #: (times, n, p, p): of the members; in km, eastward and northward, where inputs are degrees
    left: Optional[Array]  #: (times, n): members that have not ended
    assumed: str  #: the assumptions about units, in words


def _limits(distance: Optional[float], std: Optional[float]) -> Any:
    mask = lib.orff_mask_default()
    if distance is not None:
        mask.distance = distance
    if std is not None:
        mask.std = std
    return mask


def _times(end: float, every: Any) -> Array:
    if every is None:
        return np.linspace(0.0, end, 49)
    if np.ndim(every):
        return doubles(every)
    steps = int(np.ceil(abs(end) / every * (1.0 - 1e-9)))
    return np.sign(end) * np.minimum(every * np.arange(steps + 1), abs(end))


class DriftMixin:
    """Particles that drift with a fitted field."""

    def drift(self, points: Any, hours: Optional[float] = None, time: Optional[float] = None, *, every: Any = None,
              samples: int = 0, seed: int = 0, step: float = 0.0, distance: Optional[float] = None,
              std: Optional[float] = None) -> Tracks:
        """Let particles drift with the field, and with posterior samples of it for the uncertainty of their paths.

        Steps adapt to the field (Dormand and Prince 5(4)). If inputs are degrees (geo="lonlat"), particles move on the
        sphere. If time is an input, it advances with the particles.

        Parameters
        ----------
        points : array-like of shape (n, d)
            Where the particles start; and when, if time is an input.
        hours : float, optional
            Duration in hours; negative values go backwards in time. The units of inputs and outputs must be known. With geo,
            outputs without units are assumed to be in m/s.
        time : float, optional
            Duration in units of the inputs over units of the outputs. Give hours or time.
        every : float or array-like, optional
            Time between the returned positions, or the times themselves. The default is 48 steps.
        samples : int, default=0
            Number of posterior samples to drift through, besides the prediction.
        seed : int, default=0
            Seed.
        step : float, default=0
            The longest step of the integration. 0 means as long as the tolerance allows.
        distance, std : float, optional
            A particle ends where it is farther than `distance` from all rows, or where the standard deviation exceeds `std`
            times that of the prior.

        Returns
        -------
        Tracks

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-2, 2, (300, 2))
        >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, np.c_[-X[:, 1], X[:, 0]])
        >>> tracks = model.drift([[1.0, 0.0]], time=2 * np.pi, samples=5)
        >>> tracks.path.shape, tracks.members.shape
        ((49, 1, 2), (5, 49, 1, 2))
        >>> bool(np.abs(tracks.path[-1, 0] - [1.0, 0.0]).max() < 0.01)
        True
        """
        if (hours is None) == (time is None):
            raise ValueError("give hours or time")
        model, X = self.model_, doubles(self._points(points))
        how = ffi.new("orff_drift *")
        check(lib.orff_model_drift_default(model._handle, hours is not None, how))
        how.step, how.mask = step, _limits(distance, std)
        times = _times(float(hours if hours is not None else time), every)
        drawn = owner("orff_samples", lib.orff_samples_free)

        def go(which: Any, count: int) -> Array:
            tracks = np.empty((count, len(times), *X.shape))
            run(lib.orff_model_drift, model._handle, which, how, len(X), pointer(X), len(times), pointer(times),
                pointer(tracks), **self._how)
            return tracks

        path, assumed = go(ffi.NULL, 1)[0], text(how.assumed)
        if not samples:
            return Tracks(times, path, None, None, None, None, assumed)
        run(lib.orff_samples_draw, drawn, model._handle, samples, seed, **self._how)
        members, p = go(drawn[0], samples), model.outputs
        mean, left = np.empty_like(path), np.empty(path.shape[:2], dtype=np.uintp)
        covariance = np.empty((*path.shape[:2], p, p))
        check(lib.orff_drift_spread(model._handle, how, samples, len(times) * len(X), pointer(members), pointer(mean),
                                    pointer(covariance), pointer(left)))
        return Tracks(times, path, members, mean, covariance, left.astype(np.intp), assumed)

    def distance(self, X: Any) -> Array:
        """The distance of points from the nearest training row.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n,)
            In the units of the inputs of the field's space, or of all inputs if there is none. In km if inputs are degrees.

        Examples
        --------
        >>> import orff
        >>> model = orff.ORFFRegressor().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
        >>> model.distance([[2.5], [1.1]]).round(3)
        array([0.5, 0.1])
        """
        points = doubles(self._points(X))
        found = np.empty(len(points))
        run(lib.orff_model_distance, self.model_._handle, len(points), pointer(points), pointer(found), **self._how)
        return found

    def relative_std(self, X: Any) -> Array:
        """The standard deviation of f(x) divided by that of the prior: 0 where the data determine the field, 1 where they
        say nothing.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n,)
            Root mean square over the outputs.

        Examples
        --------
        >>> import orff
        >>> model = orff.ORFFRegressor(sigma=1.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.0])
        >>> bool(model.relative_std([[100.0]])[0] > 0.999)
        True
        """
        points = doubles(self._points(X))
        found = np.empty(len(points))
        run(lib.orff_model_relative_std, self.model_._handle, len(points), pointer(points), pointer(found), **self._how)
        return found
