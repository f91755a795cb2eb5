"""What a fit will cost, from a short measurement on this machine."""
from __future__ import annotations

from typing import Any, NamedTuple

from ._errors import check
from ._library import ffi, lib
from ._parameters import FEATURES, KERNEL, MOMENTS, accepts
from ._settings import Settings, whole


class Plan(NamedTuple):
    """The predicted seconds, and the peak memory in bytes."""

    seconds: float
    peak_bytes: int


@accepts(KERNEL | FEATURES | MOMENTS, without=("engine", "period"))
def plan(n: int, dim: int, outputs: int, **given: Any) -> Plan:
    """Predict the time and memory of a fit with the direct solver and lambda "auto" on this machine.

    Parameters
    ----------
    n, dim, outputs : int
        Rows, inputs and outputs.
    {parameters}

    Returns
    -------
    Plan
        (seconds, peak_bytes), extrapolated from measurements of a few seconds at most. Other running programs disturb them.

    Examples
    --------
    >>> import orff
    >>> expected = orff.plan(10000, 2, 2, kernel="div-free", sigma=0.5, features=100)
    >>> expected.seconds > 0 and expected.peak_bytes > 1e6
    True
    """
    n, dim, outputs = whole("n", n, 1, 1 << 50), whole("dim", dim, 1, 65536), whole("outputs", outputs, 1, 65536)
    if isinstance(given["sigma"], str):
        given["sigma"] = given["sigma"].replace("median", "1")  # there are no rows to look at, and any number takes as long
    chosen = Settings({**given, "output_matrix": None}, dim, outputs)
    c = chosen.c
    if c.auto_kernel or c.mixture or c.auto_mix:
        raise ValueError("kernel, weight and mix cannot be automatic in a plan")
    cost = ffi.new("orff_cost *")
    check(lib.orff_cost_estimate(c, dim, outputs, n, cost))
    return Plan(cost.seconds, int(cost.bytes))
