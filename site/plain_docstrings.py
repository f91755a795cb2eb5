"""Docstrings of the package are plain text with formulas such as |f - y|^2 and names such as lambda_. This keeps Sphinx from reading
those as markup, before numpydoc makes sections of them."""
import re

HEAD = re.compile(r"^[\w*, ]+( : .*)?$")  # "lambda_ : float", which numpydoc takes apart


def escape(line, is_head):
    if is_head:
        name, colon, kind = line.partition(" : ")
        return name + colon + kind.replace("|", r"\|").replace("*", r"\*")
    line = re.sub(r"([*|])", r"\\\1", line)
    line = re.sub(r"^(\s*)([A-Za-z]\.)(?=\s|$)", r"\1\\\2", line)  # "p. By default .." is no list
    return re.sub(r"(?<=\w)_(?!\w)", r"\\_", line)


def process(app, what, name, obj, options, lines):
    section = ""
    for i, line in enumerate(lines):
        if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1].strip()):
            section = line.strip()
        if section != "Examples" and ">>>" not in line:
            lines[i] = escape(line, bool(section) and not line.startswith(" ") and bool(HEAD.match(line)))


def setup(app):
    app.connect("autodoc-process-docstring", process, priority=100)
    return {"version": "1", "parallel_read_safe": True}
