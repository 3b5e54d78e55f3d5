"""Errors of file systems, as this package reports them."""

from collections.abc import Iterator
from contextlib import contextmanager

from sentrybench.fleet import status
from sentrybench.fleet.status import FleetError


@contextmanager
def errors(url: str) -> Iterator[None]:
    """Turns any error of reading or writing the URL into a FleetError.

    Each file system of fsspec raises its own errors, so no narrower set can be caught.
    """
    try:
        yield
    except FleetError:
        raise
    except Exception as error:
        raise FleetError(*_described(error, printable(url))) from error


def printable(name: str) -> str:
    """Returns the name with bytes that are not valid Unicode made visible."""
    return name.encode("utf-8", "backslashreplace").decode()


def _described(error: BaseException, url: str) -> tuple[int, str]:
    if isinstance(error, ImportError):
        return status.UNAVAILABLE, f"{url}: error: {error}"
    if isinstance(error, FileNotFoundError):
        # fsspec reports the same error when a server does not answer; the cause shows why.
        cause = error.__cause__
        if cause is None or getattr(cause, "status", None) in (404, 410):
            text = error.strerror or str(error.args[-1] if error.args else "")
            # The text of some file systems is only the path.
            text = text if " " in text and text != url else "cannot be opened: no such file"
            return status.NO_INPUT, f"{url}: error: {text}"
        error = cause
    return status.INPUT_OUTPUT, f"{url}: error: cannot be read: {error or type(error).__name__}"
