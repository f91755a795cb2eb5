"""Pages of the tutorials: scripts of examples/tutorials/ in which comments that begin with "# %%" are the text. Each is run, and
its page has what it prints and the picture that it writes."""
import os
import re
import subprocess
import sys

# Scripts that come with the Python package, on real data; assemble.py gives each a page.
MORE = """

More scripts, in the same spirit:

| script | |
|---|---|
| [wind.py](../source/python/examples/wind.py.md) | winds from a NetCDF file: field, vorticity, error bars, as NetCDF again |
| [stream.py](../source/python/examples/stream.py.md) | a longer stream that forgets, and what an hour of it costs |
| [digits.py](../source/python/examples/digits.py.md) | handwritten digits |
| [coupled.py](../source/python/examples/coupled.py.md) | when coupling of outputs helps, and when it does harm |

Many processes by MPI and Dask have [a page of their own](../distributed.md).
"""

CELL = re.compile(r"^# %%.*$", re.MULTILINE)


def run(script, directory, library):
    """What a script prints; its picture is in the directory afterwards. It runs again only when it has changed."""
    printed = directory / f"{script.stem}.txt"
    picture = directory / f"{script.stem}.png"
    if printed.exists() and picture.exists() and printed.stat().st_mtime > script.stat().st_mtime:
        return printed.read_text()
    package = script.resolve().parents[2] / "python"
    done = subprocess.run([sys.executable, script, "-o", directory], capture_output=True, text=True,
                          env={**os.environ, "ORFF_LIBRARY": str(library), "PYTHONPATH": str(package)})
    if done.returncode:
        raise SystemExit(f"{script} failed:\n{done.stdout}{done.stderr}")
    printed.write_text(done.stdout)
    return done.stdout


def cells(text):
    """Text and code in turn: ("text" | "code", words)."""
    for cell in CELL.split(text):
        lines = cell.strip("\n").split("\n")
        count = next((i for i, line in enumerate(lines) if not line.startswith("#")), len(lines))
        words = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[:count])
        code = "\n".join(lines[count:]).strip("\n").replace("  # noqa: E402", "")
        if words:
            yield "text", words
        if code:
            yield "code", code


def title_and_lead(text):
    docstring = re.match(r'"""(.*?)"""', text, re.DOTALL)
    head, _, lead = docstring[1].partition("\n\n")
    return head.strip().rstrip("."), lead.strip(), text[docstring.end():]


def page(script, directory, library):
    heading, lead, rest = title_and_lead(script.read_text())
    out = [f"# {heading}\n", lead + "\n"]
    if library:
        printed = run(script, directory, library)
        out += [f"![{heading}]({script.stem}.png)\n", f"It prints\n\n```text\n{printed}```\n"]
    out.append(f"To run it: `python3 examples/tutorials/{script.name} -o .` in the source tree.\n")
    for kind, words in cells(rest):
        out.append(words + "\n" if kind == "text" else f"```python\n{words}\n```\n")
    return "\n".join(out)


def pages(scripts, directory, library):
    """(name, text) of each page."""
    directory.mkdir(parents=True, exist_ok=True)
    if os.environ.get("TUTORIALS") == "no":
        library = None
    if not library:
        print("the tutorials are not run, and have no pictures")
    found = sorted(scripts.glob("*.py"))
    for script in found:
        yield f"tutorials/{script.stem}.md", page(script, directory, library)
    rows = []
    for script in found:
        heading, lead, _ = title_and_lead(script.read_text())
        rows.append(f"| [{heading}]({script.stem}.md) | {' '.join(lead.split(chr(10) * 2)[0].split())} |")
    tree = "\n".join(script.stem for script in found)
    yield "tutorials/index.md", (
        "# Tutorials\n\nEach is one script that makes its own data, so that the truth is known and the result can be compared with "
        "it. All run in seconds; the pages show what they printed and drew when this site was built.\n\n"
        "| tutorial | |\n|---|---|\n" + "\n".join(rows) + MORE + f"\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n")
