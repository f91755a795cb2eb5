"""python3 site/hrefs.py SITE: whether every link, picture, script and style of the built pages is there, and none comes from elsewhere."""
import re
import sys
from html import unescape
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r'<(a|img|script|link)\b[^>]*?\b(?:href|src)="([^"]*)"')
NAME = re.compile(r'\b(?:id|name)="([^"]*)"')


def main():
    site = Path(sys.argv[1]).resolve()
    texts = {path: path.read_text() for path in sorted(site.rglob("*.html"))}
    names = {path: {unescape(name) for name in NAME.findall(text)} for path, text in texts.items()}
    wrong = []
    for page, text in texts.items():
        for tag, target in LINK.findall(text):
            where, _, anchor = unquote(unescape(target)).partition("#")
            if re.match(r"(https?:)?//", where):
                wrong += [f"{page}: {tag} from {where}"] * (tag != "a")
                continue
            if re.match(r"\w+:", where):
                continue
            there = (page.parent / where.partition("?")[0]).resolve() if where else page
            if not there.exists():
                wrong.append(f"{page}: there is no {target}")
            elif anchor and there in names and anchor not in names[there]:
                wrong.append(f"{page}: {target} has no such place")
    print("\n".join(wrong) or f"{len(texts)} pages, all links lead somewhere")
    return 1 if wrong or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
