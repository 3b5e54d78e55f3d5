"""Converts values into the notation of the program's rules and options."""

from __future__ import annotations

Time = float | str
"""A length of time: a number of seconds, or a text with its unit such as `50ms`."""


def seconds(time: Time) -> str:
    """Returns the length of time with its unit, in whole microseconds."""
    return time if isinstance(time, str) else f"{number(exact(time))}s"


def number(value: float | str) -> str:
    """Returns the number in digits, without an exponent."""
    if isinstance(value, str):
        return value
    return f"{value:.6f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def text(value: str | bytes) -> str:
    """Returns the text with one character for each byte."""
    return value.decode("latin-1") if isinstance(value, bytes) else value


def exact(time: float) -> float:
    """Returns seconds, rounded to microseconds: the program accepts no more decimal places."""
    return round(time, 6)
