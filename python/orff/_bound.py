"""Error bounds of random features."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import numpy as np

from ._errors import check
from ._functions import SCALE, given_settings
from ._library import ffi, lib, text
from ._parameters import FEATURES, KERNEL, Own, accepts
from ._progress import run
from ._settings import TABLE, Settings, name_of, positive, whole

_MEASURE_FEATURES = 500


class OneBound(NamedTuple):
    """One bound. If it does not apply, `reason` says why and the numbers are nan."""

    applies: bool
    proven: bool
    reason: str
    probability: float  # of an error of at least epsilon, for the given D; 1 is no statement
    features: float  # fewest frequencies for an error below epsilon with the given probability


class Measured(NamedTuple):
    """The measured largest error over pairs of points, for repeated draws."""

    quantile: float
    median: float
    largest: float
    mean: float


class Bound(NamedTuple):
    """The result of `bound`."""

    printed: OneBound
    corrected: OneBound
    features_needed: float
    best: Optional[str]
    epsilon: float
    features: int
    rms: float
    rule_of_thumb: tuple
    bounds: dict
    terms: dict
    measured: Optional[Measured]


_FEATURES = Own(None, "int", "D at which the bounds are evaluated; by default the number that is needed.")
_SAMPLING = Own(name_of("scheme", lib.ORFF_SCHEME_IID), TABLE["sampling"].types, "Of what is measured.")
_IMPORTANCE = TABLE["importance"]


@accepts(KERNEL | FEATURES, sigma=SCALE, features=_FEATURES, sampling=_SAMPLING,
       importance=Own(False, _IMPORTANCE.types, "Of what is measured. " + _IMPORTANCE.help))
def bound(
    dim: int,
    diameter: float,
    epsilon: float,
    *,
    outputs: Optional[int] = None,
    probability: float = 0.95,
    relative: bool = False,
    empirical: int = 0,
    b: Optional[float] = None,
    m: Optional[float] = None,
    sigma_p: Optional[float] = None,
    draws: int = 20000,
    **given: Any,
) -> Bound:
    """Bounds on the error of random features, and how many features are needed.

    Bounds P{ sup |K~(x,z) - K(x,z)| >= epsilon } over the points of a set, for independent frequencies: the theorem
    of the paper as printed, the same with its errors corrected, and better bounds where they apply.

    Parameters
    ----------
    dim : int
        d.
    diameter : float
        Diameter of the set that contains x and z.
    epsilon : float
        The largest error that you accept, in spectral norm.
    outputs : int, optional
        Number of outputs p. The default is dim for fields, otherwise the size of output_matrix, or 1.
    probability : float, default=0.95
        The probability that the error stays below epsilon.
    relative : bool, default=False
        Measure epsilon in units of |K(0)|.
    empirical : int, default=0
        Also measure the error over this many draws of `features` frequencies (500 if not given).
    b, m, sigma_p : float, optional
        Your own values of the constants: the largest of D E|K~ - K|^2, the bound of the psi_1 norm of the centred blocks,
        and the root of E |w|^2 |A|^2. With all three, the theorem applies to any kernel.
    draws : int, default=20000
        Frequencies on which constants of custom parts, and of those with delays or a wavelength, are measured; then
        nothing is proven. 0: they are not known.
    {parameters}

    Returns
    -------
    Bound
        `printed` and `corrected`; all `bounds` by name; the `best` proven one and its `features_needed`; the constants
        (`terms`); and `measured`.

    Examples
    --------
    >>> import orff
    >>> answer = orff.bound(2, 2.828, 0.1, sigma=1.0, features=20000)
    >>> answer.best in answer.bounds and answer.features_needed > 1000
    True
    >>> orff.bound(2, 2.828, 0.1, sigma=1.0, empirical=3).measured.median < 0.2
    True
    """
    dim = whole("dim", dim, 1, 65536)
    chosen = given_settings(given, dim, outputs)
    question = ffi.new("orff_bound_question *", lib.orff_bound_question_default())
    question.epsilon, question.diameter = positive("epsilon", epsilon), positive("diameter", diameter)
    question.relative, question.probability = relative, positive("probability", probability)
    question.draws = whole("draws", draws, 0, 10**7)
    for name, value in (("b", b), ("m", m), ("sigma_p", sigma_p)):
        if value is not None:
            setattr(question, name, positive(name, value))
    question.features = chosen.c.sampling.features
    report = ffi.new("orff_bound_report *")
    check(lib.orff_bound_evaluate_sum(chosen.c.n_parts, chosen.c.parts, chosen.inputs, chosen.outputs, question, report))
    measured = None
    if empirical:
        measured = _measure(chosen, question, whole("empirical", empirical, 1, 10**6))
    return _answer(report, int(report.features), measured)


def _measure(chosen: Settings, question: Any, repeats: int) -> Measured:
    made, how = chosen.kernel(), ffi.new("orff_measure *", lib.orff_measure_default())
    how.diameter, how.repeats, how.quantile = question.diameter, repeats, question.probability
    chosen.c.sampling.features = chosen.c.sampling.features or _MEASURE_FEATURES
    drawing = chosen.sampling(np.full(chosen.inputs, question.diameter / math.sqrt(chosen.inputs)))
    out = ffi.new("orff_measured *")
    run(lib.orff_bound_measure, made[0], drawing, how, out, ffi.NULL)
    return Measured(out.quantile, out.median, out.largest, out.mean)


def _one(c: Any) -> OneBound:
    probability = min(1.0, math.exp(min(0.0, c.log_probability))) if c.applies else np.nan
    return OneBound(bool(c.applies), bool(c.proven), text(c.reason), probability, c.features if c.applies else np.nan)


def _answer(report: Any, features: int, measured: Optional[Measured]) -> Bound:
    bounds = {text(lib.orff_bound_name(i)): _one(report.bounds[i]) for i in range(lib.ORFF_BOUND_COUNT)}
    best = text(lib.orff_bound_name(report.best)) if report.best < lib.ORFF_BOUND_COUNT else None
    names = [name for name, _ in ffi.typeof("orff_bound_terms").fields]
    return Bound(
        printed=_one(report.bounds[lib.ORFF_BOUND_PRINTED]),
        corrected=_one(report.bounds[lib.ORFF_BOUND_CORRECTED]),
        features_needed=bounds[best].features if best else np.nan,
        best=best,
        epsilon=report.epsilon,
        features=features,
        rms=report.rms,
        rule_of_thumb=tuple(report.rule_of_thumb),
        bounds=bounds,
        terms={name: getattr(report.terms, name) for name in names},
        measured=measured,
    )
