"""Kernels: from the parameters of the estimators, which are those of the command line, to the library's parts."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Optional, Sequence, Union

import numpy as np

from ._arrays import Array, copied, doubles, pointer
from ._custom import CustomPart, fill_part, refuse_names, split
from ._errors import check
from ._library import ffi, keep_with, lib, owner, text

PHYSICAL = ("curl-free", "div-free", "helmholtz")
_MEDIAN_ROWS = 1000

Scales = Union[None, str, Array]  # auto, "median", or one number for each input


@dataclass
class Part:
    """One part of a kernel. sigma None is automatic."""

    rule: str
    base: str = "gaussian"
    sigma: Scales = None
    weight: float = 1.0
    mix: float = 0.5
    custom: Optional[CustomPart] = None


@dataclass
class Kernel:
    """A sum of parts on R^inputs with values in outputs x outputs matrices."""

    inputs: int
    outputs: int
    parts: list[Part]
    space: Optional[Array] = None  # the field's space, where it is not all inputs
    matrix: Optional[Array] = None  # A of the decomposable parts; None: identity
    automatic: bool = False  # a mixture that is chosen from the data
    mixture: bool = False  # learn the weights
    auto_mix: bool = False

    @property
    def auto_sigma(self) -> bool:
        return any(part.sigma is None for part in self.parts)

    def with_medians(self, X: Array) -> "Kernel":
        """The same with "median" replaced by numbers."""
        if not any(isinstance(part.sigma, str) for part in self.parts):
            return self
        scales = _median_scales(X, self.space)
        parts = [replace(part, sigma=scales) if isinstance(part.sigma, str) else part for part in self.parts]
        return replace(self, parts=parts)

    def words(self) -> dict[str, str]:
        """As the command line would say it; no scale may be automatic."""
        scales = [np.broadcast_to(np.asarray(part.sigma, float), self.inputs) for part in self.parts]
        return {
            "kernel": "+".join(part.rule for part in self.parts),
            "base": "+".join(part.base for part in self.parts),
            "sigma": "+".join(_scale_words(scale) for scale in scales),
        }

    def create(self) -> Any:
        """The library's kernel."""
        place = owner("orff_kernel", lib.orff_kernel_free)
        parts = CParts(self)
        check(lib.orff_kernel_create(place, self.inputs, self.outputs, parts.count, parts.pointer))
        keep_with(place, parts)
        return place


@dataclass
class CParts:
    """Parts as C sees them, with everything they point to."""

    kernel: Kernel
    keep: list = field(default_factory=list)

    def __post_init__(self) -> None:
        self.count = len(self.kernel.parts)
        self.pointer = ffi.new("orff_part[]", self.count)
        for at, part in enumerate(self.kernel.parts):
            self.pointer[at] = lib.orff_part_default()
            self._fill(self.pointer[at], part)

    def _kept(self, array: Array, kind: str) -> Any:
        numbers = np.array(array, dtype=kind, order="C")
        self.keep.append(pointer(numbers))
        return self.keep[-1]

    def _fill(self, c: Any, part: Part) -> None:
        rule, base, shape = ffi.new("orff_rule *"), ffi.new("orff_base *"), ffi.new("double *", 1.0)
        check(lib.orff_rule_parse(part.rule.encode(), rule))
        check(lib.orff_base_parse(part.base.encode(), base, shape))
        c.rule, c.base, c.shape = rule[0], base[0], shape[0]
        c.weight, c.mix, c.normalise = part.weight, part.mix, self.count > 1
        c.sigma = 0.0
        if part.sigma is not None:
            c.sigmas = self._kept(part.sigma, "d")
            c.sigma = c.sigmas[0]
        if part.rule == "decomposable" and self.kernel.matrix is not None:
            c.A = self._kept(self.kernel.matrix, "d")
        if part.custom is not None:
            self.keep.append(fill_part(c, part.custom, self.kernel.inputs, self.kernel.outputs))
        physical = part.rule in PHYSICAL or self.kernel.automatic
        if physical and self.kernel.space is not None:
            c.space = self._kept(self.kernel.space, "Q")


# ---- from parameters


