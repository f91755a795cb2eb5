"""The reference of the Python package, by autodoc; needs the library, which the package loads when it is imported."""
import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "orff" / "__init__.py"
ERRORS = ("OrffError", "Stopped")


def public_names():
    """What the package offers, as it says itself: classes and functions."""
    for node in ast.parse(PACKAGE.read_text()).body:
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__":
            names = [name for name in ast.literal_eval(node.value) if not name.startswith("_") and name not in ERRORS]
            return [name for name in names if name[0].isupper()], [name for name in names if name[0].islower()]
    raise SystemExit(f"{PACKAGE}: there is no __all__")


def pages(library):
    title = "Python classes and functions"
    head = f"{title}\n{'=' * len(title)}\n\n"
    if not library:
        print("the reference of Python is left out: no library was given (--library)")
        yield "reference/python-api.md", f"# {title}\n\nThis site was built without the library. `help(orff)` has the same texts.\n"
        return
    classes, others = public_names()
    tree = "\n".join(f"   python-{name}" for name in classes)
    functions = "\n".join(f".. autofunction:: orff.{name}\n" for name in others)
    yield "reference/python-api.rst", (
        f"{head}:doc:`/python` is a tour of the package. Every parameter has its default from the same table as the program's options "
        f"(:doc:`/settings`).\n\n.. toctree::\n   :maxdepth: 1\n\n{tree}\n\nFunctions\n---------\n\n{functions}\n"
        "Errors\n------\n\n" + "\n".join(f".. autoexception:: orff.{name}\n" for name in ERRORS))
    for name in classes:
        yield f"reference/python-{name}.rst", (
            f"{name}\n{'=' * len(name)}\n\n.. autoclass:: orff.{name}\n   :members:\n   :inherited-members:\n"
            "   :exclude-members: set_output, get_metadata_routing\n")
