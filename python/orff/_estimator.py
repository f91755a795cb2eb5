"""The common part of estimators with a model: fitting, fitted attributes, prediction."""
from __future__ import annotations

import threading
import warnings
from copy import copy
from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

try:  # since scikit-learn 1.6
    from sklearn.utils.validation import validate_data as _validate
except ImportError:

    def _validate(_estimator: BaseEstimator, *arguments: Any, **how: Any) -> Any:
        """The method of older versions."""
        return _estimator._validate_data(*arguments, **how)


from . import _notes
from ._arrays import Array, copied, doubles, pointer
from ._arrow import Table, from_arrow
from ._errors import check
from ._geo import plane_notes
from ._library import ffi, lib, text
from ._model import Model
from ._observations import Rows
from ._parameters import STREAM
from ._reader import RowReader
from ._settings import TABLE, Options, Settings, is_single, name_of, text_of

FLOATS = [np.float64, np.float32]
_solving = threading.Lock()


def validate_data(estimator: BaseEstimator, X: Any, *y: Any, reset: bool = True, **how: Any) -> Any:
    """Like scikit-learn's function, but also for Arrow tables. Column names of tables that scikit-learn does not know are
    kept and compared here; its versions differ in which tables they know."""
    X = from_arrow(X)
    if not isinstance(X, Table):
        return _validate(estimator, X, *y, reset=reset, **how)
    if not reset and hasattr(estimator, "feature_names_in_"):
        _compare_names(list(estimator.feature_names_in_), X.columns)
        estimator = copy(estimator)
        del estimator.feature_names_in_
    found = _validate(estimator, np.asarray(X), *y, reset=reset, **how)
    if reset:
        estimator.feature_names_in_ = np.array(X.columns, dtype=object)
    return found


def _compare_names(known: list, given: list) -> None:
    if known != given:
        raise ValueError("The feature names should match those that were passed during fit: X has "
                         f"{', '.join(given)}, and fit had {', '.join(known)}")


def row_weights(sample_weight: Any, X: Array) -> Optional[Array]:
    """The weights as float64, one for each row, or None."""
    if sample_weight is None:
        return None
    weights = doubles(sample_weight)
    if weights.ndim == 0:
        weights = np.full(len(X), float(weights))
    if weights.ndim != 1:
        raise ValueError(f"sample_weight has {weights.ndim} dimensions; expected one weight for each row")
    check_consistent_length(X, weights)
    return weights


def without_zeros(X: Array, Y: Array, weights: Optional[Array]) -> tuple[Array, Array, Optional[Array]]:
    """Removes rows of weight 0, which must not influence even the automatic choices."""
    if weights is None or np.all(weights):
        return X, Y, weights
    kept = weights != 0
    if not kept.any():
        raise ValueError("every sample_weight is zero: there are no rows to learn from")
    return X[kept], Y[kept], weights[kept]


