"""Translates rules from Python's notation into the program's.

Nothing is judged here. The program refuses an invalid rule with its own message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from .values import Time, number, seconds, text

Mishap = Literal["lost", "junk", "swallowed", "abandoned", "refused", "wrong-speed", "reset",
                 "unanswered"]
"""A mishap that a rule can exclude."""

Angles = int | tuple[int, int] | str
"""A commanded angle in degrees, or the lowest and the highest."""

Measured = float | tuple[float, float] | str
"""A measured value, or the value and its error."""


class Expectation(TypedDict, total=False):
    """The words of a rule: one of the first twelve, and `within`, `of` and `before` if they apply."""

    servo: Angles | Mapping[str, Angles]
    """The commanded angle: `110`, a range `(108, 112)`, or `{"pan": 110}` for a servo by name."""
    on: str
    """The servo, if it is not the session's own, by its pin or its name in the profile: `"D10"`."""
    shaft: Measured | Mapping[str, Measured]
    """The angle of the modelled shaft with its error: `(110, 2)`."""
    pulse: Measured | Mapping[str, Measured]
    """The width of a pulse in microseconds with its error: `(1678, 3)`. Requires `pulses=True`."""
    attached: str
    """The servo whose pulses begin, by its pin or its name in the profile: `"D9"`."""
    detached: str
    """The servo whose pulses stop."""
    tx: str | bytes
    """A line that the board sends. `*` stands for any text."""
    tone: float
    """The tone of the buzzer in hertz."""
    exactly: Sequence[Mapping[str, Any]]
    """Outputs without others of the same kind in between: `[{"servo": 45}, {"servo": 135}]`."""
    angles: tuple[int, int] | Mapping[str, tuple[int, int]]
    """The range that no commanded angle may leave: the lowest and the highest."""
    quiet: Time
    """How long the session must be silent at its end, without a byte or an output."""
    commands: int | tuple[int, int] | str
    """How many commands the sender sends."""
    rate: tuple[int, Time]
    """The most commands in a length of time: `(30, 1)`."""
    gap: Time
    """The shortest time from the beginning of one command to that of the next."""
    within: Time
    """The longest time to the output, from the first byte of `of` or else the last byte sent."""
    of: str | bytes
    """The command that causes the output. `*` stands for any text."""
    before: Time
    """The time of the session before which the output must happen."""


def rule(words: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the rule in the notation of a scenario file."""
    members: dict[str, Any] = {}
    servo = words.get("on")
    is_used = any(word in _OF_A_SERVO and not isinstance(words[word], Mapping) for word in words)
    for word, value in words.items():
        if word in _OF_A_SERVO:
            members |= _of_servos(word, value, servo)
        elif word == "on" and is_used:
            pass
        elif word == "rate":
            count, time = value
            members["commands"] = f"at most {count} in {seconds(time)}"
        else:
            members[word] = _NOTATIONS.get(word, _same)(value)
    return members


def ends(servo: Angles | Mapping[str, Angles] | None, sweeping: bool | None) -> dict[str, Any]:
    """Returns a rule about the state at the end."""
    state: dict[str, Any] = {}
    if servo is not None:
        state |= _of_servos("servo", servo, None)
    if sweeping is not None:
        state["sweeping"] = sweeping
    return {"ends": state}


def golden(path: str, tolerance: Time | None, gaps: Time | None) -> dict[str, Any]:
    """Returns a rule that requires the session to match a trace."""
    members = {"trace": path}
    if tolerance is not None:
        members["tolerance"] = seconds(tolerance)
    if gaps is not None:
        members["gaps"] = seconds(gaps)
    return members


def _of_servos(word: str, value: object, servo: str | None) -> dict[str, Any]:
    """Returns the members for one servo, or for several by name."""
    notation = _NOTATIONS[word]
    if isinstance(value, Mapping):
        return {f"{word} {name}": notation(one) for name, one in value.items()}
    return {word if servo is None else f"{word} {servo}": notation(value)}


def _same(value: object) -> object:
    return value


def _angles(value: Angles) -> str:
    return f"{value[0]}..{value[1]}" if isinstance(value, tuple) else str(value)


def _measured(value: Measured) -> str:
    if isinstance(value, tuple):
        return f"{number(value[0])} ± {number(value[1])}"
    return number(value)


def _exactly(outputs: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [rule(output) for output in outputs]


def _gap(value: Time) -> str:
    return f"at least {seconds(value)}"


_OF_A_SERVO = ("servo", "shaft", "pulse", "angles")
"""The words that can be followed by a servo's name."""

_NOTATIONS: dict[str, Callable[[Any], object]] = {
    "servo": _angles,
    "shaft": _measured,
    "pulse": _measured,
    "tx": text,
    "tone": number,
    "exactly": _exactly,
    "angles": _angles,
    "quiet": seconds,
    "commands": _angles,
    "gap": _gap,
    "within": seconds,
    "of": text,
    "before": seconds,
}
