"""Moments: everything that ridge regression needs from the data, in one pass."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _notes
from ._arrays import Array, doubles, pointer
from ._errors import check
from ._kernel import part_texts, parts_of_model, with_known_parts
from ._library import ffi, lib, owner
from ._model import Model
from ._observations import Rows, settings_of_rows
from ._parameters import FEATURES, KERNEL, MOMENTS, PRECISION, PROGRESS, VERBOSE, parameters
from ._settings import TABLE, Settings, is_single
from ._sums import Sums

_SCALED = ("scale_inputs",)  # which decides the units of what is chosen


class Totals(NamedTuple):
    """Sums over all rows: S (2D x 2D), R (2D x p), and the sums of phi, y and y y^T."""

    S: Array
    R: Array
    sum_phi: Array
    sum_y: Array
    sum_yy: Array


@parameters(KERNEL | FEATURES | MOMENTS, without=("weight", "mix", "output_matrix", "engine", "period"), precision=PRECISION,
            verbose=VERBOSE, progress=PROGRESS)
class Moments(Sums):
    """Sums over rows, from which models with any kernel on the same frequencies and any lambda can be fitted.

    You can add and subtract moments: of several files or machines, or of days to add and days to forget. Their size does not
    depend on the number of rows.

    Parameters
    ----------
    {parameters}

    Notes
    -----
    The kernel determines which frequencies are drawn. What is automatic is decided on the first rows, so give numbers for
    moments that you want to add. Here features "auto" is 1000.

    Examples
    --------
    >>> import numpy as np, orff
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (200, 2)); Y = np.c_[-X[:, 1], X[:, 0]]
    >>> monday = orff.Moments(sigma=0.5, features=50).accumulate(X[:150], Y[:150])
    >>> tuesday = orff.Moments(sigma=0.5, features=50).accumulate(X[150:], Y[150:])
    >>> both = monday + tuesday
    >>> both.rows
    200
    >>> (both - tuesday).rows
    150
    >>> model = orff.ORFFRegressor(kernel="div-free").fit_moments(both)
    >>> bool(model.score(X, Y) > 0.999)
    True
    """

    _kind = "orff_moments"
    _dtypes = [np.float64, np.float32]

    # ---- rows in and out

    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._settings_names if name != "precision"}

    def _begin(self, rows: Rows, input_names: Any, output_names: Any) -> None:
        given = decide_kernel(self._given(), rows, input_names)
        self._draw(given, rows.X, rows.outputs, input_names, output_names)

    def _draw(self, given: dict[str, Any], X: Array, p: int, input_names: Any = None, output_names: Any = None) -> None:
        """Draw the frequencies of a kernel without automatic choices."""
        settings = Settings(given, X.shape[1], p, names=input_names)
        made, drawn = settings.kernel(), owner("orff_features", lib.orff_features_free)
        check(lib.orff_features_create(drawn, made[0], settings.sampling()))
        how = ffi.new("orff_moments_settings *", {
            "folds": settings.c.folds, "seed": settings.c.sampling.seed, "single": is_single(self.precision, X.dtype)})
        place = self._new_place()
        check(lib.orff_moments_create(place, drawn[0], how))
        self._begun(place, settings, part_texts(settings.parts, settings.inputs), input_names, output_names)

    def _subtract_rows(self, rows: Rows) -> "Moments":
        """Subtract checked rows."""
        gone = self._like()._add_rows(rows)
        self -= gone
        return self

    # ---- what they hold

    def totals(self) -> Totals:
        """The sums themselves.

        Examples
        --------
        >>> import orff
        >>> totals = orff.Moments(sigma=1.0, features=10).accumulate([[0.0], [1.0]], [1.0, 2.0]).totals()
        >>> totals.S.shape, totals.R.shape, totals.sum_y
        ((20, 20), (20, 1), array([3.]))
        """
        info = self._describe()
        L, p = 2 * info.frequencies, info.outputs
        totals = Totals(np.empty((L, L)), np.empty((L, p)), np.empty(L), np.empty(p), np.empty((p, p)))
        check(lib.orff_moments_totals(self._handle, *(pointer(array) for array in totals)))
        return totals

    def _follow(self, info: Any) -> None:
        super()._follow(info)
        self.features, self.precision = int(info.frequencies), "single" if info.single else "double"

    def __repr__(self) -> str:
        if self._place is None:
            return "Moments(no rows yet)"
        info = self._describe()
        return (f"Moments({info.rows} rows, {info.inputs} inputs, {info.outputs} outputs, "
                f"{info.frequencies} frequencies, {info.folds} folds)")


def decide_kernel(given: dict[str, Any], rows: Rows, names: Any) -> dict[str, Any]:
    """Parameters with all automatic choices of the kernel made from these rows, scales in the inputs' own
    units."""
    about = {name: value for name, value in given.items() if TABLE[name].uses & (KERNEL | FEATURES | MOMENTS) or name in _SCALED}
    settings = settings_of_rows(about, rows, names)
    c = settings.c
    scaled = c.scale_inputs == lib.ORFF_SWITCH_YES
    if not (settings.auto_sigma or c.auto_kernel or c.auto_mix or scaled):
        return with_known_parts(given, settings, list(settings.parts))
    probe = make_probe(settings, rows)  # which its parts point into
    return with_known_parts(given, settings, parts_of_model(probe._handle))


def make_probe(settings: Settings, rows: Rows) -> Model:
    """The library's quick fit that makes the choices."""
    observations, held = rows.observations()
    model = Model.make(lib.orff_model_probe, settings, observations)
    del held
    return model
