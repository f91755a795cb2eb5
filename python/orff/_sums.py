"""Sums over rows of any kind: they can be added, subtracted, copied, described, saved and pickled."""
from __future__ import annotations

import os
from typing import Any, ClassVar, Optional, TypeVar

import numpy as np
from sklearn.utils import check_array

from . import _notes
from ._arrays import doubles, pointer
from ._arrow import from_arrow
from ._errors import check
from ._library import lib, owner, text
from ._model import file_bytes, from_file_bytes
from ._observations import Rows, measured_rows
from ._progress import run

Self = TypeVar("Self", bound="Sums")


class Sums:
    """What moments of features and of a lattice have in common. `_kind` is the library's type, whose name starts the names
    of its functions; `_own` are the parameters that are not settings."""

    _kind: ClassVar[str]
    _dtypes: ClassVar[Any] = np.float64  # of the inputs
    _own: ClassVar[tuple[str, ...]] = ("verbose", "progress")
    _place: Any = None
    _settings_names: list

    @classmethod
    def _function(cls, verb: str) -> Any:
        return getattr(lib, f"{cls._kind}_{verb}")

    @classmethod
    def _new_place(cls) -> Any:
        return owner(cls._kind, cls._function("free"))

    # ---- the group

    def __iadd__(self: Self, other: Self) -> Self:
        check(self._function("add")(self._handle, other._handle))
        return self

    def __isub__(self: Self, other: Self) -> Self:
        check(self._function("subtract")(self._handle, other._handle))
        return self

    def __add__(self: Self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        result = self.copy()
        result += other
        return result

    def __sub__(self: Self, other: Self) -> Self:
        if not isinstance(other, type(self)):
            return NotImplemented
        result = self.copy()
        result -= other
        return result

    def copy(self: Self) -> Self:
        """An independent copy of the sums.

        Examples
        --------
        >>> import orff
        >>> one = orff.Moments(sigma=1.0, features=10).accumulate([[0.0], [1.0]], [0.0, 1.0])
        >>> one.copy().accumulate([[2.0]], [0.0]).rows, one.rows
        (3, 2)
        """
        result = self._like()
        if result._place is not None:
            result += self
        return result

    __copy__ = copy

    def __deepcopy__(self: Self, memo: Any) -> Self:
        return self.copy()

    def _like(self: Self) -> Self:
        """The same sums without rows. If there were none yet, their frequencies or lattice stay undecided."""
        result = type(self)(**self._parameters())
        if self._place is not None:
            result._place = self._new_place()
            check(self._function("create_like")(result._place, self._handle))
            check(self._function("set_notes")(result._handle, self._function("notes")(self._handle)))
        return result

    # ---- rows

    def accumulate(self: Self, X: Any, Y: Any, sample_weight: Any = None, directions: Any = None,
                   errors: Any = None) -> Self:
        """Add rows.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs; up to three for a lattice.
        Y : array-like of shape (n, p) or (n,)
            Outputs; NaN where one is missing.
        sample_weight : array-like of shape (n,), optional
            Weights of the rows, 0 or more.
        directions : array-like of shape (n, p), optional
            As for `ORFFRegressor.fit`: Y is the component of the field along them.
        errors : array-like of the shape of Y, or of shape (n,), optional
            Positive standard deviations. They are used as they are, up to a common factor, so give them for all rows or for
            none.

        Returns
        -------
        self
            If the call fails, the sums are unchanged.
        """
        X, Y = from_arrow(X), from_arrow(Y, "Y")
        names, outputs = _notes.pandas_names(X), _notes.pandas_names(Y)
        X = check_array(X, dtype=self._dtypes, order="C")
        rows = measured_rows(X, Y, sample_weight, directions, errors)
        if self._place is None:
            self._begin(rows, names, outputs if directions is None else None)
        return self._add_rows(rows)

    def _begin(self, rows: Rows, input_names: Any, output_names: Any) -> None:
        """Choose the frequencies or the lattice from the first rows, and allocate the sums."""
        raise NotImplementedError

    def _begun(self, place: Any, settings: Any, words: dict[str, Any], input_names: Any, output_names: Any) -> None:
        """Use the library's new object; its notes describe the kernel and the columns."""
        notes = _notes.make_notes(settings.inputs, settings.outputs, input_names, output_names, space=settings.space,
                                  kernel={name: words[name] for name in _notes.KERNEL_WORDS})
        check(self._function("set_notes")(place[0], _notes.dump(notes).encode()))
        self._place = place

    def _add_rows(self: Self, rows: Rows) -> Self:
        """Add checked rows."""
        info, d = self._describe(), rows.X.shape[1]
        if (d, rows.outputs) != (info.inputs, info.outputs):
            raise ValueError(f"the rows have {d} inputs and {rows.outputs} outputs, the moments {info.inputs} and {info.outputs}")
        how = {"verbose": self.verbose, "progress": self.progress}
        if rows.are_plain:
            X, Y = doubles(rows.X), doubles(rows.Y)
            run(self._function("accumulate"), self._handle, len(X), pointer(X), pointer(Y), pointer(rows.weights), **how)
        else:
            observations, held = rows.observations()
            run(self._function("accumulate_observations"), self._handle, observations, **how)
            del held
        return self

    # ---- what they hold

    @property
    def _handle(self) -> Any:
        """The library's object."""
        if self._place is None:
            raise ValueError("these moments have no rows yet: call accumulate first")
        return self._place[0]

    def _describe(self) -> Any:
        """The library's description."""
        return self._function("describe")(self._handle)

    @property
    def rows(self) -> int:
        """Number of rows accumulated, minus those subtracted."""
        return int(self._describe().rows) if self._place is not None else 0

    @property
    def weight(self) -> float:
        """Sum of the weights of the rows."""
        return float(self._describe().weight) if self._place is not None else 0.0

    @property
    def notes(self) -> dict:
        """The notes in the moments' file: names of columns, the kernel."""
        return self._parse_notes("the moments")

    def _parse_notes(self, where: str) -> dict:
        info = self._describe()
        words = text(self._function("notes")(self._handle))
        return _notes.parse(words, int(info.inputs), int(info.outputs), where=where)

    # ---- files

    def save(self, path: Any) -> None:
        """Write a moments file, in the format of `orff moments`."""
        run(self._function("save"), self._handle, os.fsencode(path))

    @classmethod
    def load(cls: type[Self], path: Any) -> Self:
        """Read a file of moments.

        Examples
        --------
        >>> import orff, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "day.moments")
        >>> orff.Moments(sigma=1.0, features=10).accumulate([[0.0], [1.0]], [0.0, 1.0]).save(path)
        >>> orff.Moments.load(path).rows
        2
        """
        result = cls()
        result._place = cls._new_place()
        run(cls._function("load"), result._place, os.fsencode(path))
        notes = result._parse_notes(os.fspath(path))
        result._follow(result._describe())
        for name in _notes.KERNEL_WORDS if "kernel" in notes else ():
            setattr(result, name, notes["kernel"][name])
        result.covariates, result.shape = notes.get("covariates") or None, None
        return result

    def _follow(self, info: Any) -> None:
        """Set the parameters given by a description."""
        self.folds = max(1, int(info.folds))

    def _parameters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in [*self._settings_names, *self._own]}

    def __reduce__(self) -> tuple:
        data = None if self._place is None else file_bytes(self.save)
        return _restore, (type(self), self._parameters(), data)


def _restore(kind: type[Self], parameters: dict[str, Any], data: Optional[bytes]) -> Self:
    result = kind(**parameters)
    if data is not None:
        result._place = from_file_bytes(data, kind.load)._place
    return result
