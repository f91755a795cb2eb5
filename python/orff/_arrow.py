"""Arrow tables: polars, pyarrow, DuckDB and anything else with the Arrow C stream or __dataframe__."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from ._arrays import Array

_PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")


class Table(np.ndarray):
    """An n x d array with named columns."""

    columns: list

    @classmethod
    def of(cls, array: Array, names: Sequence[str]) -> "Table":
        """Gives names to an array, without a copy."""
        table = array.view(cls)
        table.columns = [str(name) for name in names]
        return table


def is_foreign(data: Any) -> bool:
    """Whether it is a table or a column that NumPy and scikit-learn cannot read, or not with its names."""
    known = isinstance(data, np.ndarray) or hasattr(data, "iloc")  # scikit-learn reads pandas itself
    return not known and any(hasattr(data, name) for name in _PROTOCOLS)


def from_arrow(data: Any, what: str = "X", numbers: bool = True) -> Any:
    """Returns anything but Arrow data unchanged. A table becomes an n x d array with names, a single column without a
    name an array of n values; null becomes NaN. With `numbers` False, columns may contain anything: labels."""
    if not is_foreign(data):
        return data
    try:
        import pyarrow
    except ImportError:
        if hasattr(data, "__array__"):
            return data  # NumPy can read it, but perhaps not its names
        raise ImportError(f"{what} is a {type(data).__name__} in Arrow format; reading it needs the package "
                          "pyarrow, which is not installed: pip install pyarrow, or give a NumPy array") from None
    table = _read(pyarrow, data)
    if isinstance(table, pyarrow.ChunkedArray):
        return _column(pyarrow, table, what, numbers)
    parts = [_column(pyarrow, table.column(i), f"{what}: column {name!r}", numbers)
             for i, name in enumerate(table.column_names)]
    if not numbers:
        return parts[0] if len(parts) == 1 else np.stack(parts, axis=1)
    return Table.of(_beside(parts, table.num_rows), table.column_names)


def _read(pyarrow: Any, data: Any) -> Any:
    """A pyarrow.Table, or a ChunkedArray for a single column, without copying numbers."""
    if isinstance(data, (pyarrow.Table, pyarrow.ChunkedArray)):
        return data
    if isinstance(data, pyarrow.Array):
        return pyarrow.chunked_array([data])
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        from pyarrow.interchange import from_dataframe

        return from_dataframe(data)
    if len(getattr(data, "shape", (0, 0))) == 1:
        return pyarrow.chunked_array(data)
    return pyarrow.table(data)


def _column(pyarrow: Any, column: Any, what: str, numbers: bool) -> Array:
    """One column; a view if it is a single block of numbers without nulls."""
    kinds = pyarrow.types
    if not numbers:
        return column.to_numpy()
    if not any(is_kind(column.type) for is_kind in (kinds.is_floating, kinds.is_integer, kinds.is_boolean, kinds.is_decimal,
                                                    kinds.is_null)):
        raise ValueError(f"{what} contains {column.type}; expected numbers")
    if column.null_count or not (kinds.is_floating(column.type) or kinds.is_integer(column.type)):
        column = column.cast(pyarrow.float64())
    chunks = [chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks if len(chunk)]
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks or [np.empty(0)])


def _beside(parts: list, rows: int) -> Array:
    """Columns as a row-major array, as the library reads it. A single column is not copied, others are copied once."""
    if len(parts) == 1:
        return parts[0].reshape(-1, 1)
    single = bool(parts) and all(part.dtype == np.float32 for part in parts)
    X = np.empty((rows, len(parts)), dtype=np.float32 if single else np.float64)
    for i, part in enumerate(parts):
        X[:, i] = part
    return X
