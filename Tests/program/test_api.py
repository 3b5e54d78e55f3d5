"""The socket of `run --api`, with proper and hostile clients."""
import os
import random
import re
import signal
import socket
import stat

import pytest
from api_client import Client
from running import memory_kb, refused, run, wait_until


@pytest.fixture(autouse=True)
def folder(tmp_path):
    yield tmp_path
    for process in Client.started:
        process.kill()
        process.wait()
    Client.started.clear()


def test_rules_about_bytes_hold_and_fail_with_their_places(bench, folder):
    turret = Client(bench, f"{folder}/api", "--firmware", "classic", "--pty", f"{folder}/port")
    mode = os.stat(turret.path).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600, oct(mode)
    environment = turret.ask("hello", version=1, ends=True)["environment"]
    assert environment["SENTRY_API"] == turret.path, environment
    turret.ask("ready")
    assert turret.expect(never=["lost", "junk"])["verdict"] == "open"
    turret.ask("send", bytes="X110.")
    held = turret.expect(servo=110, within="50ms", of="X110.")
    assert held["verdict"] == "holds", held
    # The sender under test writes to the port.
    with open(environment["SENTRY_PORT"], "wb", 0) as port:
        port.write(b"X45")
        failed = turret.expect("aim.py:7", servo=45, within="50ms", of="X45.")
    assert failed["verdict"] == "fails", failed
    assert failed["text"].startswith('aim.py:7: servo 45 within 50 ms of "X45." failed\n'), failed
    assert turret.ask("state")["servo"] == 110
    assert "`X45` had no end" in turret.ask("explain")["text"]
    assert turret.ask("plot")["svg"].startswith("<svg ")
    assert turret.ask("counts")["received"] == 8
    with pytest.raises(ValueError, match=re.escape('did you mean "send"?')):
        turret.ask("sned")
    report = turret.end()
    assert (report["status"], report["holds"], report["fails"]) == (1, 2, 1), report
    assert not os.path.exists(turret.path), "the socket was left behind"


def test_one_client_at_a_time_and_a_socket_that_was_left_behind_is_replaced(bench, folder):
    turret = Client(bench, f"{folder}/api", "--virtual")
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(turret.path)
        assert b"another client is connected" in other.makefile("rb").readline()
    refused(69, "another process listens there", bench, "run", "--api", turret.path, "--virtual")
    assert turret.ask("state")["time"] == 0
    turret.process.send_signal(signal.SIGTERM)
    assert turret.process.wait(20) == 143
    assert not os.path.exists(turret.path), "a signal left the socket behind"
    killed = Client(bench, f"{folder}/api", "--virtual")
    killed.process.kill()
    killed.process.wait()
    assert os.path.exists(killed.path)
    assert Client(bench, f"{folder}/api", "--virtual").end()["status"] == 0


def test_a_client_that_leaves_ends_the_session_only_if_it_has_requested_that(bench, folder):
    staying = Client(bench, f"{folder}/api", "--virtual")
    staying.ask("send", bytes="L", at=1.5)
    staying.lines.close()
    staying.socket.close()
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(staying.path)
        other.settimeout(20)
        other.sendall(b'{"id": 1, "do": "run", "until": 2}\n')
        other.sendall(b'{"id": 2, "do": "hello", "version": 1, "ends": true}\n')
        lines = other.makefile("rb")
        assert b'"time": 2.000000' in lines.readline()
        assert b'"virtual": true' in lines.readline()
        lines.close()
    assert staying.process.wait(20) == 0


def test_a_command_after_the_dashes_gets_the_path_and_is_stopped_at_the_end(bench, folder):
    turret = Client(bench, f"{folder}/api", "--pty", f"{folder}/port", "--", "sh", "-c",
                    f'printf %s "$SENTRY_API" >{folder}/seen; sleep 60')
    turret.ask("ready")
    # "ready" means that the command has been started, not that it has already written.
    seen = folder / "seen"
    wait_until("the command has seen the path",
               lambda: seen.exists() and seen.read_text() == turret.path)
    assert turret.end()["status"] == 0


def test_random_and_incomplete_lines_and_a_client_that_never_reads_do_no_harm(
        bench, folder, request):
    source = random.Random(request.config.option.seed)
    for index in range(60):
        turret = Client(bench, f"{folder}/api", "--virtual")
        sent = [source.randbytes(source.randrange(2_000)),
                b'{"id": 1, "do": "send", "bytes": "' + source.randbytes(20) + b'"}\n',
                b"[" * 70_000 + b"\n", b"\n" * 1_000, b'{"id": 1, "do": "end"',
                b'{"id": 1, "do": "subscribe"}\n', b'{"id": 1, "do": "hello", "version": 1}\n']
        turret.socket.sendall(b"".join(source.choices(sent, k=5)) + b"\n")
        turret.socket.sendall(b'{"id": "last", "do": "state"}\n')
        while True:
            line = turret.lines.readline()
            assert line, f"round {index}: the bench has disconnected"
            if b'"last"' in line:
                break
        if index % 2:
            turret.socket.close()
        turret.process.terminate()
        assert turret.process.wait(20) == 143, f"round {index}"
    unread = Client(bench, f"{folder}/api", "--virtual")
    unread.ask("run", until=100)
    unread.socket.setblocking(False)
    line = b'{"id": 1, "do": "plot"}\n'
    with pytest.raises(BlockingIOError):  # requests are not read while no answer is taken
        for _ in range(100_000):
            unread.socket.sendall(line)
    assert memory_kb(unread.process) < 200_000, "for a client that does not read"
    unread.process.terminate()
    assert unread.process.wait(20) == 143


def test_over_standard_input_and_output_the_end_of_the_input_ends_the_session(bench):
    lines = run(bench, "run", "--api", "-", "--virtual",
                input='{"id": 1, "do": "run", "until": 2}').stdout.splitlines()
    assert len(lines) == 2 and '"over"' in lines[1], lines
