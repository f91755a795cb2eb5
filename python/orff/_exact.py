"""Regression with the exact kernel, for few rows."""
from __future__ import annotations

from typing import Any, Optional, Sequence

from ._progress import Progress
from ._regression import RegressionMixin
from ._tuning import TuningMixin


class OVKRegressor(RegressionMixin, TuningMixin):
    """Ridge regression with an operator-valued kernel, without features.

    f(x) = intercept + sum_i K(x, x_i) alpha_i: what `ORFFRegressor` approximates. The cost grows with the cube of the
    rows, for kernels that couple outputs of rows times outputs, so it serves up to some thousands. lambda and sigma
    are chosen by the exact error of leaving out each row in turn.

    Parameters
    ----------
    kernel, base, sigma, lambda_, weight, mix, output_matrix, covariates, geo, lambda_grid, center
        See `ORFFRegressor`.
    scale_inputs, scale_outputs, posterior
        See `ORFFRegressor`.
    max_bytes : int, default=0
        Refuse what would take more memory; 0: half of what the machine has.
    verbose, progress
        See `ORFFRegressor`.

    Attributes
    ----------
    n_features_in_, feature_names_in_, sigma_, chosen_lambda_, kernel_, cv_mse_, train_mse_, noise_, ...
        See `ORFFRegressor`; cv_mse_ is the leave-one-out error.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = orff.OVKRegressor(kernel="div-free", sigma=1.0, lambda_=1e-8).fit(X, np.c_[-X[:, 1], X[:, 0]])
    >>> np.round(model.predict([[0.0, 0.5]]), 3) + 0.0
    array([[-0.5,  0. ]])
    """

    # What is not to be chosen here.
    features = sampling = "auto"
    precision = "double"
    solver = "exact"
    loss = "squared"

    def __init__(
        self,
        *,
        kernel: str = "decomposable",
        base: str = "gaussian",
        sigma: Any = "auto",
        lambda_: Any = "auto",
        weight: Any = 1.0,
        mix: Any = 0.5,
        output_matrix: Any = "identity",
        covariates: Optional[Sequence] = None,
        geo: Optional[str] = None,
        lambda_grid: Any = (1e-10, 10.0, 45),
        center: bool = True,
        scale_inputs: Any = "auto",
        scale_outputs: bool = False,
        posterior: Any = "auto",
        max_bytes: int = 0,
        verbose: int = 0,
        progress: Optional[Progress] = None,
    ) -> None:
        self.kernel = kernel
        self.base = base
        self.sigma = sigma
        self.lambda_ = lambda_
        self.weight = weight
        self.mix = mix
        self.output_matrix = output_matrix
        self.covariates = covariates
        self.geo = geo
        self.lambda_grid = lambda_grid
        self.center = center
        self.scale_inputs = scale_inputs
        self.scale_outputs = scale_outputs
        self.posterior = posterior
        self.max_bytes = max_bytes
        self.verbose = verbose
        self.progress = progress

    def tune(self, X: Any, y: Any, sample_weight: Any = None, **grid: Any) -> "OVKRegressor":
        """Of several candidates take the one with the smallest cross-validated error and fit it to all rows.

        Parameters
        ----------
        X, y, sample_weight
            As for fit.
        **grid
            For each parameter that is varied a list of values; all combinations are compared.

        Returns
        -------
        self
            With `best_params_`, `best_index_` and `tune_results_`.
        """
        X, Y, weights, notes = self._flat_rows(X, y, sample_weight)
        self._tune_rows(grid, X, Y, weights, **notes)
        return self
