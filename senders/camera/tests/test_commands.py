"""The trace that `aim` prints is read, and anything else is an error."""

import json
import random

import pytest

from sentry_camera.commands import LONGEST_LINE, Command, Connection, Decision, TraceReader
from sentry_camera.errors import ExitError

HEADER = b'{"format": "sentry-trace", "version": 1, "firmware": "guarded", "baud": 9600}\n'


def reader():
    reader = TraceReader("commands.jsonl")
    assert reader.read(HEADER) is None
    return reader


def test_commands_are_read():
    trace = reader()
    assert trace.read(b'[0.000000, "rx", "L"]\n') == Command(0, None)
    assert trace.read(b'[1.500000, "rx", "X54."]\n') == Command(1.5, 54)
    assert trace.read(b'[1.6, "servo", 54, 1100]\n') is None
    assert trace.read(b'[2, "rx", "X0."]') == Command(2, 0)
    assert trace.read(b'[2, "rx", "X180."]') == Command(2, 180)
    trace.end()


WRONG = {
    "no JSON": (b"X90.\n", "expected a line of JSON in UTF-8"),
    "empty line": (b"\n", "expected a line of JSON in UTF-8"),
    "no UTF-8": (b'[2, "rx", "\xff"]\n', "expected a line of JSON in UTF-8"),
    "deep": (b"[" * 4000, "expected a line of JSON in UTF-8"),
    "long": (b" " * (LONGEST_LINE + 1), "expected a line of at most 4096 bytes"),
    "an object": (HEADER, "expected an event"),
    "a number": (b"5", "expected an event"),
    "an empty list": (b"[]", "expected an event"),
    "no kind": (b'[2, 3, "X90."]', "expected an event"),
    "a time as text": (b'["2", "rx", "X90."]', "expected a time"),
    "a time that is true": (b'[true, "rx", "X90."]', "expected a time"),
    "an endless time": (b'[1e999, "rx", "X90."]', "expected a time"),
    "a time that is too big": (b"[" + b"9" * 400 + b', "rx", "X90."]', "expected a time"),
    "no time": (b'[NaN, "rx", "X90."]', "expected a time"),
    "an earlier time": (b'[0.5, "rx", "X90."]', "expected a time"),
    "no command": (b'[2, "rx"]', "expected one command, X0. to X180. or L"),
    "two commands": (b'[2, "rx", "X90.L"]', "expected one command"),
    "no full stop": (b'[2, "rx", "X90"]', "expected one command"),
    "too many degrees": (b'[2, "rx", "X181."]', "expected one command"),
    "other digits": ('[2, "rx", "X\u0669."]'.encode(), "expected one command"),
    "a list as command": (b'[2, "rx", ["X90."]]', "expected one command"),
}


@pytest.mark.parametrize(("line", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_wrong_line_is_an_error(line, message):
    trace = reader()
    trace.read(b'[1, "rx", "X54."]\n')
    with pytest.raises(ExitError, match=f"^commands.jsonl:3: {message}") as error:
        trace.read(line)
    assert error.value.status == 65


@pytest.mark.parametrize(
    "line",
    [
        b"[]",
        b"{}",
        b'{"format": "sentry-observations", "version": 1}',
        b'{"format": "sentry-trace"}',
    ],
)
def test_a_file_without_a_header_is_an_error(line):
    with pytest.raises(ExitError, match="commands.jsonl:1: expected the header of a trace"):
        TraceReader("commands.jsonl").read(line)


def test_an_empty_file_is_an_error():
    with pytest.raises(ExitError, match="commands.jsonl is empty; expected the trace"):
        TraceReader("commands.jsonl").end()


def test_any_bytes_are_read_or_an_error():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    good = [HEADER, b'[1.5, "rx", "X54."]', b'[1.5, "servo", 3]', b'[2, "rx", "L"]']
    for _ in range(2000):
        trace = TraceReader("fuzz")
        if chance.random() < 0.8:
            trace.read(HEADER)
        line = bytearray(chance.choice(good))
        for _ in range(chance.randrange(4)):
            line[chance.randrange(len(line))] = chance.randrange(256)
        try:
            command = trace.read(bytes(line))
        except ExitError as error:
            assert error.status == 65
        else:
            json.loads(line)
            assert command is None or command.degrees is None or 0 <= command.degrees <= 180


def test_a_target_that_is_found_counts_once():
    decision = Decision(Connection.CONNECTED)
    points = []
    for degrees in (None, 90, 91, None, 91, None, None, 0, 180):
        decision = decision.after(Command(0, degrees))
        points.append(decision.points)
    assert points == [0, 1, 1, 1, 2, 2, 2, 3, 3]
    assert decision == Decision(Connection.CONNECTED, Command(0, 180), 3)
