"""The code on the pages: every block runs, in order, and prints what is printed there: the same words
and whole numbers, and measured numbers of the same size, for their digits depend on the BLAS and the processor."""
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import orff

TREE = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)")
PROMISE = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# Every page with Python on it. C is compiled elsewhere: the README's by tests/test_install.sh.
PAGES = sorted(str(page.relative_to(TREE)) for folder in (".", "docs", "site", "python") for page in (TREE / folder).glob("*.md")
               if "\n```python\n" in page.read_text())


def test_pages_are_found():
    assert {"README.md", "docs/python.md", "docs/distributed.md", "docs/observations.md", "python/README.md", "site/index.md"} <= set(PAGES)


def blocks(page):
    """(language, code, what it prints or None, line) of each block that runs."""
    text = page.read_text()
    for block in BLOCK.finditer(text):
        if block[1] != "text":
            promise = PROMISE.match(text, block.end() + 2)
            yield block[1], block[2], promise and promise[1], text.count("\n", 0, block.start()) + 1


def shell(code, directory, program):
    """What a block of commands prints; python3 is the Python that runs the tests, orff the program of this build."""
    commands = directory / "bin"
    commands.mkdir(exist_ok=True)
    if not (commands / "orff").exists():
        (commands / "orff").symlink_to(program)
    environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}", "PIP_NO_INDEX": "1",
                   "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore",
                   "ORFF_LIBRARY": os.environ.get("ORFF_LIBRARY", str(TREE / "build" / "release" / "liborff.so"))}
    done = subprocess.run(["sh", "-eu", "-c", code.replace("/usr/bin/python3", sys.executable)], cwd=directory,
                          env=environment, capture_output=True, text=True)
    assert done.returncode == 0, code + done.stdout + done.stderr
    return done.stdout


def unit(number):
    """The last digit of a printed number: 0.01 of "0.25"."""
    digits, _, exponent = number.partition("e")
    return 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))


def is_kept(promise, printed):
    if MEASURED.sub("#", promise) != MEASURED.sub("#", printed):
        return False
    pairs = zip(MEASURED.findall(promise), MEASURED.findall(printed))
    return all(abs(float(a) - float(b)) <= 0.5 * max(abs(float(a)), abs(float(b))) + unit(a) for a, b in pairs)


@pytest.mark.parametrize("printed, kept", [
    ("error 0.02, 7 rows\n", True), ("error 0.05, 7 rows\n", False), ("error 0.01, 8 rows\n", False),
    ("errors 0.01, 7 rows\n", False)])
def test_promises_are_compared_by_words_and_sizes(printed, kept):
    assert is_kept("error 0.01, 7 rows\n", printed) == kept


def python(code, names, where):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, where, "exec"), names)
    return said.getvalue()


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A directory with what installing from the source tree needs; the current one."""
    shutil.copytree(TREE / "python", tmp_path / "python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    (tmp_path / "include").mkdir()
    shutil.copy(TREE / "include" / "orff.h", tmp_path / "include")
    shutil.copy(TREE / "VERSION", tmp_path)
    shutil.copy(TREE / "LICENSE", tmp_path)
    shutil.copytree(TREE / "examples" / "data", tmp_path / "examples" / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_a_page_runs(page, sources, program):
    if page == "docs/distributed.md":
        pytest.importorskip("dask.array", reason="dask is not here (Debian: python3-dask)")
    if page == "docs/python.md":
        pytest.importorskip("matplotlib", reason="there is no matplotlib (python3-matplotlib), which the page uses")
    pytest.importorskip("xarray", reason="there is no xarray (python3-xarray), which the page uses")
    names = {"__name__": "__main__"}
    seen = 0
    for language, code, promise, line in blocks(TREE / page):
        where = f"{page}, line {line}"
        if language in ("c", "bibtex"):
            continue
        assert language in ("sh", "python"), f"{where}: a block in {language}"
        printed = shell(code, sources, program) if language == "sh" else python(code, names, where)
        assert promise is None or is_kept(promise, printed), f"{where}: printed {printed!r}"
        seen += 1
    assert seen >= 1
    if page == "docs/python.md":
        (wheel,) = (sources / "wheels").glob("*.whl")
        assert orff.__version__ in wheel.name


def test_links_of_the_page_lead_somewhere():
    page = TREE / "docs" / "python.md"
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / link).exists(), link
