"""Exceptions for the library's statuses."""
from __future__ import annotations

import threading
from typing import Optional

from ._library import ffi, lib, text

_here = threading.local()


class OrffError(ValueError):
    """An error of the library, with its message.

    Attributes
    ----------
    status : str
        The name of the library's status, for example "INVALID_ARGUMENT" or "DOES_NOT_EXIST".

    Examples
    --------
    >>> import orff
    >>> try:
    ...     orff.kernel([0.0], [1.0], kernel="div-free", sigma=1.0)
    ... except orff.OrffError as error:
    ...     error.status
    'DOES_NOT_EXIST'
    """

    def __init__(self, message: str, status: str) -> None:
        super().__init__(message)
        self.status = status

    def __reduce__(self) -> tuple:
        return type(self), (str(self), self.status)


class Stopped(RuntimeError):
    """A progress callback returned False, which stops the call."""


def keep_cause(trouble: BaseException) -> None:
    """Keeps an exception raised in a callback; `check` of the call that it stops raises it. Only the first is kept."""
    if getattr(_here, "cause", None) is None:
        _here.cause = trouble


def _pop_cause() -> Optional[BaseException]:
    cause, _here.cause = getattr(_here, "cause", None), None
    return cause


def check(status: int) -> None:
    """Raise an exception, with the library's message, unless the status is ORFF_OK."""
    cause = _pop_cause()
    if status == lib.ORFF_OK:
        return
    if cause is not None and not isinstance(cause, Exception):
        raise cause  # KeyboardInterrupt, SystemExit
    message = text(lib.orff_error_message()) or text(lib.orff_status_text(status))
    if status == lib.ORFF_ERROR_NO_MEMORY:
        raise MemoryError(message)
    if status == lib.ORFF_ERROR_IO:
        raise OSError(message)
    if status == lib.ORFF_ERROR_CANCELLED:
        raise Stopped(message)
    name = ffi.typeof("orff_status").elements[status]
    if status == lib.ORFF_ERROR_CALLBACK and cause is not None:
        message = f"{message}: {type(cause).__name__}: {cause}"
    raise OrffError(message, name[len("ORFF_ERROR_"):]) from cause
