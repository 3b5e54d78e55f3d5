"""The gateway: RFC 6455, whole sessions to the servo, and many connections.

kosoku runs Autobahn's cases against `gateway --echo` and against an echo server that uses Python's
websockets, which is known to be strict. Every case must be OK or informational. A case may be
non-strict only if it is also non-strict with websockets. The cases for performance (9) and
compression (12, 13) do not apply. Whether a case is strict can depend on a race between an echo and
the end of the connection. Such a case is repeated on both servers, and the better result of each
counts.
"""
import json
import math
import os
import socket
import subprocess
import sys
import time
from itertools import groupby

import pytest
from running import (CHIP, PATIENCE, Failed, Server, descriptors, events, expect, gateway,
                     memory_kb, received, run, session_of, values, wait_until, wait_until_gone)
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from wire import CLOSE, KEY, frame, reset

MINUTES = 1
ALL = ("-x", "9.*", "-x", "12.*", "-x", "13.*")
CASES_MIN = 200
RETRIES = 3
FINE = {"OK", "NON-STRICT", "INFORMATIONAL"}
FINE_CLOSES = {"OK", "INFORMATIONAL"}


def results(folder, name, server, selection=ALL):
    """Returns the behaviour of each case and of its close."""
    out = folder / name
    # A failed case causes another status. Then there is a table too.
    done = subprocess.run(["kosoku", "-m", "fuzzingclient", "-p", "2", *selection, "-o", out,
                           f"127.0.0.1:{server.port}"], capture_output=True, timeout=6 * PATIENCE)
    assert (out / "index.json").exists(), f"{done.stdout}{done.stderr}"
    agents = json.loads((out / "index.json").read_text())
    return {case: (result["behavior"], result["behaviorClose"])
            for agent in agents.values() for case, result in agent.items()}


def test_autobahns_cases_pass_as_strictly_as_with_another_library(bench, tmp_path):
    echo = os.path.join(os.path.dirname(__file__), "echo.py")
    with (gateway(bench, tmp_path, "echo", "--echo") as ours,
          Server(tmp_path, "echo.py", sys.executable, echo) as other):
        mine = results(tmp_path, "sentrybench", ours)
        others = results(tmp_path, "websockets", other)
        assert len(mine) >= CASES_MIN and set(mine) == set(others)
        for attempt in range(RETRIES):
            doubtful = [
                case for case in mine if (mine[case][0], others[case][0]) == ("NON-STRICT", "OK")]
            if not doubtful:
                break
            selection = [word for case in doubtful for word in ("-i", case)]
            for cases, name, server in ((mine, "sentrybench", ours), (others, "websockets", other)):
                again = results(tmp_path, f"{name}-again-{attempt + 1}", server, selection)
                for case in doubtful:
                    if (cases[case][0], again[case][0]) == ("NON-STRICT", "OK"):
                        cases[case] = again[case]
        assert ours.process.poll() is None, "the gateway has ended:\n" + ours.said()
    bad = {case: (found, others[case]) for case, found in mine.items()
           if found[0] not in FINE or found[1] not in FINE_CLOSES
           or (found[0], others[case][0]) == ("NON-STRICT", "OK")}
    assert not bad


# A phone's commands, at camera rate over a WebSocket.

FRAMES_A_SECOND = 30
FRAMES = 4 * FRAMES_A_SECOND
LAST = 117  # degrees; the end of the second part


def follow(client, frames, last):
    """Sends the aims at a target that moves back and forth: one per frame, and only changes.

    It starts at 40 degrees, where neither the start-up nor the sweep leaves the servo. Returns the
    angles sent.
    """
    sent = []
    start = time.monotonic()
    for number in range(frames):
        x = 0.5 - 0.5 * math.cos(number * 2 * math.pi / 90)
        degrees = last if number == frames - 1 else int(40 + 100 * x)
        if not sent or sent[-1] != degrees:
            client.send(f"X{degrees}.")
            sent.append(degrees)
        time.sleep(max(0, start + (number + 1) / FRAMES_A_SECOND - time.monotonic()))
    return sent


def is_in_order(part, whole):
    rest = iter(whole)
    return all(item in rest for item in part)


def check_aims(what, sent, got, angles):
    """Checks the aims that the board received, and the servo's angles.

    The newest aim wins, so some may be missing, but not the last one and not more than half.
    """
    is_complete = got[-1:] == sent[-1:] and len(got) >= len(sent) / 2
    assert is_in_order(got, sent) and is_complete, f"{what}: sent {sent}, the board received {got}"
    expect(f"{what}: the servo's angles", angles, [degrees for degrees, _ in groupby(got)])


