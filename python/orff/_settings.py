"""The library's table of settings: Python parameters to texts, and texts to an orff_settings."""
from __future__ import annotations

import os
from typing import Any, Iterator, NamedTuple, Optional, Sequence

import numpy as np

from ._arrays import Array, doubles, pointer
from ._custom import CustomPart, fill_part, has_custom, parts_as_text, refuse_names, split
from ._errors import OrffError, check
from ._library import ffi, keep_with, lib, owner, text

_BETWEEN = {"sigma": ",", "wavelength": ",", "lambda-grid": ":", "stack": ","}  # separates the numbers of one list; otherwise + separates the parts of a kernel
_PLACES = ("covariates", "trend")  # inputs, which Python numbers from 0
_PERIODS = "period"  # one number per input, by name or index


# ---- the table


class Setting(NamedTuple):
    """A line of the table, in Python's terms."""

    name: str  # of the parameter
    key: str  # of the library
    default: Any
    types: str
    help: str
    uses: int
    form: str
    fallback: Optional[str]  # the default as text
    names: tuple


def parameter_name(key: str) -> str:
    """The parameter for a setting of the library; lambda is a keyword of Python."""
    return {"lambda": "lambda_"}.get(key, key.replace("-", "_"))


def _names(c: Any) -> tuple:
    found: list[str] = []
    listed = c.names() if c.names != ffi.NULL else ffi.NULL
    while listed != ffi.NULL and listed[len(found)] != ffi.NULL:
        found.append(text(listed[len(found)]))
    return tuple(found)


def _types(c: Any, names: tuple) -> str:
    """The type in numpydoc's notation."""
    if c.kind in (lib.ORFF_SETTING_NUMBER, lib.ORFF_SETTING_WHOLE):
        return ("float" if c.kind == lib.ORFF_SETTING_NUMBER else "int") + (' or "auto"' if c.automatic else "")
    if "yes" in names:
        others = [f'"{name}"' for name in names if name not in ("yes", "no")]
        return " or ".join(["bool", *others])
    if c.kind == lib.ORFF_SETTING_NAME:
        return "{" + ", ".join(f'"{name}"' for name in names) + "}"
    form = text(c.form)
    if form == "FILE":
        return "path-like"
    if "=" in form:
        return "dict or str"
    if "MATRIX" in form:
        return "array or str"
    return "float, sequence or str" if c.most > 0.0 else "str or sequence"


def _help(c: Any, names: tuple) -> str:
    words = text(c.help).replace("counted from 1", "counted from 0")  # Python's numbering
    if c.kind == lib.ORFF_SETTING_TEXT and text(c.form) != "FILE":
        words += f" As text: {text(c.form)}."
        words += f" There are {', '.join(names)}." if names else ""
    return words + (f" Unit: {text(c.unit)}." if text(c.unit) else "")


def _read_table() -> Iterator[Setting]:
    c, i = lib.orff_setting_at(0), 0
    while c != ffi.NULL:
        key, fallback, names = text(c.name), text(c.fallback) if c.fallback != ffi.NULL else None, _names(c)
        form = text(c.form) if c.form != ffi.NULL else ""
        yield Setting(parameter_name(key), key, value_of(key, fallback), _types(c, names), _help(c, names),
                      int(c.uses), form, fallback, names)
        i += 1
        c = lib.orff_setting_at(i)


# ---- values and texts


def value_of(key: str, words: Optional[str]) -> Any:
    """The value of a parameter whose setting has this text."""
    c = lib.orff_setting_find(key.encode())
    form = text(c.form) if c.form != ffi.NULL else ""
    if words is None or form == "FILE":
        return words
    if words in ("yes", "no") and words in _names(c):
        return words == "yes"
    if key in _PLACES and words not in _names(c):
        return [int(word) - 1 if word.isdecimal() else word for word in words.split(",")]
    try:
        if "MATRIX" in form:
            return np.array([[float(word) for word in row.split(",")] for row in words.split(";")])
        return int(words) if c.kind == lib.ORFF_SETTING_WHOLE else float(words)
    except ValueError:
        return words


def number_text(value: Any) -> str:
    """The shortest text that is read back as the same number."""
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    room = ffi.new("char[]", 32)
    lib.orff_number_print(room, float(value), True)
    return text(room)


def _scalar_text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, str):
        return str(value)
    if np.ndim(value) == 0 and isinstance(np.asarray(value).item(), (int, float)):
        return number_text(np.asarray(value).item())
    raise TypeError


def _matrix_text(value: Any) -> str:
    """A matrix, or (word, matrix, number), or several of these joined by +."""
    if isinstance(value, str):
        return value
    if isinstance(value, tuple) and len(value) > 1 and isinstance(value[0], str) and not isinstance(value[1], str):
        return ":".join(_matrix_text(entry) if np.ndim(entry) else _scalar_text(entry) for entry in value)
    if not isinstance(value, (list, tuple)) or not any(isinstance(entry, (str, tuple)) for entry in value):
        numbers = np.asarray(value, dtype=np.float64)
        if numbers.ndim == 2:
            return ";".join(",".join(number_text(entry) for entry in row) for row in numbers.tolist())
        if numbers.ndim != 3:
            raise TypeError
    return "+".join(_matrix_text(entry) for entry in value)


