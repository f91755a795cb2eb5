"""The reference of the program, from what it says itself: `orff help` and `orff help COMMAND`."""
import re
import subprocess

OPTION = re.compile(r"^  (-\S.*)$")


def says(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def commands(overview):
    """(name, what it does) of each command."""
    return re.findall(r"^  (\w+) {2,}(\S.*)$", overview, re.MULTILINE)


def plain(text):
    """Words that Markdown must not read as markup."""
    return re.sub(r"([*_<>\\`\[\]|])", r"\\\1", text)


def paragraphs(lines):
    """Text in paragraphs; an example, which is indented, as code."""
    out = []
    for block in "\n".join(lines).strip("\n").split("\n\n"):
        head, *rest = block.split("\n")
        if re.match(r"examples?:", head):
            code = "\n".join(line.removeprefix("  ") for line in rest)
            out.append(f"```sh\n{code}\n```")
        elif head.startswith("usage:"):
            out.append("```text\n" + block.removeprefix("usage: ") + "\n```")
        else:
            out.append(plain(" ".join(line.strip() for line in block.split("\n"))))
    return "\n\n".join(out)


def options(lines):
    """Groups of options as headings and lists of definitions."""
    out, words = [], []

    def close():
        if words:
            out.append(": " + plain(" ".join(words)) + "\n")
            words.clear()

    for line in lines:
        option = OPTION.match(line)
        if option:
            close()
            out.append(f"`{option[1]}`")
        elif line.startswith("   "):
            words.append(line.strip())
        elif line.strip():
            close()
            out.append(f"## {line.strip()}\n")
    close()
    return "\n".join(out)


def command_page(program, name, what):
    lines = says(program, "help", name).split("\n")[1:]
    first = next((i for i, line in enumerate(lines) if OPTION.match(line)), len(lines))
    start = max((i for i in range(first) if lines[i] and not lines[i].startswith(" ")), default=first)
    return f"# orff {name}\n\n*{plain(what)}*\n\n{paragraphs(lines[:start])}\n\n{options(lines[start:])}"


def pages(program):
    """(name, text) of each page."""
    if not program:
        print("the reference of the program is left out: no program was given (--program)")
        yield "reference/program.md", "# Commands of the program\n\nThis site was built without the program. `orff help` lists its commands.\n"
        return
    found = [(name, what) for name, what in commands(says(program, "help")) if name != "help"]
    table = "\n".join(f"| [orff {name}](orff-{name}.md) | {plain(what)} |" for name, what in found)
    tree = "\n".join(f"orff-{name}" for name, _ in found)
    yield "reference/program.md", (
        "# Commands of the program\n\nEach page is what `orff COMMAND --help` prints. [The program orff](../cli.md) explains how "
        "they go together, and [Settings](../settings.md) has one table of all settings.\n\n"
        f"| command | what it does |\n|---|---|\n{table}\n\n```{{toctree}}\n:hidden:\n\n{tree}\n```\n")
    for name, what in found:
        yield f"reference/orff-{name}.md", command_page(program, name, what)
