"""NumPy arrays as pointers for the library."""
from __future__ import annotations

from inspect import signature
from typing import Any, Optional

import numpy as np
from sklearn.utils import check_array

from ._errors import check
from ._library import ffi, lib

Array = np.ndarray
FINITE = next(name for name in ("ensure_all_finite", "force_all_finite") if name in signature(check_array).parameters)


def pointer(array: Optional[Array]) -> Any:
    """A pointer to the numbers of a C-contiguous array, which the pointer keeps alive; NULL for None. Nothing is copied."""
    if array is None:
        return ffi.NULL
    kind = {"d": "double[]", "f": "float[]", "Q": "size_t[]", "L": "size_t[]", "I": "uint32_t[]"}[array.dtype.char]
    if not array.flags.c_contiguous:
        raise ValueError("an array on its way to the library must be C-contiguous")
    return ffi.from_buffer(kind, array)


def doubles(array: Any) -> Array:
    """As C-contiguous float64; copied only if it is not that already."""
    return np.ascontiguousarray(array, dtype=np.float64)


def view(pointer: Any, *shape: int) -> Array:
    """Memory of the library as an array, without a copy."""
    size = int(np.prod(shape))
    return np.frombuffer(ffi.buffer(pointer, size * 8), dtype=np.float64, count=size).reshape(shape)


def copied(pointer: Any, count: int) -> Array:
    """A copy of numbers of the library."""
    return view(pointer, count).copy()


def columns(Y: Array) -> Array:
    """Turns (n,) into (n, 1)."""
    return Y.reshape(len(Y), -1)


def simplex_codes(classes: int) -> Array:
    """The codes of the classes: classes x (classes - 1)."""
    codes = np.empty((classes, classes - 1))
    check(lib.orff_simplex_codes(classes, pointer(codes)))
    return codes
