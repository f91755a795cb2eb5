"""Statuses of the library as exceptions."""
from __future__ import annotations

from ._library import ffi, lib, text


class OrffError(ValueError):
    """What the library refuses, with its own message.

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
    """A progress callback returned False."""


def check(status: int) -> None:
    """Raise what a status other than ORFF_OK means, with the library's message."""
    if status == lib.ORFF_OK:
        return
    message = text(lib.orff_error_message()) or text(lib.orff_status_text(status))
    if status == lib.ORFF_ERROR_NO_MEMORY:
        raise MemoryError(message)
    if status == lib.ORFF_ERROR_IO:
        raise OSError(message)
    if status == lib.ORFF_ERROR_CANCELLED:
        raise Stopped(message)
    name = ffi.typeof("orff_status").elements[status]
    raise OrffError(message, name[len("ORFF_ERROR_"):])
