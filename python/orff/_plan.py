"""What a fit will cost, from a short measurement on this machine."""
from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np

from ._arrays import pointer
from ._errors import check
from ._library import ffi, get_threads, lib, owner
from ._model import Model
from ._parameters import FEATURES, KERNEL, MOMENTS, takes
from ._settings import Settings, whole

_CALIBRATION_FEATURES = 250
_BLOCK = 1024
_SECONDS = 0.2
# What choosing a length scale takes at most: rows, frequencies, candidates, folds.
_CHOICE_ROWS, _CHOICE_FEATURES, _CHOICES, _CHOICE_FOLDS = 5000, 600, 5, 3


class Plan(NamedTuple):
    """What to expect: seconds and bytes at the peak."""

    seconds: float
    peak_bytes: int


class _Cost(NamedTuple):
    row: float  # seconds for a row of moments
    solve: float  # seconds for everything after them
    parameters: int  # length of theta


@takes(KERNEL | FEATURES | MOMENTS)
def plan(n: int, dim: int, outputs: int, **given: Any) -> Plan:
    """Predicted time and memory of a fit by the direct solver, with lambda "auto", on this machine.

    Parameters
    ----------
    n, dim, outputs : int
        Rows, inputs and outputs.
    {parameters}

    Returns
    -------
    Plan
        (seconds, peak_bytes), measured for about a second and scaled up; other programs that run disturb it.

    Examples
    --------
    >>> import orff
    >>> expected = orff.plan(10000, 2, 2, kernel="div-free", sigma=0.5, features=100)
    >>> expected.seconds > 0 and expected.peak_bytes > 1e6
    True
    """
    n, dim, outputs = whole("n", n, 1, 1 << 50), whole("dim", dim, 1, 65536), whole("outputs", outputs, 1, 65536)
    chosen = Settings({**given, "output_matrix": None}, dim, outputs)
    c, automatic = chosen.c, chosen.auto_sigma
    if c.auto_kernel or c.mixture or c.auto_mix:
        raise ValueError("kernel, weight and mix cannot be automatic in a plan")
    for i, part in enumerate(chosen.parts):
        if part.sigma == 0.0 and part.sigmas == ffi.NULL:
            part.sigma = 0.5 + 0.5 * i
    D, folds = int(lib.orff_settings_features(c, outputs, n)), int(c.folds)
    cost = _measure(chosen, D, folds)
    seconds = n * cost.row + cost.solve
    if automatic:
        small = _measure(chosen, max(1, min(D, n, _CHOICE_FEATURES)), _CHOICE_FOLDS)
        seconds += _CHOICES * (min(n, _CHOICE_ROWS) * small.row + small.solve)
    return Plan(seconds, _bytes(chosen, n, D, folds, cost))


def _moments(chosen: Settings, D: int, folds: int) -> tuple[Any, int]:
    made, drawn = chosen.kernel(), owner("orff_features", lib.orff_features_free)
    sampling = chosen.sampling()
    sampling.features = D
    check(lib.orff_features_create(drawn, made[0], sampling))
    place = owner("orff_moments", lib.orff_moments_free)
    how = ffi.new("orff_moments_settings *", {"folds": folds, "single": chosen.c.single})
    check(lib.orff_moments_create(place, drawn[0], how))
    return place, int(lib.orff_features_describe(drawn[0]).parameters)


def _time_rows(kernel: Settings, moments: Any) -> float:
    """Seconds for a row: blocks are added until a while has passed; the first one warms up."""
    random = np.random.default_rng(0)
    X, Y = random.uniform(size=(_BLOCK, kernel.inputs)), random.uniform(size=(_BLOCK, kernel.outputs))

    def add() -> None:
        check(lib.orff_moments_accumulate(moments[0], _BLOCK, pointer(X), pointer(Y), ffi.NULL))

    add()
    blocks, start = 0, time.perf_counter()
    while blocks == 0 or time.perf_counter() - start < _SECONDS:
        add()
        blocks += 1
    return (time.perf_counter() - start) / (blocks * _BLOCK)


def _measure(chosen: Settings, D: int, folds: int) -> _Cost:
    """Rows are timed at D itself, the solution at a smaller size and scaled by its cube."""
    small = min(D, _CALIBRATION_FEATURES)
    moments, parameters = _moments(chosen, D, folds)
    row = _time_rows(chosen, moments)
    if small < D:
        moments, _ = _moments(chosen, small, folds)
        _time_rows(chosen, moments)
    start = time.perf_counter()
    settings = ffi.new("orff_settings *", chosen.c[0])
    settings.folds = folds
    Model.make(lib.orff_model_fit_moments, settings, moments[0])
    return _Cost(row, (time.perf_counter() - start) * (D / small) ** 3, parameters)


def _bytes(kernel: Settings, n: int, D: int, folds: int, cost: _Cost) -> int:
    """S for each fold and two sums, about five matrices of the system, blocks of phi; X and y are the caller's."""
    plain = len(kernel.parts) == 1 and lib.orff_rule_describe(kernel.parts[0].rule).separable
    phi, system = 2.0 * D, 2.0 * D if plain else float(cost.parameters)
    sample = 8.0 * min(n, 20000) * (kernel.inputs + kernel.outputs)
    block = 8.0 * _BLOCK * phi * get_threads()
    return int(30e6 + sample + block + 8.0 * phi * phi * (folds + 2) + 8.0 * system * system * 5.0)
