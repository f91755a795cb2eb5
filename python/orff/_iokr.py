"""Input-output kernel regression: outputs of any kind by their features."""
from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from ._library import lib
from ._settings import name_of
from ._transformer import OperatorFourierFeatures

_PLAIN = name_of("base", lib.ORFF_BASE_GAUSSIAN)

_SKETCH = 64  # directions used to choose lambda: they estimate squared lengths to 1/sqrt(32)
_LAMBDAS = np.logspace(-8, 1, 19)  # in units of the mean of the eigenvalues


class IOKRegressor(BaseEstimator):
    """Predict objects y by regression on their features psi(y), and by taking the nearest candidate.

    f = argmin (1/N) sum |f(x_i) - psi(y_i)|^2 + lambda |f|^2 on random features of the inputs, and the answer at x is the
    candidate c with the smallest |psi(c) - f(x)|, that is with the largest <psi(c), f(x)> where all psi have the same
    length. All outputs share one inverse, so p features of y cost O(N D p + D^2 p): a few thousand take seconds.

    Parameters
    ----------
    features : int, default=500
        Number of frequencies of the inputs. Each gives two features.
    sigma : float or "median", default="median"
        Length scale of the inputs.
    base : str, default that of Gauss
        Scalar kernel of the inputs.
    output_features : callable, "fourier" or "identity", default="fourier"
        psi: a function from objects (n x q) to features (n x p); random Fourier features of a Gaussian kernel between
        outputs; or the outputs themselves.
    output_frequencies : int, default=1000
        For "fourier": number of frequencies of the outputs.
    output_sigma : float or "median", default="median"
        For "fourier": length scale of the outputs.
    lambda_ : float, optional
        Penalty. The default minimises the leave-one-out error.
    seed : int, default=0
        Seed of the frequencies.

    Attributes
    ----------
    candidates_ : ndarray
        The distinct training outputs, which are the candidates unless others are given.
    lambda_used_ : float

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(0, 2, (20, 12)).astype(float)      # 20 objects
    >>> X = rng.uniform(-2, 2, (400, 2))
    >>> which = (np.floor(X[:, 0] + 2) + 4 * np.floor(X[:, 1] + 2)).astype(int)
    >>> model = orff.IOKRegressor(features=100).fit(X, codes[which])
    >>> bool((model.predict(X) == codes[which]).all(axis=1).mean() > 0.8)
    True
    """

    def __init__(self, features: int = 500, sigma: Union[float, str] = "median", base: str = _PLAIN,
                 output_features: Union[Callable[[Any], Any], str] = "fourier", output_frequencies: int = 1000,
                 output_sigma: Union[float, str] = "median", lambda_: Optional[float] = None, seed: int = 0) -> None:
        self.features = features
        self.sigma = sigma
        self.base = base
        self.output_features = output_features
        self.output_frequencies = output_frequencies
        self.output_sigma = output_sigma
        self.lambda_ = lambda_
        self.seed = seed

    def fit(self, X: Any, Y: Any) -> "IOKRegressor":
        """Learn from rows X (n x d) and objects Y (n x q)."""
        X, Y = check_X_y(X, Y, dtype=np.float64, multi_output=True, y_numeric=True)
        Y = Y.reshape(len(X), -1)
        self.n_features_in_ = X.shape[1]
        self.candidates_ = np.unique(Y, axis=0)
        self._inputs = OperatorFourierFeatures(features=self.features, sigma=self.sigma, base=self.base,
                                               seed=self.seed).fit(X)
        self._outputs = self._map_of_outputs(Y)
        psi = self._psi(Y)
        self.mean_ = psi.mean(axis=0)
        self._solve(self._inputs.transform(X), psi - self.mean_)
        return self

    def _map_of_outputs(self, Y: Any) -> Callable[[Any], Any]:
        if callable(self.output_features):
            return self.output_features
        if self.output_features == "identity":
            return np.asarray
        if self.output_features != "fourier":
            raise ValueError(f"output_features is {self.output_features!r}; expected a function, 'fourier' or 'identity'")
        return OperatorFourierFeatures(features=self.output_frequencies, sigma=self.output_sigma, base=_PLAIN,
                                       seed=self.seed + 1).fit(Y).transform

    def _psi(self, Y: Any) -> Any:
        psi = np.asarray(self._outputs(Y), dtype=np.float64)
        if psi.ndim != 2 or len(psi) != len(Y) or not np.isfinite(psi).all():
            raise ValueError(f"output_features gives an array of shape {psi.shape}; expected {len(Y)} rows of finite numbers")
        return psi

    def _solve(self, phi: Any, psi: Any) -> None:
        """theta = V (e + N lambda)^-1 V^T phi^T psi, phi^T phi = V e V^T."""
        if self.lambda_ is not None and not self.lambda_ > 0:
            raise ValueError(f"lambda_ is {self.lambda_!r}; expected a number above 0, or None to choose it")
        e, V = linalg.eigh(phi.T @ phi)
        e, R = np.maximum(e, 0.0), V.T @ (phi.T @ psi)
        self.lambda_used_ = self.lambda_ if self.lambda_ is not None else self._choose(phi @ V, e, psi)
        self.theta_ = V @ (R / (e + len(phi) * self.lambda_used_)[:, None])

    def _choose(self, turned: Any, e: Any, psi: Any) -> float:
        """Chooses lambda by leave-one-out errors, (psi_i - f_i) / (1 - h_i), along a few random directions of psi."""
        few = psi
        if psi.shape[1] > _SKETCH:
            few = psi @ np.random.default_rng(self.seed).normal(size=(psi.shape[1], _SKETCH)) / np.sqrt(_SKETCH)
        R, best = turned.T @ few, (np.inf, 0.0)
        for value in _LAMBDAS * e.mean():
            h = (turned**2) @ (1.0 / (e + value))
            off = (few - turned @ (R / (e + value)[:, None])) / np.maximum(1.0 - h, 1e-12)[:, None]
            best = min(best, (float((off**2).sum()), value / len(turned)))
        return best[1]

    def predict_features(self, X: Any) -> Any:
        """f(x): the predicted features at X (n x p)."""
        check_is_fitted(self, "theta_")
        return self._inputs.transform(check_array(X, dtype=np.float64)) @ self.theta_ + self.mean_

    def scores(self, X: Any, candidates: Any = None) -> Any:
        """<psi(c), f(x)> - |psi(c)|^2 / 2 of every candidate (n x candidates). Larger is nearer."""
        check_is_fitted(self, "theta_")
        psi = self._psi(self.candidates_ if candidates is None else check_array(candidates, dtype=np.float64))
        phi = self._inputs.transform(check_array(X, dtype=np.float64))
        offset = psi @ self.mean_ - 0.5 * (psi**2).sum(axis=1)
        return phi @ (self.theta_ @ psi.T) + offset

    def predict(self, X: Any, candidates: Any = None) -> Any:
        """The best candidate at each row of X. The candidates (m x q) are by default all training outputs."""
        best = self.scores(X, candidates).argmax(axis=1)
        return (self.candidates_ if candidates is None else np.asarray(candidates))[best]
