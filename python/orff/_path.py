"""Errors and scores for a path of penalties."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._arrays import Array, doubles, pointer
from ._errors import check
from ._library import ffi, lib, owner
from ._moments import decide_kernel
from ._observations import Rows
from ._progress import run
from ._settings import Settings

_POINT = np.dtype([(name, np.float64) for name, _ in ffi.typeof("orff_path_point").fields])


class PathMixin:
    """The method path of regression estimators with the squared loss."""

    def path(self, X: Any, y: Any, lambdas: Optional[Any] = None, leave_one_out: Optional[bool] = None) -> dict[str, Array]:
        """The errors and scores of fits with each penalty of a path, without fitting them one by one.

        What is automatic in the kernel is chosen first. The estimator itself is not fitted. Inputs and outputs are not
        scaled.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n, p) or (n,)
            Outputs.
        lambdas : array-like, optional
            The penalties; by default those of lambda_grid, in units of trace K(0) / p.
        leave_one_out : bool, optional
            Also compute the exact leave-one-out error. The default is yes for up to 2000 rows.

        Returns
        -------
        dict of ndarrays
            "lambda", and for each of them "train_mse", "gcv", "dof" (effective degrees of freedom), "log_evidence" (log
            marginal likelihood), "cv_mse", "noise" and "loo_mse". For the exact kernel, cv_mse is the leave-one-out error.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (100, 2)); Y = np.c_[-X[:, 1], X[:, 0]]
        >>> path = orff.ORFFRegressor(kernel="div-free", sigma=1.0, features=50).path(X, Y, [1e-6, 1e-3, 1.0])
        >>> path["dof"].shape, bool(path["cv_mse"][0] < path["cv_mse"][2])
        ((3,), True)
        """
        if self._on_plane:
            raise ValueError("geo: a path needs inputs in a plane; give them in km")
        X, Y, _, _ = self._flat_rows(X, y, None)
        X, Y = doubles(X), doubles(Y)
        settings = self._path_settings(X, Y)
        made = settings.kernel()
        L = _grid(settings, made) if lambdas is None else doubles(np.atleast_1d(lambdas))
        points = np.empty(len(L), dtype=_POINT)
        if self._is_exact:
            run(lib.orff_exact_path, made[0], len(X), pointer(X), pointer(Y), settings.c.center, settings.c.max_bytes,
                len(L), pointer(L), _place_of(points), **self._how)
            loo = points["cv_mse"]
        else:
            wanted = len(X) <= 2000 if leave_one_out is None else leave_one_out
            loo = _feature_path(settings, made, X, Y, L, points, wanted, **self._how)
        return {**{name: points[name].copy() for name in _POINT.names}, "loo_mse": np.array(loo)}

    def _path_settings(self, X: Array, Y: Array) -> Settings:
        names = getattr(self, "feature_names_in_", None)
        given = decide_kernel({**self._given(), "checkpoint": None, "resume": None}, Rows(X, Y), names)
        return Settings(given, X.shape[1], Y.shape[1], names=names, X=X, Y=Y)


def _place_of(points: Array) -> Any:
    return ffi.cast("orff_path_point *", ffi.from_buffer(points))


def _grid(settings: Settings, kernel: Any) -> Array:
    """The penalties of lambda_grid, in units of trace K(0) / p."""
    x, K = np.zeros(settings.inputs), np.empty((settings.outputs, settings.outputs))
    check(lib.orff_kernel_eval(kernel[0], pointer(x), pointer(x), pointer(K)))
    c = settings.c
    return np.geomspace(c.lambda_low, c.lambda_high, int(c.lambda_count)) * np.trace(K) / settings.outputs


def _feature_path(settings: Settings, kernel: Any, X: Array, Y: Array, L: Array, points: Array, leave_one_out: bool,
                  **how: Any) -> Array:
    """Fills the points; returns the leave-one-out errors, nan if they are not wanted."""
    features, moments = owner("orff_features", lib.orff_features_free), owner("orff_moments", lib.orff_moments_free)
    ridge, loo = owner("orff_ridge", lib.orff_ridge_free), np.full(len(L), np.nan)
    settings.c.sampling.features = lib.orff_settings_features(settings.c, X.shape[1], settings.outputs, len(X))
    extent = np.maximum(X.max(axis=0) - X.min(axis=0), 1e-6)
    check(lib.orff_features_create(features, kernel[0], settings.sampling(extent)))
    kept = ffi.new("orff_moments_settings *", {
        "folds": settings.c.folds, "seed": settings.c.sampling.seed, "single": settings.c.single})
    check(lib.orff_moments_create(moments, features[0], kept))
    run(lib.orff_moments_accumulate, moments[0], len(X), pointer(X), pointer(Y), ffi.NULL, **how)
    check(lib.orff_ridge_create(ridge, features[0], moments[0], settings.c.center))
    run(lib.orff_ridge_path, ridge[0], len(L), pointer(L), True, _place_of(points), **how)
    if leave_one_out:
        run(lib.orff_ridge_leave_one_out, ridge[0], len(X), pointer(X), pointer(Y), len(L), pointer(L), pointer(loo),
            **how)
    return loo
