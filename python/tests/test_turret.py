"""A turret in real time."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys

import pytest

from benches import eventually, folder_of, has_left_nothing, process_of
from sentrybench import Event, Turret, TurretError, TurretFailure

Folder = pathlib.Path


def test_it_aims_and_the_rules_hold() -> None:
    with Turret() as turret:
        turret.never("lost", "junk")
        turret.send("X110.")
        turret.expect(servo=110, within=0.05, of="X110.")
        assert turret.servo == 110
        turret.send(b"X45.").send("X135.")
        turret.expect(exactly=[{"servo": 45}, {"servo": 135}])
        turret.ends(servo=135, sweeping=False)
        report = turret.end()
    assert (report.status, report.holds, report.fails, report.failures) == (0, 4, 0, ())


def test_a_rule_that_fails_raises_the_programs_text_with_the_callers_place() -> None:
    with Turret() as turret:
        turret.send("X110")
        with pytest.raises(TurretFailure) as raised:
            turret.expect(servo=110, within=0.05)
    line = raised.traceback[0].lineno + 1
    text = str(raised.value)
    assert text.splitlines()[0].endswith(f"test_turret.py:{line}: servo 110 within 50 ms failed")
    assert '"rx", "X110"]' in text
    assert isinstance(raised.value, AssertionError)


def test_a_rule_whose_output_never_comes_is_decided_after_the_timeout() -> None:
    with Turret(timeout=0.1) as turret:
        with pytest.raises(TurretFailure, match="the expectation waited for 100 ms"):
            turret.expect(servo=20)
        with pytest.raises(TurretFailure, match='no "X20." was sent'):
            turret.expect(servo=20, of="X20.", timeout=0.05)
        # The next rule is decided as usual.
        turret.send("X30.")
        turret.expect(servo=30, within=0.05, of="X30.")


def test_a_rule_that_breaks_later_is_raised_at_the_end() -> None:
    with pytest.raises(TurretFailure) as raised, Turret(firmware="classic") as turret:
        turret.never("junk")
        turret.ends(servo=91)
        turret.send("?")
    first, second = str(raised.value).split("\n\n")
    assert "never junk failed" in first
    assert "ends servo 91 failed" in second


def test_a_failure_that_was_raised_is_not_raised_again() -> None:
    turret = Turret()
    turret.send("X10.")
    with pytest.raises(TurretFailure):
        turret.expect(servo=20, within=0.01)
    report = turret.end()
    assert (report.status, report.fails, report.failures) == (1, 1, ())


def test_an_error_in_a_test_is_not_replaced_by_a_rules_failure() -> None:
    with pytest.raises(ZeroDivisionError), Turret() as turret:
        turret.ends(servo=20)
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ({"servoo": 110}, 'did you mean "servo"'),
        ({"servo": 110, "within": -1}, 'found "-1s"'),
        ({"servo": 200}, "expected an angle from 0 to 180"),
        ({"servo": 110, "tone": 3}, "expected one rule"),
        ({}, "expected one of servo"),
    ],
)
def test_a_rule_that_is_none_raises_what_the_program_says(
    rule: dict[str, object], text: str
) -> None:
    with Turret() as turret, pytest.raises(TurretError, match=text):
        turret.expect(**rule)  # type: ignore[arg-type]


def test_what_never_happens_is_checked_at_once() -> None:
    with Turret(firmware="classic") as turret:
        turret.send("?")
        turret.settle()
        with pytest.raises(TurretFailure, match="never junk failed"):
            turret.never("junk")
        with pytest.raises(TurretError, match='did you mean "lost"'):
            turret.never("los")  # type: ignore[arg-type]


def test_it_waits_until_the_sketch_listens_unless_told_otherwise() -> None:
    with Turret(firmware="classic") as turret:
        assert turret.state()["ready"]
        assert turret.time >= 1
    with Turret(firmware="classic", ready=False) as turret:
        assert not turret.state()["ready"]
        turret.send("X110.")
        with pytest.raises(TurretFailure):
            turret.expect(servo=110, within=0.02)
        turret.ready()
        assert turret.time >= 1


def test_a_restart_and_the_modem_lines() -> None:
    with Turret() as turret:
        turret.lines(dtr=True)
        assert not turret.state()["ready"]
        turret.lines(dtr=False, rts=True)
        turret.reset(dead=0.01)
        turret.reset()
        with pytest.raises(TurretError, match="expected"):
            turret.lines()
        assert [event.values[0] for event in turret.events("reset")] == [1, 0.01, 1]


def test_a_wrong_speed_is_that_of_the_wire() -> None:
    with Turret() as turret:
        turret.speed(4800)
        turret.send("X110.")
        with pytest.raises(TurretFailure) as failure:
            turret.expect(servo=110, within=0.05)
        speeds = "the sender writes at 4800 baud, the board listens at 9600\n"
        assert str(failure.value).startswith(speeds)
        with pytest.raises(TurretError, match="expected"):
            turret.speed(-1)


def test_what_happened(tmp_path: Folder) -> None:
    with Turret() as turret:
        turret.send("X110.")
        turret.expect(servo=110)
        state = turret.state()
        assert (state["servo"], state["sweeping"], state["activity"]) == (110, False, "idle")
        counts = turret.counts()
        assert (counts["received"], counts["commands"], counts["lost"]) == (5, 1, {})
        events = turret.events()
        assert events[0] == Event(events[0].time, "servo", (90, 1472))
        assert [event.kind for event in events][:3] == ["servo", "rx", "servo"]
        assert turret.events("rx") == [events[1]]
        assert turret.events(start=2)[0] == events[2]
        assert "1 terminator" in turret.explain()
        assert turret.plot(tmp_path / "a.svg").startswith("<svg ")
        assert (tmp_path / "a.svg").read_text().endswith("</svg>\n")
        trace = turret.record(tmp_path / "a.jsonl")
        assert trace == (tmp_path / "a.jsonl").read_text()
        assert '"rx", "X110."' in trace


def test_a_senders_process_finds_the_addresses() -> None:
    names = ["SENTRY_PORT", "SENTRY_WEBSOCKET", "SENTRY_TCP", "SENTRY_RFC2217"]
    script = f"import os; print(*(os.environ[name] for name in {names}))"
    with Turret() as turret:
        command = [sys.executable, "-c", script]
        done = subprocess.run(
            command, env=turret.env, capture_output=True, text=True, check=True, timeout=20
        )
        tcp = "{}:{}".format(*turret.tcp)
        assert done.stdout.split() == [turret.port, turret.websocket, tcp, turret.rfc2217]
        assert turret.env["PATH"] == os.environ["PATH"]
    with Turret(network=False) as turret:
        assert turret.port
        with pytest.raises(TurretError, match="no SENTRY_WEBSOCKET; set network=True"):
            _ = turret.websocket


def test_a_session_is_compared_with_a_golden_trace(tmp_path: Folder) -> None:
    def session(update: bool, *commands: str) -> Turret:
        turret = Turret(folder=tmp_path, update=update)
        turret.matches("aim.jsonl", tolerance=0.05)
        for command in commands:
            turret.send(command)
            turret.expect(servo=int(command[1:-1]))
        return turret

    with pytest.raises(TurretError, match=r"aim.jsonl does not exist; pytest --turret-update"):
        session(False)
    session(True, "X110.", "X45.").end()
    first = (tmp_path / "aim.jsonl").read_text()
    session(False, "X110.", "X45.").end()
    with pytest.raises(TurretFailure, match="byte 7 of 9 differs"):
        session(False, "X110.", "X55.").end()
    # A trace that agrees is not written again.
    session(True, "X110.", "X45.").end()
    assert (tmp_path / "aim.jsonl").read_text() == first
    session(True, "X110.", "X55.").end()
    assert '"X55."' in (tmp_path / "aim.jsonl").read_text()
    # A test that fails writes nothing.
    with pytest.raises(ZeroDivisionError), session(True, "X20."):
        raise ZeroDivisionError
    assert '"X55."' in (tmp_path / "aim.jsonl").read_text()
    assert os.listdir(tmp_path) == ["aim.jsonl"]


def test_the_end_comes_after_the_bytes_on_the_line() -> None:
    with Turret() as turret:
        turret.ends(servo=45)
        turret.send("X110." * 20 + "X45.")


def test_a_session_that_is_over_has_no_more_answers() -> None:
    turret = Turret()
    turret.end()
    turret.close()
    turret.close()
    with pytest.raises(TurretError, match="the session is over"):
        turret.state()
    with Turret(options=["--for", "0.05s"]) as turret:
        assert eventually(lambda: turret._session.is_over)
        with pytest.raises(TurretError, match="the session is over"):
            turret.state()


def test_nothing_is_left_however_a_session_ends() -> None:
    for way in ("end", "close", "__del__"):
        turret = Turret()
        process, folder = process_of(turret), folder_of(turret)
        assert os.stat(folder).st_mode & 0o777 == 0o700
        if way == "end":
            turret.end()
        elif way == "close":
            turret.close()
        else:
            del turret
            gc.collect()
        assert has_left_nothing(process, folder), way
