"""Translates rules from Python's notation into the program's.

Nothing is judged here. The program refuses an invalid rule with its own message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from .errors import TurretError
from .values import Time, length, number, text

Mishap = Literal[
    "lost",
    "junk",
    "swallowed",
    "abandoned",
    "refused",
    "wrong-speed",
    "reset",
    "unanswered",
    "twitch",
]
"""A mishap that a rule can exclude."""

Angles = int | tuple[int, int] | str
"""A commanded angle in degrees, or the lowest and the highest."""

Measured = float | tuple[float, float] | str
"""A measured value, or the value and its error."""

Level = bool | Literal[0, 1]
"""The level on a pin: 1 is high."""

Pin = tuple[str, Level | str] | Mapping[str, Level | str]
"""A pin, or its name in the profile, and its level, `"pulse"`, `"low pulse"` or `"duty"`."""

Activity = Literal["starting-up", "idle", "reading", "purging", "scanning", "sounding"]
"""What a sketch of the bench can be doing."""


class Expectation(TypedDict, total=False):
    """The words of a rule: one of those up to `gap`, and those after them that apply.

    Times are texts with a unit (`"50ms"`), `timedelta`s, or numbers of seconds below 10.
    """

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
    pin: Pin
    """The level of a pin, a pulse there, or its duty cycle: `("fire", 1)`, `("D7", "pulse")`."""
    exactly: Sequence[Mapping[str, Any]]
    """Outputs without others of the same kind in between: `[{"servo": 45}, {"servo": 135}]`."""
    angles: tuple[int, int] | Mapping[str, tuple[int, int]]
    """The range that no commanded angle may leave: the lowest and the highest."""
    twitch: float
    """The microseconds, from 20 on, by less than which every pulse differs from what was stored."""
    interrupts_off: Time
    """The time below which interrupts are off at most. This rule and `loop` require the emulated
    chip in virtual time, and are stated before time passes."""
    loop: Time
    """The longest that a turn of the sketch's `loop` may take."""
    memory: Literal["sound"]
    """The program makes no mistake with its memory. It requires what `loop` does."""
    jump: float
    """The degrees by less than which two pulses in a row differ. Requires `pulses=True`."""
    moves: Literal["never"]
    """No servo gets another angle, with `unless="commanded"`: without a command."""
    unless: Literal["commanded"]
    """What excuses a move: a command."""
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
    at_least: Time
    """The shortest pulse of `pin`, or the smallest duty cycle, such as `"45%"`."""
    at_most: Time
    """The longest pulse of `pin`, or the largest duty cycle, such as `"55%"`."""
    count: int | tuple[int, int] | str
    """How many such pulses of `pin` there are."""


def rule(words: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the rule in the notation of a scenario file."""
    __tracebackhide__ = True
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
            members["commands"] = f"at most {count} in {length(time, 'rate')}"
        elif word == "gap":
            members["gap"] = f"at least {length(value, word)}"
        elif word == "twitch":
            members[word] = f"below {number(value)}us"
        elif word == "interrupts_off":
            members["interrupts off"] = f"below {length(value, word)}"
        elif word == "loop":
            members[word] = f"at most {length(value, word)}"
        elif word == "jump":
            members[word] = f"below {number(value)}"
        elif word == "pin":
            members |= _of_pins(value)
        elif word in ("at_least", "at_most"):
            members[word.replace("_", " ")] = _limit(word, value, words.get("pin"))
        elif word in _TIMES:
            members[word] = length(value, word)
        else:
            members[word] = _NOTATIONS.get(word, _same)(value)
    return members


def never(
    mishaps: Sequence[str],
    pin: Pin | None,
    while_: str | None,
    at_least: Time | None,
    at_most: Time | None,
    unless: str | None = None,
) -> list[dict[str, Any]]:
    """Returns the rules about what must not happen: mishaps, and the state of a pin."""
    __tracebackhide__ = True
    stated: list[dict[str, Any]] = []
    if unless is not None:
        stated.append({"never": dict.fromkeys(mishaps, "1") | {"unless": unless}})
    elif mishaps or pin is None:
        stated.append({"never": list(mishaps)})
    if pin is not None:
        given = {"pin": pin, "at_least": at_least, "at_most": at_most}
        state = rule({word: value for word, value in given.items() if value is not None})
        if while_ is not None:
            state["while"] = while_
        stated.append({"never": state})
    elif while_ is not None or at_least is not None or at_most is not None:
        raise TurretError(
            'while_, at_least and at_most require a pin, for example pin=("laser", 1)'
        )
    return stated


def recovers(within: Time) -> dict[str, Any]:
    """Returns a rule that the first whole command after the last fault is obeyed in time."""
    return {"recovers": {"within": length(within, "within"), "after": "fault"}}


def ends(
    servo: Angles | Mapping[str, Angles] | None, sweeping: bool | None, pin: Pin | None = None
) -> dict[str, Any]:
    """Returns a rule about the state at the end."""
    state: dict[str, Any] = {}
    if servo is not None:
        state |= _of_servos("servo", servo, None)
    if sweeping is not None:
        state["sweeping"] = sweeping
    if pin is not None:
        state |= _of_pins(pin)
    return {"ends": state}


def golden(path: str, tolerance: Time | None, gaps: Time | None) -> dict[str, Any]:
    """Returns a rule that requires the session to match a trace."""
    members = {"trace": path}
    if tolerance is not None:
        members["tolerance"] = length(tolerance, "tolerance")
    if gaps is not None:
        members["gaps"] = length(gaps, "gaps")
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


def _of_pins(pin: Pin) -> dict[str, str]:
    """Returns the members for a pin, or for several by name."""
    pairs = pin.items() if isinstance(pin, Mapping) else [pin]
    return {
        f"pin {name}": state if isinstance(state, str) else str(int(state)) for name, state in pairs
    }


def _limit(word: str, value: Time, pin: object) -> str:
    """Returns the least or the most of a pulse or a duty cycle."""
    __tracebackhide__ = True
    states = pin.values() if isinstance(pin, Mapping) else pin if isinstance(pin, tuple) else ()
    if "duty" in states and not isinstance(value, str):
        raise TurretError(
            f'{word}={value} is not a part of a cycle; write for example {word}="45%"'
        )
    return length(value, word)


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
    "commands": _angles,
    "count": _angles,
    "of": text,
}

_TIMES = ("quiet", "within", "before")
"""The words whose values are lengths of time."""
