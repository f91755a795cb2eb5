"""Long calls: progress, messages and Ctrl-C."""
from __future__ import annotations

import sys
import threading
import time
from typing import Any, Callable, Optional

from ._errors import check
from ._library import ffi, lib, text

Progress = Callable[[str, float, float], Any]

_here = threading.local()


class _Watch:
    """Progress and messages of one call. The library calls back in the thread of the call, which then runs Python. A
    pending signal raises KeyboardInterrupt there, which is kept, and the library is asked to stop."""

    def __init__(self, verbose: int, progress: Optional[Progress]) -> None:
        self.verbose = verbose
        self.progress = progress
        self.trouble: Optional[BaseException] = None
        self.told = time.monotonic()
        self.line = False
        self.handle = ffi.new_handle(self)
        self.hooks = ffi.new("orff_hooks *", {"progress": _progress, "self": self.handle})
        if verbose:
            self.hooks.log = _log

    def advance(self, task: str, done: float, total: float) -> bool:
        if self.progress is not None and self.progress(task, done, total) is False:
            return False
        if self.verbose and time.monotonic() - self.told > 0.2:
            self.told = time.monotonic()
            self.line = True
            of = f" of {total:.0f} ({100 * done / total:.0f} %)" if total else ""
            print(f"\r[orff] {task}: {done:.0f}{of}    ", end="", file=sys.stderr, flush=True)
        return True

    def say(self, message: str) -> None:
        self.end_line()
        say(message)

    def end_line(self) -> None:
        if self.line:
            print(file=sys.stderr)
            self.line = False


def say(message: str) -> None:
    """Print a line on standard error."""
    print(f"[orff] {message}", file=sys.stderr)


def _keep(kind: Any, value: BaseException, trace: Any) -> None:
    watch = getattr(_here, "watch", None)
    if watch is not None and watch.trouble is None:
        watch.trouble = value


@ffi.callback("bool(void *, const char *, double, double)", error=False, onerror=_keep)
def _progress(self: Any, task: Any, done: float, total: float) -> bool:
    return ffi.from_handle(self).advance(text(task), done, total)


@ffi.callback("void(void *, orff_log_level, const char *)", onerror=_keep)
def _log(self: Any, level: int, message: Any) -> None:
    ffi.from_handle(self).say(text(message))


def keep_trouble(kind: Any, value: BaseException, trace: Any) -> None:
    """For other callbacks (onerror): the exception is raised when the call returns."""
    _keep(kind, value, trace)


def run(function: Callable[..., int], *arguments: Any, verbose: int = 0, progress: Optional[Progress] = None) -> None:
    """Call a function of the library that returns a status, and raise an exception if it failed.

    The interpreter lock is released meanwhile. Ctrl-C and exceptions of callbacks stop the call and are raised here.
    """
    watch = _Watch(verbose, progress)
    outer = getattr(_here, "watch", None)
    _here.watch = watch
    lib.orff_set_hooks(watch.hooks)
    try:
        status = function(*arguments)
    finally:
        _here.watch = outer
        lib.orff_set_hooks(outer.hooks if outer is not None else ffi.NULL)
        watch.end_line()
    if watch.trouble is not None and status != lib.ORFF_OK:
        raise watch.trouble
    check(status)
