"""Finds the traces: files, folders and globs, on whatever file system fsspec can read."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

import fsspec
from fsspec.core import url_to_fs

from sentrybench.fleet import storage
from sentrybench.fleet.status import FleetError

ENDING = ".jsonl"

#: The names by which file systems report a sign that a file has changed. Size alone is not enough.
_SIGNS = (
    "ETag",
    "etag",
    "mtime",
    "LastModified",
    "last_modified",
    "updated",
    "modified",
    "created",
    "CRC",
    "sha",
    "hex",
    "date_time",
    "uid",
)


@dataclass(frozen=True)
class Trace:
    """A trace and its location."""

    #: An absolute path, or a URL that fsspec opens. It identifies the trace.
    name: str
    #: In bytes; 0 if it is not known.
    size: int = 0
    #: Changes with the contents; empty if the file system offers no sign of a change.
    version: str = ""


@dataclass(frozen=True)
class Missing:
    """A path that names no trace, or that cannot be read."""

    name: str
    status: int
    message: str


def find(urls: Iterable[str]) -> tuple[list[Trace], list[Missing], int]:
    """Returns the traces in order of their names, the paths without traces, and the number of
    duplicates."""
    found: dict[str, Trace] = {}
    missing: list[Missing] = []
    repeated = 0
    for url in dict.fromkeys(urls):
        traces = _find(url)
        if isinstance(traces, Missing):
            missing.append(traces)
            continue
        for trace in traces:
            repeated += trace.name in found
            found[trace.name] = trace
    return sorted(found.values(), key=lambda trace: trace.name), missing, repeated


def is_local(name: str) -> bool:
    """Whether the name is a path, on this computer or on a file system that the workers share."""
    return name.startswith("/")


def is_held_here(name: str) -> bool:
    """Whether only this process can read the trace."""
    return name.startswith("memory://")


def _find(url: str) -> list[Trace] | Missing:
    try:
        with storage.errors(url):
            prefix, place, rest = _parts(url)
            fs, path = url_to_fs(prefix + place + rest)
            infos = _infos(fs, path, place)
    except FleetError as error:
        return Missing(storage.printable(url), error.status, error.message)
    return [
        Trace(_name(fs, path, prefix, place, rest), int(info.get("size") or 0), _version(info))
        for path, info in infos.items()
    ]


def _infos(fs: fsspec.AbstractFileSystem, path: str, place: str) -> dict[str, dict[str, Any]]:
    """Returns the file system's information about each trace at the path."""
    try:
        # A file can have [ or * in its name.
        named = {path: fs.info(path)} if not place.endswith(("://", "/")) else {}
        is_folder = not named or named[path]["type"] == "directory"
    except FileNotFoundError as error:
        if error.__cause__ is not None:
            raise
        if not fsspec.core.has_magic(path):
            raise FileNotFoundError("cannot be opened: no such file or folder") from None
        named = fs.glob(path, detail=True)
        is_folder = False
        if not named:
            raise FileNotFoundError("this pattern matches no file") from None
    if is_folder:
        named = {path: {"type": "directory"}}
    infos: dict[str, dict[str, Any]] = {}
    for name, info in named.items():
        if info["type"] == "directory":
            # Otherwise a folder that cannot be read would count as empty. Other file systems list
            # a whole prefix with one request, and do not accept this argument.
            strict = {"on_error": "raise"} if _walks(fs) else {}
            below = fs.find(name, detail=True, **strict).items()
            infos.update((k, v) for k, v in below if k.split("?")[0].endswith(ENDING))
        else:
            infos[name] = info
    if not infos:
        what = "this folder" if is_folder else "the folders that this pattern matches"
        raise FileNotFoundError(f"there is no *{ENDING} in {what}")
    return infos


def _walks(fs: fsspec.AbstractFileSystem) -> bool:
    protocols = (fs.protocol,) if isinstance(fs.protocol, str) else fs.protocol
    return bool({"file", "http", "https"} & set(protocols))


def _parts(url: str) -> tuple[str, str, str]:
    """Splits a URL, or a chain of them such as zip://*.jsonl::s3://bucket/a.zip, so that the
    middle part is where the traces are. Paths become absolute."""
    if os.path.lexists(url):
        return "", os.path.abspath(url), ""
    links = [_absolute(link) for link in url.split("::")]
    at = next((i for i, link in enumerate(links) if "/" in link), 0)
    prefix = "".join(link + "::" for link in links[:at])
    rest = "".join("::" + link for link in links[at + 1 :])
    return prefix, links[at], rest


def _absolute(link: str) -> str:
    for protocol in ("file://", "local://"):
        link = link.removeprefix(protocol)
    is_path = "://" not in link and link not in fsspec.available_protocols()
    return os.path.abspath(link) if is_path else link


def _name(fs: fsspec.AbstractFileSystem, path: str, prefix: str, place: str, rest: str) -> str:
    """Returns the URL of one file."""
    if is_local(place):
        return prefix + path + rest
    protocol = place.split("://")[0]
    url = path if path.startswith(f"{protocol}://") else f"{protocol}://{path}"
    if not (prefix or rest):
        url = str(fs.unstrip_protocol(path))
    return prefix + url + rest


def _version(info: dict[str, Any]) -> str:
    sign = next((info[key] for key in _SIGNS if info.get(key) is not None), None)
    if sign is None:
        return ""
    text = sign.isoformat() if isinstance(sign, datetime) else str(sign)
    return sha256(f"{info.get('size')} {text}".encode()).hexdigest()[:32]
