"""Regression with random features of operator-valued kernels."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from sklearn.utils.metaestimators import available_if

from . import _notes
from ._fields import FieldsMixin
from ._moments import Moments
from ._progress import Progress
from ._regression import RegressionMixin
from ._streaming import StreamingMixin, can_stream
from ._tuning import TuningMixin


class ORFFRegressor(FieldsMixin, TuningMixin, RegressionMixin, StreamingMixin):
    """Vector-valued ridge regression with operator-valued random Fourier features.

    Learns f: R^d -> R^p by minimising (1/N) sum |f(x) - y|^2 + lambda |theta|^2, at a cost that is linear in the
    number of rows. Without parameters the length scale and lambda are chosen from the data.

    Parameters
    ----------
    kernel : str, default="decomposable"
        "decomposable", "curl-free", "div-free", "helmholtz", a sum such as "div-free+decomposable", or "auto": a
        mixture of all that fit the dimensions, at several scales, weights learned.
    base : str, default="gaussian"
        The scalar kernel below: "gaussian", "laplace", "matern12", "matern32", "matern52", "matern72", "cauchy"; one
        for each part of a sum with +.
    sigma : float, sequence, "auto" or "median", default="auto"
        Length scale. A sequence of d numbers is one for each input; for the parts of a sum, "2+0.5" or a sequence of
        sequences. "median" is the median distance between inputs; "auto" a multiple of it, by cross-validation.
    features : int or "auto", default="auto"
        Number of frequencies. "auto" is 1000, no more than half the rows and than keep the system to be solved at
        2400 rows.
    sampling : str, default="auto"
        How the frequencies are chosen: "iid", "orthogonal", "qmc", "halton", "hadamard", "grid" or "auto".
    lambda_ : float, "auto" or "cv", default="auto"
        Penalty. "auto" and "cv" are the same: by cross-validation from the moments.
    weight : float, sequence or "auto", default=1.0
        Weights of the parts of a sum; "auto": by the marginal likelihood.
    mix : float or "auto", default=0.5
        Helmholtz: weight of the curl-free half, 0 to 1.
    output_matrix : "identity", "covariance", array of shape (p, p) or ("laplacian", array), default="identity"
        How the outputs of decomposable parts belong together; for "laplacian" the array holds weights between outputs.
    covariates : sequence, optional
        Inputs outside of the field's space (time, depth): names, or places from 0.
    geo : "lonlat", optional
        The first two inputs that are no covariates are degrees of longitude and latitude, the two outputs eastward and
        northward: learn in km on a plane at the centre of the data. Derivatives are then by km.
    loss : str, default="squared"
        "squared", "huber", "epsilon" or "pinball".
    loss_parameter : float, default=1.0
        huber: where it turns linear; epsilon: the free width; pinball: the quantile.
    solver : str, default="auto"
        "direct", "lsmr", "idr", "pcg", "sgd"; "auto": direct where the system fits, else pcg; sgd for other losses.
    tolerance : float, default=1e-8
        Iterative solvers: the residual to stop at.
    iterations : int, default=500
        Iterative solvers: stop after so many.
    precision : {"auto", "double", "single"}, default="auto"
        single: features and products of blocks in float, sums in double. "auto": single for float32 inputs.
    seed : int, default=0
        Seed of the frequencies and of the folds.
    folds : int, default=5
        Folds of cross-validation.
    lambda_grid : (low, high, count), default=(1e-10, 10.0, 45)
        What lambda "auto" looks at, relative to the kernel's own size.
    center : bool, default=True
        Take the mean off y.
    scale_inputs : bool or "auto", default="auto"
        Divide inputs by their spread, all by one where a part is physical. "auto": when sigma is and no part is.
    scale_outputs : bool, default=False
        Divide outputs by their spread.
    posterior : bool or "auto", default="auto"
        Keep what error bars need. "auto": when its matrix has at most 4000 rows.
    checkpoint : path-like, optional
        A file where `fit` saves what it has, to go on from after it was ended; removed when it is done. Not for partial_fit,
        which keeps its moments.
    checkpoint_rows : int, default=1000000
        Rows between two saves; an iteration sweeps all rows.
    resume : bool, default=False
        Go on from the checkpoint, if there is one. Other rows and other parameters than its own are refused.
    verbose : int, default=0
        1 shows progress and messages on standard error.
    progress : callable, optional
        Called as progress(task, done, total) while work goes on; returning False stops with `orff.Stopped`.

    Attributes
    ----------
    n_features_in_ : int
        d.
    feature_names_in_ : ndarray of str
        Names of the inputs, where they were a pandas table.
    sigma_, weight_, mix_, chosen_lambda_
        What was used.
    kernel_ : str
        The kernel in words.
    train_mse_, cv_mse_, noise_, dof_, log_evidence_ : float
        What the fit tells.
    shares_ : ndarray or None
        Shares of the parts in the variance, where their weights were learned.
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

    def __init__(
        self,
        *,
        kernel: str = "decomposable",
        base: str = "gaussian",
        sigma: Any = "auto",
        features: Any = "auto",
        sampling: str = "auto",
        lambda_: Any = "auto",
        weight: Any = 1.0,
        mix: Any = 0.5,
        output_matrix: Any = "identity",
        covariates: Optional[Sequence] = None,
        geo: Optional[str] = None,
        loss: str = "squared",
        loss_parameter: float = 1.0,
        solver: str = "auto",
        tolerance: float = 1e-8,
        iterations: int = 500,
        precision: str = "auto",
        seed: int = 0,
        folds: int = 5,
        lambda_grid: Any = (1e-10, 10.0, 45),
        center: bool = True,
        scale_inputs: Any = "auto",
        scale_outputs: bool = False,
        posterior: Any = "auto",
        checkpoint: Any = None,
        checkpoint_rows: int = 1000000,
        resume: bool = False,
        verbose: int = 0,
        progress: Optional[Progress] = None,
    ) -> None:
        self.kernel = kernel
        self.base = base
        self.sigma = sigma
        self.features = features
        self.sampling = sampling
        self.lambda_ = lambda_
        self.weight = weight
        self.mix = mix
        self.output_matrix = output_matrix
        self.covariates = covariates
        self.geo = geo
        self.loss = loss
        self.loss_parameter = loss_parameter
        self.solver = solver
        self.tolerance = tolerance
        self.iterations = iterations
        self.precision = precision
        self.seed = seed
        self.folds = folds
        self.lambda_grid = lambda_grid
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs
        self.posterior = posterior
        self.checkpoint = checkpoint
        self.checkpoint_rows = checkpoint_rows
        self.resume = resume
        self.verbose = verbose
        self.progress = progress

    @available_if(can_stream)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "ORFFRegressor":
        """Add rows to those that came before; the result is that of one fit to all of them.

        What is automatic in the kernel (sigma, mix) is decided on the first call, lambda and weights anew for all
        rows, when they are needed.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n, p) or (n,)
            Outputs.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.

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
        X, Y, weights = self._rows(X, y, sample_weight, reset=first, least=1)
        self._add(X, Y, weights)
        return self

    @available_if(can_stream)
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> "ORFFRegressor":
        """Take off rows that came by partial_fit, as if they never had.

        Parameters
        ----------
        X, y, sample_weight
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
        X, Y, weights = self._rows(X, y, sample_weight, reset=False, least=1)
        self._take_off(X, Y, weights)
        return self

    def fit_moments(self, moments: Moments) -> "ORFFRegressor":
        """Learn from moments instead of rows.

        Kernel, weights and lambda are free, frequencies are those of the moments. Where sigma is "auto" it and the base
        are those that the moments were made for.

        Parameters
        ----------
        moments : Moments
            They are copied: partial_fit goes on from them.

        Returns
        -------
        self
        """
        info, notes = moments._describe(), moments.notes
        instead = {name: notes["kernel"][name] for name in ("base", "sigma")
                   if "kernel" in notes and isinstance(self.sigma, str) and self.sigma == "auto"}
        kernel = self._kernel(int(info.inputs), int(info.outputs), **instead)
        if any(isinstance(part.sigma, str) for part in kernel.parts):
            raise ValueError("sigma 'median' needs rows; moments have their length scales: give 'auto' or the numbers")
        names = _notes.names(notes, "inputs", kernel.inputs)
        self.n_features_in_ = kernel.inputs
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._flat, self._output_names = False, _notes.names(notes, "outputs", kernel.outputs)
        self._settled, self._moments, self._model = kernel, moments.copy(), None
        self._solve()
        return self

    def _notes_of_moments(self) -> dict[str, Any]:
        return self._regression_notes()

    def tune(self, X: Any, y: Any, sample_weight: Any = None, **grid: Any) -> "ORFFRegressor":
        """Of several candidates take the one with the smallest cross-validated error and fit it to all rows.

        Candidates on the same frequencies (the same sigma, base, features, sampling and seed) share one pass over the
        data. The parameters of the estimator become those of the best.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        y : array-like of shape (n, p) or (n,)
            Outputs.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows.
        **grid
            For each parameter that is varied a list of values; all combinations are compared.

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
        X, Y, weights, notes = self._flat_rows(X, y, sample_weight)
        self._tune_rows(grid, X, Y, weights, **notes)
        return self
