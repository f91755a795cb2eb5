"""The kernel itself, and files of models."""
from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import Any, Optional, Sequence

import numpy as np

from . import _notes
from ._arrays import Array, doubles, pointer
from ._classifier import ORFFClassifier
from ._errors import OrffError, check
from ._estimator import ModelEstimator
from ._exact import OVKRegressor
from ._geo import Plane
from ._kernel import PHYSICAL, Kernel, output_matrix as matrix_of, parse_kernel
from ._library import lib, text
from ._model import Model
from ._moments import Moments
from ._regressor import ORFFRegressor
from ._settings import whole
from ._transformer import DrawnFeatures


def kernel(
    x: Any,
    z: Any = None,
    *,
    kernel: str = "decomposable",
    base: str = "gaussian",
    sigma: Any = 1.0,
    weight: Any = 1.0,
    mix: float = 0.5,
    output_matrix: Any = "identity",
    outputs: Optional[int] = None,
    covariates: Optional[Sequence] = None,
    features: Optional[int] = None,
    sampling: str = "auto",
    seed: int = 0,
) -> Array:
    """K(x, z), exactly or by random features.

    Parameters
    ----------
    x : array-like of shape (d,) or (n, d)
        A point or points.
    z : array-like of shape (d,) or (m, d), optional
        A point or points; by default x.
    kernel, base, sigma, weight, mix, output_matrix, covariates
        See `ORFFRegressor`; sigma must be given as numbers.
    outputs : int, optional
        p. By default the number of inputs in the field's space for physical kernels, else the size of output_matrix,
        else 1.
    features : int, optional
        With a number: the approximation by so many frequencies.
    sampling, seed
        How these are chosen.

    Returns
    -------
    ndarray of shape (p, p), or (n, m, p, p) for several points

    Examples
    --------
    >>> import numpy as np, orff
    >>> orff.kernel([0.0, 0.0], [0.0, 0.0], kernel="curl-free", sigma=0.5)
    array([[4., 0.],
           [0., 4.]])
    >>> orff.kernel(np.zeros((3, 2)), np.ones((4, 2)), sigma=1.0).shape
    (3, 4, 1, 1)
    """
    one = np.ndim(x) == 1
    X = np.atleast_2d(doubles(x))
    Z = X if z is None else np.atleast_2d(doubles(z))
    if X.ndim != 2 or Z.ndim != 2 or X.shape[1] != Z.shape[1]:
        raise ValueError(f"x has shape {np.shape(x)} and z {np.shape(z)}; expected points of as many inputs")
    p = count_outputs(X.shape[1], kernel, outputs, output_matrix, covariates)
    chosen = parse_kernel(X.shape[1], p, kernel, base, sigma, weight, mix, covariates)
    chosen.matrix = matrix_of(output_matrix, None, p)
    refuse_automatic(chosen)
    G = _exact_gram(chosen, X, Z) if features is None else _approximate(chosen, X, Z, features, sampling, seed)
    return G[0, 0] if one and len(Z) == 1 else G


def refuse_automatic(chosen: Kernel) -> None:
    automatic = chosen.automatic or chosen.auto_sigma or chosen.mixture or chosen.auto_mix
    if automatic or any(isinstance(part.sigma, str) for part in chosen.parts):
        raise ValueError("there are no data here: kernel, sigma, weight and mix must be given, not automatic")


def count_outputs(inputs: int, name: str, outputs: Optional[int], A: Any, covariates: Optional[Sequence]) -> int:
    if outputs is not None:
        return whole("outputs", outputs, 1, 65536)
    if any(rule in name for rule in PHYSICAL):
        return inputs - (0 if covariates is None else len(covariates))
    if A is None or isinstance(A, str):
        return 1
    return len(A[1]) if isinstance(A, tuple) else len(A)


def _exact_gram(chosen: Kernel, X: Array, Z: Array) -> Array:
    made, n, m, p = chosen.create(), len(X), len(Z), chosen.outputs
    G = np.empty((n, p, m, p))
    check(lib.orff_kernel_gram(made[0], n, pointer(X), m, pointer(Z), pointer(G)))
    return np.ascontiguousarray(G.transpose(0, 2, 1, 3))


def _approximate(chosen: Kernel, X: Array, Z: Array, features: int, scheme: str, seed: int) -> Array:
    both = np.vstack([X, Z])
    extent = np.maximum(both.max(axis=0) - both.min(axis=0), 1e-6)
    drawn = DrawnFeatures.draw(chosen, scheme, whole("features", features, 1, 1 << 24), seed, extent)
    return drawn.gram(X, Z)


# ---- files


