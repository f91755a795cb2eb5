"""The feature map by itself."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._arrays import Array, doubles, pointer, view
from ._errors import check
from ._estimator import FLOATS, validate_data
from ._kernel import count_outputs, scales_of, with_known_parts
from ._library import ffi, lib, owner
from ._parameters import FEATURES, KERNEL, Own, parameters
from ._progress import run
from ._settings import TABLE, Settings, text_of, whole


class DrawnFeatures:
    """Owns an orff_features, drawn from parameters that need no rows. Pickled as its frequencies, so that another machine
    has the same to the last bit; for a kernel with several scales, as the parameters for drawing them."""

    def __init__(self, given: dict[str, Any], inputs: int, outputs: int, extent: Optional[Array] = None) -> None:
        self.given, self.inputs, self.outputs, self.extent = given, inputs, outputs, extent
        settings = Settings(given, inputs, outputs, fixed=True)
        made, place = settings.kernel(), owner("orff_features", lib.orff_features_free)
        check(lib.orff_features_create(place, made[0], settings.sampling(extent)))
        self._place, self._groups = place, int(lib.orff_kernel_groups(made[0]))
        self.sigma = np.array([scales_of(part, inputs) for part in settings.parts])
        info = lib.orff_features_describe(place[0])
        self.frequencies, self.length, self.parameters = int(info.frequencies), int(info.length), int(info.parameters)

    def __reduce__(self) -> tuple:
        given = self.given
        if self._groups == 1:
            given = {**given, "features": None, "frequencies": np.column_stack(self.numbers())}
        return DrawnFeatures, (given, self.inputs, self.outputs, self.extent)

    def __deepcopy__(self, memo: Any) -> "DrawnFeatures":
        return self

    def numbers(self) -> tuple[Array, Array]:
        """Frequencies (D x d) and weights (D)."""
        omega, weights = np.empty((self.frequencies, self.inputs)), np.empty(self.frequencies)
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
        out = np.empty((len(X), self.parameters, self.outputs))
        for x, Phi in zip(X, out):
            check(lib.orff_features_map(self._place[0], pointer(x), pointer(Phi)))
        return out

    def complex_operator(self, X: Array) -> Array:
        """n x M/2 x p, complex."""
        X = doubles(X)
        out = np.empty((len(X), self.parameters // 2, self.outputs, 2))
        for x, Phi in zip(X, out):
            check(lib.orff_features_map_complex(self._place[0], pointer(x), pointer(Phi)))
        return out[..., 0] + 1j * out[..., 1]

    def gram(self, X: Array, Z: Array) -> Array:
        """n x m x p x p: products of the maps."""
        p = self.outputs
        out = np.empty((len(X), len(Z), p, p))
        for i, x in enumerate(X):
            for j, z in enumerate(Z):
                check(lib.orff_features_kernel(self._place[0], pointer(x), pointer(z), pointer(out[i, j])))
        return out


_MAP = Own("phi", '{"phi", "Phi"}', "What transform returns: phi (n x 2D), or Phi, with the M x p matrix of each point as one "
                                    "row of M p numbers.")
_OUTPUTS = Own(None, "int", "Number of outputs p. The default is the number of inputs in the field's space for fields, "
                            "otherwise that of y in fit, or 1.")


@parameters(KERNEL | FEATURES, map=_MAP, outputs=_OUTPUTS)
class OperatorFourierFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Operator-valued random Fourier features as a transformer.

    With frequencies w_j and weights q_j, phi(x) contains sqrt(q_j) cos<w_j, x>, then sqrt(q_j) sin<w_j, x>: 2D numbers.
    The operator-valued map Phi(x), an M x p matrix, stacks phi_a(x) B(w_j)^T, so that Phi(x)^T Phi(z) is about
    K(x, z).

    Parameters
    ----------
    {parameters}

    Notes
    -----
    Only sigma can be automatic here: "auto" is the median distance between inputs. features "auto" is 1000.

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

    def fit(self, X: Any, y: Any = None) -> "OperatorFourierFeatures":
        """Draw the frequencies.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs. Only their number is used, and their distances if sigma is automatic.
        y : array-like, optional
            Outputs. Only their number is used, and their covariance if output_matrix asks for it.

        Returns
        -------
        self
        """
        X = validate_data(self, X, dtype=FLOATS, order="C")
        if self.map not in ("phi", "Phi"):
            raise ValueError(f"map is {self.map!r}; expected 'phi' or 'Phi'")
        y = None if y is None else np.asarray(y)
        given = {name: getattr(self, name) for name in self._settings_names}
        if text_of(TABLE["sigma"], self.sigma) == TABLE["sigma"].fallback:
            given["sigma"] = "median"
        outputs = self._count_outputs(given, X, y)
        extent = doubles(np.maximum(X.max(axis=0) - X.min(axis=0), 1e-6))
        self._features = DrawnFeatures(self._decided(given, X, y, outputs), X.shape[1], outputs, extent)
        self.omega_, self.frequency_weights_ = self._features.numbers()
        self.sigma_ = self._features.sigma
        return self

    def _count_outputs(self, given: dict[str, Any], X: Array, y: Optional[Array]) -> int:
        if self.outputs is not None:
            return whole("outputs", self.outputs, 1, 65536)
        usual = y.shape[1] if y is not None and y.ndim == 2 else 1
        return count_outputs(given, X.shape[1], usual, getattr(self, "feature_names_in_", None))

    def _decided(self, given: dict[str, Any], X: Array, y: Optional[Array], outputs: int) -> dict[str, Any]:
        """Parameters that no longer need rows."""
        names = getattr(self, "feature_names_in_", None)
        Y = None if y is None else doubles(y).reshape(len(X), -1)
        settings = Settings(given, X.shape[1], outputs, names=names, X=X, Y=Y, fixed=True)
        matrices = [None if part.A == ffi.NULL else view(part.A, outputs, outputs).copy() for part in settings.parts
                    if lib.orff_rule_describe(part.rule).separable]
        covariates = None if settings.space is None else np.setdiff1d(np.arange(X.shape[1]), settings.space).tolist()
        decided = {**with_known_parts(given, settings, list(settings.parts)), "covariates": covariates}
        if any(A is not None for A in matrices):
            decided["output_matrix"] = [np.eye(outputs) if A is None else A for A in matrices]
        return decided

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_features")

    @property
    def _n_features_out(self) -> int:
        features = self._features
        return features.length if self.map == "phi" else features.parameters * features.outputs

    def _points(self, X: Any) -> Array:
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=FLOATS, order="C")

    def transform(self, X: Any) -> Array:
        """Map points.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points. phi maps float32 arrays in single precision.

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

    def complex_operator(self, X: Any) -> Array:
        """The complex map of each point, sqrt(q_j) e^(i<w_j, x>) B(w_j)^*: the real part of Phi(x)^* Phi(z) is about K(x, z).

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n, M / 2, p), complex

        Examples
        --------
        >>> import numpy as np, orff
        >>> features = orff.OperatorFourierFeatures(kernel="div-free", sigma=1.0, features=10).fit([[0.0, 0.0]])
        >>> x, z = features.complex_operator([[0.0, 1.0], [0.5, 0.2]])
        >>> K = features.kernel_matrix([[0.0, 1.0]], [[0.5, 0.2]])[0, 0]
        >>> bool(np.allclose((x.conj().T @ z).real, K))
        True
        """
        return self._features.complex_operator(self._points(X))

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
