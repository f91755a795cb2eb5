"""Gathers the sources of the site, each from the one place where it stands.

    python3 site/assemble.py DIRECTORY [--program orff] [--library liborff.so]
    python3 site/assemble.py --check

Pages of docs/ become pages, with all that they link to in the tree: other Markdown under project/, pictures under pictures/, files
of code as pages under source/. References are made of include/orff.h, of what the program says under --help, and of the Python
package; tutorials of examples/tutorials/, which are run for their pictures. Without a program or a library their pages say so.

--check only looks for links that lead nowhere; it needs nothing but Python.
"""
import argparse
import os
import shutil
import sys
from pathlib import Path, PurePosixPath

import links
import reference_c
import reference_program
import reference_python
import tutorials

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
PICTURES = (".png", ".svg", ".gif", ".jpg")
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".sh": "sh", ".md": None}
# What stands for a page of the tree that the site has in another form.
INSTEAD = {"README.md": "index.md", "docs/README.md": "index.md", "include/orff.h": "reference/c.rst",
           "site/index.md": "index.md",
           "site/install.md": "install.md", "examples/tutorials/README.md": "tutorials/index.md"}


def place(path):
    """Where a file of the tree stands in the site; None for a folder and for what is shown nowhere."""
    name = path.as_posix()
    if name in INSTEAD:
        return INSTEAD[name]
    if path.parts[:2] == ("examples", "tutorials") and path.suffix == ".py":
        return f"tutorials/{path.stem}.md"
    if path.suffix in PICTURES:
        return f"pictures/{name}"
    if path.suffix == ".md":
        return path.name if path.parent.as_posix() == "docs" else f"project/{name}"
    return f"source/{name}.md" if path.suffix in LANGUAGES else None


def tree_path(target, page):
    """The file of the tree that a link of a page means, and its anchor."""
    name, _, anchor = target.partition("#")
    whole = os.path.normpath(PurePosixPath(page).parent / name) if name else str(page)
    return Path(whole), anchor


def broken(page):
    """What is wrong with the links of one page of the tree: a list of sentences."""
    wrong = []
    for target, line in links.links((TREE / page).read_text()):
        if links.is_outer(target):
            continue
        path, anchor = tree_path(target, page)
        if not (TREE / path).exists():
            wrong.append(f"{page}:{line}: there is no {path}")
        elif anchor and path.suffix == ".md" and anchor not in links.anchors((TREE / path).read_text()):
            wrong.append(f"{page}:{line}: {path} has no heading #{anchor}")
    return wrong


def pages_of_tree():
    """All Markdown that is the project's own, as paths in the tree."""
    skipped = {"build", "demo", "node_modules", ".git"}
    for folder, folders, names in os.walk(TREE):
        folders[:] = sorted(name for name in folders if name not in skipped and not name.startswith("."))
        yield from (Path(folder, name).relative_to(TREE) for name in sorted(names) if name.endswith(".md"))


class Site:
    """The sources of the site as they grow."""

    def __init__(self, directory):
        self.directory = directory
        self.waiting, self.seen, self.written = [], set(), set()

    def write(self, name, text):
        path = self.directory / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:  # Sphinx builds again what is newer
            path.write_text(text)

    def want(self, path):
        """A file of the tree that is to be in the site; where it will stand."""
        where = place(path)
        if where and path.as_posix() not in INSTEAD and path not in self.seen:
            self.seen.add(path)
            self.waiting.append(path)
        return where

    def link(self, target, words, page, where):
        """A link of a page, as it has to be in the site. Words that are the name of a page become its title."""
        if links.is_outer(target) or target.startswith("#"):
            return target, words
        path, anchor = tree_path(target, page)
        there = self.want(path) if (TREE / path).is_file() else None
        if there is None:
            return None, words
        if words == path.name and path.suffix == ".md":
            words = links.title((TREE / path).read_text())
        return os.path.relpath(there, PurePosixPath(where).parent) + (f"#{anchor}" if anchor else ""), words

    def add_page(self, page, where):
        text = (TREE / page).read_text()
        text = links.rewrite(text, lambda target, words: self.link(target, words, page, where))
        if page.name == "settings.md":
            text = text.replace("\\|", "\\|\u200b")  # a list of values may be broken behind each of them
        orphan = "---\norphan: true\n---\n\n" if where.startswith("project/") else ""
        self.write(where, orphan + text)

    def add(self, path):
        where = place(path)
        if path.suffix in PICTURES:
            (self.directory / where).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(TREE / path, self.directory / where)
        elif path.suffix == ".md":
            self.add_page(path, where)
        elif not where.startswith("tutorials/"):
            code = (TREE / path).read_text()
            self.write(where, f"---\norphan: true\n---\n\n# {path.as_posix()}\n\n`````{LANGUAGES[path.suffix]}\n{code}`````\n")

    def add_all(self):
        while self.waiting:
            self.add(self.waiting.pop())

    def remove_others(self):
        """Pages of an earlier run that are no longer there."""
        for pattern in ("*.md", "*.rst"):
            for path in set(self.directory.rglob(pattern)) - self.written:
                path.unlink()


def assemble(directory, program, library):
    site = Site(directory)
    site.add_page(Path("site/index.md"), "index.md")
    site.add_page(Path("site/install.md"), "install.md")
    for page in sorted((TREE / "docs").glob("*.md")):
        site.want(page.relative_to(TREE))
    for page in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "bench/README.md"):
        site.want(Path(page))
    for script in sorted((TREE / "python" / "examples").glob("*.py")):
        site.want(script.relative_to(TREE))
    site.add_all()
    site.write("reference/c.rst", reference_c.page((TREE / "include" / "orff.h").read_text()))
    for name, text in reference_program.pages(program):
        site.write(name, text)
    for name, text in reference_python.pages(library):
        site.write(name, text)
    for name, text in tutorials.pages(TREE / "examples" / "tutorials", directory / "tutorials", library):
        site.write(name, text)
    site.remove_others()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=Path)
    parser.add_argument("--program", help="the program orff")
    parser.add_argument("--library", help="liborff.so")
    parser.add_argument("--check", action="store_true", help="only look for links that lead nowhere")
    options = parser.parse_args()
    if options.check:
        wrong = [sentence for page in pages_of_tree() for sentence in broken(page)]
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    if options.directory is None:
        parser.error("say where the sources of the site go")
    assemble(options.directory, options.program, options.library)
    return 0


if __name__ == "__main__":
    sys.exit(main())
