"""Learning from rows on many machines with dask: moments are computed where the chunks are, added in pairs, and solved here.

Import it explicitly: `import orff.dask`. dask decides which machines, processes or threads do the work: through a
`distributed.Client` created before, or `dask.config.set(scheduler=...)`.
"""
from __future__ import annotations

import functools
import zlib
from typing import Any, Optional, Union

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.metaestimators import available_if

from ._dask_rows import Rows, as_dask_array, da, dask, is_frame, is_spread, ranges, rows_of, sample, whole_columns
from ._arrays import Array
from ._errors import OrffError
from ._estimator import FLOATS
from ._lattice_moments import _EXTENT, _RANGE, LatticeMoments
from ._library import lib
from ._model import Model, file_bytes, from_file_bytes
from ._moments import Moments, decide_kernel
from ._observations import Rows as Measured
from ._parameters import EVERY, PRECISION, PROGRESS, VERBOSE, parameters
from ._regressor import ORFFRegressor
from ._settings import Settings, name_of
from ._streaming import can_stream

__all__ = ["DaskMoments", "DaskORFFRegressor"]

AnyMoments = Union[Moments, LatticeMoments]


# ---- work on the cluster


@functools.lru_cache(maxsize=2)
def _empty(kind: type, packed: bytes) -> AnyMoments:
    """Moments without rows, unpacked once per process."""
    return from_file_bytes(zlib.decompress(packed), kind.load)  # type: ignore[attr-defined]


def moments_of_chunk(kind: type, packed: bytes, X: Any, Y: Any, weights: Any) -> AnyMoments:
    """The sums of one chunk. Data frames have chunks without rows."""
    sums = _empty(kind, packed)._like()
    return sums.accumulate(X, Y, None if weights is None else np.asarray(weights)) if len(X) else sums


def merge(one: AnyMoments, other: AnyMoments) -> AnyMoments:
    """The sum of two, in new memory: a chunk's sums may be needed again if a machine is lost."""
    return one + other


def predict_chunk(X: Any, model: Model, verb: str, extra: tuple, flat: bool) -> Array:
    """Predictions, or their errors, at the points of one chunk; flat: the only output, without its axis."""
    X = check_array(X, dtype=FLOATS, order="C", ensure_min_samples=0)
    F = getattr(model, verb)(X, *extra)
    return F.reshape(len(X)) if flat else F


# ---- data for the cluster


def _pack(moments: AnyMoments) -> bytes:
    """The file of moments without rows, compressed: it is mostly zeros."""
    return zlib.compress(file_bytes(moments._like().save), 1)


def _sum_of(moments: AnyMoments, rows: Rows) -> Any:
    """The delayed sum over all rows, for the frequencies or the lattice of `moments`. Sums are added in pairs: no machine
    needs memory for more than a few, there are log2(chunks) steps, and the rounding does not depend on timing."""
    packed = dask.delayed(_pack(moments), traverse=False)
    level = [dask.delayed(moments_of_chunk)(type(moments), packed, *block) for block in rows.blocks]
    while len(level) > 1:
        pairs = [dask.delayed(merge)(*level[i:i + 2]) for i in range(0, len(level) - 1, 2)]
        level = pairs + level[2 * len(pairs):]
    return level[0]


def _compute(value: Any, verbose: int) -> Any:
    """Computes the value, with dask's progress bar if verbose."""
    if not verbose:
        return value.compute()
    if dask.config.get("scheduler", None) in ("dask.distributed", "distributed"):
        from distributed import default_client, progress

        future = default_client().compute(value)
        progress(future, notebook=False)
        return future.result()
    from dask.diagnostics import ProgressBar

    with ProgressBar():
        return value.compute()


# ---- choices made before


def _is_decided(given: dict[str, Any], rows: Rows) -> bool:
    """Whether the kernel has no automatic choices."""
    try:
        settings = Settings(given, rows.inputs, rows.outputs, names=rows.X.names)
    except OrffError:  # it needs rows, or is wrong with any rows
        return False
    c = settings.c
    return not (settings.auto_sigma or c.auto_kernel or c.auto_mix or c.scale_inputs == lib.ORFF_SWITCH_YES)


