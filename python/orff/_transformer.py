"""The feature map by itself."""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Optional, Sequence

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._arrays import Array, doubles, pointer
from ._errors import check
from ._estimator import FLOATS, validate_data
from ._custom import rules
from ._kernel import PHYSICAL, Kernel, output_matrix, parse_kernel
from ._library import ffi, lib, owner
from ._progress import run
from ._settings import sampling, whole


class DrawnFeatures:
    """Owns an orff_features. Pickled as its frequencies, so that another machine has the same to the last bit; those of
    a kernel with several scales as the recipe they are drawn by."""

    def __init__(self, kernel: Kernel, place: Any, recipe: Optional[tuple] = None) -> None:
        self.kernel = kernel
        self._place = place
        self._recipe = recipe
        info = lib.orff_features_describe(place[0])
        self.frequencies, self.length, self.parameters = int(info.frequencies), int(info.length), int(info.parameters)

    @classmethod
    def draw(cls, kernel: Kernel, scheme: str, features: int, seed: int, extent: Optional[Array]) -> "DrawnFeatures":
        made, place = kernel.create(), owner("orff_features", lib.orff_features_free)
        c = ffi.new("orff_sampling *", sampling(scheme, features, seed))
        held = pointer(extent)
        c.extent = held
        check(lib.orff_features_create(place, made[0], c))
        groups = int(lib.orff_kernel_groups(made[0]))
        return cls(kernel, place, (kernel, scheme, features, seed, extent) if groups > 1 else None)

    @classmethod
    def at(cls, kernel: Kernel, omega: Array, weights: Array) -> "DrawnFeatures":
        """The caller's frequencies, for kernels with one set of them."""
        made, place = kernel.create(), owner("orff_features", lib.orff_features_free)
        omega, weights = doubles(omega), doubles(weights)
        check(lib.orff_features_create_at(place, made[0], len(omega), pointer(omega), pointer(weights)))
        return cls(kernel, place)

    def __reduce__(self) -> tuple:
        if self._recipe is not None:
            return DrawnFeatures.draw, self._recipe
        return DrawnFeatures.at, (self.kernel, *self.numbers())

    def __deepcopy__(self, memo: Any) -> "DrawnFeatures":
        return self

    def numbers(self) -> tuple[Array, Array]:
        """Frequencies (D x d) and weights (D)."""
        omega, weights = np.empty((self.frequencies, self.kernel.inputs)), np.empty(self.frequencies)
        check(lib.orff_features_frequencies(self._place[0], pointer(omega), pointer(weights)))
        return omega, weights

    def phi(self, X: Array) -> Array:
        """n x 2D, in the precision of X."""
        out = np.empty((len(X), self.length), dtype=X.dtype)
        function = lib.orff_features_phi_single if X.dtype == np.float32 else lib.orff_features_phi
        run(function, self._place[0], len(X), pointer(X), pointer(out))
        return out

    def operator(self, X: Array) -> Array:
        """n x M x p."""
        X = doubles(X)
        out = np.empty((len(X), self.parameters, self.kernel.outputs))
        for x, Phi in zip(X, out):
            check(lib.orff_features_map(self._place[0], pointer(x), pointer(Phi)))
        return out

    def gram(self, X: Array, Z: Array) -> Array:
        """n x m x p x p: products of the maps."""
        p = self.kernel.outputs
        out = np.empty((len(X), len(Z), p, p))
        for i, x in enumerate(X):
            for j, z in enumerate(Z):
                check(lib.orff_features_kernel(self._place[0], pointer(x), pointer(z), pointer(out[i, j])))
        return out


class OperatorFourierFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Operator-valued random Fourier features as a transformer.

    With frequencies w_j and weights q_j, phi(x) holds sqrt(q_j) cos<w_j, x>, then sqrt(q_j) sin<w_j, x>: 2D numbers.
    The operator-valued map Phi(x), an M x p matrix, stacks phi_a(x) B(w_j)^T, so that Phi(x)^T Phi(z) is about
    K(x, z).

    Parameters
    ----------
    map : {"phi", "Phi"}, default="phi"
        What transform returns: phi (n x 2D), or Phi, each point's M x p matrix as one row of M p numbers.
    outputs : int, optional
        p. By default that of y in fit, where it is given; else as many as inputs in the field's space for physical
        kernels, and 1 for decomposable ones.
    kernel, base, weight, mix, output_matrix, covariates, sampling, seed
        See `ORFFRegressor`; nothing but sigma can be automatic here.
    sigma : float, sequence, "auto" or "median", default="auto"
        Length scales; both words are the median distance between inputs.
    features : int, default=1000
        D, the number of frequencies.

    Attributes
    ----------
    omega_ : ndarray of shape (D, d)
        The frequencies.
    frequency_weights_ : ndarray of shape (D,)
        Their weights.
    sigma_ : ndarray of shape (parts, d)
        The length scales.
    n_features_in_ : int
        d.

    Examples
    --------
    >>> import numpy as np, orff
    >>> X = np.random.default_rng(0).uniform(-1, 1, (50, 2))
    >>> features = orff.OperatorFourierFeatures(kernel="curl-free", sigma=1.0, features=200).fit(X)
    >>> features.transform(X).shape
    (50, 400)
    >>> K = features.kernel_matrix(X[:1], X[1:2])[0, 0]
    >>> bool(np.abs(K - orff.kernel(X[0], X[1], kernel="curl-free", sigma=1.0)).max() < 0.05)
    True
    """

    def __init__(
        self,
        *,
        map: str = "phi",
        outputs: Optional[int] = None,
        kernel: str = "decomposable",
        base: str = "gaussian",
        sigma: Any = "auto",
        features: int = 1000,
        sampling: str = "auto",
        weight: Any = 1.0,
        mix: float = 0.5,
        output_matrix: Any = "identity",
        covariates: Optional[Sequence] = None,
        seed: int = 0,
    ) -> None:
        self.map = map
        self.outputs = outputs
        self.kernel = kernel
        self.base = base
        self.sigma = sigma
        self.features = features
        self.sampling = sampling
        self.weight = weight
        self.mix = mix
        self.output_matrix = output_matrix
        self.covariates = covariates
        self.seed = seed

    def _count_outputs(self, inputs: int, y: Any) -> int:
        if self.outputs is not None:
            return whole("outputs", self.outputs, 1, 65536)
        if any(rule in PHYSICAL for rule in rules(self.kernel)):
            return inputs - (0 if self.covariates is None else len(self.covariates))
        return y.shape[1] if y is not None and y.ndim == 2 else 1

    def fit(self, X: Any, y: Any = None) -> "OperatorFourierFeatures":
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs: their number, and their distances where sigma is automatic.
        y : array-like, optional
            Outputs: only their number, and their covariance where output_matrix asks for it.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=FLOATS, order="C")
        if self.map not in ("phi", "Phi"):
            raise ValueError(f"map is {self.map!r}; expected 'phi' or 'Phi'")
        y = None if y is None else np.asarray(y)
        outputs = self._count_outputs(X.shape[1], y)
        sigma = "median" if isinstance(self.sigma, str) and self.sigma == "auto" else self.sigma
        kernel = parse_kernel(X.shape[1], outputs, self.kernel, self.base, sigma, self.weight, self.mix,
                              self.covariates, getattr(self, "feature_names_in_", None)).with_medians(X)
        if kernel.automatic or kernel.mixture or kernel.auto_mix:
            raise ValueError("kernel, weight and mix 'auto' are chosen while learning: see ORFFRegressor")
        kernel = replace(kernel, matrix=output_matrix(self.output_matrix, y, outputs))
        extent = doubles(np.maximum(X.max(axis=0) - X.min(axis=0), 1e-6))
        self._features = DrawnFeatures.draw(
            kernel, self.sampling, whole("features", self.features, 1, 1 << 24), self.seed, extent)
        self.omega_, self.frequency_weights_ = self._features.numbers()
        self.sigma_ = np.array([part.sigma for part in kernel.parts])
        return self

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_features")

    @property
    def _n_features_out(self) -> int:
        features = self._features
        return features.length if self.map == "phi" else features.parameters * features.kernel.outputs

    def _points(self, X: Any) -> Array:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=FLOATS, order="C")

    def transform(self, X: Any) -> Array:
        """Map points.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points. float32 is mapped in single precision by phi.

        Returns
        -------
        ndarray of shape (n, 2D) or (n, M p)
        """
        X = self._points(X)
        if self.map == "phi":
            return self._features.phi(X)
        return self._features.operator(X).reshape(len(X), -1).astype(X.dtype, copy=False)

    def operator(self, X: Any) -> Array:
        """Phi of each point.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n, M, p)

        Examples
        --------
        >>> import orff
        >>> features = orff.OperatorFourierFeatures(kernel="div-free", sigma=1.0, features=10).fit([[0.0, 0.0]])
        >>> features.operator([[0.0, 1.0]]).shape
        (1, 20, 2)
        """
        return self._features.operator(self._points(X))

    def kernel_matrix(self, X: Any, Z: Any = None) -> Array:
        """The approximation Phi(x)^T Phi(z) of the kernel.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.
        Z : array-like of shape (m, d), optional
            Points; by default X.

        Returns
        -------
        ndarray of shape (n, m, p, p)
        """
        X = doubles(self._points(X))
        return self._features.gram(X, X if Z is None else doubles(self._points(Z)))

    def _more_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": [np.float64, np.float32]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
