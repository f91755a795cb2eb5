"""fit and predict of the estimators whose outputs are numbers."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from . import _notes
from ._arrays import Array, columns
from ._estimator import FLOATS, row_weights, validate_data, without_zeros
from ._geo import Plane, covariance_from_plane, from_plane, plane_for, to_plane
from ._parameters import Own


GEO = Own(None, '"lonlat"', "The first two inputs that are no covariates are degrees of longitude and latitude, the two outputs "
          "eastward and northward: learn in km on a plane at the centre of the data. Derivatives are then by km.")


class RegressionMixin(MultiOutputMixin, RegressorMixin):
    """fit and predict for outputs that are numbers."""

    _flat = False  # Y had one dimension
    _output_names: Optional[Sequence[str]] = None
    _plane: Optional[Plane] = None  # longitude and latitude were given

    def _rows(self, X: Any, Y: Any, sample_weight: Any, reset: bool = True, least: int = 2) -> tuple:
        names = _notes.pandas_names(Y)
        X, Y = validate_data(self, X, Y, reset=reset, dtype=FLOATS, order="C", multi_output=True, y_numeric=True,
                             ensure_min_samples=least)
        if reset:
            self._flat, self._output_names = Y.ndim == 1, names
        return X, columns(Y), row_weights(sample_weight, X)

    def _regression_notes(self) -> dict[str, Any]:
        notes = {"output_names": self._output_names, "about": {"flat": self._flat}}
        return notes if self._plane is None else {**notes, "geo": self._plane.notes()}

    def _flat_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple:
        """Rows to learn from, on the plane where there is one, and the notes of the model."""
        X, Y, weights = without_zeros(*self._rows(X, y, sample_weight))
        names = getattr(self, "feature_names_in_", None)
        self._plane = plane_for(self.geo, X, Y.shape[1], self.covariates, names)
        notes = {"shown": X, **self._regression_notes()}
        if self._plane is not None:
            X, turn = self._plane.forward(X)
            Y = to_plane(turn, Y)
        return X, Y, weights, notes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "RegressionMixin":
        """Learn from rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs. float32 is learned from in single precision; C-contiguous arrays are not copied.
        y : array-like of shape (n, p) or (n,)
            Outputs.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, 0 or more.

        Returns
        -------
        self
        """
        X, Y, weights, notes = self._flat_rows(X, y, sample_weight)
        self._fit_rows(X, Y, weights, **notes)
        return self

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False) -> Any:
        """Predict outputs.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        return_std : bool, default=False
            Also return the posterior standard deviation of f(x). Noise is not included: see `noise_`.
        return_cov : bool, default=False
            Also return the posterior covariance of the outputs at each point.

        Returns
        -------
        F : ndarray of shape (n, p), or (n,) if y was
            Predictions, in the precision of X.
        std : ndarray of the shape of F
            Only with return_std.
        cov : ndarray of shape (n, p, p), or (n,) if y was
            Only with return_cov.
        """
        X, turn = self._places(X)
        model = self.model_
        F = model.predict(X, **self._how)
        results = [self._shaped(F if turn is None else from_plane(turn, F))]
        if return_std and turn is None:
            results.append(self._shaped(model.std(X, **self._how)))
        elif return_std:
            results.append(np.sqrt(np.diagonal(self._covariances(X, turn), axis1=1, axis2=2)))
        if return_cov:
            covariance = self._covariances(X, turn)
            results.append(covariance[:, 0, 0] if self._flat else covariance)
        return results[0] if len(results) == 1 else tuple(results)

    def _places(self, X: Any) -> tuple[Array, Optional[Array]]:
        """Inputs as the model has them, and how vectors are turned there."""
        X = self._points(X)
        return (X, None) if self._plane is None else self._plane.forward(X)

    def _covariances(self, X: Array, turn: Optional[Array]) -> Array:
        C = self.model_.covariance(X, **self._how)
        return C if turn is None else covariance_from_plane(turn, C)

    def _shaped(self, F: Array) -> Array:
        return F[:, 0] if self._flat else F
