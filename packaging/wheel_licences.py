"""Puts into a repaired wheel what its parts are under: the licence of each library inside, with the package and version it
came from, and the licence of the whole.

    python wheel_licences.py WHEEL DIRECTORY      writes the wheel to DIRECTORY
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent

# Licences by the name of the library, as SPDX says them. A library that is not here ends the work: somebody has to look.
LICENCES = {
    "libblas": "BSD-3-Clause", "liblapack": "BSD-3-Clause", "liblapacke": "BSD-3-Clause", "libtmglib": "BSD-3-Clause",
    "libopenblas": "BSD-3-Clause", "libopenblasp": "BSD-3-Clause", "libjansson": "MIT", "libsleef": "BSL-1.0",
    "libfftw3": "GPL-2.0-or-later", "libfftw3f": "GPL-2.0-or-later",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1", "libgomp": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgcc_s": "GPL-3.0-or-later WITH GCC-exception-3.1", "libquadmath": "LGPL-2.1-or-later",
}

WITH_FFTW = """This wheel contains FFTW, which is under the GNU General Public License, version 2 or later. As a whole it is therefore
distributed under that licence, whose text is GPL-2.txt beside this file. The sources of orff itself are under the BSD 3-clause
licence, and `make wheel FFT=none` makes a wheel of them without FFTW, and so without the lattice engine.
"""

WITHOUT_FFTW = """This wheel was built without FFTW: nothing in it is under the GPL but the runtime libraries of GCC, with the exception that
leaves programs free which use them. orff itself is under the BSD 3-clause licence. There is no lattice engine in it.
"""


def told(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def origin(name: str) -> tuple:
    """The Debian package of a library, with its source and version, and the file of its copyright; empty elsewhere."""
    for folder in ("", "openblas-openmp/", "openblas-pthread/"):
        try:
            found = told("dpkg-query", "-S", f"*/{folder}{name}")
        except (OSError, subprocess.CalledProcessError):
            continue
        package = found.split("\n")[0].split(": ")[0].split(",")[0]
        words = told("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package)
        return package.split(":")[0], words, Path("/usr/share/doc") / package.split(":")[0] / "copyright"
    return "", "", None


def stem(library: Path) -> str:
    """libfftw3f-1a2b3c4d.so.3.6.10 is libfftw3f."""
    return re.match(r"lib[a-z_]+[0-9]*[a-z]?", library.name).group()


def soname(library: Path) -> str:
    """Its name before auditwheel gave it one of its own."""
    return re.sub(r"-[0-9a-f]{8,}(?=\.)", "", library.name)


def describe(libraries: list, place: Path) -> list:
    """Lines of the list; the licences themselves go to `place`."""
    lines = []
    for library in libraries:
        package, source, copyright_file = origin(soname(library))
        if not package:
            package, source, copyright_file = origin(stem(library) + ".so*")
        lines.append(f"- `{library.name}`: {LICENCES[stem(library)]}" + (f"; Debian's {package}, source {source}" if package else ""))
        if copyright_file and copyright_file.is_file():
            (place / f"{package}.txt").write_text(copyright_file.read_text(errors="replace"))
    return lines


def write_licences(root: Path) -> bool:
    """Adds the files and the words of the metadata; returns whether FFTW is inside."""
    (metadata,) = root.glob("*.dist-info/METADATA")
    place = metadata.parent / "licenses"
    place.mkdir(exist_ok=True)
    libraries = sorted(root.glob("*.libs/*"))
    unknown = {stem(library) for library in libraries} - set(LICENCES)
    if unknown:
        sys.exit(f"wheel_licences.py: {', '.join(sorted(unknown))} came into the wheel: what is it under?")
    gpl = any(stem(library).startswith("libfftw3") for library in libraries)
    lines = ["# What is in this wheel", "", WITH_FFTW if gpl else WITHOUT_FFTW, "Libraries inside, and where their sources are:", ""]
    lines += describe(libraries, place)
    (place / "BUNDLED.md").write_text("\n".join(lines) + "\n")
    for name in ("GPL-2", "GPL-3", "LGPL-2.1"):  # Debian's copyright files refer to them
        text = Path("/usr/share/common-licenses") / name
        if text.is_file():
            (place / f"{name}.txt").write_text(text.read_text())
    (place / "LICENSE").write_text((TREE / "LICENSE").read_text())
    words = "GPL-2.0-or-later (this wheel, as it contains FFTW; orff itself: BSD-3-Clause)" if gpl else "BSD-3-Clause (orff itself; libraries inside: see licenses/BUNDLED.md)"
    text = metadata.read_text()
    metadata.write_text(re.sub(r"(?m)^License(-Expression)?: .*$", f"License: {words}", text, count=1))
    return gpl


def main() -> None:
    wheel, place = Path(sys.argv[1]), sys.argv[2]
    with tempfile.TemporaryDirectory() as work:
        told(sys.executable, "-m", "wheel", "unpack", "-d", work, str(wheel))
        (root,) = Path(work).iterdir()
        gpl = write_licences(root)
        told(sys.executable, "-m", "wheel", "pack", "-d", place, str(root))
    print(f"{wheel.name}: {'with FFTW, under the GPL as a whole' if gpl else 'without FFTW'}")


if __name__ == "__main__":
    main()
