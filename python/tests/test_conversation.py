"""Requests and answers, without the program."""

from __future__ import annotations

import json
import random

import pytest

from sentrybench import TurretError
from sentrybench.conversation import LINE_MAX, Conversation


def answer(number: int, **members: object) -> bytes:
    return json.dumps({"id": number, "ok": True, **members}).encode()


def test_a_request_is_a_line_with_a_number_of_its_own() -> None:
    talk = Conversation()
    assert talk.ask("state", {})[1] == b'{"id": 1, "do": "state"}\n'
    assert talk.ask("send", {"bytes": "\xff"})[1] == (
        b'{"id": 2, "do": "send", "bytes": "\\u00ff"}\n'
    )


def test_answers_come_in_any_order() -> None:
    talk = Conversation()
    first, second = talk.ask("expect", {})[2], talk.ask("state", {})[2]
    talk.take(answer(2, servo=90))
    assert second.result(0) == {"servo": 90}
    assert not first.done()
    talk.take(answer(1, verdict="holds", time=1.5))
    assert first.result(0) == {"verdict": "holds", "time": 1.5}


def test_a_refused_request_raises_what_the_program_says() -> None:
    talk = Conversation()
    future = talk.ask("sned", {})[2]
    talk.take(b'{"id": 1, "ok": false, "error": "did you mean \\"send\\"?"}')
    with pytest.raises(TurretError, match="did you mean"):
        future.result(0)


def test_failures_are_told_at_the_end_unless_a_call_has_raised_them() -> None:
    talk = Conversation()
    for _ in range(3):
        talk.ask("expect", {})
    talk.ask("end", {})
    talk.take(answer(1, verdict="fails", text="one"))
    talk.take(b'{"note": "verdict", "rule": 2, "verdict": "fails", "text": "two"}')
    talk.raised.add(1)
    rules = [
        {"rule": 1, "verdict": "fails", "text": "one"},
        {"rule": 2, "verdict": "fails", "text": "two"},
        {"rule": 3, "verdict": "holds"},
    ]
    talk.take(answer(4, time=2, status=1, holds=1, fails=2, rules=rules))
    report = talk.report()
    assert report is not None
    assert (report.status, report.holds, report.fails) == (1, 1, 2)
    assert report.failures == ("two",)


def test_a_session_that_ends_by_itself_is_over() -> None:
    talk = Conversation()
    talk.take(b'{"note": "over", "time": 1, "status": 0, "holds": 0, "fails": 0, "rules": []}')
    assert talk.report() is not None
    with pytest.raises(TurretError, match="the session is over"):
        talk.ask("state", {})


def test_every_request_fails_once_the_program_has_ended() -> None:
    talk = Conversation()
    future = talk.ask("expect", {})[2]
    talk.lose("it was ended by SIGKILL")
    talk.lose("another reason that comes later")
    with pytest.raises(TurretError, match="it was ended by SIGKILL"):
        future.result(0)
    with pytest.raises(TurretError, match="it was ended by SIGKILL"):
        talk.ask("state", {})


def test_a_request_that_is_too_long_is_not_sent() -> None:
    talk = Conversation()
    with pytest.raises(TurretError, match=f"at most {LINE_MAX} bytes, found"):
        talk.ask("send", {"bytes": "L" * LINE_MAX})
    assert not talk.waiting
    assert talk.ask("state", {})[0] == 1


def test_a_cancelled_request_takes_its_answer() -> None:
    talk = Conversation()
    future = talk.ask("state", {})[2]
    assert not future.cancel()
    talk.take(answer(1))
    assert future.result(0) == {}


def test_lines_of_another_program_end_the_conversation() -> None:
    for seed in range(200):
        source = random.Random(seed)
        talk = Conversation()
        future = talk.ask("state", {})[2]
        pieces = [source.randbytes(20), b"[]", b"null", b"1", b'"text"', b"[" * 5_000, b"Usage:"]
        for line in source.sample(pieces, 3):
            talk.take(line)
        with pytest.raises(TurretError):
            future.result(0)
        assert talk.lost is not None, f"seed {seed}"


def test_lines_that_are_not_complete_do_no_harm() -> None:
    lines = [
        b'{"note": "verdict"}',
        b'{"note": "over"}',
        b'{"note": "over", "rules": 1}',
        b'{"note": "verdict", "rule": []}',
        b'{"id": 1}',
        b'{"id": [1]}',
        b'{"id": null, "ok": false, "error": 1}',
        b'{"id": 1, "ok": true, "status": 0}',
        b'{"id": 1, "ok": false}',
        b'{"id": 1, "ok": true, "status": "?", "rules": [[]]}',
    ]
    for line in lines:
        talk = Conversation()
        future = talk.ask("state", {})[2]
        talk.take(line)
        talk.lose("the program has ended")
        assert future.done(), line
        assert talk.lost is not None
        talk.report()
