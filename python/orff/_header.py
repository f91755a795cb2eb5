"""Reads the declarations of orff.h, so that no signature is written twice.

A small preprocessor, enough for the public header: comments, continued lines, conditions on names, and macros with
and without arguments. What is left are plain C declarations, which cffi understands.
"""
from __future__ import annotations

import re
from typing import NamedTuple

_TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|[A-Za-z_]\w*|##|\S|\s+')
_WHOLE = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)[uUlL]*$")


class Header(NamedTuple):
    """What a header declares."""

    declarations: str
    constants: dict[str, int]


class _Macro(NamedTuple):
    arguments: list[str] | None
    body: str


def read(text: str) -> Header:
    """Expand the text of a header.

    Parameters
    ----------
    text : str
        The header, as C.

    Returns
    -------
    Header
        Its declarations, without directives and macros, and its macros that are whole numbers.

    Examples
    --------
    >>> from orff._header import read
    >>> header = read('''#define LIST(X) X(ONE, "1") X(TWO, "2")
    ... #define SIZE 7u
    ... #define ENTRY(name, text) IS_##name,
    ... enum number { LIST(ENTRY) COUNT }; // how many''')
    >>> header.declarations.split()
    ['enum', 'number', '{', 'IS_ONE,', 'IS_TWO,', 'COUNT', '};']
    >>> header.constants
    {'SIZE': 7}
    """
    macros: dict[str, _Macro] = {}
    constants: dict[str, int] = {}
    kept: list[str] = []
    taken = [True]
    for line in _plain(text).split("\n"):
        stripped = line.strip()
        if stripped.startswith("#"):
            _directive(stripped[1:].strip(), macros, constants, taken)
        elif all(taken):
            kept.append(_expand(line, macros))
    return Header("\n".join(line for line in kept if line.strip()), constants)


def _plain(text: str) -> str:
    """Removes comments and joins continued lines."""
    text = text.replace("\\\n", " ")
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r"//[^\n]*", "", text)


def _directive(line: str, macros: dict[str, _Macro], constants: dict[str, int], taken: list[bool]) -> None:
    word, _, rest = line.partition(" ")
    rest = rest.strip()
    if word in ("ifdef", "ifndef", "if"):
        name = rest if word != "if" else _defined(rest)
        taken.append((name in macros) == (word != "ifndef"))
    elif word == "else":
        taken[-1] = not taken[-1]
    elif word == "endif":
        taken.pop()
    elif not all(taken) or word == "include":
        pass
    elif word == "define":
        _define(rest, macros, constants)
    elif word == "undef":
        macros.pop(rest, None)
    else:
        raise ValueError(f"orff.h: the directive #{line} is not understood")


def _defined(condition: str) -> str:
    match = re.fullmatch(r"defined\s*\(?\s*(\w+)\s*\)?", condition)
    if not match:
        raise ValueError(f"orff.h: the condition {condition} is not understood")
    return match.group(1)


def _define(rest: str, macros: dict[str, _Macro], constants: dict[str, int]) -> None:
    match = re.match(r"(\w+)(\(([^)]*)\))?\s*(.*)", rest)
    if not match:
        raise ValueError(f"orff.h: #define {rest} is not understood")
    name, _, arguments, body = match.groups()
    names = None if match.group(2) is None else [a.strip() for a in (arguments or "").split(",")]
    macros[name] = _Macro(names, body.strip())
    whole = _WHOLE.match(body.strip())
    if names is None and whole:
        constants[name] = int(whole.group(1), 0)


def _expand(text: str, macros: dict[str, _Macro]) -> str:
    tokens = _TOKEN.findall(text)
    out: list[str] = []
    i = 0
    while i < len(tokens):
        macro = macros.get(tokens[i])
        i += 1
        if macro is None:
            out.append(tokens[i - 1])
        elif macro.arguments is None:
            out.append(_expand(macro.body, macros))
        else:
            values, i = _arguments(tokens, i)
            out.append(_expand(_substitute(macro, values), macros))
    return "".join(out)


def _arguments(tokens: list[str], i: int) -> tuple[list[str], int]:
    """The arguments in parentheses from token i on, and the token after them."""
    while tokens[i].isspace():
        i += 1
    depth, values = 0, [""]
    while True:
        token = tokens[i]
        i += 1
        depth += (token == "(") - (token == ")")
        if depth == 0:
            return [value.strip() for value in values], i
        if token == "," and depth == 1:
            values.append("")
        elif not (token == "(" and depth == 1):
            values[-1] += token


def _substitute(macro: _Macro, values: list[str]) -> str:
    names = dict(zip(macro.arguments or [], values))
    body = "".join(names.get(token, token) for token in _TOKEN.findall(macro.body))
    return re.sub(r"\s*##\s*", "", body)
