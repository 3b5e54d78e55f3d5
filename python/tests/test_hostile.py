"""Missing, wrong and dying programs, interrupted tests, and floods of requests."""

from __future__ import annotations

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from benches import (
    eventually,
    folder_of,
    has_left_nothing,
    is_running,
    process_of,
    stand_in,
)
from sentrybench import Turret, TurretError, TurretFailure, VirtualTurret, folders
from sentrybench.conversation import LINE_MAX

Folder = pathlib.Path

HELLO = (
    'sys.stdin.readline(); print(json.dumps({"id": 1, "ok": True, "environment": {}, '
    '"version": 1}), flush=True)'
)


@pytest.fixture
def temporary(tmp_path: Folder, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """The folder for private folders. The test must leave nothing in it."""
    folder = tmp_path / "private"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('sys.exit("error: no model")', "ended with status 1:\nerror: no model"),
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ('print("Usage: other program")', "expected the program's answer, found b'Usage: "),
        (
            (
                "sys.stdin.readline(); print(json.dumps({'id': 1, 'ok': False, 'error': "
                "'expected \"version\" to be 2'}), flush=True); sys.stdin.read()"
            ),
            'is not the program of this package: expected "version" to be 2',
        ),
        (
            (
                'print(json.dumps({"id": None, "ok": False, "error": "what?"}), flush=True); '
                "sys.stdin.read()"
            ),
            "does not accept a request: what?",
        ),
        ('sys.stdout.buffer.write(b"\\xff" * 100_000 + b"\\n"); sys.stdin.read()', "found b'\\xff"),
        ('sys.stderr.write("x" * 100_000); sys.exit(3)', "ended with status 3:\nxxx"),
        (HELLO, "ended with status 0"),
    ],
)
def test_a_program_that_is_another_one_is_an_error(
    tmp_path: Folder, temporary: Folder, body: str, text: str
) -> None:
    program = stand_in(tmp_path / "program", body)
    with pytest.raises(TurretError) as raised:
        Turret(program=program)
    assert text in str(raised.value)
    assert str(program) in str(raised.value) or "answer" in text
    assert len(str(raised.value)) < 10_000
    assert os.listdir(temporary) == []


def test_a_program_that_cannot_be_started_is_an_error(tmp_path: Folder, temporary: Folder) -> None:
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(TurretError, match=f"{path} cannot be started: "):
            Turret(program=path)
    assert os.listdir(temporary) == []


def test_a_bench_that_cannot_start_says_why(temporary: Folder) -> None:
    with pytest.raises(TurretError) as raised:
        Turret(firmware="clasic")
    assert "ended with status 64:" in str(raised.value)
    assert "classic" in str(raised.value)
    with pytest.raises(TurretError, match="missing.elf"):
        VirtualTurret(device="avr:missing.elf")
    assert os.listdir(temporary) == []


def test_a_bench_that_is_killed_in_the_middle_fails_what_waits() -> None:
    turret = Turret()
    process, folder = process_of(turret), folder_of(turret)
    killer = threading.Timer(0.1, os.kill, (process, signal.SIGKILL))
    killer.start()
    begin = time.monotonic()
    with pytest.raises(TurretError, match="was ended by SIGKILL"):
        turret.expect(servo=20)
    assert time.monotonic() - begin < 5
    with pytest.raises(TurretError, match="was ended by SIGKILL"):
        turret.send("X20.")
    with pytest.raises(TurretError, match="was ended by SIGKILL"):
        turret.end()
    assert has_left_nothing(process, folder)


def test_a_bench_that_does_not_end_is_killed(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sentrybench.bench.ENDING", 0.1)
    program = stand_in(tmp_path / "program", f"{HELLO}\nwhile True: time.sleep(60)")
    turret = Turret(program=program, ready=False)
    process, folder = process_of(turret), folder_of(turret)
    turret.close()
    assert has_left_nothing(process, folder)


def test_a_bench_that_is_stopped_does_not_keep_its_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sentrybench.bench.ENDING", 0.1)
    turret = VirtualTurret()
    process, folder = process_of(turret), folder_of(turret)
    os.kill(process, signal.SIGSTOP)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            # More than a pipe can hold.
            for _ in range(10_000):
                turret._session.ask("state")
    finally:
        signal.signal(signal.SIGALRM, before)
    turret.close()
    assert has_left_nothing(process, folder)


def test_a_setting_of_a_wrong_type_leaves_nothing(temporary: Folder) -> None:
    with pytest.raises(TypeError):
        Turret(dead_time=[])  # type: ignore[arg-type]
    assert os.listdir(temporary) == []


def test_more_requests_than_pipes_hold_are_answered() -> None:
    with VirtualTurret() as turret:
        turret.send("L", at=0.5).run(until=60)
        answers = [turret._session.ask("events") for _ in range(200)]
        assert all(answer.result(20)["next"] > 1_000 for answer in answers)


def test_a_test_that_is_interrupted_leaves_nothing() -> None:
    left: list[tuple[int, str]] = []
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), Turret() as turret:
            left.append((process_of(turret), folder_of(turret)))
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            turret.expect(servo=20)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert has_left_nothing(*left[0])


