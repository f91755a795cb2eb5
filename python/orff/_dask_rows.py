"""Rows distributed over dask chunks: arrays, data frames and xarray's arrays as lists of matching blocks."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

try:
    import dask
    import dask.array as da
except ImportError as missing:
    raise ImportError("orff.dask needs the package dask, which is not installed: install dask and distributed from PyPI, or "
                      "Debian's python3-dask and python3-distributed") from missing

from . import _notes
from ._arrays import Array, columns


class Table(NamedTuple):
    """One of X, Y and the weights."""

    blocks: list  # delayed, in the order of the rows
    counts: Optional[tuple]  # rows of each block; None if unknown before the blocks are computed
    width: Optional[int]  # columns; None for one dimension
    dtype: Any
    names: Optional[Sequence[str]]


class Rows(NamedTuple):
    """Blocks of X, Y and weights with the same rows."""

    X: Table
    Y: Table
    weights: Optional[Table]

    @property
    def inputs(self) -> int:
        """d."""
        return int(self.X.width or 0)

    @property
    def outputs(self) -> int:
        """p."""
        return 1 if self.Y.width is None else int(self.Y.width)

    @property
    def blocks(self) -> list:
        """(X, Y, weights) of each block."""
        weights = [None] * len(self.X.blocks) if self.weights is None else self.weights.blocks
        return list(zip(self.X.blocks, self.Y.blocks, weights))

    def none(self) -> tuple[Array, Array, None]:
        """An array without rows, with the columns and type of this one."""
        return np.empty((0, self.inputs), dtype=self.X.dtype), np.empty((0, self.outputs)), None


def is_spread(values: Any) -> bool:
    """Whether these are dask collections, or xarray arrays that contain them."""
    return bool(dask.is_dask_collection(values))


def is_frame(values: Any) -> bool:
    """Whether these are a dask data frame or series."""
    return is_spread(values) and hasattr(values, "npartitions") and hasattr(values, "to_dask_array")


def as_dask_array(values: Any) -> Any:
    """Anything but a data frame as a dask array; for an xarray array, its content."""
    if type(values).__module__.partition(".")[0] == "xarray":
        if not hasattr(values, "dims") or not hasattr(values, "data"):
            raise ValueError("of an xarray Dataset, choose columns of rows first: dataset.to_dask_dataframe()[[names]]")
        values = values.data
    if isinstance(values, da.Array):
        return values
    values = np.asarray(values)
    return da.from_array(values, chunks=("auto", *values.shape[1:]))


def whole_columns(array: Any) -> Any:
    """Rechunks so that all columns of a row are in one chunk."""
    return array if array.ndim == 1 or len(array.chunks[1]) == 1 else array.rechunk({1: -1})


def _of_frame(frame: Any) -> Table:
    """Does not optimise the graph here, so that a file that X and Y share is read only once."""
    meta = frame._meta
    flat = meta.ndim == 1
    dtype = np.result_type(meta.dtype) if flat else np.result_type(*meta.dtypes)
    return Table(list(frame.to_delayed(optimize_graph=False)), None, None if flat else len(meta.columns), dtype,
                 _notes.pandas_names(meta))


def _of_array(array: Any, names: Optional[Sequence[str]], chunks: Optional[tuple]) -> Table:
    array = whole_columns(array)
    known = not np.isnan(array.shape[0])
    if known and chunks is not None and sum(chunks) == array.shape[0]:
        array = array.rechunk({0: chunks})
    blocks = array.to_delayed(optimize_graph=False).reshape(-1)
    return Table(list(blocks), array.chunks[0] if known else None, array.shape[1] if array.ndim == 2 else None,
                 array.dtype, names)


def _table(values: Any, what: str, dimensions: tuple, chunks: Optional[tuple] = None) -> Table:
    if is_frame(values):
        table, count = _of_frame(values), values._meta.ndim
    else:
        names = None if is_spread(values) else _notes.pandas_names(values)
        array = as_dask_array(values)
        if array.ndim not in dimensions:
            count = array.ndim
        else:
            return _of_array(array, names, chunks)
    if count not in dimensions:
        raise ValueError(f"{what} has {count} dimensions; expected {' or '.join(map(str, dimensions))}")
    return table


def _check_side_by_side(X: Table, other: Table, what: str) -> None:
    if X.counts is not None and other.counts is not None and sum(X.counts) != sum(other.counts):
        raise ValueError(f"X has {sum(X.counts)} rows and {what} {sum(other.counts)}")
    if len(X.blocks) != len(other.blocks):
        raise ValueError(f"X has {len(X.blocks)} chunks of rows and {what} {len(other.blocks)}, of unknown sizes: take both from "
                         "the same table, or call compute_chunk_sizes() of the arrays")


def rows_of(X: Any, Y: Any, sample_weight: Any = None) -> Rows:
    """Rows in blocks. If sizes are known, Y and the weights are divided like X."""
    inputs = _table(X, "X", (2,))
    outputs = _table(Y, "y", (1, 2), inputs.counts)
    weights = None if sample_weight is None else _table(sample_weight, "sample_weight", (1,), inputs.counts)
    _check_side_by_side(inputs, outputs, "y")
    if weights is not None:
        _check_side_by_side(inputs, weights, "sample_weight")
    return Rows(inputs, outputs, weights)


# ---- properties of all rows, needed before the first is added


def _count(X: Any) -> int:
    return len(X)


def _range(X: Any) -> Optional[Array]:
    """The smallest and the largest of each input (2 x d)."""
    X = np.asarray(X, dtype=np.float64)
    return np.array([X.min(axis=0), X.max(axis=0)]) if len(X) else None


def _some(X: Any, Y: Any, weights: Any, first: int, step: int) -> tuple:
    def cut(values: Any) -> Array:
        return np.asarray(values)[first::step]

    return cut(X), cut(Y), None if weights is None else cut(weights)


def ranges(rows: Rows) -> list[tuple[float, float]]:
    """The range of each input over all rows."""
    found = [one for one in dask.compute(*map(dask.delayed(_range), rows.X.blocks)) if one is not None]
    if not found:
        raise ValueError("there are no rows")
    low, high = np.min([one[0] for one in found], axis=0), np.max([one[1] for one in found], axis=0)
    return list(zip(low.tolist(), high.tolist()))


def sample(rows: Rows, most: int) -> tuple[Array, Array, Optional[Array]]:
    """Every k-th of all rows, as if they were in one array: X, Y, weights."""
    counts = rows.X.counts or dask.compute(*map(dask.delayed(_count), rows.X.blocks))
    step = max(1, -(-sum(counts) // most))
    starts = np.cumsum([0, *counts[:-1]])
    taken = [dask.delayed(_some)(*block, int(-start % step), step) for block, start in zip(rows.blocks, starts)]
    X, Y, weights = zip(*dask.compute(*taken))
    return (np.concatenate(X), columns(np.concatenate(Y)).astype(np.float64),
            None if rows.weights is None else np.concatenate(weights).astype(np.float64))
