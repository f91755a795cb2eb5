"""Parts of a kernel given by the user's functions: B(w), A(w) or K0(delta)."""
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from ._arrays import Array, view
from ._errors import check, keep_cause
from ._library import ffi, lib, text

Function = Callable[[Array], Any]


@dataclass(eq=False)
class CustomPart:
    """A part of a kernel defined by your own function. Give one of B, A and K0.

    The functions get many points at once, in the units of the inputs even if the estimator scales them. They are called by
    one thread at a time.

    Parameters
    ----------
    B : callable, optional
        B(W) of frequencies W (n, d) gives blocks (n, p, columns): K(x, z) = E[cos<w, x - z> B(w) B(w)^T], the mean
        over the spectrum of `base`.
    A : callable, optional
        A(W) returns positive semidefinite matrices (n, p, p), which the library factors as B B^T. Both may be complex:
        A = B B^* is then Hermitian, and K(x, z) = E[cos<w, x - z> Re A(w) + sin<w, x - z> Im A(w)],
        with K(z, x) = K(x, z)^T and no other symmetry. At -w, A must be the conjugate of that at w.
    K0 : callable, optional
        K0(delta) of differences delta = x - z (n, d) returns the kernel itself (n, p, p). The spectrum is computed from it.
        d is at most 3.
    columns : int, optional
        Number of columns of B. By default, it is taken from the result of B.
    base, sigma, weight : optional
        As in `ORFFRegressor`, whose values are the default. K0 has no base and no sigma.
    exact : callable, optional
        K0(delta) of a part given by B or A, if it is known. `OVKRegressor` and `orff.kernel` need it.
    stretchable : bool, default=False
        Whether each input may be scaled separately: with sigma "auto", each input then has a length scale derived from its
        own spread.

    Examples
    --------
    >>> import numpy as np, orff
    >>> def turned(W):
    ...     return np.stack([-W[:, 1], W[:, 0]], axis=1)[:, :, None]
    >>> X = np.random.default_rng(0).uniform(-1, 1, (100, 2))
    >>> Y = np.c_[-np.sin(2 * X[:, 1]), np.sin(2 * X[:, 0])]
    >>> model = orff.ORFFRegressor(kernel=orff.CustomPart(B=turned), sigma=1.0, features=50).fit(X, Y)
    >>> bool(np.abs(model.divergence(X)).max() < 1e-9)
    True
    """

    B: Optional[Function] = None
    A: Optional[Function] = None
    K0: Optional[Function] = None
    columns: Optional[int] = None
    base: Optional[str] = None
    sigma: Any = None
    weight: Optional[float] = None
    exact: Optional[Function] = None
    stretchable: bool = False

    def __post_init__(self) -> None:
        given = [name for name in ("B", "A", "K0") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a CustomPart is one of B, A and K0, not {' and '.join(given) or 'none of them'}")
        for name in (given[0], "exact"):
            if getattr(self, name) is not None and not callable(getattr(self, name)):
                raise ValueError(f"{name} is {getattr(self, name)!r}; expected a function")
        if self.K0 is not None and not (self.base is None and self.sigma is None and self.exact is None):
            raise ValueError("K0 is the kernel itself: it has no base, no sigma and no other exact form")

    @property
    def rule(self) -> str:
        """The name of the library's rule."""
        given = (lib.ORFF_RULE_CUSTOM_B if self.B is not None else lib.ORFF_RULE_CUSTOM_A if self.A is not None
                 else lib.ORFF_RULE_SIGNATURE)
        return text(lib.orff_rule_name(given))

    @property
    def function(self) -> Function:
        """B, A or K0."""
        return self.B or self.A or self.K0  # type: ignore[return-value]


Kernels = Union[str, CustomPart, Sequence[Union[str, CustomPart]]]


def split(kernel: Any) -> list[Any]:
    """The parameter kernel as a list of names and CustomParts. A name may itself be a sum."""
    entries = kernel if isinstance(kernel, (list, tuple)) else [kernel]
    parts: list[Any] = []
    for entry in entries:
        if isinstance(entry, CustomPart):
            parts.append(entry)
        elif isinstance(entry, str) and entry:
            parts += [word.strip() for word in entry.split("+")]
        else:
            raise ValueError(f"kernel is {kernel!r}; expected names with + between, a CustomPart, or a list of these")
    if not parts:
        raise ValueError("kernel is an empty list; expected names or CustomParts")
    return parts


def has_custom(kernel: Any) -> bool:
    """Whether the parameter kernel contains a CustomPart."""
    return any(isinstance(part, CustomPart) for part in (kernel if isinstance(kernel, (list, tuple)) else [kernel]))


def parts_as_text(kernel: Any, number_text: Callable, rule: Optional[str] = None) -> str:
    """The parameter kernel, with CustomParts, as text for the library. Custom parts appear with their own rules, which a
    text cannot create, or with a substitute until their functions are filled in."""
    words = []
    for part in split(kernel):
        if isinstance(part, str):
            words.append(part)
            continue
        sigma = 1.0 if part.K0 is not None else part.sigma  # a signature has no length scale, so any number will do
        words.append((rule or part.rule) + (f":{part.base}" if part.base else "")
                     + (f"@{_scales(sigma, number_text)}" if sigma is not None else "")
                     + (f"*{number_text(part.weight)}" if part.weight is not None else ""))
    return "+".join(words)


def _scales(sigma: Any, number_text: Callable) -> str:
    return sigma if isinstance(sigma, str) else ",".join(number_text(one) for one in np.ravel(sigma).tolist())


def without_scales(kernel: Any, names: Sequence[str]) -> list[Any]:
    """The parts: custom ones without their base, scale and weight; the others under these names."""
    return [replace(part, base=None, sigma=None, weight=None) if isinstance(part, CustomPart) else name
            for part, name in zip(split(kernel), names)]


# ---- functions called from C


class _Functions:
    """The functions of a part, for d inputs and p outputs."""

    def __init__(self, part: CustomPart, inputs: int, outputs: int) -> None:
        self.part, self.inputs, self.outputs = part, inputs, outputs
        self.columns = outputs if part.B is None else _columns(part, inputs, outputs)
        self.hermitian = part.K0 is None and _is_complex(part.function, inputs)

    def fill(self, function: Function, name: str, columns: int, count: int, at: Any, out: Any,
             hermitian: bool = False) -> None:
        points = view(at, count, self.inputs).copy()
        matrices = _matrices(name, function(points), count, self.outputs, columns, hermitian)
        if hermitian:
            pairs = view(out, count, self.outputs, columns, 2)
            pairs[..., 0], pairs[..., 1] = matrices.real, matrices.imag
        else:
            view(out, count, self.outputs, columns)[...] = matrices


def _is_complex(function: Function, inputs: int) -> bool:
    """Whether a function returns complex numbers. Errors in them are reported later, when the library calls it."""
    try:
        return bool(np.iscomplexobj(function(np.ones((1, inputs)))))
    except Exception:
        return False


def _matrices(name: str, given: Any, count: int, outputs: int, columns: int, hermitian: bool) -> Array:
    matrices = np.asarray(given)
    if matrices.dtype.kind not in ("fiubc" if hermitian else "fiub"):
        raise TypeError(f"{name} gave numbers of type {matrices.dtype}; expected real numbers")
    if matrices.shape != (count, outputs, columns):
        raise ValueError(f"{name} gave an array of shape {matrices.shape} for {count} points; expected "
                         f"{(count, outputs, columns)}")
    return matrices


def _columns(part: CustomPart, inputs: int, outputs: int) -> int:
    if part.columns is not None:
        return int(part.columns)
    assert part.B is not None
    shape = np.shape(part.B(np.ones((1, inputs))))
    if len(shape) != 3 or shape[0] != 1 or shape[1] != outputs or shape[2] == 0:
        raise ValueError(f"B gave an array of shape {shape} for one frequency; expected {(1, outputs)} and columns")
    return shape[2]


def _keep(kind: Any, value: BaseException, trace: Any) -> None:
    keep_cause(value)


_KIND = "int(void *, size_t, const double *, double *)"


@ffi.callback(_KIND, error=1, onerror=_keep)
def _matrix(self: Any, count: int, at: Any, out: Any) -> int:
    functions = ffi.from_handle(self)
    part = functions.part
    name = "B" if part.B is not None else "A" if part.A is not None else "K0"
    functions.fill(part.function, name, functions.columns, count, at, out, functions.hermitian)
    return 0


@ffi.callback(_KIND, error=1, onerror=_keep)
def _exact(self: Any, count: int, at: Any, out: Any) -> int:
    functions = ffi.from_handle(self)
    functions.fill(functions.part.exact, "exact", functions.outputs, count, at, out)
    return 0


def fill_part(c: Any, part: CustomPart, inputs: int, outputs: int) -> Any:
    """Set the rule and the functions of an orff_part whose base, scales and weight are set. The result must live as
    long as any kernel, features or model made from the part."""
    rule = ffi.new("orff_rule *")
    check(lib.orff_rule_parse(part.rule.encode(), rule))
    functions = _Functions(part, inputs, outputs)
    handle = ffi.new_handle(functions)
    c.rule, c.A = rule[0], ffi.NULL
    c.columns, c.stretchable, c.self = functions.columns, bool(part.stretchable), handle
    c.matrix, c.hermitian = _matrix, functions.hermitian
    c.exact = _exact if part.exact is not None else ffi.NULL
    if part.exact is None and part.K0 is None:
        c.normalise = False  # the size of K(0) is unknown
    return functions, handle


def refuse_names(kernel: Any) -> None:
    """Refuses a loaded model with custom parts, because its file does not contain their functions."""
    for name in re.findall(r"[a-z-]+", kernel) if isinstance(kernel, str) else ():
        found = ffi.new("orff_rule *")
        if lib.orff_rule_parse(name.encode(), found) == lib.ORFF_OK and not lib.orff_rule_describe(found[0]).named:
            raise ValueError(f"kernel: {name} is a function, which a model file does not contain: give kernel an "
                             "orff.CustomPart to fit again")