def test_a_start_that_is_interrupted_leaves_nothing(
    tmp_path: Folder, temporary: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sentrybench.bench.ENDING", 0.1)
    pid = tmp_path / "pid"
    body = f"open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    program = stand_in(tmp_path / "program", body)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(KeyboardInterrupt):
            Turret(program=program)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not is_running(int(pid.read_text()))
    assert os.listdir(temporary) == []


INTERRUPTED = """
import os, sys
from sentrybench import Turret
turret = Turret(folder=sys.argv[1])
print(turret._session._bench._process.pid, turret._session._bench.folder, flush=True)
{body}
"""


@pytest.mark.parametrize(
    ("body", "signals", "removed"),
    [
        ("turret.expect(servo=20)", [signal.SIGINT], True),
        ("turret.expect(servo=20)", [signal.SIGKILL], False),
        ("turret.expect(servo=20)", [signal.SIGTERM], False),
        ("sys.exit()", [], True),
        ("os._exit(0)", [], False),
        ("if os.fork() == 0: sys.exit()\nos.wait(); turret.state(); turret.end()", [], True),
        ("raise ZeroDivisionError", [], True),
    ],
)
def test_the_bench_ends_with_the_process_that_started_it(
    tmp_path: Folder, body: str, signals: list[signal.Signals], removed: bool
) -> None:
    command = [sys.executable, "-c", INTERRUPTED.format(body=body), str(tmp_path)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as client:
        assert client.stdout is not None
        number, folder = client.stdout.readline().split()
        for sent in signals:
            time.sleep(0.05)
            client.send_signal(sent)
        _, errors = client.communicate(timeout=20)
    assert eventually(lambda: not is_running(int(number))), errors
    assert "TurretError" not in errors
    if removed:
        assert eventually(lambda: not os.path.exists(folder))
        return
    # What a killed process leaves is removed by the next one.
    assert os.path.exists(folder)
    again = [sys.executable, "-c", INTERRUPTED.format(body="turret.end()"), str(tmp_path)]
    subprocess.run(again, stdout=subprocess.DEVNULL, env=environment, check=True, timeout=60)
    assert not os.path.exists(folder)


def test_a_process_that_inherits_everything_does_not_keep_the_bench() -> None:
    turret = Turret()
    process, folder = process_of(turret), folder_of(turret)
    with subprocess.Popen(["sleep", "60"], close_fds=False) as other:
        turret.end()
        other.kill()
    assert has_left_nothing(process, folder)


def test_requests_of_many_threads_have_their_own_answers() -> None:
    with VirtualTurret() as turret:
        turret.run(until=1)
        wrong: list[object] = []

        def ask(index: int) -> None:
            for step in range(50):
                found = turret._session.ask("events", **{"from": index * 50 + step}).result(20)
                if found["from"] not in (index * 50 + step, turret.counts()["events"]):
                    wrong.append(found)

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_a_turret_can_be_closed_by_another_thread() -> None:
    turret = Turret()
    threading.Timer(0.1, turret.close).start()
    with pytest.raises((TurretError, TurretFailure)):
        turret.expect(servo=20, timeout=20)


def test_a_request_is_as_long_as_the_program_accepts() -> None:
    with VirtualTurret() as turret:
        turret.expect(commands=0)
        place = "p" * (LINE_MAX - 80)
        answer = turret._session._bench.ask("expect", rule={"servo": 90}, place=place)
        turret.run(until=0.1)
        assert answer.result(20)["verdict"] == "holds"
        with pytest.raises(TurretError, match="split 'send' into several"):
            turret.send("L" * 70_000)
        with pytest.raises(TurretError, match="more than 16384"):
            turret.send("L" * 20_000)
        assert turret.time == 0.1


def test_bytes_of_all_values_arrive_as_they_are() -> None:
    seed = 20_260_101
    source = random.Random(seed)
    with VirtualTurret(baud=1_000_000) as turret:
        sent = b""
        for _ in range(50):
            part = source.randbytes(source.randrange(1, 200))
            turret.send(part).run(until=turret.time + 0.1)
            sent += part
        received = "".join(event.values[0] for event in turret.events("rx"))
        assert received.encode("latin-1") == sent, f"seed {seed}"
        assert turret.explain()


def test_a_flood_on_the_port_is_survived() -> None:
    with Turret() as turret:
        port = os.open(turret.port, os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            latest = time.monotonic() + 0.3
            while time.monotonic() < latest:
                try:
                    os.write(port, os.urandom(500))
                except BlockingIOError:
                    time.sleep(0.001)
            assert turret.counts()["received"] > 100
        finally:
            os.close(port)
        turret.close()


def test_only_folders_of_ours_whose_process_has_ended_are_removed(
    tmp_path: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    used = folders.make()

    def leave(name: str, text: bytes = folders._TEXT, mode: int = 0o700) -> str:
        path = tmp_path / name
        path.mkdir()
        path.chmod(mode)
        (path / ".in-use").write_bytes(text)
        (path / "file").write_text("x")
        return str(path)

    left = leave("sentrybench-left")
    kept = [
        leave("other-left"),
        leave("sentrybench-text", b"another text"),
        leave("sentrybench-mode", mode=0o755),
        leave("sentrybench-none"),
        leave("elsewhere"),
    ]
    os.unlink(os.path.join(kept[3], ".in-use"))
    (tmp_path / "sentrybench-link").symlink_to(kept[4])
    (tmp_path / "sentrybench-left" / "link").symlink_to(kept[4])
    made = folders.make()
    assert not os.path.exists(left)
    for path in kept:
        assert os.path.exists(os.path.join(path, "file"))
    assert os.path.exists(used) and os.path.exists(made)
    folders.remove(used)
    folders.remove(made)
    assert not os.path.exists(used) and not os.path.exists(made)
