"""fit and predict for estimators with numeric outputs."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils import check_consistent_length, check_random_state

from . import _notes
from ._arrays import FINITE, Array, columns, doubles
from ._arrow import from_arrow
from ._estimator import FLOATS, row_weights, validate_data, without_zeros
from ._observations import Rows, make_rows, rows_to_learn
from ._progress import say


class RegressionMixin(MultiOutputMixin, RegressorMixin):
    """fit and predict for numeric outputs."""

    _flat = False  # Y had one dimension
    _output_names: Optional[Sequence[str]] = None

    def _rows(self, X: Any, Y: Any, sample_weight: Any, reset: bool = True, least: int = 2, missing: bool = False) -> tuple:
        """Checked rows. If outputs may be missing, NaN is allowed in a two-dimensional Y."""
        Y = from_arrow(Y, "y")
        names = _notes.pandas_names(Y)
        finite = {FINITE: "allow-nan"} if missing and Y is not None and np.asarray(Y).ndim == 2 else {}
        X, Y = validate_data(self, X, Y, reset=reset, validate_separately=(
            {"dtype": FLOATS, "order": "C", "ensure_min_samples": least}, {"ensure_2d": False, "dtype": None, **finite}))
        check_consistent_length(X, Y)
        Y = Y.astype(np.float64) if Y.dtype.kind == "O" else Y
        if reset:
            self._flat, self._output_names = Y.ndim == 1, names
        return X, columns(Y), row_weights(sample_weight, X)

    def _regression_notes(self) -> dict[str, Any]:
        return {"output_names": self._output_names, "about": {"flat": self._flat, "missing_outputs": self.missing_outputs}}

    def _flat_rows(self, X: Any, y: Any, sample_weight: Any) -> tuple:
        """Rows to learn from, and the notes of the model. Degrees use double precision."""
        X, Y, weights = without_zeros(*self._rows(X, y, sample_weight))
        return doubles(X) if self._on_plane else X, Y, weights, self._regression_notes()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, directions: Any = None,
            errors: Any = None, instruments: Any = None, walls: Any = None, functionals: Any = None,
            offsets: Any = None) -> "RegressionMixin":
        """Learn from rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs. float32 arrays are learned in single precision. C-contiguous arrays are not copied.
        y : array-like of shape (n, p) or (n,)
            Outputs. NaN in a two-dimensional y marks a missing output; see `missing_outputs`.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, 0 or more.
        groups : array-like of shape (n,), optional
            Labels of rows that belong together: a station, a track, an hour. The rows of a group are held out together for
            the reported errors (`held_out_mse_`, and `cv_mse_` of features).
        directions : array-like of shape (n, p), optional
            For y with one number for each row, the component of the field along a direction e: y = <e, f(x)>.
            `orff.directions` makes directions from angles.
        errors : array-like of shape (n,) or (n, p), optional
            Known errors of each row, or of each number of y, as standard deviations. The noise is a factor times these
            errors plus a constant; both are learned.
        instruments : array-like of shape (n,), optional
            Labels of the instruments that measured the rows, at most 64. The noise of each is learned.
        walls : pair of array-likes of shapes (m, d) and (m, p), optional
            Points of a coast or a wall, and its normals there. Nothing flows across: <normal, f(point)> = 0. They are not
            measurements, and the automatic choices do not use them.
        offsets : array-like of shape (n,), optional
            Labels of rows that share an offset, such as those of a station or an instrument. Offsets are not part of the
            field; they are learned (`offsets_`). There can be 2 to 256 labels. The model then has at least a constant trend.
        functionals : Functionals, optional
            Known derivatives, integrals or differences of a potential. Kernel, lambda and noise are chosen from the rows;
            then rows and functionals are fitted together. Not with a lattice or a trend.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, orff
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(-1, 1, (200, 2))
        >>> along = orff.directions(rng.uniform(0, 360, 200))
        >>> radial = (along * np.c_[-X[:, 1], X[:, 0]]).sum(axis=1)                  # of a flow, one component of each
        >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, radial, directions=along)
        >>> bool(np.abs(model.predict([[0.0, 0.5]]) - [[-0.5, 0.0]]).max() < 0.05)
        True
        """
        rows = self._observed(X, y, sample_weight, groups, offsets, directions, errors, instruments, walls, functionals)
        self._fit_rows(rows, **self._regression_notes())
        return self

    def _observed(self, X: Any, y: Any, sample_weight: Any, *observed: Any) -> Rows:
        """The rows given to fit. Degrees use double precision."""
        X, Y, weights = self._rows(X, y, sample_weight, missing=True)
        rows, said = rows_to_learn(make_rows(X, Y, weights, *observed), self.missing_outputs)
        if said and self.verbose:
            say(said)
        if rows.directions is not None:
            self._flat, self._output_names = False, ["u", "v", "w"][:rows.outputs] if rows.outputs <= 3 else None
        return rows._replace(X=doubles(rows.X)) if self._on_plane else rows

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, with_noise: bool = False) -> Any:
        """Predict outputs.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        return_std : bool, default=False
            Also return the posterior standard deviation of f(x): the error of the field itself.
        return_cov : bool, default=False
            Also return the posterior covariance of the outputs at each point, noise not included.
        with_noise : bool, default=False
            Return the standard deviation of a new measurement, which includes the noise.

        Returns
        -------
        F : ndarray of shape (n, p), or (n,) if y was
            Predictions, in the precision of X.
        std : ndarray of the shape of F
            Only with return_std.
        cov : ndarray of shape (n, p, p), or (n,) if y was
            Only with return_cov.
        """
        X, model = self._points(X), self.model_
        results = [self._shaped(model.predict(X, **self._how))]
        if return_std:
            results.append(self._shaped(model.std(X, with_noise, **self._how)))
        if return_cov:
            covariance = model.covariance(X, **self._how)
            results.append(covariance[:, 0, 0] if self._flat else covariance)
        return results[0] if len(results) == 1 else tuple(results)

    def evaluate(self, X: Any, y: Any, groups: Any = None) -> dict[str, Any]:
        """Score predictions, and their error bars, on rows that the model has not seen.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n, p) or (n,)
            The measured values.
        groups : array-like of shape (n,), optional
            Labels of rows that belong together: a station, a track, an hour.

        Returns
        -------
        dict
            Over all outputs: "rmse", "mse", "r2", "bias" (mean of predicted minus measured) and "correlation". With
            error bars also "coverage_50", "coverage_80" and "coverage_95", the fractions of measurements within these
            intervals, "crps", the continuous ranked probability score in the units of y, and "log_score", the mean of
            -log density; smaller is better for both. "per_output" is a list of the same for each output. If the outputs are
            components of a vector (a physical kernel, geo, or names such as u and v) also "speed_rmse" and "speed_bias" and,
            in degrees, "direction_error", the mean angle between predicted and measured vectors, over rows whose speed
            exceeds the noise. With groups, "per_group" is a dict of the same for each group.

        Examples
        --------
        >>> import numpy as np, orff
        >>> rng = np.random.default_rng(0)
        >>> X = rng.uniform(-1, 1, (300, 1))
        >>> y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=300)
        >>> scores = orff.ORFFRegressor().fit(X[:200], y[:200]).evaluate(X[200:], y[200:])
        >>> scores["rmse"] < 0.15, scores["coverage_95"] > 0.85
        (True, True)
        """
        X, Y = self._points(X), columns(doubles(from_arrow(y, "y")))
        check_consistent_length(X, Y)
        found = self._scores_of(X, Y)
        if groups is not None:
            groups = np.asarray(groups)
            check_consistent_length(X, groups)
            names, inverse = np.unique(groups, return_inverse=True)
            found["per_group"] = {name: self._scores_of(X[inverse == i], Y[inverse == i])
                               for i, name in enumerate(names.tolist())}
        return found

    def _scores_of(self, X: Array, Y: Array) -> dict[str, Any]:
        *each, every = self.model_.scores(X, Y, **self._how)
        return {**every, "per_output": each}

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Draw functions from the posterior, and evaluate them. Noise is not included.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        n_samples : int, default=1
            Number of functions. Each is drawn jointly at all points.
        random_state : int, RandomState instance or None, default=0
            Seed. The same int gives the same functions at any points.

        Returns
        -------
        ndarray of shape (n, p, n_samples), or (n, n_samples) if y had one dimension

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
        >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, np.c_[-X[:, 1], X[:, 0]])
        >>> model.sample_y(X[:4], n_samples=3).shape
        (4, 2, 3)
        """
        whole = isinstance(random_state, (int, np.integer)) and random_state >= 0
        seed = int(random_state) if whole else int(check_random_state(random_state).randint(2**31 - 1))
        F = self.model_.sample(self._points(X), n_samples, seed, **self._how).transpose(1, 2, 0)
        return F[:, 0] if self._flat else F

    def _shaped(self, F: Array) -> Array:
        return F[:, 0] if self._flat else F
