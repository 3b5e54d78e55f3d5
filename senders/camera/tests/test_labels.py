"""The labels of a network, from a file."""

import random

import pytest

from sentry_camera.errors import ExitError
from sentry_camera.labels import MOST_BYTES, MOST_LABELS, read_labels

GOOD = {
    "one": (b"cat", ["cat"]),
    "three": (b"cat\ndog\nteddy bear\n", ["cat", "dog", "teddy bear"]),
    "Windows": (b"\xef\xbb\xbfcat\r\ndog\r\n", ["cat", "dog"]),
    "empty lines at the end": (b" cat \ndog\n\n \n", ["cat", "dog"]),
    "not ASCII": ("Bär\n熊\n".encode(), ["Bär", "熊"]),
    "most": (b"a\n" * MOST_LABELS, ["a"] * MOST_LABELS),
}


@pytest.mark.parametrize(("content", "labels"), GOOD.values(), ids=GOOD.keys())
def test_labels_are_read(tmp_path, content, labels):
    path = tmp_path / "labels.txt"
    path.write_bytes(content)
    assert read_labels(path) == labels


BAD = {
    "nothing": (b"", "labels.txt is empty; expected one label per line."),
    "only lines": (b"\n\n", "labels.txt is empty"),
    "an empty line": (b"cat\n\ndog\n", "labels.txt:2: expected a label, found an empty line."),
    "an empty first line": (b"\ncat\n", "labels.txt:1: expected a label"),
    "Latin-1": (b"cat\nB\xe4r\n", "labels.txt:2: expected a text in UTF-8."),
    "too many": (b"a\n" * (MOST_LABELS + 1), "labels.txt has 10001 labels; at most 10000"),
    "too long": (b"a" * (MOST_BYTES + 1), "labels.txt has more than 1000000 bytes"),
}


@pytest.mark.parametrize(("content", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_file_without_labels_is_an_error(tmp_path, content, sentence):
    path = tmp_path / "labels.txt"
    path.write_bytes(content)
    with pytest.raises(ExitError) as error:
        read_labels(path)
    assert sentence in str(error.value)
    assert error.value.status == 65


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(ExitError, match="labels .*none.txt does not exist") as error:
        read_labels(tmp_path / "none.txt")
    assert error.value.status == 66


def test_any_bytes_are_labels_or_an_error(tmp_path):
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    generator = random.Random(seed)
    path = tmp_path / "labels.txt"
    for _ in range(500):
        pieces = [b"cat", b"\n", b"\r", b" ", "熊".encode(), b"\xff", b"\0", b"\xef\xbb\xbf"]
        path.write_bytes(b"".join(generator.choices(pieces, k=generator.randrange(12))))
        try:
            labels = read_labels(path)
        except ExitError as error:
            assert error.status == 65
        else:
            assert labels and all(label == label.strip() != "" for label in labels)
