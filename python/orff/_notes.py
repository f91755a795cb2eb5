"""Notes that travel with models and moments: a JSON object, the same that the program `orff` writes and reads."""
from __future__ import annotations

import json
import sys
from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import Array
from ._errors import OrffError

KERNEL_WORDS = ("kernel", "base", "sigma")  # of moments: what they were made for


def _columns(names: Optional[Sequence[str]], count: int, letter: str) -> list[dict[str, Any]]:
    known = [str(name) for name in names] if names is not None else [f"{letter}{i + 1}" for i in range(count)]
    return [{"name": name} for name in known]


def make_notes(
    inputs: int,
    outputs: int,
    input_names: Optional[Sequence[str]] = None,
    output_names: Optional[Sequence[str]] = None,
    X: Optional[Array] = None,
    space: Optional[Array] = None,
    **more: Any,
) -> dict[str, Any]:
    """Names and ranges of columns, covariates, and what else is given."""
    notes: dict[str, Any] = {
        "named": input_names is not None,
        "inputs": _columns(input_names, inputs, "x"),
        "outputs": _columns(output_names, outputs, "y"),
        "covariates": [] if space is None else [i for i in range(inputs) if i not in space],
    }
    if X is not None:
        for entry, low, high in zip(notes["inputs"], X.min(axis=0), X.max(axis=0)):
            entry.update(low=float(low), high=float(high))
    notes.update(more)
    return notes


def dump(notes: dict[str, Any]) -> str:
    """As text."""
    return json.dumps(notes, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def parse(text: str, inputs: int, outputs: int, classes: int = 0, where: str = "the model") -> dict[str, Any]:
    """The notes in a text, checked against what they travel with; empty where it holds none of ours.

    `outputs` are columns of the table: one for classes. OrffError names `where` and the member that is wrong."""
    try:
        notes = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(notes, dict):
        return {}
    try:
        _check(notes, inputs, outputs, classes)
    except _Wrong as wrong:
        raise OrffError(f"{where}: its notes are damaged or do not belong to it: {wrong}", "FORMAT") from None
    return notes


# ---- what notes may be: the same as cli/notes_check.c says, and the member "python", which is ours alone


class _Wrong(Exception):
    """What is wrong with a member."""


def _no_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity are not JSON


def _expect(good: bool, problem: str) -> None:
    if not good:
        raise _Wrong(problem)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_place(value: Any, below: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < below


def _check_columns(notes: dict[str, Any], side: str, count: int) -> None:
    entries = notes.get(side)
    if side not in notes:
        return
    _expect(isinstance(entries, list), f'"{side}" is not a list')
    _expect(len(entries) == count, f'"{side}" names {len(entries)} columns; there are {count}')
    for i, entry in enumerate(entries):
        where = f"{side}[{i}]"
        _expect(isinstance(entry, dict), f'"{where}" is not an object')
        _expect("name" in entry, f'"{where}" has no "name"')
        for key in ("name", "units", "standard_name"):
            _expect(isinstance(entry.get(key, ""), str), f'"{where}.{key}" is not a text')
        if "low" in entry or "high" in entry:
            low, high = entry.get("low"), entry.get("high")
            _expect(_is_number(low) and _is_number(high), f'"{where}" has not both numbers, "low" and "high"')
            _expect(low <= high, f'"{where}" goes from {low} to {high}')


def _check_covariates(notes: dict[str, Any], inputs: int) -> None:
    entries = notes.get("covariates", [])
    _expect(isinstance(entries, list), '"covariates" is not a list')
    for i, entry in enumerate(entries):
        _expect(_is_place(entry, inputs), f'"covariates[{i}]" is not the place of an input, 0 to {inputs - 1}')
    _expect(len(set(entries)) == len(entries), 'one of the "covariates" is there twice')


def _check_labels(notes: dict[str, Any], classes: int) -> None:
    if "labels" not in notes:
        return
    labels = notes["labels"]
    _expect(isinstance(labels, list), '"labels" is not a list')
    _expect(len(labels) == classes, f'"labels" has {len(labels)} entries; there are {classes} classes')
    for i, label in enumerate(labels):
        _expect(isinstance(label, str), f'"labels[{i}]" is not a text')
    _expect(len(set(labels)) == len(labels), 'two of the "labels" are the same')


def _check_geo(notes: dict[str, Any], inputs: int, outputs: int) -> None:
    if "geo" not in notes:
        return
    geo, places = notes["geo"], inputs - len(notes.get("covariates", []))
    _expect(isinstance(geo, dict), '"geo" is not an object')
    for key, most, what in (("lon", 360, "longitude"), ("lat", 90, "latitude")):
        _expect(_is_number(geo.get(key)) and abs(geo[key]) <= most, f'"geo.{key}" is not a {what} in degrees')
    _expect(places >= 2 and outputs == 2,
            f'"geo" is for two inputs besides covariates and two outputs; there are {places} and {outputs}')


def _check_texts(notes: dict[str, Any], member: str, keys: Sequence[str]) -> None:
    _expect(isinstance(notes[member], dict), f'"{member}" is not an object')
    for key in keys:
        _expect(isinstance(notes[member].get(key), str), f'"{member}.{key}" is not a text')


def _check_python(notes: dict[str, Any]) -> None:
    if "python" not in notes:
        return
    about = notes["python"]
    keys = ("class", "labels", "loss")
    _check_texts(notes, "python", [key for key in keys if isinstance(about, dict) and key in about])
    _expect(isinstance(about.get("flat", False), bool), '"python.flat" is neither true nor false')


def _check(notes: dict[str, Any], inputs: int, outputs: int, classes: int) -> None:
    _check_columns(notes, "inputs", inputs)
    _check_columns(notes, "outputs", outputs)
    _expect(isinstance(notes.get("named", False), bool), '"named" is neither true nor false')
    _check_covariates(notes, inputs)
    _check_labels(notes, classes)
    _check_geo(notes, inputs, outputs)
    if "kernel" in notes:
        _check_texts(notes, "kernel", KERNEL_WORDS)
    _expect(isinstance(notes.get("settings", ""), str), '"settings" is not a text')
    _check_python(notes)


def names(notes: dict[str, Any], side: str, count: int) -> Optional[Array]:
    """The names of the columns, where the table they came from had any."""
    entries = notes.get(side, [])
    if not notes.get("named") or len(entries) != count:
        return None
    return np.array([entry.get("name", "") for entry in entries], dtype=object)


def pandas_names(Y: Any) -> Optional[list[str]]:
    """The names of a pandas object's columns."""
    if hasattr(Y, "columns"):
        return [str(name) for name in Y.columns]
    name = getattr(Y, "name", None)
    return [name] if isinstance(name, str) else None