@pytest.mark.xdist_group("real time")
@pytest.mark.parametrize("device", ["model", CHIP])
def test_the_servo_follows_a_phone_and_the_recording_verifies(bench, tmp_path, device):
    recording = tmp_path / "session.jsonl"
    with gateway(bench, tmp_path, "gateway", "--device", device, "--firmware", "guarded",
                 "--record", recording) as server, connect(server.url) as client:
        before = follow(client, FRAMES, 63)
        client.send("L")
        time.sleep(1)
        after = follow(client, FRAMES // 4, LAST)
        wait_until(lambda: f"the end of {events(recording)[-9:]}",
                   lambda: values("servo", events(recording))[-1:]
                   == [LAST])
        time.sleep(0.5)
        expect("the servo stays there", values("servo", events(recording))[-1], LAST)
        expect("the status after SIGTERM", server.end(), 143)
        with pytest.raises(ConnectionClosed) as closed:
            client.recv(PATIENCE)
        expect("the close", closed.value.rcvd and closed.value.rcvd.code, 1001)

    session = session_of(recording)
    first, lost, second = received(session).partition("L")
    expect("the L that was received", lost, "L")
    first, second = ([int(aim[1:]) for aim in part.split(".")[:-1]] for part in (first, second))
    # The times of the L and of the next command. The turret sweeps between them.
    times = [event[0] for event in session if event[1] == "rx"]
    lost_at = next(event[0] for event in session if event[1] == "rx" and "L" in event[2])
    found_at = next(at for at in times if at > lost_at)
    servo = [(event[0], event[2]) for event in session if event[1] == "servo"]
    check_aims("before L", before, first,
               [angle for at, angle in servo if times[0] < at < lost_at])
    sweep = [angle for at, angle in servo if lost_at < at < found_at]
    assert len(sweep) >= 20 and all(abs(a - b) <= 1 for a, b in zip(sweep, sweep[1:])), sweep
    # A step of the sweep can still happen while the first command is on its way.
    later = [angle for at, angle in servo if at > found_at]
    check_aims("after L", after, second, later[later.index(second[0]):])
    expect("the last angle", servo[-1][1], LAST)
    for judge in ("model", CHIP):
        run(bench, "verify", recording, "--device", judge)


# Connections of every kind, which end in every way.

WARM_UP = 2_000
CONNECTIONS = 10_000
GROWTH_MAX_KB = 512
LINGERING = 2  # seconds; longer than the gateway keeps a connection that is ending
UPGRADE = ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
           f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {KEY}\r\n\r\n").encode()


def read_to_end(connection):
    while connection.recv(65536):
        pass


def health(connection):
    connection.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    read_to_end(connection)


def upgrade(connection):
    connection.sendall(UPGRADE)
    expect("the upgrade's answer", connection.recv(4096)[:12], b"HTTP/1.1 101")


def upgrade_and_close(connection):
    upgrade(connection)
    connection.sendall(frame(b"\x03\xe8", CLOSE))
    read_to_end(connection)


def upgrade_and_reset(connection):
    upgrade(connection)
    reset(connection)


# Whether the connection is to the port of bare TCP, and what it does there.
KINDS = [(True, lambda _: None), (True, reset), (False, health), (False, upgrade_and_close),
         (False, upgrade_and_reset), (False, reset)]


def open_and_end(server, tcp, count):
    for number in range(count):
        is_tcp, talk = KINDS[number % len(KINDS)]
        address = ("127.0.0.1", tcp if is_tcp else server.port)
        with socket.create_connection(address, PATIENCE) as connection:
            talk(connection)


@pytest.mark.linux
def test_ten_thousand_connections_leave_no_descriptor_and_no_memory(bench, tmp_path,
                                                                    record_property):
    with gateway(bench, tmp_path, "connections", "--tcp", "127.0.0.1:0") as server:
        tcp = server.wait_for(r"tcp://127\.0\.0\.1:(\d+)")
        open_and_end(server, tcp, WARM_UP)
        time.sleep(LINGERING)
        idle, before = descriptors(server), memory_kb(server.process)
        open_and_end(server, tcp, CONNECTIONS)
        wait_until_gone(server, idle)
        growth = memory_kb(server.process) - before
        expect("the status after SIGTERM", server.end(), 143)
    record_property("memory", f"{growth} kB more than {before} kB after 10 000 connections")
    if growth > GROWTH_MAX_KB:
        raise Failed(f"memory grew by {growth} kB, more than {GROWTH_MAX_KB} kB")