def _list_text(key: str, value: Any) -> str:
    """Numbers and words, or lists of these for the parts of a kernel."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return _scalar_text(value)
    if not len(value):
        raise TypeError
    plain = all(np.ndim(entry) == 0 and not isinstance(entry, str) for entry in value)
    between = _BETWEEN.get(key, "+") if plain else "+"
    return between.join(_list_text(key, entry) for entry in value)


def _periods_text(value: Any, inputs: int, names: Optional[Sequence[str]]) -> Optional[str]:
    """{input: period} as "1=24,..", with inputs by name or by index."""
    if isinstance(value, str):
        return value
    places = {entry: _places_text([entry], inputs, names, _PERIODS) for entry in value}
    return ",".join(f"{places[entry]}={number_text(period)}" for entry, period in value.items()) or None


def _places_text(value: Any, inputs: int, names: Optional[Sequence[str]], key: str) -> Optional[str]:
    """Inputs by name, or by index from 1 if a name would be misread."""
    known = [] if names is None else list(names)
    words = []
    for entry in [value] if isinstance(value, str) or np.ndim(value) == 0 else value:
        if isinstance(entry, str):
            words.append(str(known.index(entry) + 1) if "," in entry and entry in known else str(entry))
            continue
        place = int(entry)
        if place != entry or not -inputs <= place < inputs:
            raise ValueError(
                f"{key}: {entry!r} is neither the name of an input nor its place from 0 to {inputs - 1}")
        place += inputs if place < 0 else 0
        words.append(known[place] if str(place + 1) in known and "," not in known[place] else str(place + 1))
    return ",".join(words) or None


def text_of(setting: Setting, value: Any, inputs: int = 0, names: Optional[Sequence[str]] = None) -> Optional[str]:
    """The text of a parameter; None if it is not given."""
    if value is None:
        return None
    try:
        if setting.form == "FILE":
            return os.fsdecode(value)
        if setting.key in _PLACES:
            named = isinstance(value, str) and value in setting.names
            return value if named else _places_text(value, inputs, names, setting.key)
        if setting.key == _PERIODS:
            return _periods_text(value, inputs, names)
        if setting.key == "kernel" and has_custom(value):
            return parts_as_text(value, number_text)
        return _matrix_text(value) if "MATRIX" in setting.form else _list_text(setting.key, value)
    except (TypeError, AttributeError):
        raise ValueError(f"{setting.name}: {value!r} is not {setting.types}") from None


TABLE: dict[str, Setting] = {setting.name: setting for setting in _read_table()}


# ---- settings


def name_of(kind: str, enumerator: int) -> str:
    """The name of an enumerator: name_of("loss", lib.ORFF_LOSS_SQUARED)."""
    return text(getattr(lib, f"orff_{kind}_name")(enumerator))


class Options:
    """Owns an orff_options: the texts of parameters that differ from their defaults."""

    def __init__(self, given: dict[str, Any], inputs: int = 0, names: Optional[Sequence[str]] = None) -> None:
        self._place = owner("orff_options", lib.orff_options_free)
        check(lib.orff_options_create(self._place))
        for name, value in given.items():
            setting = TABLE[name]
            words = text_of(setting, value, inputs, names)
            if words is not None and words != setting.fallback:
                self.check(lib.orff_options_set(self._place[0], setting.key.encode(), os.fsencode(words)))

    def check(self, status: int) -> None:
        """Raise an error that starts with the parameter's name."""
        culprit = text(lib.orff_options_culprit(self._place[0]))
        try:
            check(status)
        except OrffError as error:
            message = str(error)
            if culprit and message.startswith(culprit + ":"):
                message = parameter_name(culprit) + message[len(culprit):]
            raise OrffError(message, error.status) from None

    def given(self, name: str) -> Optional[str]:
        """The text of a parameter that differs from its default."""
        key = TABLE[name].key.encode()
        handle = self._place[0]
        if not lib.orff_options_given(handle, key):
            return None
        return os.fsdecode(ffi.string(lib.orff_options_get(handle, key)))

    def written(self) -> str:
        """All given parameters, as one text."""
        place = ffi.new("char **")
        check(lib.orff_options_write(self._place[0], place))
        try:
            return os.fsdecode(ffi.string(place[0]))
        finally:
            lib.orff_text_free(place[0])

    def resolve(self, shape: Any, c: Any) -> None:
        """Parse the texts into an orff_settings."""
        self.check(lib.orff_options_resolve(self._place[0], shape, c))


