"""Regression with the exact kernel, for few rows."""
from __future__ import annotations

from ._arrays import Array
from ._fields import FieldsMixin
from ._library import lib
from ._observations import MISSING_OUTPUTS
from ._parameters import KERNEL, LEARNING, PROGRESS, VERBOSE, parameters
from ._path import PathMixin
from ._regression import RegressionMixin
from ._settings import name_of
from ._tuning import WholeRowsTuningMixin


@parameters(KERNEL | LEARNING, missing_outputs=MISSING_OUTPUTS, verbose=VERBOSE, progress=PROGRESS)
class OVKRegressor(FieldsMixin, PathMixin, RegressionMixin, WholeRowsTuningMixin):
    """Ridge regression with an operator-valued kernel, without features.

    f(x) = intercept + sum_i K(x, x_i) alpha_i, which the features of `ORFFRegressor` approximate. The cost grows with the
    cube of the number of rows, or of rows times outputs for kernels that couple the outputs, so use it for up to a few
    thousand rows.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    n_features_in_, feature_names_in_, sigma_, chosen_lambda_, kernel_, cv_mse_, train_mse_, noise_, ...
        See `ORFFRegressor`; cv_mse_ is the leave-one-out error.
    alpha_ : ndarray of shape (n, p)
        The coefficients.
    norm2_ : float
        |f|^2 in the space of the kernel.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    >>> model = orff.OVKRegressor(kernel="div-free", sigma=1.0, lambda_=1e-8).fit(X, np.c_[-X[:, 1], X[:, 0]])
    >>> np.round(model.predict([[0.0, 0.5]]), 3) + 0.0
    array([[-0.5,  0. ]])
    """

    engine = name_of("engine", lib.ORFF_ENGINE_EXACT)

    @property
    def alpha_(self) -> Array:
        """The coefficients alpha of f(x) = intercept + sum_i K(x, x_i) alpha_i: (rows, outputs)."""
        self._info()
        return self.model_.alpha()

    @property
    def norm2_(self) -> float:
        """The squared norm of f in the space of the kernel: alpha^T K alpha."""
        self._info()
        return self.model_.norm2()
