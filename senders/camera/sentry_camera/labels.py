"""Reads the labels of a network."""

from __future__ import annotations

from pathlib import Path

from .errors import MALFORMED, NO_INPUT, ExitError

MOST_LABELS = 10_000
MOST_BYTES = 1_000_000


def read_labels(path: Path) -> list[str]:
    """One label per line, in the network's order. Empty lines at the end are ignored."""
    if not path.is_file():
        raise ExitError(f"The file of labels {path} does not exist.", NO_INPUT)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ExitError(f"{path} cannot be read: {error.strerror}.", NO_INPUT) from None
    if len(content) > MOST_BYTES:
        raise ExitError(f"{path} has more than {MOST_BYTES} bytes; expected labels.", MALFORMED)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ExitError(f"{path}:{line}: expected a text in UTF-8.", MALFORMED) from None
    labels = [line.strip() for line in text.rstrip().split("\n")]
    if labels == [""]:
        raise ExitError(f"{path} is empty; expected one label per line.", MALFORMED)
    if len(labels) > MOST_LABELS:
        raise ExitError(
            f"{path} has {len(labels)} labels; at most {MOST_LABELS} are accepted.", MALFORMED
        )
    if "" in labels:
        line = labels.index("") + 1
        raise ExitError(f"{path}:{line}: expected a label, found an empty line.", MALFORMED)
    return labels