class ModelEstimator(BaseEstimator):
    """An estimator around a model of the library. Subclasses define the parameters."""

    _model: Optional[Model] = None
    _moments: Any = None
    _settings_names: list
    precision: Any = None

    # ---- fitting

    @property
    def _how(self) -> dict[str, Any]:
        return {"verbose": self.verbose, "progress": self.progress}

    def _given(self) -> dict[str, Any]:
        """The parameters that are settings of the library; precision "auto" is not one."""
        given = {name: getattr(self, name) for name in self._settings_names}
        if isinstance(given.get("precision"), str) and given["precision"] == "auto":
            del given["precision"]
        return {**given, "engine": self.engine}

    def _written(self, inputs: int) -> str:
        """The parameters as a text stored with the model, to repeat the fit; files of a run are not included."""
        given = {name: value for name, value in self._given().items() if not TABLE[name].uses & STREAM}
        return Options(given, inputs, getattr(self, "feature_names_in_", None)).written()

    @property
    def _on_plane(self) -> bool:
        """Whether inputs are degrees."""
        return getattr(self, "geo", None) not in (None, TABLE["geo"].default) or bool(getattr(self, "crs", None))

    @property
    def _is_exact(self) -> bool:
        return bool(self.engine == name_of("engine", lib.ORFF_ENGINE_EXACT))

    def _fit_settings(self, X: Array, Y: Array, classes: int) -> Settings:
        codes = getattr(self, "codes", None)
        length = classes - 1 if codes is None else np.shape(codes)[-1] if np.ndim(codes) == 2 else 1
        return self._settings_for(X, None if classes else Y, length if classes else Y.shape[1], classes)

    def _settings_for(self, X: Array, Y: Optional[Array], outputs: int, classes: int = 0) -> Settings:
        names = getattr(self, "feature_names_in_", None)
        settings = Settings(self._given(), X.shape[1], outputs, classes, names, X, Y)
        settings.c.single = not self._is_exact and not settings.c.n_hidden and is_single(self.precision, X.dtype)
        return settings

    def _fit_rows(self, rows: Rows, classes: int = 0, **notes: Any) -> None:
        """Learn from checked rows; Y is n x p, or n x 1 labels for classes. `shown`: the inputs whose ranges the notes
        record, if they are not X."""
        X, Y, weights, groups, offsets = rows[:5]
        settings = self._settings_for_rows(rows) if not rows.are_plain else self._fit_settings(X, Y, classes)
        sizes = (X.shape[1], Y.shape[1])
        settings.c.groups, settings.c.offset_groups = rows.numbers()
        streams = not self._is_exact and groups is None and offsets is None and settings.c.trend == lib.ORFF_TREND_NONE
        if not rows.are_plain:
            observations, _held = rows.observations()
            model = Model.make(lib.orff_model_fit_observations, settings, observations, **self._how)
        elif X.dtype == np.float32 and streams:
            reader = RowReader(X, Y, weights, settings.c.subsample)
            model = Model.make(lib.orff_model_fit_stream, settings, *sizes, reader.c, **self._how)
        else:
            arrays = (len(X), pointer(doubles(X)), pointer(doubles(Y)), pointer(weights))
            model = Model.make(lib.orff_model_fit, settings, *sizes, *arrays, **self._how)
        self._adopt(model, settings, **{"shown": X, **notes})
        self._moments = None
        if settings.checkpoint != ffi.NULL:
            check(lib.orff_checkpoint_remove(settings.checkpoint))

    def _settings_for_rows(self, rows: Rows) -> Settings:
        """In double precision. If the covariance of the outputs is requested, it is computed from rows with all outputs."""
        whole = np.zeros(len(rows.X), dtype=bool) if rows.directions is not None else ~rows.missing.any(axis=1)
        if "covariance" in (text_of(TABLE["output_matrix"], self.output_matrix) or "") and whole.sum() < 2:
            raise ValueError('output_matrix="covariance" is computed from rows with all outputs, and there are none: give '
                             "the matrix")
        seen = rows.Y if rows.directions is None else np.zeros((len(rows.X), rows.outputs))
        some = whole if 2 <= whole.sum() < len(whole) else slice(None)
        return self._settings_for(doubles(rows.X[some]), np.nan_to_num(seen[some]), rows.outputs)

    def _adopt(self, model: Model, settings: Settings, shown: Optional[Array] = None, **notes: Any) -> None:
        """Use a new model and what its file contains."""
        names = getattr(self, "feature_names_in_", None)
        outputs = 1 if model.classes else model.outputs
        about = {"class": type(self).__name__, **notes.pop("about", {})}
        model.set_notes(_notes.dump(_notes.make_notes(
            model.inputs, outputs, names, X=shown, space=settings.space, python=about,
            settings=self._written(model.inputs), **plane_notes(model.describe()), **notes)))
        self._model = model
        self._warn(model.describe())

    def _warn(self, info: Any) -> None:
        if info.warnings:
            warnings.warn(text(info.warning), UserWarning, stacklevel=4)
        if info.solve.method != ffi.NULL and not info.solve.converged:
            warnings.warn(
                f"{text(info.solve.method)} stopped after {info.solve.iterations} iterations at a residual of "
                f"{info.solve.residual:.2g}; raise iterations or residual",
                ConvergenceWarning, stacklevel=4,
            )

    # ---- fitted attributes

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None or self._moments is not None

    @property
    def model_(self) -> Model:
        """The model; after partial_fit, solves for it first."""
        check_is_fitted(self)
        if self._model is None:
            with _solving:
                if self._model is None:
                    self._solve()
        assert self._model is not None
        return self._model

    def _solve(self) -> None:
        raise NotImplementedError

    def _info(self) -> Any:
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return self.model_.describe()

    @property
    def kernel_(self) -> str:
        """The kernel in words."""
        return text(self._info().kernel)

    @property
    def sigma_(self) -> Array:
        """Length scales in the inputs' units: (d,), or (parts, d) for a sum."""
        self._info()
        scales = np.array([part.sigma for part in self.model_.parts()])
        return scales[0] if len(scales) == 1 else scales

    @property
    def weight_(self) -> Array:
        """The weight of each part. (In a sum, the parameter `weight` multiplies parts that are scaled to unit variance.)"""
        self._info()
        return np.array([part.weight for part in self.model_.parts()])

    @property
    def mix_(self) -> Array:
        """The share of the curl-free component in each Helmholtz part."""
        self._info()
        return np.array([part.mix for part in self.model_.parts()])

    @property
    def wavelength_(self) -> Array:
        """The wavelength of each part along each input, in the inputs' units, given or learned: (parts, inputs), 0 for none."""
        self._info()
        return np.array([part.wavelength for part in self.model_.parts()])

    @property
    def delays_(self) -> Optional[Array]:
        """The delays of the outputs in the inputs' units, given or learned: (p, d), or (parts, p, d) for a sum, 0 for parts
        that are not delayed. None without a delayed part."""
        self._info()
        return self.model_.delays()

    @property
    def output_matrix_(self) -> Optional[Array]:
        """The prior covariance of the outputs at a point, in their units: (p, p), or (parts, p, p) for a sum. For a
        decomposable part it is the output matrix, given or learned (output_matrix="learn"). None for classes, and if the
        noise is not known."""
        self._info()
        return self.model_.output_matrix()

    @property
    def shares_(self) -> Optional[Array]:
        """The share of each part in the variance of y; the last entry is that of the noise. None unless weights were
        learned."""
        self._info()
        return self.model_.shares()

    @property
    def chosen_lambda_(self) -> float:
        """The penalty that the fit used. (lambda_ is the parameter.)"""
        return float(getattr(self._info(), "lambda"))

    @property
    def train_mse_(self) -> float:
        """Mean square error on the training rows."""
        return float(self._info().train_mse)

    @property
    def cv_mse_(self) -> float:
        """Cross-validated mean square error; nan if it was not computed."""
        return float(self._info().cv_mse)

    @property
    def held_out_mse_(self) -> float:
        """Mean square error on rows whose block or group was held out (`folds_`): the error to expect where no rows are
        near. nan if it was not computed."""
        return float(self._info().held_out_mse)

    @property
    def held_out_coverage_(self) -> dict[int, float]:
        """Fractions of held-out rows within their intervals of 50, 80 and 95 %; nan if they were not computed."""
        found = self._info().held_out_coverage
        return {round(100 * lib.orff_scores_level(i)): float(found[i]) for i in range(len(found))}

    @property
    def folds_(self) -> Optional[str]:
        """How rows were grouped for holding out: "random", "blocks" or "groups"; None if nothing was held out."""
        info = self._info()
        return None if np.isnan(info.held_out_mse) else name_of("folds", info.folds)

    @property
    def output_held_out_mse_(self) -> Optional[Array]:
        """held_out_mse_ of each output; None if it was not computed."""
        pointer_ = self._info().output_held_out_mse
        return copied(pointer_, self.model_.outputs) if pointer_ != ffi.NULL else None

    @property
    def output_train_mse_(self) -> Array:
        """Mean square error on the training rows, of each output."""
        return copied(self._info().output_train_mse, self.model_.outputs)

    @property
    def output_cv_mse_(self) -> Optional[Array]:
        """Cross-validated mean square error of each output; None if it was not computed, and for classes."""
        pointer_ = self._info().output_cv_mse
        return copied(pointer_, self.model_.outputs) if pointer_ != ffi.NULL else None

    @property
    def noise_(self) -> Optional[Array]:
        """The standard deviation of the noise, of each output; None for classes."""
        pointer_ = self._info().noise
        return copied(pointer_, self.model_.outputs) if pointer_ != ffi.NULL else None

    @property
    def instrument_noise_(self) -> Optional[Array]:
        """The noise of each instrument, divided by `noise_`, in the order in which the labels first appear. None if all are
        alike."""
        info = self._info()
        return copied(info.instrument_noise, info.instruments) if info.instruments else None

    @property
    def error_share_(self) -> float:
        """The share of the given errors in the variance of the noise; nan if none were given."""
        return float(self._info().error_share)

    @property
    def offsets_(self) -> list[dict[str, Any]]:
        """The offsets of the groups (`offsets` of fit). Each has "group" (the index of its label in sorted order), "values"
        and standard "errors" for every output."""
        self._info()
        return self.model_.offsets()

    @property
    def trend_(self) -> Optional[dict[str, Any]]:
        """The trend: its "kind", the "centre" that is subtracted from the inputs, and its "terms". Each term has "inputs"
        (indices; the term is their product), "coefficients" and standard "errors" for every output. None without a trend."""
        info = self._info()
        if not info.trend_terms:
            return None
        return {"kind": name_of("trend", info.trend), "centre": copied(info.trend_centre, self.model_.inputs),
                "terms": self.model_.trend_terms()}

    @property
    def dof_(self) -> float:
        """Effective degrees of freedom; nan if not known."""
        return float(self._info().dof)

    @property
    def log_evidence_(self) -> float:
        """Log marginal likelihood, with the noise and the variances of the error bars if the evidence chose lambda; nan if not
        known."""
        return float(self._info().log_evidence)

    @property
    def n_frequencies_(self) -> int:
        """The total number of frequencies, D."""
        return int(self._info().frequencies)

    @property
    def solve_info_(self) -> dict[str, Any]:
        """How the equations were solved: method, iterations, residual, condition, converged."""
        solve = self._info().solve
        return {"method": text(solve.method), "iterations": int(solve.iterations), "residual": float(solve.residual),
                "condition": float(solve.condition), "converged": bool(solve.converged)}

    # ---- prediction

    def _points(self, X: Any) -> Array:
        """Checked inputs for a fitted model."""
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=FLOATS, order="C")

    def save(self, path: Any, compact: bool = False) -> None:
        """Write a model file, which the program `orff` and the C library can also read.

        Parameters
        ----------
        path : path-like
            The file is written completely or not at all.
        compact : bool, default=False
            Leave the frequencies out of the file. They are drawn again when it is loaded.
        """
        self.model_.save(path, compact)
