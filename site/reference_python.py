"""The reference of the Python package, by autodoc; needs the library, which the package loads when it is imported."""
CLASSES = ["ORFFRegressor", "ORFFClassifier", "OVKRegressor", "OperatorFourierFeatures", "SphereField", "Field", "Functionals", "Moments",
           "LatticeMoments", "CustomPart"]
OTHERS = ["fit_field", "directions", "kernel", "loss", "bound", "plan", "load", "save", "set_threads", "get_threads",
          "build_info"]


def pages(library):
    title = "Python classes and functions"
    head = f"{title}\n{'=' * len(title)}\n\n"
    if not library:
        print("the reference of Python is left out: no library was given (--library)")
        yield "reference/python-api.md", f"# {title}\n\nThis site was built without the library. `help(orff)` has the same texts.\n"
        return
    tree = "\n".join(f"   python-{name}" for name in CLASSES)
    functions = "\n".join(f".. autofunction:: orff.{name}\n" for name in OTHERS)
    yield "reference/python-api.rst", (
        f"{head}:doc:`/python` is a tour of the package. Every parameter has its default from the same table as the program's options "
        f"(:doc:`/settings`).\n\n.. toctree::\n   :maxdepth: 1\n\n{tree}\n\nFunctions\n---------\n\n{functions}\n"
        "Errors\n------\n\n.. autoexception:: orff.OrffError\n\n.. autoexception:: orff.Stopped\n")
    for name in CLASSES:
        yield f"reference/python-{name}.rst", (
            f"{name}\n{'=' * len(name)}\n\n.. autoclass:: orff.{name}\n   :members:\n   :inherited-members:\n"
            "   :exclude-members: set_output, get_metadata_routing\n")
