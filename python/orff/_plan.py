"""What a fit will cost, from a short measurement on this machine."""
from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple, Optional, Sequence

from ._errors import check
from ._kernel import parse_kernel
from ._library import ffi, lib
from ._settings import Settings, is_single, whole


class Plan(NamedTuple):
    """What to expect: seconds and bytes at the peak."""

    seconds: float
    peak_bytes: int


def plan(
    n: int,
    dim: int,
    outputs: int,
    *,
    kernel: str = "decomposable",
    base: str = "gaussian",
    sigma: Any = "auto",
    features: Any = "auto",
    sampling: str = "auto",
    weight: Any = 1.0,
    mix: float = 0.5,
    covariates: Optional[Sequence] = None,
    precision: str = "double",
    seed: int = 0,
    folds: int = 5,
) -> Plan:
    """Predicted time and memory of a fit by the direct solver, with lambda "auto", on this machine.

    Parameters
    ----------
    n, dim, outputs : int
        Rows, inputs and outputs.
    kernel, base, sigma, features, sampling, weight, mix, covariates, precision, seed, folds
        See `ORFFRegressor`.

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
    chosen = parse_kernel(dim, outputs, kernel, base, sigma, weight, mix, covariates)
    if chosen.automatic or chosen.mixture or chosen.auto_mix:
        raise ValueError("kernel, weight and mix cannot be automatic in a plan")
    parts = [replace(part, sigma=1.0) if isinstance(part.sigma, str) else part for part in chosen.parts]  # "median"
    settings = Settings(replace(chosen, parts=parts), features, n, sampling=sampling, seed=seed,
                        folds=whole("folds", folds, 2, 1000), single=is_single(precision, "float64"))
    cost = ffi.new("orff_cost *")
    check(lib.orff_cost_estimate(settings.c, dim, outputs, n, cost))
    return Plan(cost.seconds, int(cost.bytes))