def _looked_at(given: dict[str, Any], rows: Rows) -> tuple:
    """The rows on which to decide what is automatic: spread over all of them, none where nothing is."""
    return rows.none() if _is_decided(given, rows) else sample(rows, int(lib.orff_settings_default().subsample))


def _begin_features(moments: Moments, rows: Rows) -> None:
    given, names = moments._given(), rows.X.names
    X, Y, weights = _looked_at(given, rows)
    seen = Measured(X, Y, weights)
    moments._draw(decide_kernel(given, seen, names), X, seen.outputs, names, rows.Y.names)


def _begin_lattice(moments: LatticeMoments, rows: Rows) -> None:
    given = {name: getattr(moments, name) for name in moments._settings_names}
    asked, decided = moments.extent, moments.sigma_range is not None
    X, Y, weights = rows.none() if decided else _looked_at(given, rows)
    moments.extent = ranges(rows) if asked is None else asked
    try:
        moments._begin(Measured(X, Y, weights), rows.X.names, rows.Y.names)
    finally:
        moments.extent = asked


class DaskMoments:
    """Moments of rows that are distributed over chunks of dask.

    Each chunk is summed where it is. The sums, whose size does not depend on the number of rows, are added in pairs on the
    cluster, and the total is returned. What is automatic is decided on 20000 rows, taken evenly from all chunks; the default
    extent of a lattice is the range of all rows. Each of these costs a pass over the chunks, which you save by giving
    numbers.

    Parameters
    ----------
    moments : Moments or LatticeMoments
        The moments to add rows to. They may already contain rows.

    Attributes
    ----------
    moments : Moments or LatticeMoments
        The sums so far. You can save them, or give them to `ORFFRegressor.fit_moments`.

    Examples
    --------
    >>> import numpy as np, dask.array as da, orff, orff.dask
    >>> X = da.random.RandomState(0).uniform(-1, 1, (1000, 2), chunks=(300, 2))
    >>> Y = da.stack([-X[:, 1], X[:, 0]], axis=1)
    >>> sums = orff.dask.DaskMoments(orff.Moments(sigma=0.5, features=50)).accumulate(X, Y)
    >>> sums.moments.rows
    1000
    >>> model = orff.ORFFRegressor(kernel="div-free").fit_moments(sums.moments)
    >>> bool(abs(model.predict([[0.0, 0.5]])[0, 0] + 0.5) < 0.01)
    True
    """

    def __init__(self, moments: AnyMoments) -> None:
        if not isinstance(moments, (Moments, LatticeMoments)):
            raise TypeError(f"expected Moments or LatticeMoments to add rows to, not {type(moments).__name__}")
        self.moments = moments

    def lazy(self, X: Any, Y: Any, sample_weight: Any = None) -> Any:
        """The moments of these rows alone, delayed: nothing is computed before `compute`.

        Parameters
        ----------
        X, Y, sample_weight
            As those of accumulate.

        Returns
        -------
        dask.delayed.Delayed
            Of Moments or LatticeMoments.
        """
        return self._lazy(rows_of(X, Y, sample_weight))

    def _lazy(self, rows: Rows) -> Any:
        if self.moments._place is None:
            begin = _begin_lattice if isinstance(self.moments, LatticeMoments) else _begin_features
            begin(self.moments, rows)  # type: ignore[operator]
        return _sum_of(self.moments, rows)

    def accumulate(self, X: Any, Y: Any, sample_weight: Any = None) -> "DaskMoments":
        """Add rows.

        Parameters
        ----------
        X : dask array or data frame of shape (n, d), or an xarray DataArray of one
            Inputs. Chunks may be of any sizes.
        Y : dask array, data frame or series of shape (n, p) or (n,)
            Outputs.
        sample_weight : dask array or series of shape (n,), optional
            Weights of the rows, 0 or more.

        Returns
        -------
        DaskMoments
            Itself. If the call fails, the sums are unchanged.
        """
        return self._add(rows_of(X, Y, sample_weight))

    def _add(self, rows: Rows) -> "DaskMoments":
        before = self.moments._place
        try:
            self.moments += _compute(self._lazy(rows), self.moments.verbose)
        except BaseException:
            self.moments._place = before  # choices made from refused rows are undone
            raise
        return self

    def forget(self, X: Any, Y: Any, sample_weight: Any = None) -> "DaskMoments":
        """Remove rows that were added before. The parameters are those of accumulate."""
        self.moments._describe()  # raises an error without rows, because there is nothing to subtract
        self.moments -= _compute(self.lazy(X, Y, sample_weight), self.moments.verbose)
        return self

    def __repr__(self) -> str:
        return f"DaskMoments({self.moments!r})"


