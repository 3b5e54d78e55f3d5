"""Parses the values of options."""

from __future__ import annotations

import argparse
import math


def colour(text: str) -> tuple[int, int, int]:
    parts = tuple(
        int(part) if part.isascii() and part.isdigit() else -1 for part in text.split(",")
    )
    limits = (179, 255, 255)
    if len(parts) != 3 or not all(0 <= part <= limit for part, limit in zip(parts, limits)):
        raise argparse.ArgumentTypeError(
            f"{text} is not a hue 0...179, a saturation and a value 0...255"
        )
    return parts[0], parts[1], parts[2]


def size(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(
        part.isascii() and part.isdigit() and int(part) > 0 for part in parts
    ):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 390x844")
    return int(parts[0]), int(parts[1])


def share(text: str) -> float:
    return _within(text, 0, 1, "a share above 0 and up to 1", high_too=True)


def fraction(text: str) -> float:
    return _within(text, 0, 1, "a share from 0 to 1", low_too=True, high_too=True)


def angle(text: str) -> float:
    return _within(text, 0, 180, "an angle above 0 and below 180")


def rate(text: str) -> float:
    return _within(text, 0, 1000, "a rate above 0 and up to 1000", high_too=True)


def port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text} is not a port 0...65535")
    return int(text)


def seed(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) < 2**32):
        raise argparse.ArgumentTypeError(f"{text} is not a whole number 0...4294967295")
    return int(text)


def _within(
    text: str, low: float, high: float, what: str, low_too: bool = False, high_too: bool = False
) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    is_end = (low_too and value == low) or (high_too and value == high)
    if not (low < value < high or is_end):
        raise argparse.ArgumentTypeError(f"{text} is not {what}")
    return value
