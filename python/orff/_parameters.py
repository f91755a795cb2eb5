"""Parameters from the table of settings: signatures, __init__, and help texts."""
from __future__ import annotations

import functools
import inspect
import textwrap
from typing import Any, Callable, NamedTuple, Sequence

from ._library import header
from ._settings import TABLE, Setting

KERNEL, FEATURES, MOMENTS, LEARNING, SOLVING, STREAM = (
    header.constants[f"ORFF_USE_{use}"] for use in ("KERNEL", "FEATURES", "MOMENTS", "LEARNING", "SOLVING", "STREAM"))
EVERY = ~0


class Own(NamedTuple):
    """A parameter of Python alone, or a setting with another default here."""

    default: Any
    types: str
    help: str


VERBOSE = Own(0, "int", "1 shows progress and messages on standard error.")
PROGRESS = Own(None, "callable", "Called as progress(task, done, total) while work goes on; returning False stops with "
                                 "`orff.Stopped`.")
PRECISION = Own("auto", '{"auto", "double", "single"}', 'single computes features and their products in float and sums '
                                                        'in double. "auto" is single for float32 inputs.')


def settings_of(uses: int, without: Sequence[str] = ()) -> list[Setting]:
    """The settings that apply to a use, in the order of the table."""
    return [setting for setting in TABLE.values() if setting.uses & uses and setting.name not in without]


def _listed(uses: int, without: Sequence[str], own: dict[str, Own]) -> dict[str, Own]:
    table = {setting.name: own.get(setting.name, Own(setting.default, setting.types, setting.help))
             for setting in settings_of(uses, without)}
    return {**table, **{name: one for name, one in own.items() if name not in table}}


def _paragraph(name: str, one: Own) -> str:
    default = "optional" if one.default is None else f"default={one.default!r}".replace("'", '"')
    return f"{name} : {one.types}, {default}\n" + textwrap.indent(textwrap.fill(one.help, 112, break_on_hyphens=False), "    ")


def _documented(words: str, listed: dict[str, Own]) -> str:
    """A docstring in which the line {parameters} is replaced by the parameters."""
    paragraphs = "\n".join(_paragraph(name, one) for name, one in listed.items())
    return inspect.cleandoc(words).replace("{parameters}", paragraphs)


def _keywords(listed: dict[str, Own]) -> list[inspect.Parameter]:
    return [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=one.default)
            for name, one in listed.items()]


def _unknown(where: str, given: dict[str, Any], listed: dict[str, Own]) -> None:
    for name in given:
        if name not in listed:
            raise TypeError(f"{where}() got an unexpected keyword argument {name!r}")


def parameters(uses: int, without: Sequence[str] = (), **own: Own) -> Callable[[type], type]:
    """Makes the settings of these uses, and a class's own parameters, its keyword parameters. Values are stored unchanged."""
    def decorate(cls: type) -> type:
        listed = _listed(uses, without, own)

        def __init__(self: Any, **given: Any) -> None:
            _unknown(cls.__name__, given, listed)
            for name, one in listed.items():
                setattr(self, name, given.get(name, one.default))

        first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        __init__.__signature__ = inspect.Signature([first, *_keywords(listed)])  # type: ignore[attr-defined]
        __init__.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = __init__  # type: ignore[misc]
        cls.__doc__ = _documented(cls.__doc__ or "", listed)
        cls._settings_names = [name for name in listed if name in TABLE]  # type: ignore[attr-defined]
        return cls

    return decorate


def accepts(uses: int, without: Sequence[str] = (), **own: Own) -> Callable[[Callable], Callable]:
    """Makes the settings of these uses further keywords of a function, which gets them all in its dict `given`."""
    def decorate(function: Callable) -> Callable:
        listed = _listed(uses, without, own)
        plain = inspect.signature(function)
        kept = [one for one in plain.parameters.values() if one.kind != inspect.Parameter.VAR_KEYWORD]
        names = {one.name for one in kept}

        @functools.wraps(function)
        def call(*arguments: Any, **given: Any) -> Any:
            _unknown(function.__name__, {name: 0 for name in given if name not in names}, listed)
            return function(*arguments, **{**{name: one.default for name, one in listed.items()}, **given})

        call.__signature__ = plain.replace(parameters=[*kept, *_keywords(listed)])  # type: ignore[attr-defined]
        call.__doc__ = _documented(function.__doc__ or "", listed)
        return call

    return decorate