@parameters(EVERY, precision=PRECISION, sigma_range=_RANGE, extent=_EXTENT, verbose=VERBOSE, progress=PROGRESS)
class DaskORFFRegressor(ORFFRegressor):
    """ORFFRegressor for rows that are distributed over chunks of dask.

    Moments are summed on the cluster and solved here. Therefore `fit` has the limits of `partial_fit` of ORFFRegressor: the
    squared loss, and no geo. What is automatic in the kernel is decided on 20000 rows taken evenly from all chunks. The
    engine
    "auto" is "features"; "lattice", for up to three inputs, takes `LatticeMoments`, with `sigma_range` and `extent` as there.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import numpy as np, dask.array as da, orff.dask
    >>> X = da.random.RandomState(0).uniform(-1, 1, (1000, 2), chunks=(300, 2))
    >>> Y = da.stack([-X[:, 1], X[:, 0]], axis=1)
    >>> model = orff.dask.DaskORFFRegressor(kernel="div-free", sigma=1.0, features=100).fit(X, Y)
    >>> F = model.predict(X)
    >>> F
    dask.array<predict_chunk, shape=(1000, 2), dtype=float64, chunksize=(300, 2), chunktype=numpy.ndarray>
    >>> bool(abs(F - Y).max().compute() < 0.01)
    True
    """

    missing_outputs = "refuse"  # sums need whole rows
    _lattice: Optional[LatticeMoments] = None

    def __sklearn_is_fitted__(self) -> bool:
        return self._lattice is not None or super().__sklearn_is_fitted__()

    # ---- rows in and out

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> "DaskORFFRegressor":
        """Learn from rows. The equations are solved before the call returns.

        Parameters
        ----------
        X : dask array or data frame of shape (n, d), or an xarray DataArray of one
            Inputs. Chunks may be of any sizes.
        y : dask array, data frame or series of shape (n, p) or (n,)
            Outputs.
        sample_weight : dask array or series of shape (n,), optional
            Weights of the rows, 0 or more.
        groups : None
            Not available: moments have no groups.

        Returns
        -------
        self
        """
        if groups is not None:
            raise ValueError("groups: moments on a cluster do not support them; use ORFFRegressor, or leave them out")
        try:
            can_stream(self)
        except AttributeError as why:
            raise ValueError(f"fit of chunks uses moments, as partial_fit does. {why}") from None
        rows = rows_of(X, y, sample_weight)
        before = self.__dict__.copy()
        self._moments = self._lattice = self._model = None
        try:
            self._add_chunks(rows)
            self.model_  # noqa: B018  # which solves
        except BaseException:
            self.__dict__ = before  # a failed fit keeps the earlier model
            raise
        return self

    @available_if(can_stream)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "DaskORFFRegressor":
        """Add rows to those of earlier calls of fit or partial_fit. The equations are solved when the result is needed.

        Parameters
        ----------
        X, y, sample_weight
            As those of fit.

        Returns
        -------
        self
        """
        rows, before = rows_of(X, y, sample_weight), self.__dict__.copy()
        try:
            self._add_chunks(rows)
        except BaseException:
            self.__dict__ = before
            raise
        return self

    @available_if(can_stream)
    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> "DaskORFFRegressor":
        """Remove rows that were added before. The parameters are those of fit."""
        rows = rows_of(X, y, sample_weight)
        self._check_names(rows.X.names)
        DaskMoments(self.moments_).forget(X, y, sample_weight)
        self._model = None
        return self

    @property
    def moments_(self) -> AnyMoments:  # type: ignore[override]
        """The sums of the rows."""
        return super().moments_ if self._lattice is None else self._lattice

    def fit_moments(self, moments: AnyMoments) -> "DaskORFFRegressor":
        """Learn from moments instead of rows, as ORFFRegressor does."""
        self._lattice = None
        super().fit_moments(moments)
        return self

    def _add_chunks(self, rows: Rows) -> None:
        if self._moments is None and self._lattice is None:
            self._note_columns(rows)
            if self.engine == name_of("engine", lib.ORFF_ENGINE_LATTICE):
                self._add_to_new_lattice(rows)
                return
            self._begin_chunks(rows)
        self._check_names(rows.X.names)
        DaskMoments(self.moments_)._add(rows)
        self._model = None

    def _begin_chunks(self, rows: Rows) -> None:
        if self._is_exact:
            raise ValueError("engine: exact needs all rows in one place; use ORFFRegressor")
        given = {name: value for name, value in self._given().items() if name in Moments._settings_names}
        self._begin(Measured(*_looked_at(given, rows)))

    def _add_to_new_lattice(self, rows: Rows) -> None:
        given = {name: getattr(self, name) for name in LatticeMoments._settings_names if hasattr(self, name)}
        moments = LatticeMoments(**given, sigma_range=self.sigma_range, extent=self.extent, **self._how)
        DaskMoments(moments)._add(rows)
        self._lattice, self._model = moments, None

    def _note_columns(self, rows: Rows) -> None:
        """Records what the validation of rows would record."""
        self.n_features_in_ = rows.inputs
        if rows.X.names is not None:
            self.feature_names_in_ = np.array(rows.X.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._flat, self._output_names = rows.Y.width is None, rows.Y.names

    def _check_names(self, names: Any) -> None:
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and list(names) != list(known):
            raise ValueError(f"the inputs are {', '.join(map(str, names))}; those learned from were "
                             f"{', '.join(map(str, known))}, and the order matters")

    # ---- solving

    def _solve(self) -> None:
        if self._lattice is None:
            super()._solve()
        else:
            self._fit_lattice(self._lattice)

    def _set_names(self, notes: dict, inputs: int, outputs: int) -> None:
        flat = self._flat and self._lattice is not None
        super()._set_names(notes, inputs, outputs)
        self._flat = flat

    # ---- prediction

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, with_noise: bool = False) -> Any:
        """Predict outputs: lazily for dask arrays, chunk by chunk where they are; at once for others.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Inputs.
        return_std, return_cov, with_noise
            As those of ORFFRegressor.

        Returns
        -------
        F, std, cov
            As those of ORFFRegressor; dask arrays if X is one.
        """
        if not is_spread(X):
            return super().predict(X, return_std, return_cov, with_noise)
        points, model = self._lazy_points(X), dask.delayed(self.model_, traverse=False)
        results = [self._lazily(points, model, "predict")]
        if return_std:
            results.append(self._lazily(points, model, "std", with_noise))
        if return_cov:
            results.append(self._lazily(points, model, "covariance"))
        return results[0] if len(results) == 1 else tuple(results)

    def _lazy_points(self, X: Any) -> Any:
        if is_frame(X):
            self._check_names([str(name) for name in X.columns])
        points = whole_columns(X.to_dask_array() if is_frame(X) else as_dask_array(X))
        inputs = self.model_.inputs
        if points.ndim != 2 or points.shape[1] != inputs:
            raise ValueError(f"X has the shape {points.shape}; the model expects {inputs} inputs in each row")
        return points

    def _lazily(self, points: Any, model: Any, verb: str, *extra: Any) -> Any:
        """Chunk by chunk: rows x outputs, and again x outputs for a covariance."""
        p = self.model_.outputs
        tail = () if self._flat else ((p,), (p,)) if verb == "covariance" else ((p,),)
        dtype = points.dtype if verb == "predict" and points.dtype in FLOATS else np.dtype(np.float64)
        new, gone = ([2] if len(tail) == 2 else None), ([1] if self._flat else None)
        return da.map_blocks(predict_chunk, points, model, verb, extra, self._flat, chunks=(points.chunks[0], *tail),
                             new_axis=new, drop_axis=gone, meta=np.empty((0,) * (1 + len(tail)), dtype=dtype))
