"""Fields derived from a vector field, analytically."""
from __future__ import annotations

from typing import Any

from ._arrays import Array
from ._drift import DriftMixin


class FieldsMixin(DriftMixin):
    """Derivatives and potentials of a fitted function, in the units of the data.

    Divergence, curl and potentials use the inputs of the physical parts of the kernel, or all inputs if there are as many as
    outputs.
    """

    def _derived(self, name: str, X: Any) -> Array:
        return self.model_.derive(name, self._points(X), **self._how)

    def jacobian(self, X: Any) -> Array:
        """The derivatives of the outputs with respect to the inputs.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n, p, d)
            Entry (i, j, k) is the derivative of output j with respect to input k at point i.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
        >>> model = orff.ORFFRegressor().fit(X, X @ [[0.0, 1.0], [-1.0, 0.0]])
        >>> np.round(model.jacobian([[0.0, 0.0]])[0], 2) + 0.0
        array([[ 0., -1.],
               [ 1.,  0.]])
        """
        return self._derived("jacobian", X)

    def divergence(self, X: Any) -> Array:
        """The divergence of the field.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
        >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, np.c_[-X[:, 1], X[:, 0]])
        >>> bool(np.abs(model.divergence(X)).max() < 1e-9)
        True
        """
        return self._derived("divergence", X)

    def curl(self, X: Any) -> Array:
        """The curl of the field.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n,) or (n, 3)
            The vorticity if there are 2 outputs, the curl vector if there are 3.

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
        >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, np.c_[-X[:, 1], X[:, 0]])
        >>> bool(np.abs(model.curl([[0.0, 0.0]]) - 2.0).max() < 0.01)
        True
        """
        return self._derived("curl", X)

    def potential(self, X: Any) -> Array:
        """The scalar potential, whose gradient is the curl-free component of the field, up to a constant.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n,)

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
        >>> model = orff.ORFFRegressor(kernel="curl-free", center=False).fit(X, 2.0 * X)  # of |x|^2
        >>> V = model.potential([[0.0, 0.0], [0.5, 0.0]])
        >>> bool(abs(V[1] - V[0] - 0.25) < 0.01)
        True
        """
        return self._derived("potential", X)

    def stream_function(self, X: Any) -> Array:
        """The stream function (2 outputs: f = (-d2, d1) psi) or vector potential (3) of the divergence-free component.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Points.

        Returns
        -------
        ndarray of shape (n,) or (n, 3)

        Examples
        --------
        >>> import numpy as np, orff
        >>> X = np.random.default_rng(0).uniform(-1, 1, (150, 2))
        >>> model = orff.ORFFRegressor(kernel="div-free", center=False).fit(X, np.c_[-X[:, 1], X[:, 0]])
        >>> psi = model.stream_function([[0.0, 0.0], [0.5, 0.0]])
        >>> bool(abs(psi[1] - psi[0] - 0.125) < 0.01)
        True
        """
        return self._derived("stream_function", X)
