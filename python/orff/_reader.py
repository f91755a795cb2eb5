"""Rows for the library block by block, converted one block at a time, without a copy of the whole."""
from __future__ import annotations

from typing import Any, Optional

from ._arrays import Array, view
from ._library import ffi
from ._progress import keep_trouble


class RowReader:
    """An orff_reader over arrays of any type and layout.

    The library makes automatic choices from the first rows of a reader. To make these representative, rows are
    returned in strides: 0, s, 2s, .., then 1, s + 1, .., such that the first stride has about `head` rows.
    """

    def __init__(self, X: Array, Y: Array, weights: Optional[Array], head: int) -> None:
        self.X, self.Y, self.weights = X, Y, weights
        self.stride = max(1, -(-len(X) // head))
        self.offset = self.at = 0
        self._handle = ffi.new_handle(self)
        self.c = ffi.new("orff_reader *", {
            "read": _read, "self": self._handle, "weighted": weights is not None})

    def read(self, room: int, X: Any, Y: Any, weights: Any, rows: Any) -> int:
        if self.at >= len(self.X) and self.offset + 1 < self.stride:
            self.offset += 1
            self.at = self.offset
        some = slice(self.at, min(len(self.X), self.at + room * self.stride), self.stride)
        count = len(range(*some.indices(len(self.X))))
        rows[0] = count
        if count:
            view(X, count, self.X.shape[1])[:] = self.X[some]
            view(Y, count, self.Y.shape[1])[:] = self.Y[some]
            if weights != ffi.NULL:
                view(weights, count)[:] = self.weights[some]
            self.at += count * self.stride
        return 0


@ffi.callback("int(void *, size_t, double *, double *, double *, size_t *)", error=1, onerror=keep_trouble)
def _read(self: Any, room: int, X: Any, Y: Any, weights: Any, rows: Any) -> int:
    return ffi.from_handle(self).read(room, X, Y, weights, rows)
