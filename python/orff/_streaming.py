"""Learning from rows that come and go: moments inside an estimator."""
from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Optional

import numpy as np

from ._arrays import Array
from ._estimator import ModelEstimator
from ._kernel import Kernel, output_matrix
from ._library import lib
from ._model import Model
from ._moments import Moments, settle_kernel
from ._settings import Settings, count_features, is_single


def can_stream(estimator: Any) -> bool:
    """Whether moments serve; what they do not serve has no partial_fit and no forget."""
    name = type(estimator).__name__
    if estimator.loss != "squared" or estimator.solver not in ("auto", "direct"):
        raise AttributeError(
            f"{name}: partial_fit and forget are for the squared loss and the direct solver, not for "
            f"loss={estimator.loss!r} and solver={estimator.solver!r}"
        )
    if getattr(estimator, "geo", None) is not None:
        raise AttributeError(f"{name}: partial_fit and forget do not go with geo: the plane is that of all rows")
    if estimator.scale_outputs not in (False, "no"):
        raise AttributeError(
            f"{name}: partial_fit and forget do not go with scale_outputs: later rows may spread otherwise"
        )
    return True


class StreamingMixin(ModelEstimator):
    """partial_fit and forget by moments. What is automatic in the kernel is decided on the first rows."""

    _settled: Optional[Kernel] = None
    _classes_of_moments = 0

    def _starts_anew(self) -> bool:
        """Whether the rows of this partial_fit are the first."""
        if self._moments is None and self._model is not None:
            warnings.warn(
                "fit keeps nothing of its rows: partial_fit begins anew, and what was learned before is left behind",
                UserWarning, stacklevel=3,
            )
        return self._moments is None

    def _begin(self, X: Array, Y: Array, weights: Optional[Array]) -> None:
        kernel = self._kernel(X.shape[1], Y.shape[1])
        kernel = settle_kernel(kernel, X, Y, weights, scale_inputs=self.scale_inputs)
        moments = Moments(features=count_features(self.features, kernel, None), sampling=self.sampling,
                          seed=self.seed, folds=self.folds, covariates=self.covariates, verbose=self.verbose,
                          progress=self.progress, **kernel.words())
        moments._begin(kernel, is_single(self.precision, X.dtype), getattr(self, "feature_names_in_", None))
        self._settled, self._moments = kernel, moments

    def _add(self, X: Array, Y: Array, weights: Optional[Array]) -> None:
        """Y is n x p: codes for classes."""
        if self._moments is None:
            self._begin(X, Y, weights)
        self._moments._add_rows(X, Y, weights)
        self._model = None

    def _take_off(self, X: Array, Y: Array, weights: Optional[Array]) -> None:
        if self._moments is None:
            raise ValueError("forget needs rows that came by partial_fit: fit keeps none of them")
        self._moments._subtract_rows(X, Y, weights)
        self._model = None

    def _covariance(self) -> Array:
        """Of the outputs, from the moments."""
        totals, weight = self._moments.totals(), self._moments.weight
        mean = totals.sum_y / weight
        return totals.sum_yy / weight - np.outer(mean, mean)

    def _solve(self) -> None:
        kernel, given = self._settled, self.output_matrix
        if isinstance(given, str) and given == "covariance":
            given = self._covariance()
        kernel = replace(kernel, matrix=output_matrix(given, None, kernel.outputs))
        chosen = {name: value for name, value in self._chosen().items()
                  if name not in ("scale_inputs", "scale_outputs", "sampling", "seed", "checkpoint")}
        settings = Settings(kernel, classes=self._classes_of_moments, **chosen)
        model = Model.make(lib.orff_model_fit_moments, settings, self._moments._handle, **self._how)
        self._adopt(model, kernel, **self._notes_of_moments())

    def _notes_of_moments(self) -> dict[str, Any]:
        return {}

    @property
    def moments_(self) -> Moments:
        """The sums of the rows that came by partial_fit."""
        if self._moments is None:
            raise AttributeError("there are no moments: rows came by fit, not by partial_fit")
        return self._moments