def save(estimator: Any, path: Any, compact: bool = False) -> None:
    """Write the model of a fitted estimator, or moments, to a file.

    The program `orff` and C read the same files; predictions are the same to the last bit.

    Parameters
    ----------
    estimator : fitted estimator or Moments
        What to write.
    path : path-like
        It appears whole or not at all.
    compact : bool, default=False
        Models: leave the frequencies out; they are drawn again when loading.

    Examples
    --------
    >>> import numpy as np, orff, os, tempfile
    >>> X = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    >>> model = orff.ORFFRegressor(sigma=1.0, lambda_=1e-3).fit(X, X)
    >>> path = os.path.join(tempfile.mkdtemp(), "model.orff")
    >>> orff.save(model, path)
    >>> bool(np.all(orff.load(path).predict(X) == model.predict(X)))
    True
    """
    if isinstance(estimator, Moments):
        estimator.save(path)
    else:
        estimator.save(path, compact)


def load(path: Any) -> Any:
    """Read a model or moments from a file that Python, the program `orff` or C wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    ORFFRegressor, ORFFClassifier, OVKRegressor or Moments
        A model is fitted; its parameters are those that were used, none automatic.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"{os.fspath(path)}: there is no such file")
    try:
        model = Model.load(path)
    except OrffError as trouble:
        try:
            return Moments.load(path)
        except OrffError:
            raise trouble from None
    return estimator_of(model, os.fspath(path))


def estimator_of(model: Model, where: str = "the model") -> ModelEstimator:
    """The estimator around a model, its parameters as the model tells them."""
    notes = _notes.parse(model.notes, model.inputs, 1 if model.classes else model.outputs, model.classes, where)
    about = notes.get("python", {})
    estimator = _class_of(model)(**_parameters(model, notes))
    if not isinstance(estimator, OVKRegressor):
        estimator.loss = about.get("loss", "squared")
    estimator._model = model
    estimator.n_features_in_ = model.inputs
    names = _notes.names(notes, "inputs", model.inputs)
    if names is not None:
        estimator.feature_names_in_ = names
    if model.classes:
        try:
            estimator.classes_ = _classes(model.classes, notes.get("labels"), about.get("labels"))
        except (TypeError, ValueError, OverflowError) as trouble:
            raise OrffError(f'{where}: its notes are damaged: "labels" are not "python.labels": {trouble}',
                            "FORMAT") from None
    else:
        estimator._flat = bool(about.get("flat", False))
        estimator._output_names = _notes.names(notes, "outputs", model.outputs)
        _restore_plane(estimator, notes)
    return estimator


def _restore_plane(estimator: Any, notes: dict) -> None:
    if "geo" not in notes:
        return
    covariates = notes.get("covariates", [])
    first, second = [i for i in range(estimator.n_features_in_) if i not in covariates][:2]
    estimator.geo = "lonlat"
    estimator._plane = Plane(notes["geo"]["lon"], notes["geo"]["lat"], (first, second))


def _class_of(model: Model) -> type:
    if model.classes:
        return ORFFClassifier
    return OVKRegressor if model.describe().engine == lib.ORFF_ENGINE_EXACT else ORFFRegressor


def _parameters(model: Model, notes: dict) -> dict[str, Any]:
    info, parts = model.describe(), model.parts()
    parameters = {
        "kernel": "+".join(part.rule for part in parts),
        "base": "+".join(part.base for part in parts),
        "sigma": [part.sigma.tolist() for part in parts],
        "weight": _multipliers(model, parts, notes.get("covariates", [])),
        "mix": next((part.mix for part in parts if part.rule == "helmholtz"), 0.5),
        "lambda_": float(getattr(info, "lambda")),
        "scale_inputs": False,
        "covariates": notes.get("covariates") or None,
    }
    if info.engine == lib.ORFF_ENGINE_EXACT:
        return {**parameters, "solver": "exact"} if model.classes else parameters
    return {
        **parameters,
        "features": int(info.frequencies),
        "sampling": text(lib.orff_scheme_name(info.scheme)),
        "seed": int(info.seed),
        "precision": "single" if info.single else "double",
    }


def _multipliers(model: Model, parts: list, covariates: list) -> list[float]:
    """The parameter weight: of a sum, in units of parts whose K(0) has trace p."""
    if len(parts) == 1:
        return [parts[0].weight]
    x = np.zeros((1, model.inputs))
    space = np.array([i for i in range(model.inputs) if i not in covariates])
    alone = [Kernel(model.inputs, model.outputs, [replace(part, weight=1.0)],
                    space=space if part.rule in PHYSICAL else None) for part in parts]
    sizes = [np.trace(_exact_gram(kernel, x, x)[0, 0]) / model.outputs for kernel in alone]
    return [part.weight * size for part, size in zip(parts, sizes)]


def _classes(count: int, labels: Optional[list], kind: Optional[str]) -> Array:
    """As they were in Python; strings from the program; numbers where there are no names."""
    if not labels or len(labels) != count:
        return np.arange(count)
    if kind is None or kind.startswith("|O"):
        return np.array(labels, dtype=object if kind else None)
    if not re.fullmatch(r"[<>=|][A-Za-z][0-9]{0,5}(\[[0-9A-Za-z]+\])?", kind):  # longer ones ask for all memory
        raise ValueError(f"{kind:.40} is no type of labels")
    if np.dtype(kind) == bool:
        return np.array([label == "True" for label in labels])
    return np.array(labels).astype(kind)
