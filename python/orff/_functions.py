"""The kernel itself, and files of models."""
from __future__ import annotations

import os
import re
from typing import Any, Optional

import numpy as np

from . import _notes
from ._arrays import Array, doubles, pointer
from ._classifier import ORFFClassifier
from ._errors import OrffError, check
from ._estimator import ModelEstimator
from ._exact import OVKRegressor
from ._geo import crs_of
from ._kernel import count_outputs, multipliers, part_texts, parts_of_model
from ._library import ffi, lib
from ._model import Model
from ._lattice_moments import LatticeMoments
from ._moments import Moments
from ._parameters import FEATURES, KERNEL, Own, accepts
from ._regressor import ORFFRegressor
from ._stack import ORFFStack
from ._series import estimator_of_series, is_series
from ._settings import TABLE, Settings, name_of, read_options, whole
from ._transformer import DrawnFeatures

SCALE = Own(1.0, 'float or "S|S1,..,Sd"', "Length scale; commas or a sequence give one for each input, + one for each part.")


@accepts(KERNEL | FEATURES, sigma=SCALE, features=Own(None, "int", "With a number: the approximation by so many frequencies."))
def kernel(x: Any, z: Any = None, *, outputs: Optional[int] = None, **given: Any) -> Array:
    """K(x, z), exactly or by random features.

    Parameters
    ----------
    x : array-like of shape (d,) or (n, d)
        A point or points.
    z : array-like of shape (d,) or (m, d), optional
        A point or points; by default x.
    outputs : int, optional
        Number of outputs p. The default is the number of inputs in the field's space for fields, otherwise the size of
        output_matrix, or 1.
    {parameters}

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
    chosen = given_settings(given, X.shape[1], outputs)
    exact = given["features"] is None and given["frequencies"] is None
    G = _exact_gram(chosen, X, Z) if exact else _approximate(given, chosen.outputs, X, Z)
    return G[0, 0] if one and len(Z) == 1 else G


def given_settings(given: dict[str, Any], inputs: int, outputs: Optional[int]) -> Settings:
    """Settings without automatic choices, because there are no rows."""
    p = count_outputs(given, inputs) if outputs is None else whole("outputs", outputs, 1, 65536)
    return Settings(given, inputs, p, fixed=True)


def _exact_gram(chosen: Settings, X: Array, Z: Array) -> Array:
    made, n, m, p = chosen.kernel(), len(X), len(Z), chosen.outputs
    G = np.empty((n, p, m, p))
    check(lib.orff_kernel_gram(made[0], n, pointer(X), m, pointer(Z), pointer(G)))
    return np.ascontiguousarray(G.transpose(0, 2, 1, 3))


def _approximate(given: dict[str, Any], outputs: int, X: Array, Z: Array) -> Array:
    both = np.vstack([X, Z])
    extent = np.maximum(both.max(axis=0) - both.min(axis=0), 1e-6)
    return DrawnFeatures(given, X.shape[1], outputs, extent).gram(X, Z)


@accepts(0)
def loss(name: str, f: Any, y: Any, parameter: float = 1.0, gradient: bool = False) -> Any:
    """The loss of predictions.

    Parameters
    ----------
    name : str
        One of the names that the parameter `loss` of the estimators takes.
    f, y : array-like of shape (n, p) or (p,)
        Predictions and true values. For losses of classes, y contains simplex codes.
    parameter : float, default=1.0
        The parameter `loss_parameter` of the estimators.
    gradient : bool, default=False
        Also return the gradient with respect to f.

    Returns
    -------
    value : ndarray of shape (n,), or float
        One loss for each row.
    gradient : ndarray of the shape of f
        Only with gradient=True.

    Examples
    --------
    >>> import orff
    >>> orff.loss("huber", [[0.0, 3.0], [0.1, 0.0]], [[0.0, 0.0], [0.0, 0.0]], 1.0)
    array([2.5  , 0.005])
    """
    kind = ffi.new("orff_loss *")
    check(lib.orff_loss_parse(str(name).encode(), kind))
    f, y = np.broadcast_arrays(doubles(f), doubles(y))
    F, Y = (doubles(np.atleast_2d(one)) for one in (f, y))
    values, slopes = np.empty(len(F)), np.empty(F.shape)
    for i in range(len(F)):
        check(lib.orff_loss_evaluate(kind[0], float(parameter), F.shape[1], pointer(F[i]), pointer(Y[i]),
                                     pointer(values[i:]), pointer(slopes[i])))
    value = values if f.ndim > 1 else float(values[0])
    return (value, slopes.reshape(f.shape)) if gradient else value


# ---- files


def save(estimator: Any, path: Any, compact: bool = False) -> None:
    """Write the model of a fitted estimator, or moments, to a file.

    The program `orff` and the C library read the same files. Their predictions are the same to the last bit.

    Parameters
    ----------
    estimator : fitted estimator, Moments or LatticeMoments
        What to write.
    path : path-like
        The file is written completely or not at all.
    compact : bool, default=False
        For models: leave the frequencies out of the file. They are drawn again when it is loaded.

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
    if isinstance(estimator, (Moments, LatticeMoments)):
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
    ORFFRegressor, ORFFClassifier, OVKRegressor, ORFFVAR, Moments or LatticeMoments
        A model is returned fitted. If Python made it, it has the parameters that it was fitted with. If the program or C
        made it, it has the values that were found, and none is automatic.
    """
    if not os.path.exists(path):
        raise FileNotFoundError(f"{os.fspath(path)}: there is no such file")
    if lib.orff_lattice_moments_is_file(os.fsencode(path)):
        return LatticeMoments.load(path)
    try:
        model = Model.load(path)
    except OrffError as trouble:
        try:
            return Moments.load(path)
        except OrffError:
            raise trouble from None
    return estimator_of(model, os.fspath(path))


def estimator_of(model: Model, where: str = "the model") -> ModelEstimator:
    """The estimator for a model, with its parameters taken from the model."""
    notes = _notes.parse(model.notes, model.inputs, 1 if model.classes else model.outputs, model.classes, where)
    about = notes.get("python", {})
    given = _given(model, notes, where)
    if is_series(model):
        return estimator_of_series(model, given, _notes.names(notes, "outputs", model.outputs))
    cls = _class_of(model, about)
    estimator = cls(**{name: value for name, value in given.items() if name in cls._settings_names})
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
    elif _label_type(about):
        estimator.multilabel_, estimator.classes_ = True, np.arange(model.outputs)
        estimator._label_type = _label_type(about)
    else:
        estimator._flat = bool(about.get("flat", False))
        estimator.missing_outputs = about.get("missing_outputs", estimator.missing_outputs)
        estimator._output_names = _notes.names(notes, "outputs", model.outputs)
        if model.describe().on_plane:
            estimator.geo = name_of("geo", lib.ORFF_GEO_LONLAT)
            estimator.crs = crs_of(model.describe())
    return estimator


def _label_type(about: dict) -> Optional[str]:
    """The dtype of a matrix of labels; None if there is no meaningful one."""
    kind = about.get("multilabel")
    return kind if isinstance(kind, str) and re.fullmatch(r"[<>=|][biuf][0-9]{1,2}", kind) else None


def _class_of(model: Model, about: dict) -> type:
    if model.classes or _label_type(about):
        return ORFFClassifier
    exact = model.describe().engine == lib.ORFF_ENGINE_EXACT and about.get("class") != ORFFRegressor.__name__
    if model.describe().engine == lib.ORFF_ENGINE_STACK and about.get("class") == ORFFStack.__name__:
        return ORFFStack
    return OVKRegressor if exact else ORFFRegressor


def _given(model: Model, notes: dict, where: str) -> dict[str, Any]:
    """The parameters that the model was fitted with; if its file lacks them, its description."""
    if "settings" not in notes:
        return _described(model, notes)
    try:
        return read_options(notes["settings"])
    except ValueError as trouble:
        raise OrffError(f'{where}: its notes are damaged: "settings": {trouble}', "FORMAT") from None


def _described(model: Model, notes: dict) -> dict[str, Any]:
    """Parameters that repeat the fit, as far as the model records them."""
    info, parts = model.describe(), parts_of_model(model._handle)
    given = {
        **part_texts(parts, model.inputs),
        "weight": multipliers(parts, model.inputs, model.outputs),
        "lambda_": float(getattr(info, "lambda")),
        "scale_inputs": False,
        "covariates": notes.get("covariates") or None,
        "loss": notes.get("python", {}).get("loss", TABLE["loss"].default),
    }
    if info.engine == lib.ORFF_ENGINE_EXACT:
        return {**given, "engine": name_of("engine", info.engine)}
    return {**given, "features": int(info.frequencies), "sampling": name_of("scheme", info.scheme),
            "seed": int(info.seed), "precision": TABLE["precision"].names[bool(info.single)]}


def _classes(count: int, labels: Optional[list], kind: Optional[str]) -> Array:
    """The classes as they were in Python; strings if from the program; numbers if they have no names."""
    if not labels or len(labels) != count:
        return np.arange(count)
    if kind is None or kind.startswith("|O"):
        return np.array(labels, dtype=object if kind else None)
    if not re.fullmatch(r"[<>=|][A-Za-z][0-9]{0,5}(\[[0-9A-Za-z]+\])?", kind):  # longer ones would allocate all memory
        raise ValueError(f"{kind:.40} is no type of labels")
    if np.dtype(kind) == bool:
        return np.array([label == "True" for label in labels])
    return np.array(labels).astype(kind)
