"""Files that mean harm, for test_cli_hostile_*.sh, and a look at what the program made of them.

    hostile.py make [TEXT ..]        for every text, or those named, TEXT.txt, which has it;
                                     TEXT.csv, a table whose columns are called by it;
                                     TEXT.nc, the same rows, the text as units;
                                     TEXT.report.csv, a report of orff tune, the text as label
    hostile.py forge MODEL [TEXT ..] TEXT.forged.orff, whose notes have the text as every name and unit; the checksum is right
    hostile.py svg FILE ..           well-formed, and nothing in it that acts; in good.*.svg the good text can be read
    hostile.py clean FILE ..         UTF-8 without any control character but the end of a line
    hostile.py json TEXT FILE        an object in whose columns the text is a name
"""

import json
import re
import struct
import sys
import xml.etree.ElementTree

ROWS = [(0, 0, 1, 2), (1, 0, 2, 1), (0, 1, 1, 1), (1, 1, 2, 2), (0.5, 0.5, 1, 1), (0.2, 0.7, 1, 0)]

# `canary` is a program on the path that leaves a mark.
TEXTS = {
    "line": "x\n!canary\n#",
    "return": "x\r!canary\r#",
    "single": "x'\nsystem('canary')\n'",
    "double": 'x"\n!canary\nset title "',
    "call": '"; system("canary"); print "',
    "concatenated": "'.system('canary').'",
    "backquotes": "`canary`",
    "dollar": "$(canary) ${canary} $1 \\$x",
    "macro": "@canary @ARG1 \\@x",
    "backslash": "x\\",
    "octal": "\\042\\012!canary\\012\\x0a",
    "data": "EOD\n!canary\n",
    "format": "%s %n %d %T %h %% {/Symbol a} ^2 _3 ~a{b} &{x}",
    "markup": "</text><script>alert(1)</script>]]><![CDATA[&amp;<!--",
    "control": "".join(map(chr, range(1, 32))) + "\x7f\x80\x9b31m\x9d\u202e\u2028\ufeff",
    "escape": "\x1b]0;owned\x07\x1b[2J\x1b[31mred",
    "unusual": "\ufffe\uffff\ue000\ufdd0\U0010ffff\U000e0041",
    "bytes": b"\xff\xfe\xc3(\xed\xa0\x80\xf4\x90\x80\x80\xe9",
    "long": "A" * 5_000_000,
    "longer": ("!canary\n\"'`canary`" * 330_000)[:5_000_000],
    "good": "vitesse \u00e9t\u00e9 \u901f\u5ea6 m/s",
}


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def quoted(text):
    return b'"' + text.replace(b'"', b'""') + b'"'


def csv(text, out):
    names = [quoted(text + b"1")] + [quoted(text[:1000] + end) for end in (b"2", b"3", b"4")]
    rows = [",".join(map(str, row)).encode() for row in ROWS]
    write(out, b"\n".join([b",".join(names)] + rows) + b"\n")


def report(text, out):
    rows = [b"%d,%s,%g,%g" % (c, quoted(text), 10.0**-k, 1 + 0.1 * k + 0.1 * c) for c in (1, 2) for k in (1, 2, 3)]
    write(out, b"\n".join([b"candidate,label,lambda,cv_rmse"] + rows) + b"\n")


def netcdf(text, out):
    """The classic format: one dimension, four variables of doubles."""
    def number(value):
        return struct.pack(">i", value)

    def padded(data):
        return data + bytes(-len(data) % 4)

    def name(data):
        return number(len(data)) + padded(data)

    names, size = [b"x", b"y", b"u", b"v"], 8 * len(ROWS)

    def header(begin):
        units = number(0x0C) + number(1) + name(b"units") + number(2) + number(len(text)) + padded(text)
        variables = b"".join(
            name(n) + number(1) + number(0) + units + number(6) + number(size) + number(begin + k * size)
            for k, n in enumerate(names))
        dimension = number(0x0A) + number(1) + name(b"n") + number(len(ROWS))
        return b"CDF\x01" + number(0) + dimension + bytes(8) + number(0x0B) + number(4) + variables

    data = b"".join(struct.pack(">d", row[k]) for k in range(4) for row in ROWS)
    write(out, header(len(header(0))) + data)


def crc32c(data):
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def forge(model, text, out):
    """Any text that JSON can hold; one of them at full length."""
    data = read(model)
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8:8 + size])
    metadata = header["__metadata__"]
    document = json.loads(metadata["json"])
    notes = json.loads(document["model"]["notes"])
    for side in ("inputs", "outputs"):
        for number, column in enumerate(notes[side]):
            column.update(name=text[:1000] + str(number), units=text[:1000])
    notes["inputs"][1]["name"] = text
    notes["named"] = True

    def dump(value):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    document["model"]["notes"] = dump(notes)
    metadata["json"] = dump(document)
    metadata["checksum"] = "00000000"
    header = dump(header).encode()
    header += b" " * (-(len(header) + 8) % 64)
    head = struct.pack("<Q", len(header)) + header
    at = 8 + len('{"__metadata__":{"checksum":"')
    assert head[at:at + 8] == b"00000000"
    tensors = data[8 + size:]
    write(out, head[:at] + b"%08x" % crc32c(head + tensors) + head[at + 8:] + tensors)


def svg(path):
    root = xml.etree.ElementTree.fromstring(read(path))
    allowed = {"svg", "title", "desc", "defs", "g", "path", "text", "tspan", "rect", "circle", "polygon", "use",
               "filter", "feFlood", "feComposite", "image"}
    inside = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=\s]+")
    for element in root.iter():
        tag = element.tag.split("}")[-1]
        assert tag in allowed, f"{path}: <{tag}>"
        if tag == "image":  # the colours of a map, which lie in the file itself
            assert inside.fullmatch(element.attrib["{http://www.w3.org/1999/xlink}href"]), f"{path}: image"
        for attribute, value in element.attrib.items():
            assert not attribute.lower().startswith("on"), f"{path}: {attribute}"
            assert "script:" not in value.lower(), f"{path}: {value}"
    drawn = "\n".join("".join(element.itertext()) for element in root.iter() if element.tag.endswith("}text"))
    assert drawn.strip(), f"{path}: no text"
    assert "good." not in path or TEXTS["good"] in drawn, f"{path}: {drawn}"


def clean(path):
    text = read(path).decode()
    bad = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]", text)
    assert not bad, f"{path}: {text[max(bad.start() - 200, 0):bad.end() + 20]!r}"


def has_column(text, path):
    clean(path)
    names = [column["name"] for column in json.loads(read(path))["columns"]]
    assert text + "1" in names, f"{path}: {text!r} is not in {names}"


def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def as_text(text):
    return text.decode(errors="replace") if isinstance(text, bytes) else text


def chosen(names):
    return [(name, text) for name, text in TEXTS.items() if not names or name in names]


if __name__ == "__main__":
    command, words = sys.argv[1], sys.argv[2:]
    if command == "make":
        for name, text in chosen(words):
            write(f"{name}.txt", as_bytes(text))
            csv(as_bytes(text), f"{name}.csv")
            netcdf(as_bytes(text), f"{name}.nc")
            report(as_bytes(text), f"{name}.report.csv")
    elif command == "forge":
        for name, text in chosen(words[1:]):
            forge(words[0], as_text(text), f"{name}.forged.orff")
    elif command == "svg":
        for path in words:
            svg(path)
    elif command == "clean":
        for path in words:
            clean(path)
    elif command == "json":
        has_column(TEXTS[words[0]], words[1])
    else:
        sys.exit(__doc__)