def read_options(written: str) -> dict[str, Any]:
    """The parameters in a text from Options.written."""
    options = Options({})
    options.check(lib.orff_options_read(options._place[0], os.fsencode(written)))
    texts = {name: options.given(name) for name in TABLE}
    return {name: value_of(TABLE[name].key, words)
            for name, words in texts.items() if words is not None}


def stand_ins(kernel: Any) -> Any:
    """The parameter kernel, with plain parts in place of those that a text cannot describe."""
    return parts_as_text(kernel, number_text, name_of("rule", lib.ORFF_RULE_DECOMPOSABLE)) if has_custom(kernel) else kernel


class Settings:
    """An orff_settings, with all memory it points to."""

    def __init__(self, given: dict[str, Any], inputs: int, outputs: int, classes: int = 0,
                 names: Optional[Sequence[str]] = None, X: Optional[Array] = None, Y: Optional[Array] = None,
                 fixed: bool = False) -> None:
        """outputs as the model has them: one less than classes. X and Y are for what is computed from rows. fixed: no fit
        follows, so nothing may be automatic."""
        self.inputs, self.outputs, self.asked = inputs, outputs, given.get("kernel")
        refuse_names(self.asked)
        self.options = Options({**given, "kernel": stand_ins(self.asked)}, inputs, names)
        self.c = ffi.new("orff_settings *")
        held = [None if names is None else [ffi.new("char[]", str(name).encode()) for name in names],
                *self._looked_at(X, Y)]
        listed = ffi.NULL if names is None else ffi.new("const char *[]", held[0])
        shape = ffi.new("orff_data_shape *", {
            "d": inputs, "p": 1 if classes else outputs, "classes": classes, "inputs": listed,
            "n": 0 if X is None else len(X), "X": pointer(held[1]), "Y": pointer(held[2]), "fixed": fixed})
        self.options.resolve(shape, self.c)
        self._own_parts()

    def _looked_at(self, X: Optional[Array], Y: Optional[Array]) -> tuple:
        """The rows for automatic choices, converted only if they are needed. A plane needs both X and Y."""
        def asked(word: str, *names: str) -> bool:
            return any(word in (self.options.given(name) or "") for name in names)

        median, covariance = asked("median", "sigma", "kernel"), asked("covariance", "output_matrix")
        if (self.options.given("geo") or self.options.given("crs")) and Y is not None:
            median = covariance = median or covariance
        return (doubles(X) if median and X is not None else None, doubles(Y) if covariance and Y is not None else None)

    def _own_parts(self) -> None:
        """A modifiable copy of the parts, in which those that a text cannot describe are filled in."""
        count = int(self.c.n_parts)
        self.parts = ffi.new("orff_part[]", [self.c.parts[m] for m in range(count)])
        self.c.parts = self.parts
        entries = split(self.asked) if has_custom(self.asked) else []
        self._functions = [fill_part(c, entry, self.inputs, self.outputs) for c, entry in zip(self.parts, entries)
                           if isinstance(entry, CustomPart)]

    @property
    def auto_sigma(self) -> bool:
        """Whether a length scale is chosen from the data."""
        return any(part.sigma <= 0.0 and part.sigmas == ffi.NULL for part in self.parts)

    @property
    def checkpoint(self) -> Any:
        """The path, or NULL."""
        return self.c.checkpoint

    @property
    def space(self) -> Optional[Array]:
        """The inputs of the field's space, unless that is all inputs."""
        for part in self.parts:
            if part.space != ffi.NULL:
                return np.array([part.space[i] for i in range(self.outputs)])
        return None

    def kernel(self) -> Any:
        """The library's kernel."""
        place = owner("orff_kernel", lib.orff_kernel_free)
        check(lib.orff_kernel_create(place, self.inputs, self.outputs, len(self.parts), self.parts))
        keep_with(place, self)
        return place

    def sampling(self, extent: Optional[Array] = None) -> Any:
        """How frequencies are drawn without a fit; their number is the library's default."""
        c = ffi.new("orff_sampling *", self.c.sampling)
        c.features = c.features or lib.orff_sampling_default().features
        self._extent = pointer(extent)
        c.extent = self._extent
        return c


def is_single(precision: Any, dtype: Any) -> bool:
    """Whether to compute in single precision: "auto" follows the type of the inputs."""
    if isinstance(precision, str) and precision == "auto":
        return dtype == np.float32
    Options({"precision": precision})
    return precision == TABLE["precision"].names[1]


def whole(name: str, value: Any, low: int, high: int) -> int:
    """A whole number in a range, for parameters that are not settings."""
    try:
        number = int(value)
        good = number == value and low <= number <= high and not isinstance(value, str)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ValueError(f"{name} is {value!r}; expected a whole number from {low} to {high}")
    return number


def positive(name: str, value: Any) -> float:
    """A positive number, for parameters that are not settings."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0.0 < number < float("inf"):
        raise ValueError(f"{name} is {value!r}; expected a positive number")
    return number
