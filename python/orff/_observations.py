"""Measurements that are not whole rows of equal quality: missing outputs, directions, errors, instruments."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
from sklearn.utils import check_array, check_consistent_length

from ._arrays import FINITE, Array, columns, doubles, pointer
from ._functionals import Functionals
from ._library import ffi, header, lib
from ._parameters import Own
from ._settings import Settings

_INSTRUMENTS = header.constants["ORFF_INSTRUMENTS"]
_WHAT = ("use", "drop", "refuse")

MISSING_OUTPUTS = Own("use", '{"use", "drop", "refuse"}', "Rows of a y of two dimensions in which outputs are missing (NaN): "
                      "use what they have, drop them, or refuse them.")


class Rows(NamedTuple):
    """The training data: arrays with one row per measurement, or None; walls, and functionals."""

    X: Array  #: n x d
    Y: Array  #: n x p, NaN where an output is missing; with directions n x 1
    weights: Optional[Array] = None  #: n
    groups: Optional[Array] = None  #: n numbers
    offsets: Optional[Array] = None  #: n numbers
    directions: Optional[Array] = None  #: n x p
    errors: Optional[Array] = None  #: of the shape of Y
    instruments: Optional[Array] = None  #: n numbers, counted from 0
    walls: Optional[Array] = None  #: m x (d + p): points, and normals there
    functionals: Optional[Functionals] = None

    @property
    def outputs(self) -> int:
        """p."""
        return int(self.Y.shape[1] if self.directions is None else self.directions.shape[1])

    @property
    def missing(self) -> Array:
        """A mask of the missing numbers in Y."""
        return np.isnan(self.Y) if self.Y.dtype.kind == "f" else np.zeros(self.Y.shape, dtype=bool)

    @property
    def are_plain(self) -> bool:
        """Whether these are whole rows of equal quality."""
        special = (self.directions, self.errors, self.instruments, self.walls, self.functionals)
        return all(one is None for one in special) and not self.miss_some

    @property
    def miss_some(self) -> bool:
        """Whether a number of Y is missing, found without allocating an array of its size."""
        return bool(self.Y.dtype.kind == "f" and self.Y.size and np.isnan(self.Y.min()))

    def only(self, kept: Array) -> "Rows":
        """The rows of a mask; the object itself if those are all rows."""
        some = self if kept.all() else Rows(*(None if one is None else one[kept] for one in self[:-2]))
        return some._replace(walls=self.walls, functionals=self.functionals)

    def numbers(self) -> list:
        """groups and offsets, in the form that settings point to."""
        return [ffi.NULL if one is None else ffi.from_buffer("uint64_t[]", one) for one in (self.groups, self.offsets)]

    def observations(self) -> tuple:
        """An orff_observations, and the memory that it points to."""
        held = {name: None if one is None else doubles(one) for name, one in self._asdict().items()
                if name not in ("groups", "offsets", "instruments", "functionals")}
        points = {name: pointer(one) for name, one in {**held, "instruments": self.instruments}.items()}
        points["functionals"], more = (ffi.NULL, None) if not self.functionals else self.functionals.structure()
        sizes = {"n": len(self.X), "d": self.X.shape[1], "p": self.outputs,
                 "n_walls": 0 if self.walls is None else len(self.walls)}
        return ffi.new("orff_observations *", {**sizes, **points}), (points, more)


# ---- the arguments of fit


def directions(angles: Any, direction_from: str = "east", direction_sense: str = "away") -> Array:
    """Unit vectors from angles, for `fit(X, y, directions=...)`, as radars and lidars measure.

    Parameters
    ----------
    angles : array-like of shape (n,)
        Degrees.
    direction_from : {"east", "north"}, default="east"
        How angles are measured: from the axis of the first input towards the second (east), or clockwise from the axis of
        the second, as a bearing (north).
    direction_sense : {"away", "toward"}, default="away"
        Whether y is positive when the field points along the direction (away) or against it (toward).

    Returns
    -------
    ndarray of shape (n, 2)

    Examples
    --------
    >>> import orff
    >>> orff.directions([0.0, 90.0], direction_from="north").round(3) + 0.0
    array([[0., 1.],
           [1., 0.]])
    """
    degrees = doubles(angles)
    if degrees.ndim != 1:
        raise ValueError(f"angles has {degrees.ndim} dimensions; expected one angle for each row")
    if not np.isfinite(degrees).all():
        raise ValueError(f"angles: that of row {np.argmin(np.isfinite(degrees))} is not a number")
    north = _one_of("direction_from", direction_from, ("east", "north"))
    toward = _one_of("direction_sense", direction_sense, ("away", "toward"))
    found = np.empty((len(degrees), 2))
    lib.orff_directions(len(degrees), pointer(degrees), bool(north), bool(toward), pointer(found))
    return found


def _one_of(name: str, word: Any, words: tuple) -> int:
    if word not in words:
        raise ValueError(f"{name} is {word!r}; expected {' or '.join(repr(one) for one in words)}")
    return words.index(word)


def make_rows(X: Array, Y: Array, weights: Optional[Array], groups: Any, offsets: Any, along: Any, errors: Any,
              instruments: Any, walls: Any, functionals: Any) -> Rows:
    """Rows from the arguments of fit; X and Y are already checked."""
    along = _directions_of(along, X, Y)
    rows = Rows(X, Y, weights, _group_numbers(groups, X), _group_numbers(offsets, X), along, None, _instrument_numbers(instruments, X))
    return rows._replace(errors=_errors_of(errors, rows), walls=_walls_of(walls, rows),
                         functionals=_functionals_of(functionals, rows))


def measured_rows(X: Array, Y: Any, sample_weight: Any, along: Any, errors: Any) -> Rows:
    """Rows from the arguments of moments; X is already checked."""
    Y = columns(check_array(Y, dtype=np.float64, order="C", ensure_2d=False, **{FINITE: "allow-nan"}))
    check_consistent_length(X, Y, sample_weight)
    weights = None if sample_weight is None else doubles(sample_weight)
    return make_rows(X, Y, weights, None, None, along, errors, None, None, None)


def settings_of_rows(given: dict[str, Any], rows: Rows, names: Any) -> Settings:
    """Settings for rows. The covariance of the outputs is computed from rows that have them all."""
    data = {"X": rows.X, "Y": rows.Y} if rows.are_plain else {}
    return Settings(given, rows.X.shape[1], rows.outputs, names=names, **data)


def _functionals_of(functionals: Any, rows: Rows) -> Optional[Functionals]:
    if functionals is None:
        return None
    if not isinstance(functionals, Functionals):
        raise ValueError(f"functionals: expected an orff.Functionals, got {type(functionals).__name__}")
    if (functionals.d, functionals.p) != (rows.X.shape[1], rows.outputs):
        raise ValueError(f"functionals have {functionals.p} outputs over {functionals.d} inputs, but the rows have "
                         f"{rows.outputs} and {rows.X.shape[1]}")
    return functionals if len(functionals) else None


def _directions_of(along: Any, X: Array, Y: Array) -> Optional[Array]:
    if along is None:
        return None
    along = doubles(along)
    if along.ndim != 2:
        raise ValueError("directions are vectors, one for each row: expected shape (n, p), got "
                         f"{along.shape}; orff.directions(angles) makes them of angles")
    check_consistent_length(X, along)
    if Y.shape[1] != 1:
        raise ValueError(f"with directions, y has one number for each row, the component of the field along them; "
                         f"it has {Y.shape[1]}")
    wrong = ~np.isfinite(along).all(axis=1) | ~along.any(axis=1)
    if wrong.any():
        raise ValueError(f"directions: that of row {np.argmax(wrong)} is {along[np.argmax(wrong)]}; it has no length, or is "
                         "not a vector of numbers")
    return along


def _walls_of(walls: Any, rows: Rows) -> Optional[Array]:
    if walls is None:
        return None
    d, p = rows.X.shape[1], rows.outputs
    try:
        points, normals = (doubles(one) for one in walls)
    except (TypeError, ValueError):
        raise ValueError("walls: expected a pair, (points, normals)") from None
    if points.shape[1:] != (d,) or normals.shape != (len(points), p):
        raise ValueError(f"walls: expected points of shape (m, {d}) and normals of shape (m, {p}), got {points.shape} and "
                         f"{normals.shape}")
    both = np.hstack([points, normals])
    wrong = ~np.isfinite(both).all(axis=1) | ~normals.any(axis=1)
    if wrong.any():
        raise ValueError(f"walls: point {np.argmax(wrong)} or its normal is not a vector of numbers, or the normal has no length")
    return both


def _errors_of(errors: Any, rows: Rows) -> Optional[Array]:
    """Standard deviations, one for each number of Y."""
    if errors is None:
        return None
    given, (n, width) = columns(doubles(errors)) if np.ndim(errors) else None, rows.Y.shape
    if given is None or given.ndim != 2 or given.shape[1] not in (1, width):
        shapes = "(n,)" if width == 1 else f"(n,) or (n, {width})"
        raise ValueError(f"errors has shape {np.shape(errors)}; expected {shapes}: one for each row, or for each number of y")
    check_consistent_length(rows.X, given)
    given = np.ascontiguousarray(np.broadcast_to(given, (n, width)))
    wrong = ~(np.isfinite(given) & (given >= 0.0)) & ~rows.missing
    if wrong.any():
        i, k = np.argwhere(wrong)[0]
        raise ValueError(f"errors: that of output {k} of row {i} is {given[i, k]:g}; it must be a number, and not negative")
    return given


def _group_numbers(groups: Any, X: Array) -> Optional[Array]:
    if groups is None:
        return None
    check_consistent_length(X, groups)
    _, numbers = np.unique(np.asarray(groups), return_inverse=True)
    return np.ascontiguousarray(numbers.reshape(-1), dtype=np.uint64)


def _instrument_numbers(labels: Any, X: Array) -> Optional[Array]:
    """Labels as numbers, in order of first appearance."""
    if labels is None:
        return None
    labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
    check_consistent_length(X, labels)
    met: dict[Any, int] = {}
    try:
        numbers = [met.setdefault(label, len(met)) for label in labels]
    except TypeError:
        raise ValueError("instruments: expected one label for each row, such as a name or a number") from None
    if len(met) > _INSTRUMENTS:
        raise ValueError(f"instruments: there are {len(met)} of them, but at most {_INSTRUMENTS} are possible")
    return np.array(numbers, dtype=np.uint32)


# ---- rows to be left out


def rows_to_learn(rows: Rows, missing_outputs: Any) -> tuple[Rows, str]:
    """Leaves out rows of weight 0, which must not influence even the automatic choices, and rows with missing outputs
    if those are not used; also returns a message about the latter."""
    _one_of("missing_outputs", missing_outputs, _WHAT)
    speak = np.ones(len(rows.X), dtype=bool) if rows.weights is None else rows.weights != 0
    if not speak.any():
        raise ValueError("every sample_weight is zero: there are no rows to learn from")
    rows = rows.only(speak)
    if not rows.miss_some:
        return rows, ""
    missing = rows.missing
    some = missing.any(axis=1)
    if missing_outputs == "refuse":
        first = np.flatnonzero(speak)[np.argmax(some)]
        raise ValueError(f"y: outputs are missing in {some.sum()} of {len(some)} rows, the first of them row {first}; "
                         'missing_outputs="use" learns from what they have, "drop" leaves them out')
    rows = rows.only(~some if missing_outputs == "drop" else ~missing.all(axis=1))
    if not len(rows.X):
        raise ValueError("y: outputs are missing in every row: there are no rows to learn from")
    used, dropped = int(rows.missing.any(axis=1).sum()), len(some) - len(rows.X)
    counts = {"rows with missing outputs, used for the others": used, "rows left out": dropped}
    return rows, "; ".join(f"{what}: {count}" for what, count in counts.items() if count)
