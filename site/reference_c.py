"""The reference of C, from include/orff.h: its sections, its declarations, and the comments above them."""
import re

SECTION = re.compile(r"/\* -{20,} (\d+)\. ([^\n*]*?)\s*(\*/|\n)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def words_of(comment):
    """The lines of a comment without its stars."""
    inside = comment.strip().removeprefix("/*").removesuffix("*/")
    return [re.sub(r"^ \*? ?", "", line) if i else line.lstrip() for i, line in enumerate(inside.split("\n"))]


def escaped(text):
    return re.sub(r"([*_`|\\])", r"\\\1", text)


def prose(comment, indent=""):
    """A comment as reStructuredText: paragraphs, and formulas or code, which are indented, as they are."""
    out, code = [], False
    for line in words_of(comment):
        line = line.rstrip()
        deep = line.startswith("  ")
        if deep and not code:
            out += ["", "::", ""]
        elif code and line and not deep:
            out.append("")
        code = deep or (code and not line)
        out.append(indent + ("    " + line if deep else escaped(line)) if line else "")
    # The line "::" of code stands where the prose stands.
    return "\n".join(indent + line if line == "::" else line for line in out).strip("\n")


def tokens(text):
    """Comments and declarations of a section, in order: ("comment" | "code" | "gap", text)."""
    at = 0
    for comment in COMMENT.finditer(text):
        before = text[at:comment.start()]
        beside = before and not before.endswith("\n") or text[:comment.start()].rsplit("\n", 1)[-1].strip()
        depth = text.count("{", 0, comment.start()) - text.count("}", 0, comment.start())
        continued = text[:comment.start()].rstrip(" ").endswith("\\\n") or text[comment.end():].lstrip(" ").startswith("\\\n")
        if beside or depth or continued:
            continue
        yield "code", before
        yield "comment", comment[0]
        at = comment.end()
    yield "code", text[at:]


def statements(code):
    """The declarations of a piece of code: text up to a semicolon at depth 0, or a directive with its continued lines."""
    out, now, depth = [], [], 0
    for line in code.split("\n"):
        if not now and not line.strip():
            continue
        now.append(line)
        bare = COMMENT.sub("", line)
        depth += bare.count("{") - bare.count("}")
        directive = now[0].startswith("#")
        if (directive and not line.endswith("\\")) or (not directive and depth == 0 and re.search(r";\s*(/\*.*)?$", line)):
            out.append("\n".join(now))
            now = []
    return out


def function(statement):
    """The signature of a function and the remark beside it, or None."""
    if not statement.startswith("ORFF_API"):
        return None
    remark = COMMENT.search(statement)
    signature = " ".join(COMMENT.sub("", statement).removeprefix("ORFF_API").split()).rstrip(";").rstrip()
    return signature, remark[0] if remark else None


def type_name(statement):
    """The name of a type, an enumeration or a macro that a statement makes, and the directive of Sphinx for it."""
    for pattern, kind in ((r"typedef struct (\w+) \{", "struct"), (r"typedef enum (\w+) \{", "enum"),
                          (r"typedef struct \w+ (\w+);", "type"), (r"typedef \w+ \(\*(\w+)\)", "type"),
                          (r"#define (ORFF_\w+)", "macro")):
        found = re.search(pattern, statement)
        if found:
            return kind, found[1]
    return None, None


def entry(statement, comment):
    """One declaration with its comment."""
    signature = function(statement)
    body = prose(comment, "   ") if comment else ""
    if signature:
        beside = prose(signature[1], "   ") if signature[1] else ""
        return f".. c:function:: {signature[0]}\n\n{body}\n\n{beside}\n"
    kind, name = type_name(statement)
    if kind == "macro" and "\n" not in statement:
        value = COMMENT.sub("", statement.split(None, 2)[2]).strip()
        beside = COMMENT.search(statement)
        return f".. c:macro:: {name}\n\n{body}\n\n   ``{value}``\n\n{prose(beside[0], '   ') if beside else ''}\n"
    code = "" if kind == "type" and "(" not in statement else (
        "   .. code-block:: c\n\n" + "\n".join("      " + line for line in statement.split("\n")) + "\n")
    if name is None:
        return f"{prose(comment)}\n" if comment else ""
    return f".. c:{kind}:: {name}\n\n{body}\n\n{code}\n"


def section(title, text, seen):
    out, comment = [f"{title}\n{'-' * len(title)}\n"], None
    for kind, piece in tokens(text):
        if kind == "comment":
            if comment:
                out.append(prose(comment) + "\n")
            comment = piece
            continue
        if piece.startswith("\n\n") and comment:  # a remark by itself
            out.append(prose(comment) + "\n")
            comment = None
        for statement in statements(piece):
            if re.match(r"#(undef|if|endif|ifdef)|extern|\}|#define ORFF_\w+_ENUM", statement) or statement in seen:
                continue
            seen.add(statement)
            out.append(entry(statement, comment))
            comment = None
    if comment:
        out.append(prose(comment) + "\n")
    return "\n".join(out)


def page(header):
    """The page."""
    title = "The C interface"
    starts = list(SECTION.finditer(header))
    head = COMMENT.match(header)[0]
    seen = set()  # a type may be declared twice
    out = [f"{title}\n{'=' * len(title)}\n", "Everything on this page comes from the one public header, ``orff.h``.\n",
           "::\n\n" + "\n".join("   " + line for line in words_of(head)[2:]) + "\n"]
    for i, start in enumerate(starts):
        end = starts[i + 1].start() if i + 1 < len(starts) else header.index("#ifdef __cplusplus", start.end())
        text = header[start.end():end]
        if start[3] != "*/":  # the comment of the section goes on
            text = "/*\n" + text
        out.append(section(f"{start[1]}. {start[2]}", text, seen))
    return "\n".join(out)