def parse_kernel(
    inputs: int,
    outputs: int,
    kernel: str = "decomposable",
    base: str = "gaussian",
    sigma: Any = "auto",
    weight: Any = 1.0,
    mix: Any = 0.5,
    covariates: Optional[Sequence] = None,
    names: Optional[Sequence[str]] = None,
) -> Kernel:
    """The kernel that parameters of these names describe. A ValueError says which of them is wrong."""
    covariate = covariate_mask(covariates, inputs, names)
    if kernel == "auto":
        return _automatic(inputs, outputs, base, sigma, covariate)
    given = split(kernel)
    rules = [part.rule if isinstance(part, CustomPart) else part for part in given]
    refuse_names([part for part in given if isinstance(part, str)])
    bases = _for_each("base", _words("base", base), len(rules))
    scales = _for_each("sigma", _scales(sigma, inputs), len(rules))
    weights, mixture = _weights(weight, len(rules))
    c, auto_mix = _mix(mix)
    for rule in rules:
        if rule in given and rule not in ("decomposable", *PHYSICAL):
            raise ValueError(
                f"kernel: there is no '{rule}'; there are decomposable, {', '.join(PHYSICAL)}, sums with + and auto"
            )
    parts = [Part(*entries, mix=c) for entries in zip(rules, bases, scales, weights)]
    parts = [_own(part, own, inputs) if isinstance(own, CustomPart) else part for part, own in zip(parts, given)]
    return Kernel(
        inputs,
        outputs,
        parts,
        space=_space(rules, covariate, outputs),
        mixture=mixture,
        auto_mix=auto_mix and "helmholtz" in rules,
    )


def _own(part: Part, custom: CustomPart, inputs: int) -> Part:
    """A part of the user's, with what it says of itself. A signature has no length scale: any number does."""
    own: dict[str, Any] = {"custom": custom}
    if custom.base is not None:
        own["base"] = custom.base
    if custom.weight is not None:
        own["weight"] = _number("weight", custom.weight, 0.0)
    if custom.K0 is not None:
        own["sigma"] = np.ones(inputs)
    elif custom.sigma is not None:
        own["sigma"] = _one_scale(custom.sigma, inputs)
    return replace(part, **own)


def _words(name: str, value: Any) -> list[str]:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} is {value!r}; expected a name, or names with + between")
    return [word.strip() for word in value.split("+")]


def _for_each(name: str, values: list, count: int) -> list:
    if len(values) == 1:
        return values * count
    if len(values) != count:
        raise ValueError(
            f"{name} has {len(values)} values for {count} parts of the kernel; expected one, or one for each"
        )
    return values


def _number(name: str, value: Any, low: float, high: float = np.inf) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; expected a number") from None
    if not low <= number <= high or not np.isfinite(number):
        raise ValueError(f"{name} is {value!r}; expected a number from {low:g} to {high:g}")
    return number


def _one_scale(value: Any, inputs: int) -> Scales:
    """The scales of one part: automatic, the median, a number, or a number for each input."""
    if value is None or (isinstance(value, str) and value.strip() == "auto"):
        return None
    if isinstance(value, str) and value.strip() == "median":
        return "median"
    entries = value.split(",") if isinstance(value, str) else np.ravel(value).tolist()
    numbers = np.array([_number("sigma", entry, 0.0) for entry in entries])
    if np.any(numbers <= 0.0):
        raise ValueError(f"sigma is {value!r}; a length scale must be positive")
    if len(numbers) not in (1, inputs):
        raise ValueError(f"sigma has {len(numbers)} values for {inputs} inputs; expected one, or one for each")
    return np.broadcast_to(numbers, inputs).copy()


def _scales(sigma: Any, inputs: int) -> list[Scales]:
    """One entry for all parts, or one for each: "2+0.5", or a sequence of sequences."""
    if isinstance(sigma, str):
        return [_one_scale(word, inputs) for word in sigma.split("+")]
    if sigma is None or np.isscalar(sigma):
        return [_one_scale(sigma, inputs)]
    if all(np.isscalar(entry) and not isinstance(entry, str) for entry in sigma):
        return [_one_scale(sigma, inputs)]
    return [_one_scale(entry, inputs) for entry in sigma]


def _weights(weight: Any, count: int) -> tuple[list[float], bool]:
    if isinstance(weight, str) and weight == "auto":
        return [1.0] * count, True
    entries = weight.split("+") if isinstance(weight, str) else np.ravel(weight)
    return _for_each("weight", [_number("weight", entry, 0.0) for entry in entries], count), False


def _mix(mix: Any) -> tuple[float, bool]:
    if isinstance(mix, str) and mix == "auto":
        return 0.5, True
    return _number("mix", mix, 0.0, 1.0), False


def _automatic(inputs: int, outputs: int, base: str, sigma: Any, covariate: Array) -> Kernel:
    if not (sigma is None or (isinstance(sigma, str) and sigma == "auto")):
        raise ValueError(f"sigma is {sigma!r}; kernel 'auto' chooses it itself: expected 'auto'")
    bases = _words("base", base)
    if len(bases) != 1:
        raise ValueError(f"base is {base!r}; kernel 'auto' has one base")
    space = np.flatnonzero(~covariate)
    limited = space if len(space) == outputs and len(space) < inputs else None
    return Kernel(inputs, outputs, [Part("decomposable", bases[0])], space=limited, automatic=True)


