"""Links of Markdown: those of a page, and the anchors that headings make, the same here as on sites that show repositories."""
import re

FENCE = re.compile(r"^(```+|~~~+).*?^\1\s*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`|^ {4}.*$", re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$", re.MULTILINE)


def without_code(text):
    """The page, as long as it was and with its lines, but with nothing in its code that could be taken for a link."""
    def blank(code):
        return re.sub(r"[^\n]", "x", code[0])

    return CODE.sub(blank, FENCE.sub(blank, text))


def found(text):
    """The links of a page, as matches: picture?, words, target."""
    return LINK.finditer(without_code(text))


def links(text):
    """(target, line) of every link."""
    return [(link[3], text.count("\n", 0, link.start()) + 1) for link in found(text)]


def is_outer(target):
    """Whether a link leads out of the tree."""
    return re.match(r"[a-z]+:", target) is not None


def rewrite(text, change):
    """The page with every target and its words replaced by change(target, words); no target leaves only the words."""
    pieces, at = [], 0
    for link in found(text):
        target, words = change(link[3], text[link.start(2):link.end(2)])
        pieces += [text[at:link.start()], words if target is None else f"{link[1]}[{words}]({target})"]
        at = link.end()
    return "".join(pieces) + text[at:]


def slug(heading):
    """The anchor of a heading."""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")


def anchors(text):
    """All anchors of a page."""
    blanked = FENCE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    names = [slug(heading[2]) for heading in HEADING.finditer(blanked)]
    return {f"{name}-{names[:i].count(name)}" if name in names[:i] else name for i, name in enumerate(names)}


def title(text):
    """The first heading of a page."""
    return HEADING.search(text)[2]
