"""Makes Debian's furo whole: its script imports another as a module, which browsers refuse in pages opened from disk, and its
style sheet imports one by an address that only a web server of Debian's has. Both become one file each. A furo that is
bundled, as PyPI's is, stays as it is."""
import re
from pathlib import Path

NORMALIZE = Path("/usr/share/javascript/normalize.css/normalize.css")
IMPORTED_SCRIPT = re.compile(r'^import \w+ from "\./([\w.-]+\.js)";\n', re.MULTILINE)
IMPORTED_STYLE = re.compile(r'@import (?:url\()?["\']?/javascript/[^;]*;')


def join_script(path: Path) -> None:
    """The scripts that are imported define a global name, so they work in front of the one that uses it."""
    text = path.read_text()
    imported = IMPORTED_SCRIPT.findall(text)
    if imported:
        parts = [(path.parent / name).read_text() for name in imported]
        path.write_text("\n".join([*parts, IMPORTED_SCRIPT.sub("", text)]))


def join_style(path: Path) -> None:
    normalize = NORMALIZE.read_text() if NORMALIZE.exists() else ""
    text = path.read_text()
    whole = IMPORTED_STYLE.sub(lambda _: normalize, text)
    if whole != text:
        path.write_text(whole)


def finish(app, failure) -> None:
    static = Path(app.outdir) / "_static"
    if failure is None and (static / "scripts" / "furo.js").exists():
        join_script(static / "scripts" / "furo.js")
        join_style(static / "styles" / "furo.css")


def setup(app):
    app.connect("build-finished", finish)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
