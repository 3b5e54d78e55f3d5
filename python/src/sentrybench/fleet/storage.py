"""Errors of file systems, as this package reports them."""

from collections.abc import Iterator
from contextlib import contextmanager

from sentrybench.fleet import status
from sentrybench.fleet.status import FleetError


@contextmanager
def errors(url: str) -> Iterator[None]:
    """Turns any error of reading or writing the URL into a FleetError.

    Each file system of fsspec has errors of its own, so there is no smaller set to catch.
    """
    try:
        yield
    except FleetError:
        raise
    except Exception as error:
        raise FleetError(*_described(error, printable(url))) from error


def printable(name: str) -> str:
    """Returns the name with what is not Unicode made visible."""
    return name.encode("utf-8", "backslashreplace").decode()


def _described(error: BaseException, url: str) -> tuple[int, str]:
    if isinstance(error, ImportError):
        return status.UNAVAILABLE, f"{url}: error: {error}"
    if isinstance(error, FileNotFoundError):
        # fsspec reports the same when a server does not answer; the cause says why.
        cause = error.__cause__
        if cause is None or getattr(cause, "status", None) in (404, 410):
            text = error.strerror or str(error.args[-1] if error.args else "")
            # Some file systems give only the path.
            text = text if " " in text and text != url else "cannot be opened: no such file"
            return status.NO_INPUT, f"{url}: error: {text}"
        error = cause
    return status.INPUT_OUTPUT, f"{url}: error: cannot be read: {error or type(error).__name__}"