def covariate_mask(covariates: Optional[Sequence], inputs: int, names: Optional[Sequence[str]]) -> Array:
    """Which inputs are outside of the field's space: a mask."""
    mask = np.zeros(inputs, dtype=bool)
    if covariates is None:
        return mask
    known = list(names) if names is not None else []
    for entry in [covariates] if isinstance(covariates, (str, int)) else covariates:
        if isinstance(entry, str) and entry in known:
            mask[known.index(entry)] = True
        elif not isinstance(entry, str) and -inputs <= int(entry) < inputs:
            mask[int(entry)] = True
        else:
            raise ValueError(
                f"covariates: {entry!r} is neither the name of an input nor its place from 0 to {inputs - 1}"
            )
    return mask


def _space(rules: list[str], covariate: Array, outputs: int) -> Optional[Array]:
    space = np.flatnonzero(~covariate)
    physical = [rule for rule in rules if rule in PHYSICAL]
    if physical and len(space) != outputs:
        advice = "; name those outside of the field's space in covariates" if len(space) > outputs else ""
        raise ValueError(
            f"kernel {physical[0]} needs as many inputs as outputs, but there are {len(space)} and {outputs}{advice}"
        )
    if covariate.any() and not physical:
        raise ValueError("covariates are for kernels with a field's space: curl-free, div-free, helmholtz, auto")
    return space if covariate.any() else None


# ---- numbers


def _median_distance(X: Array) -> float:
    from scipy.spatial.distance import pdist

    distances = pdist(X)
    distances = distances[distances > 0.0]
    return float(np.median(distances)) if len(distances) else 1.0


def _median_scales(X: Array, space: Optional[Array]) -> Array:
    """The median distance between inputs; with covariates, of the field's space, and of each covariate by itself."""
    rows = np.linspace(0, len(X) - 1, min(len(X), _MEDIAN_ROWS)).astype(int)
    sample = np.asarray(X[rows], dtype=np.float64)
    inputs = np.arange(X.shape[1]) if space is None else space
    scales = np.array([_median_distance(sample[:, [i]]) for i in range(X.shape[1])])
    scales[inputs] = _median_distance(sample[:, inputs])
    return scales


def _scale_words(scales: Array) -> str:
    distinct = scales[:1] if np.all(scales == scales[0]) else scales
    return ",".join("%.17g" % scale for scale in distinct)


def output_matrix(given: Any, Y: Optional[Array], outputs: int) -> Optional[Array]:
    """The parameter output_matrix as A (outputs x outputs); None: identity."""
    if given is None or (isinstance(given, str) and given == "identity"):
        return None
    A = np.empty((outputs, outputs))
    if isinstance(given, str) and given == "covariance":
        if Y is None:
            raise ValueError("output_matrix 'covariance' needs outputs to look at")
        check(lib.orff_output_covariance(len(Y), outputs, pointer(doubles(Y)), pointer(A)))
        return A
    laplacian = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)
    if isinstance(given, str) or (laplacian and given[0] != "laplacian"):
        raise ValueError(
            f"output_matrix is {given!r}; expected 'identity', 'covariance', a matrix, or ('laplacian', weights)"
        )
    matrix = doubles(given[1] if laplacian else given)
    if matrix.shape != (outputs, outputs):
        raise ValueError(f"output_matrix has shape {matrix.shape}; expected {(outputs, outputs)}")
    if not laplacian:
        return matrix
    check(lib.orff_output_laplacian(outputs, pointer(matrix), 0.0, pointer(A)))
    return A


# ---- from the library


def base_word(base: int, shape: float) -> str:
    """The name of a base as the command line has it."""
    name = text(lib.orff_base_name(base))
    short = {("matern", 0.5): "matern12", ("matern", 1.5): "matern32", ("matern", 2.5): "matern52",
             ("matern", 3.5): "matern72", ("rational-quadratic", 1.0): "cauchy"}
    return short.get((name, shape), name)


def part_of_model(model: Any, i: int, inputs: int) -> tuple[Part, Any]:
    """Part i of a fitted model in the user's units, and the C struct it was read from."""
    c = ffi.new("orff_part *")
    check(lib.orff_model_part(model, i, c))
    scales = copied(c.sigmas, inputs) if c.sigmas != ffi.NULL else np.full(inputs, c.sigma)
    return Part(text(lib.orff_rule_name(c.rule)), base_word(c.base, c.shape), scales, c.weight, c.mix), c
