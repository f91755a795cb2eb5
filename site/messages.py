"""python3 site/messages.py: whether the messages that docs/troubleshooting.md explains are those of the sources."""
import re
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
SOURCES = [("src", "*.c"), ("cli", "*.c"), ("formats", "*.c"), ("python/orff", "*.py")]
CONVERSION = re.compile(r"%[-+#0-9.*]*(?:z|l|ll)?[a-zA-Z]|\{[^{}\n]*\}")


def texts():
    """All literals of the sources in one, with a mark for whatever is filled in."""
    whole = []
    for folder, pattern in SOURCES:
        for path in sorted((TREE / folder).rglob(pattern)):
            joined = re.sub(r'"\s*\n\s*"', "", path.read_text())  # literals that go on in the next line
            whole.append(joined.replace('\\"', '"'))
    return CONVERSION.sub("\0", "\n".join(whole))


def fragments(message):
    """What a message has besides names and numbers."""
    return [piece.strip() for piece in message.split("..") if len(piece.strip()) > 2]


def main():
    page = (TREE / "docs" / "troubleshooting.md").read_text()
    said = texts()
    messages = re.findall(r"^### `(.*)`$", page, re.MULTILINE)
    wrong = [f"{message!r}: no source says {piece!r}" for message in messages for piece in fragments(message) if piece not in said]
    print("\n".join(wrong) or f"{len(messages)} messages are those of the sources")
    return 1 if wrong or len(messages) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
