"""Kernels of settings and of models whose parts are known, turned back into parameters."""
from __future__ import annotations

import re
from typing import Any, NamedTuple, Optional, Sequence

import numpy as np

from ._arrays import Array, copied, pointer
from ._custom import has_custom, without_scales
from ._errors import check
from ._library import ffi, lib, owner, text
from ._settings import TABLE, Options, Settings, name_of, number_text, stand_ins, text_of


class Part(NamedTuple):
    """One part of a fitted kernel, in the user's units."""

    rule: str
    sigma: Array
    weight: float
    mix: float
    wavelength: Array


def parts_of_model(model: Any) -> list[Any]:
    """The orff_part of a model, whose pointers live as long as the model."""
    parts = [ffi.new("orff_part *") for _ in range(lib.orff_model_describe(model).parts)]
    for i, part in enumerate(parts):
        check(lib.orff_model_part(model, i, part))
    return parts


def with_known_parts(given: dict[str, Any], settings: Settings, parts: Sequence[Any]) -> dict[str, Any]:
    """The parameters, with the now known parts of the kernel instead of automatic ones."""
    texts = part_texts(parts, settings.inputs)
    if settings.c.auto_kernel:
        texts["weight"] = "auto"
        if not any(lib.orff_rule_describe(part.rule).physical for part in parts):
            texts["covariates"] = None  # covariates are for fields
    elif not settings.c.mixture:  # in a sum it multiplies parts scaled to unit variance
        weighted = settings.parts if len(parts) > 1 else parts
        texts["weight"] = "+".join(number_text(part.weight) for part in weighted)
    if has_custom(settings.asked):
        texts["kernel"] = without_scales(settings.asked, texts["kernel"].split("+"))
    return {**given, **texts, "shape": None}


def part_texts(parts: Sequence[Any], inputs: int) -> dict[str, Any]:
    """The parameters of a kernel with these parts (orff_part), except weights and output matrices."""
    texts = {
        "kernel": "+".join(name_of("rule", part.rule) for part in parts),
        "base": "+".join(_base_text(part) for part in parts),
        "sigma": "+".join(_sigma_text(scales_of(part, inputs)) for part in parts),
    }
    if any(part.wavelengths != ffi.NULL for part in parts):
        texts["wavelength"] = "+".join(_wave_text(waves_of(part, inputs)) for part in parts)
    mixes = [part.mix for part in parts if lib.orff_rule_describe(part.rule).mixes]
    return {**texts, "mix": mixes[0]} if mixes else texts


def scales_of(part: Any, inputs: int) -> Array:
    """A length scale for each input."""
    return copied(part.sigmas, inputs) if part.sigmas != ffi.NULL else np.full(inputs, part.sigma)


def waves_of(part: Any, inputs: int) -> Array:
    """A wavelength for each input, 0 for no waves along it."""
    return copied(part.wavelengths, inputs) if part.wavelengths != ffi.NULL else np.zeros(inputs)


def _wave_text(waves: Array) -> str:
    return ",".join(number_text(wave) for wave in waves) if np.any(waves) else "none"


def _base_text(part: Any) -> str:
    name = text(lib.orff_base_short_name(part.base, part.shape))
    open_shape = lib.orff_base_has_shape(part.base) and name == name_of("base", part.base)
    return f"{name}/{number_text(part.shape)}" if open_shape else name


def _sigma_text(scales: Array) -> str:
    distinct = scales[:1] if np.all(scales == scales[0]) else scales
    return ",".join(number_text(scale) for scale in distinct.tolist())


def _has_field(given: dict[str, Any], inputs: int, space: int, names: Optional[Sequence[str]]) -> bool:
    chosen = {name: given[name] for name in ("kernel", "base", "shape", "covariates") if name in given}
    parts = Settings({**chosen, "kernel": stand_ins(given["kernel"])}, inputs, max(1, space), names=names).parts
    return any(lib.orff_rule_describe(part.rule).physical for part in parts)


def count_outputs(given: dict[str, Any], inputs: int, usual: int = 1, names: Optional[Sequence[str]] = None) -> int:
    """The default: the number of inputs in the space of a field, else the rows of the output matrix, else the usual
    number."""
    space = inputs - int(covariate_mask(given["covariates"], inputs, names).sum())
    if _has_field(given, inputs, space, names):
        return space
    words = re.split(r"(?<![0-9.][eE])\+", text_of(TABLE["output_matrix"], given["output_matrix"]) or "")
    return max([usual, *(word.count(";") + 1 for word in words if ";" in word)])


def multipliers(parts: Sequence[Any], inputs: int, outputs: int) -> list[float]:
    """The parameter weight of fitted parts; in a sum, relative to parts whose K(0) has trace p."""
    if len(parts) == 1 or not all(lib.orff_rule_describe(part.rule).named for part in parts):
        return [part.weight for part in parts]  # no file contains the size of a function at 0
    return [part.weight * _size(part, inputs, outputs) for part in parts]


def _size(part: Any, inputs: int, outputs: int) -> float:
    """trace K(0) / p of one part."""
    alone, made = ffi.new("orff_part[]", [part[0]]), owner("orff_kernel", lib.orff_kernel_free)
    alone[0].weight, alone[0].normalise = 1.0, False
    check(lib.orff_kernel_create(made, inputs, outputs, 1, alone))
    x, K = np.zeros(inputs), np.empty((outputs, outputs))
    check(lib.orff_kernel_eval(made[0], pointer(x), pointer(x), pointer(K)))
    return float(np.trace(K)) / outputs


def covariate_mask(covariates: Any, inputs: int, names: Optional[Sequence[str]]) -> Array:
    """A mask of the inputs outside the field's space."""
    options, mask = Options({"covariates": covariates}, inputs, names), ffi.new("bool[]", inputs)
    held = [ffi.new("char[]", str(name).encode()) for name in ([] if names is None else names)]
    shape = ffi.new("orff_data_shape *", {"d": inputs, "inputs": ffi.new("char *[]", held) if held else ffi.NULL})
    options.check(lib.orff_options_covariates(options._place[0], shape, mask))
    return np.array(list(mask), dtype=bool)
