"""Moments of a lattice: one pass over the rows for every kernel and every length scale of a range."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _notes
from ._arrays import Array, copied, doubles, pointer
from ._errors import check
from ._kernel import part_texts, parts_of_model, scales_of
from ._library import ffi, header, lib
from ._moments import make_probe
from ._observations import Rows, settings_of_rows
from ._parameters import FEATURES, KERNEL, MOMENTS, PROGRESS, VERBOSE, Own, parameters
from ._settings import Settings, name_of
from ._sums import Sums

_EITHER_WAY = header.constants["ORFF_PROBE_SCALES"]

_RANGE = Own(None, "(float, float)", "The shortest and the longest length scale that a later fit may use. The default is "
                                     "that of sigma; if sigma is automatic, from half to twice the most probable one for the "
                                     "first rows.")
_EXTENT = Own(None, "sequence of (float, float)", "The region where rows may lie, for each input; None for a periodic one. The "
                                                  "default is the range of the first rows; later rows outside it are refused.")


@parameters(KERNEL | FEATURES | MOMENTS,
            without=("weight", "mix", "output_matrix", "features", "sampling", "importance", "frequencies", "precision", "engine"),
            sigma_range=_RANGE, extent=_EXTENT, verbose=VERBOSE, progress=PROGRESS)
class LatticeMoments(Sums):
    """Sums over rows that do not depend on the kernel, for up to three inputs.

    One pass serves every kernel, base, weight, lambda, and every length scale of a range: `ORFFRegressor.fit_moments` can
    use any of them, and chooses what is "auto" without reading the rows again. The kernel given here only determines how
    fine the lattice must be. Moments on the same lattice can be added and subtracted: give them the same extent and
    sigma_range, or make them by `like`.

    Parameters
    ----------
    {parameters}

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (400, 2)); Y = np.c_[-X[:, 1], X[:, 0]] + 0.1 * rng.normal(size=(400, 2))
    >>> monday = orff.LatticeMoments(sigma_range=(1, 2), extent=[(-1, 1), (-1, 1)]).accumulate(X[:300], Y[:300])
    >>> tuesday = monday.like().accumulate(X[300:], Y[300:])
    >>> both = monday + tuesday
    >>> both.rows
    400
    >>> model = orff.ORFFRegressor(kernel="div-free", lambda_=1e-3, sigma=1.5).fit_moments(both)
    >>> bool(model.score(X, Y) > 0.9)
    True
    """

    _kind = "orff_lattice_moments"
    _own = ("sigma_range", "extent", "verbose", "progress")

    # ---- the lattice

    def _begin(self, rows: Rows, input_names: Any, output_names: Any) -> None:
        """Choose the lattice."""
        given = {name: getattr(self, name) for name in self._settings_names}
        settings = settings_of_rows({**given, "engine": name_of("engine", lib.ORFF_ENGINE_LATTICE)}, rows, input_names)
        parts, shortest, longest, kept = self._kernels(settings, rows)
        low, high = self._ranges(settings, rows.X)
        listed, held = ffi.new("orff_part[]", 2 * len(parts)), [doubles(scales) for scales in (shortest, longest)]
        for i in range(2 * len(parts)):
            listed[i] = parts[i // 2][0] if isinstance(parts, list) else parts[i // 2]
            listed[i].sigmas = pointer(held[i % 2])
        place, need = self._new_place(), ffi.new("orff_lattice_need *", {
            "d": settings.inputs, "p": settings.outputs, "low": pointer(low), "high": pointer(high), "periods": settings.c.periods,
            "n_parts": len(listed), "parts": listed, "tolerance": settings.c.sampling.tolerance, "folds": settings.c.folds,
            "seed": settings.c.sampling.seed})
        check(lib.orff_lattice_moments_create(place, need))
        words = {**part_texts(parts, settings.inputs)}
        if not np.array_equal(shortest, longest):
            words["sigma"] = "auto"
        self._begun(place, settings, words, input_names, output_names)
        del kept

    def _kernels(self, settings: Settings, rows: Rows) -> tuple:
        """The parts, their shortest and longest length scales, and the memory that the parts point to."""
        d = settings.inputs
        if self.sigma_range is not None:
            if not settings.auto_sigma:
                raise ValueError("sigma_range: give it or sigma, not both")
            low, high = (float(value) for value in self.sigma_range)
            if not 0.0 < low <= high < np.inf:
                raise ValueError(f"sigma_range: {self.sigma_range!r} is not a pair of lengths, the shorter one first")
            return settings.parts, np.full(d, low), np.full(d, high), None
        if not settings.auto_sigma:
            scales = np.array([scales_of(part, d) for part in settings.parts])
            return settings.parts, scales.min(0), scales.max(0), None
        probe = make_probe(settings, rows)
        parts = parts_of_model(probe._handle)
        scales = np.array([scales_of(part, d) for part in parts])
        return parts, scales.min(0) / _EITHER_WAY, scales.max(0) * _EITHER_WAY, probe

    def _ranges(self, settings: Settings, X: Array) -> tuple[Array, Array]:
        if self.extent is None:
            return doubles(X.min(0)), doubles(X.max(0))
        if len(self.extent) != settings.inputs:
            raise ValueError(f"extent: {len(self.extent)} ranges are given, and there are {settings.inputs} inputs")
        ranges = np.array([(0.0, 0.0) if one is None else one for one in self.extent], dtype=np.float64)
        return doubles(ranges[:, 0]), doubles(ranges[:, 1])

    def like(self) -> "LatticeMoments":
        """New moments without rows, on the same lattice and with the same folds, so that they can be added to these."""
        self._describe()  # raises an error without rows, because there is no lattice yet
        return self._like()

    # ---- contents

    @property
    def waves(self) -> int:
        """Number of waves of the lattice."""
        return int(self._describe().modes)

    @property
    def scales(self) -> Array:
        """The shortest and the longest length scale of each input (d x 2)."""
        info = self._describe()
        return np.c_[copied(info.shortest, info.inputs), copied(info.longest, info.inputs)]

    def __repr__(self) -> str:
        if self._place is None:
            return "LatticeMoments(no rows yet)"
        info = self._describe()
        return (f"LatticeMoments({info.rows} rows, {info.inputs} inputs, {info.outputs} outputs, {info.modes} waves, "
                f"{info.folds} folds)")
