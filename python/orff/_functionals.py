"""Functionals of a field as data: derivatives, integrals, differences of a potential or a stream function."""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._arrays import Array, doubles, pointer
from ._library import ffi, lib


class Functionals:
    """Known functionals of a field, for ``fit(X, y, functionals=...)``.

    Each is a sum of <e, f(x)> over some points, with an error of known standard deviation. Each method adds functionals of
    one kind, one for each row of its first argument, and returns the object, so calls can be chained.
    Derivatives are differences over `step`, in the units of the inputs: a hundredth of the length scale is exact to 1e-4.
    Integrals are along the straight line between two points, by Gauss-Legendre quadrature with `nodes` nodes: two for each
    length scale along the line are enough. The first p inputs are the space of the field.

    Parameters
    ----------
    d, p : int
        Inputs and outputs.

    Examples
    --------
    Drifters in one half of a basin, and differences of the height of the sea, which is its stream function, in all of it:

    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> psi = lambda x: np.sin(2 * x[:, 0]) * np.cos(x[:, 1])
    >>> flow = lambda x: np.c_[-np.sin(2 * x[:, 0]) * np.sin(x[:, 1]), -2 * np.cos(2 * x[:, 0]) * np.cos(x[:, 1])]
    >>> X, (a, b) = rng.uniform([0, 0], [1, 2], (60, 2)), rng.uniform(0, 2, (2, 50, 2))
    >>> heights = orff.Functionals(2, 2).flux(a, b, psi(b) - psi(a), 0.01)
    >>> model = orff.ORFFRegressor(kernel="div-free").fit(X, flow(X), functionals=heights)
    >>> bool(np.abs(model.predict([[1.5, 1.0]]) - flow(np.array([[1.5, 1.0]]))).max() < 0.2)
    True
    """

    def __init__(self, d: int, p: int) -> None:
        self.d, self.p = int(d), int(p)
        self._points: list[Array] = []
        self._values: list[float] = []
        self._errors: list[float] = []

    def __len__(self) -> int:
        return len(self._values)

    def add(self, points: Any, directions: Any, value: float, error: float) -> "Functionals":
        """One functional: the sum of <direction, f(point)> over points of shape (m, d) and directions of shape (m, p)."""
        x, e = doubles(points), doubles(directions)
        if x.ndim != 2 or x.shape[1] != self.d or e.shape != (len(x), self.p):
            raise ValueError(f"expected points of shape (m, {self.d}) and directions of shape (m, {self.p}), got {x.shape} "
                             f"and {e.shape}")
        return self._add(np.hstack([x, e]), value, error)

    def gradient(self, X: Any, values: Any, errors: Any, output: int, input: int, step: float) -> "Functionals":
        """The derivative of an output with respect to an input, both counted from 0, at each row of X."""
        return self._add_all("gradient", (X,), values, errors,
                             lambda x, out: lib.orff_functional_gradient(self.d, self.p, x, output, input, step, out))

    def divergence(self, X: Any, values: Any, errors: Any, step: float) -> "Functionals":
        """The divergence at each row of X."""
        return self._add_all("divergence", (X,), values, errors,
                             lambda x, out: lib.orff_functional_divergence(self.d, self.p, x, step, out))

    def vorticity(self, X: Any, values: Any, errors: Any, step: float) -> "Functionals":
        """The vorticity of a plane field, d f_1 / d x_0 - d f_0 / d x_1, at each row of X."""
        return self._add_all("vorticity", (X,), values, errors,
                             lambda x, out: lib.orff_functional_vorticity(self.d, self.p, x, step, out))

    def circulation(self, A: Any, B: Any, values: Any, errors: Any, nodes: int = 8) -> "Functionals":
        """The integral of <f, dx> from rows of A to rows of B. For a gradient, it is the difference of its potential."""
        return self._add_all("circulation", (A, B), values, errors,
                             lambda a, b, out: lib.orff_functional_circulation(self.d, self.p, a, b, nodes, out))

    def flux(self, A: Any, B: Any, values: Any, errors: Any, nodes: int = 8) -> "Functionals":
        """The integral of f_0 dx_1 - f_1 dx_0 from rows of A to rows of B: for a plane flow (d psi / d x_1, -d psi / d x_0),
        the difference of its stream function psi."""
        return self._add_all("flux", (A, B), values, errors,
                             lambda a, b, out: lib.orff_functional_flux(self.d, self.p, a, b, nodes, out))

    def _add(self, both: Array, value: Any, error: Any) -> "Functionals":
        value, error = float(value), float(error)
        if not len(both) or not np.isfinite(both).all() or not both[:, self.d:].any():
            raise ValueError("a functional needs points, and directions with a length, all of them numbers")
        if not np.isfinite(value) or not (np.isfinite(error) and error > 0):
            raise ValueError(f"a functional has the value {value:g} and the error {error:g}; both are numbers, and the error "
                             "is positive")
        self._points.append(both)
        self._values.append(value)
        self._errors.append(error)
        return self

    def _add_all(self, name: str, ends: tuple, values: Any, errors: Any, make: Callable[..., int]) -> "Functionals":
        rows = [np.atleast_2d(doubles(one)) for one in ends]
        if any(one.shape != (len(rows[0]), self.d) for one in rows):
            raise ValueError(f"{name}: expected points of shape (n, {self.d}), got {' and '.join(str(one.shape) for one in rows)}")
        n = len(rows[0])
        values, errors = (np.broadcast_to(doubles(one), (n,)) for one in (values, errors))
        for i in range(n):
            x = [pointer(np.ascontiguousarray(one[i])) for one in rows]
            count = make(*x, ffi.NULL)
            if not count:
                raise ValueError(f"{name}: a field of {self.p} outputs over {self.d} inputs has none with these arguments")
            both = np.empty((count, self.d + self.p))
            make(*x, pointer(both))
            self._add(both, values[i], errors[i])
        return self

    def structure(self) -> tuple:
        """An orff_functionals, and the memory that it points to."""
        held = {"counts": np.array([len(one) for one in self._points], dtype=np.uintp),
                "points": np.ascontiguousarray(np.vstack(self._points)), "values": np.array(self._values),
                "errors": np.array(self._errors)}
        points = {name: pointer(one) for name, one in held.items()}
        return ffi.new("orff_functionals *", {"n": len(self), **points}), points
