"""Adding and removing rows: moments inside an estimator."""
from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np

from ._arrays import Array
from ._estimator import ModelEstimator
from ._library import lib
from ._model import Model
from ._moments import Moments, decide_kernel
from ._observations import Rows
from ._parameters import LEARNING, SOLVING
from ._settings import TABLE, Settings, name_of, text_of


def can_stream(estimator: Any) -> bool:
    """Whether moments support these settings; otherwise there is no partial_fit and no forget."""
    name = type(estimator).__name__
    loss, solver = name_of("loss", lib.ORFF_LOSS_SQUARED), name_of("solver", lib.ORFF_SOLVER_DIRECT)
    if estimator.loss != loss or estimator.solver not in (solver, name_of("solver", lib.ORFF_SOLVER_AUTO)):
        raise AttributeError(
            f"{name}: partial_fit and forget are for the {loss} loss and the {solver} solver, not for "
            f"loss={estimator.loss!r} and solver={estimator.solver!r}"
        )
    if estimator.stack is not None:
        raise AttributeError(
            f"{name}: partial_fit and forget are not available with stack: hidden layers learn from all rows"
        )
    if estimator._on_plane:
        raise AttributeError(f"{name}: partial_fit and forget are not available with geo: the plane depends on all rows")
    if estimator.scale_outputs not in ("auto", False, "no"):
        raise AttributeError(
            f"{name}: partial_fit and forget are not available with scale_outputs: later rows may have another spread"
        )
    return True


class StreamingMixin(ModelEstimator):
    """partial_fit and forget through moments. Automatic choices of the kernel are made from the first rows."""

    _settled: Optional[dict[str, Any]] = None  # the parameters, with the kernel as chosen from the first rows
    _classes_of_moments = 0

    def _starts_anew(self) -> bool:
        """Whether this partial_fit gets the first rows."""
        if self._moments is None and self._model is not None:
            warnings.warn(
                "fit does not keep its rows, so partial_fit starts from nothing and forgets what fit learned",
                UserWarning, stacklevel=3,
            )
        return self._moments is None

    def _begin(self, rows: Rows) -> None:
        names = getattr(self, "feature_names_in_", None)
        kept = ("output_matrix", "checkpoint", "resume", "codes")  # these do not affect moments
        given = {name: value for name, value in self._given().items() if name not in kept}
        given, d, p = decide_kernel(given, rows, names), rows.X.shape[1], rows.outputs
        settings = Settings(given, d, p, names=names)
        given["features"] = int(lib.orff_settings_features(settings.c, d, p, 0))
        moments = Moments(precision=self.precision, verbose=self.verbose, progress=self.progress,
                          **{name: given[name] for name in Moments._settings_names if name in given})
        moments._draw(given, rows.X, p, names)
        self._settled, self._moments = given, moments

    def _add(self, rows: Rows) -> None:
        """Adds rows; Y is n x p, codes for classes."""
        if self._moments is None:
            self._begin(rows)
        self._moments._add_rows(rows)
        self._model = None

    def _subtract(self, rows: Rows) -> None:
        if self._moments is None:
            raise ValueError("forget needs rows that were added by partial_fit; fit does not keep its rows")
        self._moments._subtract_rows(rows)
        self._model = None

    def _covariance(self) -> Array:
        """The covariance of the outputs, from the moments."""
        totals, weight = self._moments.totals(), self._moments.weight
        mean = totals.sum_y / weight
        return totals.sum_yy / weight - np.outer(mean, mean)

    def _matrix(self) -> Any:
        """The parameter output_matrix, with a covariance from the moments as numbers, because there are no rows."""
        setting, word = TABLE["output_matrix"], "covariance"
        given = text_of(setting, self.output_matrix)
        if given is None or word not in given:
            return given
        return given.replace(word, text_of(setting, self._covariance()) or "")

    def _solve(self) -> None:
        info = self._moments._describe()
        plain = ("scale_inputs", "scale_outputs", "sampling", "seed", "checkpoint", "resume", "frequencies", "features")
        given = {name: value for name, value in self._settled.items() if name not in plain}
        settings = Settings({**given, **self._after_moments(), "output_matrix": self._matrix()}, int(info.inputs),
                            int(info.outputs), self._classes_of_moments, getattr(self, "feature_names_in_", None))
        model = Model.make(lib.orff_model_fit_moments, settings, self._moments._handle, **self._how)
        self._adopt(model, settings, **self._notes_of_moments())

    def _after_moments(self) -> dict[str, Any]:
        """The settings that may differ between solutions of the same moments."""
        names = [name for name in self._settings_names if TABLE[name].uses & (LEARNING | SOLVING)]
        return {name: getattr(self, name) for name in names if not name.startswith("scale_")}

    def _notes_of_moments(self) -> dict[str, Any]:
        return {}

    @property
    def moments_(self) -> Moments:
        """The sums over the rows given to partial_fit."""
        if self._moments is None:
            raise AttributeError("there are no moments: the rows came from fit, not from partial_fit")
        return self._moments
