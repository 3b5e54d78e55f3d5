"""Converts values into the notation of the program's rules and options."""

from __future__ import annotations

from datetime import timedelta

from .errors import TurretError

Time = float | str | timedelta
"""A length of time: a text with its unit such as `50ms`, a `timedelta`, or a number of seconds."""

SECONDS_MAX = 10
"""A rule's time that is a number must be below this. `within=50` is 50 s, and rarely meant so."""


def length(time: Time, word: str) -> str:
    """Returns the length of time of a rule's word with its unit.

    Raises `TurretError` if it is a number that looks like milliseconds.
    """
    __tracebackhide__ = True
    if isinstance(time, (int, float)) and time >= SECONDS_MAX:
        shown = number(time)
        raise TurretError(
            f'{word}={shown} would be {shown} seconds; write {word}="{shown}ms" or '
            f'{word}="{shown}s", or a timedelta: a number of seconds must be below {SECONDS_MAX}'
        )
    return seconds(time)


def seconds(time: Time) -> str:
    """Returns the length of time with its unit, in whole microseconds."""
    if isinstance(time, timedelta):
        time = time.total_seconds()
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
