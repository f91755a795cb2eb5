"""Finds liborff and the text of its header, and loads both."""
from __future__ import annotations

import contextlib
import ctypes.util
import mmap
import os
import resource
import weakref
from pathlib import Path
from typing import Any, Iterator

import cffi

from . import _header

_HERE = Path(__file__).resolve().parent
_TREE = _HERE.parent.parent  # the source tree, if the package is used in place


def _beside_or_in_tree(name: str, inside: str) -> Path:
    """A file in the wheel, or in the source tree."""
    for path in (_HERE / name, _TREE / inside):
        if path.is_file():
            return path
    raise ImportError(f"orff is not whole: {name} is neither in {_HERE} nor at {_TREE / inside}")


def _candidates() -> Iterator[str]:
    """Where liborff may be, in order of preference."""
    given = os.environ.get("ORFF_LIBRARY")
    if given:
        yield given
        return
    for path in (_HERE / "liborff.so", _TREE / "build" / "release" / "liborff.so"):
        if path.is_file():
            yield str(path)
    found = ctypes.util.find_library("orff")
    if found:
        yield "liborff.so." + ".".join(__version__.split(".")[:2])  # the version that belongs to the package
        yield found


_AREA = 128 << 20  # largest size in bytes of a work area of OpenBLAS on any processor


def _fits(size: int) -> bool:
    try:
        mmap.mmap(-1, size).close()
    except (OSError, ValueError):
        return False
    return True


def _check_limit(path: str) -> None:
    """OpenBLAS allocates an area for every thread when it is loaded, and retries for ever if a memory limit forbids it."""
    limits = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    if all(limit == resource.RLIM_INFINITY for limit in limits):
        return
    if not os.path.isfile(path) or b"libopenblas" not in Path(path).read_bytes():
        return
    names = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
    wanted = [int(value) for value in map(os.environ.get, names) if value and value.isdecimal() and int(value) > 0]
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    threads = min([processors, *wanted[:1]])
    if not _fits(threads * _AREA):
        raise MemoryError(
            f"orff: the limit on memory (ulimit -v) does not leave the {threads * _AREA >> 20} MB that the linear "
            "algebra needs to begin: raise the limit" + (", or set OMP_NUM_THREADS=1" if threads > 1 else "")
        )


@contextlib.contextmanager
def _waiting_gives_way() -> Iterator[None]:
    """GNU's OpenMP reads, when it is loaded, how long waiting threads spin. The default is so long that on a busy
    machine two threads are slower than one. A value set by the user is kept."""
    name, value = "GOMP_SPINCOUNT", "100"
    if name in os.environ or "OMP_WAIT_POLICY" in os.environ:
        yield
        return
    os.environ[name] = value
    try:
        yield
    finally:
        os.environ.pop(name, None)


def _open() -> Any:
    troubles = []
    for path in _candidates():
        _check_limit(path)
        try:
            with _waiting_gives_way():
                return ffi.dlopen(path)
        except OSError as trouble:
            troubles.append(str(trouble))
    where = "; ".join(troubles) or (
        f"it is not beside the package ({_HERE}), not in the build tree ({_TREE / 'build' / 'release'}), not in the "
        "system. Build it with make, or name it in the environment variable ORFF_LIBRARY"
    )
    raise ImportError(f"orff: the library liborff cannot be loaded: {where}")


def _check_version() -> None:
    numbers = [header.constants[f"ORFF_VERSION_{part}"] for part in ("MAJOR", "MINOR", "PATCH")]
    declared = ".".join(map(str, numbers))
    running = ffi.string(lib.orff_version()).decode()
    if not declared == running == __version__:
        raise ImportError(
            f"orff: the package is version {__version__}, its header declares {declared}, "
            f"but the library that was loaded is {running}"
        )


__version__ = _beside_or_in_tree("VERSION", "VERSION").read_text().strip()
header = _header.read(_beside_or_in_tree("orff.h", "include/orff.h").read_text())
ffi = cffi.FFI()
ffi.cdef(header.declarations)
lib: Any = _open()
_check_version()


def text(pointer: Any) -> str:
    """A string of the library, "" for NULL."""
    return ffi.string(pointer).decode() if pointer != ffi.NULL else ""


def owner(kind: str, free: Any) -> Any:
    """A slot for an object of the library (kind *): the object is freed with the slot.

    The slot owns the object before the call that creates it returns, so an interrupt in between leaks nothing.
    """
    return ffi.gc(ffi.new(f"{kind} **"), lambda place: free(place[0]))


_kept: Any = weakref.WeakKeyDictionary()


def keep_with(place: Any, kept: Any) -> None:
    """Keep an object alive as long as the slot that points to it."""
    _kept[place] = kept


def build_info() -> str:
    """What the library runs on, in words.

    Examples
    --------
    >>> import orff
    >>> "BLAS" in orff.build_info()
    True
    """
    return text(lib.orff_build_info())


def get_threads() -> int:
    """How many threads the library may use.

    Examples
    --------
    >>> import orff
    >>> orff.get_threads() >= 1
    True
    """
    return int(lib.orff_get_threads())


def set_threads(count: int) -> None:
    """Set how many threads the library's loops and its BLAS may use; 0: all the machine has.

    The number is a property of the whole process.

    Examples
    --------
    >>> import orff
    >>> before = orff.get_threads()
    >>> orff.set_threads(1)
    >>> orff.get_threads()
    1
    >>> orff.set_threads(before)
    """
    from ._errors import check

    check(lib.orff_set_threads(int(count)))
