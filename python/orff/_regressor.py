"""Regression with random features of operator-valued kernels."""
from __future__ import annotations

from typing import Any, Union

from sklearn.utils.metaestimators import available_if

from . import _notes
from ._fields import FieldsMixin
from ._lattice_moments import LatticeMoments
from ._library import lib
from ._model import Model
from ._moments import Moments
from ._observations import MISSING_OUTPUTS, Rows, make_rows
from ._parameters import EVERY, PRECISION, PROGRESS, VERBOSE, parameters
from ._path import PathMixin
from ._regression import RegressionMixin
from ._settings import TABLE, Settings, text_of
from ._streaming import StreamingMixin, can_stream
from ._tuning import TuningMixin


@parameters(EVERY, precision=PRECISION, missing_outputs=MISSING_OUTPUTS, verbose=VERBOSE, progress=PROGRESS)
class ORFFRegressor(FieldsMixin, PathMixin, TuningMixin, RegressionMixin, StreamingMixin):
    """Vector-valued regression with operator-valued kernels: Gaussian processes whose covariance is a matrix.

    Learns f: R^d -> R^p with error bars. Without parameters the engine, the base, the length scales and the noise are
    chosen from the data: the exact kernel for few rows, a lattice for more rows of up to three inputs, random Fourier
    features otherwise.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of str
        Names of the inputs, if X was a table.
    sigma_, weight_, mix_, chosen_lambda_
        The values that the fit used.
    kernel_ : str
        The kernel in words.
    train_mse_, cv_mse_, noise_, dof_, log_evidence_ : float
        The errors and the evidence of the fit; see the properties below.
    output_matrix_ : ndarray or None
        The covariance of the outputs at a point, for each part; given or learned.
    shares_ : ndarray or None
        Share of each part in the variance, if the weights were learned.
    n_frequencies_ : int
        D.
    solve_info_ : dict
        How the system was solved.
    moments_ : Moments
        After partial_fit.
    tune_results_, best_params_, best_index_
        After tune.

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2))
    >>> Y = np.c_[-X[:, 1], X[:, 0]] + 0.01 * rng.normal(size=(400, 2))
    >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, Y)
    >>> F, std = model.predict([[0.0, 0.5]], return_std=True)
    >>> np.round(F, 1) + 0.0, std.shape
    (array([[-0.5,  0. ]]), (1, 2))
    """

    @available_if(can_stream)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None, directions: Any = None,
                    errors: Any = None) -> "ORFFRegressor":
        """Add rows to the earlier ones. The result is the same as that of one fit to all of them.

        The first call decides what is automatic in the kernel (sigma, mix). lambda and the weights are chosen again from all
        rows when they are needed.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n, p) or (n,)
            Outputs; NaN where one is missing.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        directions, errors
            As for fit. Errors are used as they are, up to a common factor, so give them for all rows or for none.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2)); Y = X @ [[0.0, 1.0], [-1.0, 0.0]]
        >>> parameters = dict(sigma=1.0, lambda_=1e-6, features=100)
        >>> whole = orff.ORFFRegressor(**parameters).fit(X, Y)
        >>> parts = orff.ORFFRegressor(**parameters).partial_fit(X[:50], Y[:50]).partial_fit(X[50:], Y[50:])
        >>> bool(np.abs(parts.predict(X) - whole.predict(X)).max() < 1e-6)
        True
        """
        first = self._starts_anew()
        self._add(self._measured(X, y, sample_weight, directions, errors, first))
        return self

    @available_if(can_stream)
    def forget(self, X: Any, y: Any, sample_weight: Any = None, directions: Any = None,
               errors: Any = None) -> "ORFFRegressor":
        """Remove rows that were added by partial_fit, as if they had never been there.

        Parameters
        ----------
        X, y, sample_weight, directions, errors
            As they were given to partial_fit.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2)); Y = X @ [[0.0, 1.0], [-1.0, 0.0]]
        >>> model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-6, features=100).partial_fit(X, Y)
        >>> model.forget(X[:50], Y[:50]).moments_.rows
        100
        """
        self._subtract(self._measured(X, y, sample_weight, directions, errors, False))
        return self

    def _measured(self, X: Any, y: Any, sample_weight: Any, directions: Any, errors: Any, reset: bool) -> Rows:
        X, Y, weights = self._rows(X, y, sample_weight, reset=reset, least=1, missing=True)
        rows = make_rows(X, Y, weights, None, None, directions, errors, None, None, None)
        if directions is not None:
            self._flat, self._output_names = False, ["u", "v", "w"][:rows.outputs] if rows.outputs <= 3 else None
        return rows

    def fit_moments(self, moments: Union[Moments, LatticeMoments]) -> "ORFFRegressor":
        """Learn from moments instead of rows.

        You can choose kernel, weights and lambda. Moments of features have fixed frequencies, so sigma "auto" means the
        length scales and bases that they were made with. With moments of a lattice you can choose base and sigma too, within
        their range, and "auto" chooses sigma from the moments.

        Parameters
        ----------
        moments : Moments or LatticeMoments
            They are copied. partial_fit can add rows to Moments.

        Returns
        -------
        self
        """
        if isinstance(moments, LatticeMoments):
            return self._fit_lattice(moments)
        info, notes = moments._describe(), moments.notes
        inputs, outputs, given = int(info.inputs), int(info.outputs), self._given()
        automatic = text_of(TABLE["sigma"], self.sigma) == TABLE["sigma"].fallback
        if "kernel" in notes and automatic:
            given.update(base=notes["kernel"]["base"], sigma=notes["kernel"]["sigma"], shape=None)
        names = _notes.names(notes, "inputs", inputs)
        Settings({**given, "output_matrix": None}, inputs, outputs, names=names)  # raises errors before anything changes
        self._set_names(notes, inputs, outputs)
        self._settled, self._moments, self._model = given, moments.copy(), None
        self._solve()
        return self

    def _fit_lattice(self, moments: LatticeMoments) -> "ORFFRegressor":
        info, notes, given = moments._describe(), moments.notes, self._given()
        inputs, outputs = int(info.inputs), int(info.outputs)
        own = ("scale_inputs", "scale_outputs", "period", "checkpoint", "resume", "folds", "seed", "tolerance")
        given = {name: value for name, value in given.items() if name not in own}
        fixed = notes.get("kernel", {}).get("sigma", "auto")
        if text_of(TABLE["sigma"], self.sigma) == TABLE["sigma"].fallback and fixed != "auto":
            given["sigma"] = fixed
        names = _notes.names(notes, "inputs", inputs)
        settings = Settings(given, inputs, outputs, names=names)
        model = Model.make(lib.orff_model_fit_lattice_moments, settings, moments._handle, **self._how)
        self._set_names(notes, inputs, outputs)
        self._settled, self._moments = None, None
        self._adopt(model, settings, **self._notes_of_moments())
        return self

    def _set_names(self, notes: dict, inputs: int, outputs: int) -> None:
        """Sets the number and the names of the columns from moments and their notes, as for rows."""
        names = _notes.names(notes, "inputs", inputs)
        self.n_features_in_ = inputs
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._flat, self._output_names = False, _notes.names(notes, "outputs", outputs)

    def _notes_of_moments(self) -> dict[str, Any]:
        return self._regression_notes()

    def tune(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, directions: Any = None,
             errors: Any = None, instruments: Any = None, walls: Any = None, functionals: Any = None,
             offsets: Any = None, **grid: Any) -> "ORFFRegressor":
        """Compare candidates by cross-validation and fit the best to all rows.

        Candidates with the same frequencies (the same sigma, base, features, sampling and seed) share one pass over the
        data. With missing outputs, directions or errors, each candidate is fitted again without each fold. The estimator
        gets the parameters of the best candidate.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n, p) or (n,)
            Outputs.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        groups, directions, errors, instruments, walls, functionals, offsets
            As for fit.
        **grid
            A list of values for each parameter to vary; all combinations are compared.

        Returns
        -------
        self
            With `best_params_`, `best_index_` and `tune_results_`: the values and, as "cv_mse", the scores.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2)); Y = np.c_[-X[:, 1], X[:, 0]]
        >>> model = orff.ORFFRegressor().tune(X, Y, kernel=["curl-free", "div-free"], sigma=[0.5, 1.0])
        >>> model.best_params_["kernel"]
        'div-free'
        >>> len(model.tune_results_["cv_mse"])
        4
        """
        rows = self._observed(X, y, sample_weight, groups, offsets, directions, errors, instruments, walls, functionals)
        self._tune_rows(grid, rows, **self._regression_notes())
        return self
