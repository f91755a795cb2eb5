"""Notes stored with models and moments: a JSON object, as the program `orff` writes and reads it."""
from __future__ import annotations

import json
from typing import Any, Optional, Sequence

import numpy as np

from ._arrays import Array
from ._errors import OrffError, check
from ._library import ffi, lib, owner

KERNEL_WORDS = ("kernel", "base", "sigma")  # of moments: the kernel that they were made for


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
    """Notes with names and ranges of columns, covariates, and anything else given."""
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
    """The notes as text."""
    return json.dumps(notes, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def parse(text: str, inputs: int, outputs: int, classes: int = 0, where: str = "the model") -> dict[str, Any]:
    """The notes in a text, checked by the library against their model or moments; empty if it has none of ours.

    `outputs`: columns of the table, one for classes. OrffError names `where` and the wrong member."""
    place, checked = owner("orff_notes", lib.orff_notes_free), ffi.new("const char **")
    try:
        check(lib.orff_notes_parse(place, text.encode(), inputs, outputs, classes))
        check(lib.orff_notes_text(place[0], checked))
        notes = json.loads(ffi.string(checked[0]).decode())
        _check_python(notes)
    except OrffError as wrong:
        raise OrffError(f"{where}: its {wrong}", "FORMAT") from None
    return notes


def _check_python(notes: dict[str, Any]) -> None:
    """The members that only Python reads: "python", "settings"."""
    about = notes.get("python", {})
    wrong = '"python" is not an object' if not isinstance(about, dict) else ""
    if not isinstance(notes.get("settings", ""), str):
        wrong = '"settings" is not a text'
    for key in ("class", "labels", "loss", "missing_outputs") if not wrong else ():
        if not isinstance(about.get(key, ""), str):
            wrong = f'"python.{key}" is not a text'
    if not wrong and not isinstance(about.get("flat", False), bool):
        wrong = '"python.flat" is neither true nor false'
    if wrong:
        raise OrffError(f"notes are damaged or do not belong to it: {wrong}", "FORMAT")


def names(notes: dict[str, Any], side: str, count: int) -> Optional[Array]:
    """The names of the columns, if their table had any."""
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
