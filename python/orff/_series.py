"""Vector autoregression: several series learned from their own past."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from . import _notes
from ._arrays import Array, columns, copied, doubles, pointer
from ._arrow import from_arrow
from ._estimator import ModelEstimator
from ._library import ffi, lib
from ._model import Model
from ._parameters import FEATURES, KERNEL, LEARNING, MOMENTS, PROGRESS, SOLVING, VERBOSE, Own, parameters
from ._progress import run
from ._settings import Settings

_LAGS = Own(1, "int or list of int", "The lags to use, in increasing steps.")
_CHANGES = Own(False, "bool", "Learn the change from the last value instead of the value, for series that wander and have no "
                              "mean to return to.")
_PLACES = ("geo", "crs", "covariates", "period")  # for fields over inputs


@parameters(KERNEL | FEATURES | MOMENTS | LEARNING | SOLVING, without=_PLACES, lags=_LAGS, changes=_CHANGES, verbose=VERBOSE,
            progress=PROGRESS)
class ORFFVAR(ModelEstimator):
    """Vector autoregression with an operator-valued kernel.

    Learns y[t] = f(y[t - l1], y[t - l2], ..) + noise from p series at equal time steps. Forecasts are simulated with
    posterior samples of f and with noise at every step.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    lags_ : ndarray of int
        The lags that were learned.
    output_matrix_, sigma_, chosen_lambda_, kernel_, cv_mse_, held_out_mse_, train_mse_, noise_, ...
        See `ORFFRegressor`; held_out_mse_ is the error of one step in held-out stretches of time.
    noise_covariance_ : ndarray of shape (p, p)
        The covariance of the errors of one step.

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> y = np.zeros((300, 1))
    >>> for t in range(1, 300):
    ...     y[t] = 0.8 * y[t - 1] + 0.1 * rng.normal()
    >>> model = orff.ORFFVAR(lags=1).fit(y)
    >>> mean, std = model.forecast(5, return_std=True)
    >>> mean.shape, bool(std[4, 0] > std[0, 0] > 0.05)
    ((5, 1), True)
    """

    _output_names: Optional[Sequence[str]] = None

    # ---- fitting

    def _lags(self) -> Array:
        return np.atleast_1d(np.asarray(self.lags, dtype=np.uintp))

    def _series(self, y: Any) -> tuple[Any, list]:
        """The orff_series of values, and the memory that it points to."""
        values, lags = np.ascontiguousarray(columns(doubles(from_arrow(y, "y")))), self._lags()
        held = [values, lags, ffi.from_buffer("size_t[]", lags)]
        return ffi.new("orff_series *", {
            "n": len(values), "p": values.shape[1], "values": pointer(values), "n_lags": len(lags), "lags": held[2],
            "changes": bool(self.changes)}), held

    def fit(self, y: Any, _ignored: Any = None) -> "ORFFVAR":
        """Learn from series.

        Parameters
        ----------
        y : array-like of shape (n, p) or (n,)
            Values at equal time steps; NaN where one is missing. Rows that need a missing value are left out.

        Returns
        -------
        self
        """
        series, held = self._series(y)
        self._output_names = _notes.pandas_names(y)
        p, inputs = held[0].shape[1], held[0].shape[1] * len(held[1])
        X, Y = self._lagged(series, inputs, p)
        settings = Settings(self._given(), inputs, p, X=X, Y=Y)
        model = Model.make(lib.orff_model_fit_series, settings, series, **self._how)
        self.n_features_in_ = p
        outputs = self._output_names or [f"y{k + 1}" for k in range(p)]
        names = [f"{name}(t-{lag})" for lag in held[1] for name in outputs]
        model.set_notes(_notes.dump(_notes.make_notes(
            inputs, p, names, outputs, python={"class": type(self).__name__}, settings=self._written(inputs))))
        self._model = model
        self._warn(model.describe())
        return self

    @staticmethod
    def _lagged(series: Any, inputs: int, outputs: int) -> tuple[Array, Array]:
        count = ffi.new("size_t *")
        run(lib.orff_series_rows, series, count, ffi.NULL, ffi.NULL, ffi.NULL)
        X, Y = np.empty((count[0], inputs)), np.empty((count[0], outputs))
        run(lib.orff_series_rows, series, count, pointer(X), pointer(Y), ffi.NULL)
        return X, Y

    # ---- fitted attributes

    def _told(self) -> Any:
        self._info()
        return lib.orff_model_series(self.model_._handle)

    @property
    def lags_(self) -> Array:
        """The lags that were learned."""
        told = self._told()
        return np.array([told.lags[i] for i in range(told.n_lags)])

    @property
    def noise_covariance_(self) -> Array:
        """The covariance of the errors of one step: (p, p)."""
        p = self.model_.outputs
        return copied(self._told().noise, p * p).reshape(p, p)

    # ---- forecasts

    def _future(self, steps: int, history: Any, samples: int, seed: int, paths: bool) -> tuple[Array, Array, Array]:
        check_is_fitted(self)
        p, past = self.model_.outputs, None
        if history is not None:
            past = np.ascontiguousarray(columns(doubles(from_arrow(history, "history"))))
            if past.shape[1] != p:
                raise ValueError(f"history has {past.shape[1]} series; the model has {p}")
        mean, S = np.empty((steps, p)), np.full((steps, p), np.nan)
        every = np.empty((samples if paths else 0, steps, p))
        run(lib.orff_model_forecast, self.model_._handle, 0 if past is None else len(past), pointer(past), steps, samples,
            seed, pointer(mean), pointer(S) if samples > 1 else ffi.NULL, pointer(every) if paths else ffi.NULL, **self._how)
        return mean, S, every

    def forecast(self, steps: int, history: Any = None, return_std: bool = False, n_samples: int = 200,
                 random_state: int = 0) -> Any:
        """Forecast the series: the mean of simulated futures, and their standard deviation.

        Parameters
        ----------
        steps : int
            Number of steps to forecast.
        history : array-like of shape (m, p), optional
            The values before the forecast; the last row is the present. By default the end of the training series.
        return_std : bool, default=False
            Also return the standard deviation, noise included.
        n_samples : int, default=200
            Number of futures to simulate. 0 iterates f without noise.
        random_state : int, default=0
            Seed.

        Returns
        -------
        mean : ndarray of shape (steps, p)
        std : ndarray of shape (steps, p)
            Only with return_std.
        """
        mean, S, _ = self._future(steps, history, n_samples, random_state, False)
        return (mean, S) if return_std else mean

    def simulate(self, steps: int, n_samples: int = 100, history: Any = None, random_state: int = 0) -> Array:
        """Simulate futures of the series.

        Parameters
        ----------
        steps, history, random_state
            As for forecast.
        n_samples : int, default=100
            How many.

        Returns
        -------
        ndarray of shape (n_samples, steps, p)
        """
        return self._future(steps, history, n_samples, random_state, True)[2]

    def links(self, y: Any, draws: int = 1999, random_state: int = 0) -> dict[str, Array]:
        """Which series drives which (Granger causality).

        Parameters
        ----------
        y : array-like of shape (n, p)
            The series, as for fit.
        draws : int, default=1999
            Number of bootstrap draws of blocks of time, for the probability.
        random_state : int, default=0
            Seed.

        Returns
        -------
        dict
            "strength" (p, p): at (k, j) what a change of series j does to the next value of series k, in units of their
            standard deviations; "probability" (p, p): that the past of j does not help to predict k.
        """
        check_is_fitted(self)
        series, _held = self._series(y)
        p = self.model_.outputs
        strength, probability = np.empty((p, p)), np.empty((p, p))
        run(lib.orff_series_links, self.model_._handle, series, draws, random_state, pointer(strength), pointer(probability),
            **self._how)
        return {"strength": strength, "probability": probability}


def is_series(model: Model) -> bool:
    """Whether a model was learned from series."""
    return bool(lib.orff_model_series(model._handle).n_lags)


def estimator_of_series(model: Model, given: dict[str, Any], names: Optional[Array]) -> ORFFVAR:
    """The estimator for a model of series."""
    told = lib.orff_model_series(model._handle)
    known = {name: value for name, value in given.items() if name in ORFFVAR._settings_names}  # type: ignore[attr-defined]
    estimator = ORFFVAR(**known, lags=[int(told.lags[i]) for i in range(told.n_lags)], changes=bool(told.changes))
    estimator._model, estimator.n_features_in_ = model, model.outputs
    estimator._output_names = None if names is None else [str(name) for name in names]
    return estimator
