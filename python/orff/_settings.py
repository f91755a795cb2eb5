"""Parameters of the estimators as the library's settings."""
from __future__ import annotations

import os
from typing import Any, Optional

from ._errors import check
from ._kernel import CParts, Kernel
from ._library import ffi, lib

_FEWEST_FEATURES = 100
_LARGEST_SYSTEM = 2400  # rows of the system to be solved: seconds, not minutes


class Settings:
    """An orff_settings, with everything it points to. Parameters that are not given keep the library's defaults."""

    def __init__(self, kernel: Kernel, features: Any = "auto", rows: Optional[int] = None, **given: Any) -> None:
        self.c = ffi.new("orff_settings *", lib.orff_settings_default())
        self.parts = CParts(kernel)
        self.c.n_parts, self.c.parts = self.parts.count, self.parts.pointer
        self.c.mixture, self.c.auto_kernel, self.c.auto_mix = kernel.mixture, kernel.automatic, kernel.auto_mix
        self.c.sampling = sampling(given.pop("sampling", "auto"), 0, given.pop("seed", 0))
        self.c.sampling.features = count_features(features, kernel, rows)
        self.checkpoint = _path("checkpoint", given.pop("checkpoint", None))
        self.c.checkpoint = self.checkpoint
        for name, value in given.items():
            _SETTERS[name](self.c, value)


def sampling(scheme: Any, features: int, seed: Any) -> Any:
    """An orff_sampling."""
    c = lib.orff_sampling_default()
    c.scheme = _name("sampling", scheme, lib.orff_scheme_parse, "orff_scheme")
    c.seed = whole("seed", seed, 0, 2**64 - 1)
    if features:
        c.features = features
    return c


def count_features(features: Any, kernel: Kernel, rows: Optional[int]) -> int:
    """Number of frequencies. "auto" is 1000, no more than half the rows and than keep the system small, the same as
    `orff fit` takes."""
    if not (isinstance(features, str) and features == "auto"):
        return whole("features", features, 1, 1 << 24)
    most = min(1000, int(_LARGEST_SYSTEM / _rows_for_each(kernel)))
    return max(_FEWEST_FEATURES, min(most, rows // 2) if rows else most)


def _rows_for_each(kernel: Kernel) -> float:
    """Rows of the system for each frequency; parts that differ in their scales divide the frequencies."""
    p, parts = kernel.outputs, kernel.parts
    if kernel.automatic:
        return 2.0 * p
    if len(parts) == 1 and parts[0].rule == "decomposable":
        return 2.0
    columns = sum({"curl-free": 1, "div-free": p - 1}.get(part.rule, p) for part in parts)
    kinds = {(part.base, None if part.sigma is None else float(part.sigma[0])) for part in parts}
    return 2.0 * min(columns, p) if len(kinds) == 1 else 2.0 * columns / len(parts)


# ---- checks that the library cannot make, because the value would not reach it


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number in a range."""
    try:
        number = int(value)
        good = number == value and low <= number <= high and not isinstance(value, str)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ValueError(f"{name} is {value!r}; expected a whole number from {low} to {high}")
    return number


def flag(name: str, value: Any) -> bool:
    """A Boolean; "yes" and "no" are understood as on the command line."""
    known = {True: True, False: False, "yes": True, "no": False}
    try:
        return known[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is {value!r}; expected True or False") from None


def _switch(name: str, value: Any) -> int:
    if isinstance(value, str) and value == "auto":
        return int(lib.ORFF_SWITCH_AUTO)
    return int(lib.ORFF_SWITCH_YES if flag(name, value) else lib.ORFF_SWITCH_NO)


def positive(name: str, value: Any) -> float:
    """A positive number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 < number < float("inf"):
        raise ValueError(f"{name} is {value!r}; expected a positive number")
    return number


def _name(what: str, value: Any, parse: Any, kind: str) -> int:
    if not isinstance(value, str):
        raise ValueError(f"{what} is {value!r}; expected a name")
    found = ffi.new(f"{kind} *")
    check(parse(value.encode(), found))
    return found[0]


def _path(name: str, value: Any) -> Any:
    """A path as C has it, which lives as long as it is held; NULL for None."""
    if value is None:
        return ffi.NULL
    try:
        return ffi.new("char[]", os.fsencode(value))
    except TypeError:
        raise ValueError(f"{name} is {value!r}; expected the name of a file, or None") from None


def _set_lambda(c: Any, value: Any) -> None:
    automatic = value is None or (isinstance(value, str) and value in ("auto", "cv"))
    if isinstance(value, str) and not automatic:
        raise ValueError(f"lambda_ is {value!r}; expected a positive number, 'auto' or 'cv'")
    c.__setattr__("lambda", 0.0 if automatic else positive("lambda_", value))


def _set_grid(c: Any, value: Any) -> None:
    try:
        low, high, count = (float(v) for v in (value.split(":") if isinstance(value, str) else value))
    except (TypeError, ValueError):
        raise ValueError(f"lambda_grid is {value!r}; expected (low, high, count)") from None
    if not 0.0 < low < high < float("inf") or not 2 <= count <= 10000:
        raise ValueError(f"lambda_grid is {value!r}; expected 0 < low < high and count from 2 to 10000")
    c.lambda_low, c.lambda_high, c.lambda_count = low, high, int(count)


def _assign(member: str, convert: Any) -> Any:
    def setter(c: Any, value: Any) -> None:
        setattr(c, member, convert(value))

    return setter


def _set_solver(c: Any, value: Any) -> None:
    """The name of a solver, or "exact", which is an engine."""
    if value == "exact":
        c.engine = lib.ORFF_ENGINE_EXACT
    else:
        c.solver = _name("solver", value, lib.orff_solver_parse, "orff_solver")


_SETTERS = {
    "lambda_": _set_lambda,
    "lambda_grid": _set_grid,
    "folds": _assign("folds", lambda v: whole("folds", v, 1, 1000)),
    "solver": _set_solver,
    "loss": _assign("loss", lambda v: _name("loss", v, lib.orff_loss_parse, "orff_loss")),
    "loss_parameter": _assign("loss_parameter", lambda v: positive("loss_parameter", v)),
    "tolerance": _assign("tolerance", lambda v: positive("tolerance", v)),
    "iterations": _assign("max_iterations", lambda v: whole("iterations", v, 1, 1 << 40)),
    "center": _assign("center", lambda v: flag("center", v)),
    "scale_inputs": _assign("scale_inputs", lambda v: _switch("scale_inputs", v)),
    "scale_outputs": _assign("scale_outputs", lambda v: flag("scale_outputs", v)),
    "posterior": _assign("posterior", lambda v: _switch("posterior", v)),
    "max_bytes": _assign("max_bytes", lambda v: whole("max_bytes", v, 0, 2**63)),
    "checkpoint_rows": _assign("checkpoint_rows", lambda v: whole("checkpoint_rows", v, 1, 2**63)),
    "resume": _assign("resume", lambda v: flag("resume", v)),
    "single": _assign("single", bool),
    "classes": _assign("classes", int),
}


def is_single(precision: Any, dtype: Any) -> bool:
    """The parameter precision: "auto" follows the input's type."""
    if precision not in ("auto", "double", "single"):
        raise ValueError(f"precision is {precision!r}; expected 'auto', 'double' or 'single'")
    return precision == "single" or (precision == "auto" and dtype == "float32")
