"""Choosing among candidates by cross-validation, from one pass over the data for each set of frequencies."""
from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone

from ._arrays import doubles, pointer
from ._estimator import ModelEstimator
from ._library import ffi, keep_with, lib, owner
from ._model import Model
from ._observations import Rows
from ._progress import run


def _candidates(grid: dict[str, Any]) -> list[dict[str, Any]]:
    for name, values in grid.items():
        if isinstance(values, str) or not hasattr(values, "__len__") or not len(values):
            raise ValueError(f"{name} is {values!r}; expected a list of candidates")
    return [dict(zip(grid, values)) for values in product(*grid.values())]


class TuningMixin(ModelEstimator):
    """tune, by the library's cross-validation."""

    def _tune_rows(self, grid: dict[str, Any], rows: Rows, classes: int = 0, **notes: Any) -> None:
        """Compares candidates on checked rows; Y is n x p, or n x 1 labels for classes."""
        candidates = _candidates(grid)
        X, Y, weights = rows[:3]
        settings = []
        for candidate in candidates:
            one = clone(self).set_params(**candidate)
            if hasattr(self, "feature_names_in_"):
                one.feature_names_in_ = self.feature_names_in_
            settings.append(one._fit_settings(X, Y, classes) if rows.are_plain else one._settings_for_rows(rows))
            settings[-1].c.groups, settings[-1].c.offset_groups = rows.numbers()
        every = ffi.new("orff_settings[]", [each.c[0] for each in settings])
        scores, best = np.empty(len(candidates)), ffi.new("size_t *")
        place = owner("orff_model", lib.orff_model_free)
        if rows.are_plain and rows.offsets is None:
            run(lib.orff_model_tune, place, len(candidates), every, X.shape[1], Y.shape[1], len(X), pointer(doubles(X)),
                pointer(doubles(Y)), pointer(weights), pointer(scores), best, **self._how)
        else:
            observations, _held = rows.observations()
            run(lib.orff_model_tune_observations, place, len(candidates), every, observations, pointer(scores), best,
                ffi.NULL, **self._how)
        keep_with(place, settings)  # whose functions an exact model calls
        self.best_index_ = int(best[0])
        self.best_params_ = candidates[self.best_index_]
        self.tune_results_ = {name: [one[name] for one in candidates] for name in grid}
        self.tune_results_["cv_mse"] = scores
        self.set_params(**self.best_params_)
        self._adopt(Model(place), settings[self.best_index_], **{"shown": X, **notes})
        self._moments = None


class WholeRowsTuningMixin(TuningMixin):
    """tune for regressions whose tune takes only X, y and weights."""

    def tune(self, X: Any, y: Any, sample_weight: Any = None, **grid: Any) -> "WholeRowsTuningMixin":
        """Compare candidates by their error on held-out rows and fit the best to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As for fit.
        **grid
            A list of values for each parameter to vary; all combinations are compared.

        Returns
        -------
        self
            With `best_params_`, `best_index_` and `tune_results_`.
        """
        X, Y, weights, notes = self._flat_rows(X, y, sample_weight)
        self._tune_rows(grid, Rows(X, Y, weights), **notes)
        return self
