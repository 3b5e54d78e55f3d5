"""The results as Parquet: in a folder while the fleet works, and in one file at the end."""

import contextlib
import secrets
import time
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.core import url_to_fs

from sentrybench.fleet import status, storage
from sentrybench.fleet.result import Result
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.storage import printable
from sentrybench.fleet.traces import Trace

_TYPES: dict[Any, pa.DataType] = {str: pa.string(), int: pa.int64(), float: pa.float64()}
SCHEMA = pa.schema([(field.name, _TYPES[field.type]) for field in fields(Result)])

#: The most results that wait to be written, and for how long, in seconds. A client that is killed
#: loses no more than these.
WAITING_MAX = 20_000
WRITTEN_EVERY = 2.0

#: How often the files are listed again, because another run merged them meanwhile.
_LISTED_MAX = 10


class Folder:
    """A folder of Parquet files with the newest result of each trace.

    A file appears under its name only once it is complete. Files from earlier runs are merged into
    one. Two runs can use the folder at the same time: neither removes a file that it has not read.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self._waiting: list[Result] = []
        self._written = time.monotonic()
        with storage.errors(url):
            self._fs, self._path = url_to_fs(url)
            self._fs.makedirs(self._path, exist_ok=True)
            self._kept = self._read()

    def known(self, trace: Trace, recipe: str) -> Result | None:
        """Returns the result of an earlier run, if a new one would be the same."""
        found = self._kept.get(printable(trace.name))
        if found is None or not trace.version or not status.is_final(found.status):
            return None
        same = (found.size, found.version, found.recipe) == (trace.size, trace.version, recipe)
        return found if same else None

    def add(self, results: Iterable[Result]) -> None:
        """Adds new results. They are written after a while, or when there are many."""
        self._waiting.extend(results)
        is_time = time.monotonic() - self._written >= WRITTEN_EVERY
        if is_time or len(self._waiting) >= WAITING_MAX:
            self.flush()

    def flush(self) -> None:
        """Writes the waiting results."""
        if self._waiting:
            with storage.errors(self.url):
                self._write(self._waiting)
            self._waiting = []
        self._written = time.monotonic()

    def close(self) -> None:
        """Writes the waiting results, and merges the files."""
        self.flush()
        with storage.errors(self.url):
            self._read()

    def _read(self) -> dict[str, Result]:
        files = self._files()
        newest: dict[str, Result] = {}
        for path, data in files.items():
            newest.update((result.trace, result) for result in rows(data, path))
        if len(files) > 1:
            # It takes the time of the newest file, because a newer one can have been written since.
            parts = max(files).rpartition("/")[2].split("-")
            self._write(list(newest.values()), parts[1] if len(parts) == 3 else None)
            for path in files:
                # Another run can have merged and removed it, too.
                with contextlib.suppress(FileNotFoundError):
                    self._fs.rm_file(path)
        return newest

    def _files(self) -> dict[str, bytes]:
        """Returns the contents of the files, sorted by name."""
        for attempt in range(1, _LISTED_MAX + 1):
            self._fs.invalidate_cache()
            paths = sorted(filter(_is_complete, self._fs.ls(self._path, detail=False)))
            try:
                return {path: self._fs.cat_file(path) for path in paths}
            except FileNotFoundError:
                # Another run merged the files after they were listed.
                if attempt == _LISTED_MAX:
                    raise
        raise AssertionError("unreachable")

    def _write(self, results: list[Result], stamp: str | None = None) -> None:
        # Names sort by time, so that the newest result of a trace is read last.
        stamp = stamp or f"{time.time_ns():020}"
        name = f"results-{stamp}-{secrets.token_hex(4)}.parquet"
        _write(f"{self._path}/{name}", self._fs, results)


def rows(data: bytes, name: str) -> list[Result]:
    """Returns the results in a Parquet file's data. Raises FleetError if the columns are others."""
    try:
        # Not read_table: its threads can abort this process when it ends (apache/arrow 34314).
        table = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise FleetError(status.MALFORMED, f"{name}: error: {error}; remove it") from None
    if table.schema != SCHEMA:
        raise FleetError(
            status.MALFORMED,
            f"{name}: error: these are not results of this version; use another --results",
        )
    return [Result(**row) for row in table.to_pylist()]


def write_file(url: str, results: Iterable[Result]) -> None:
    """Writes the results to one Parquet file."""
    with storage.errors(url):
        fs, path = url_to_fs(url)
        _write(path, fs, list(results))


def _is_complete(path: str) -> bool:
    """Tells whether this is a file of results, and not one that a writer has not finished."""
    name = path.rpartition("/")[2]
    return name.endswith(".parquet") and not name.startswith(".")


def _write(path: str, fs: fsspec.AbstractFileSystem, results: list[Result]) -> None:
    columns = {
        field.name: [getattr(result, field.name) for result in results] for field in fields(Result)
    }
    folder, slash, name = path.rpartition("/")
    # Programs that read a folder of Parquet files ignore those whose names begin with a full stop.
    temporary = f"{folder}{slash}.{secrets.token_hex(4)}-{name}"
    data = pa.BufferOutputStream()
    pq.write_table(pa.table(columns, SCHEMA), data, compression="zstd")
    fs.pipe_file(temporary, data.getvalue().to_pybytes())
    fs.mv(temporary, path)
