"""Typical senders, through each of the bench's connections."""

from __future__ import annotations

import base64
import os
import socket
import subprocess
import sys
from urllib.parse import urlsplit

import pytest
import serial

from benches import eventually
from sentrybench import Turret, TurretFailure


def aims(turret: Turret) -> None:
    turret.never("lost", "junk", "refused")
    turret.expect(servo=110, within=0.05, of="X110.")


def test_a_file_descriptor(turret: Turret) -> None:
    port = os.open(turret.port, os.O_RDWR | os.O_NOCTTY)
    try:
        os.write(port, b"X110.")
        aims(turret)
    finally:
        os.close(port)


def test_pyserial(turret: Turret) -> None:
    with serial.Serial(turret.port, 9600, timeout=5) as port:
        port.write(b"X110.")
        aims(turret)


def test_pyserial_at_a_wrong_speed(turret: Turret) -> None:
    with serial.Serial(turret.port, 4800) as port:
        port.write(b"X110.")
        port.flush()
        with pytest.raises(TurretFailure, match="^the sender writes at 4800 baud"):
            turret.expect(servo=110, within=0.1, of="X110.", timeout=0.3)


@pytest.mark.turret(options=["--boot-time", "50ms"])
def test_pyserial_through_rfc_2217(turret: Turret) -> None:
    with serial.serial_for_url(turret.rfc2217, 9600, timeout=5) as port:
        # Opening it sets DTR, which restarts the board.
        turret.ready()
        port.write(b"X110.")
        turret.expect(servo=110, within=0.05, of="X110.")


@pytest.mark.turret(reset_on_open=True, dead_time=0.05)
def test_a_board_that_restarts_when_the_port_is_opened(turret: Turret) -> None:
    with open(turret.port, "wb", 0) as port:
        assert eventually(lambda: bool(turret.events("reset")))
        turret.ready()
        port.write(b"X110.")
        turret.expect(servo=110, within=0.05, of="X110.")
        with pytest.raises(TurretFailure, match="never reset failed"):
            turret.never("reset")


def test_a_plain_socket(turret: Turret) -> None:
    with socket.create_connection(turret.tcp, timeout=5) as connection:
        connection.sendall(b"X110.")
        aims(turret)


def web_socket(address: str) -> socket.socket:
    """Connects to a WebSocket, as RFC 6455 specifies."""
    parts = urlsplit(address)
    connection = socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5)
    key = base64.b64encode(os.urandom(16)).decode()
    connection.sendall(
        f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += connection.recv(1)
    assert answer.startswith(b"HTTP/1.1 101 "), answer
    return connection


def text_frame(text: bytes) -> bytes:
    """A masked text frame."""
    mask = os.urandom(4)
    masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(text))
    return bytes([0x81, 0x80 | len(text)]) + mask + masked


def test_a_web_socket(turret: Turret) -> None:
    with web_socket(turret.websocket) as connection:
        connection.sendall(text_frame(b"X110."))
        aims(turret)


def test_a_web_socket_that_sends_no_command(turret: Turret) -> None:
    with web_socket(turret.websocket) as connection:
        connection.sendall(text_frame(b"nonsense"))
        assert eventually(lambda: bool(turret.events("x-refused")))
        with pytest.raises(TurretFailure, match="never refused failed"):
            turret.never("refused")


SENDER = """
import os, sys, time
port = os.open(os.environ["SENTRY_PORT"], os.O_WRONLY | os.O_NOCTTY)
for command in sys.argv[1:]:
    os.write(port, command.encode())
    time.sleep(0.02)
"""


def test_a_process(turret: Turret) -> None:
    command = [sys.executable, "-c", SENDER, "X110.", "X45."]
    subprocess.run(command, env=turret.env, check=True, timeout=20)
    aims(turret)
    turret.expect(servo=45, within=0.05, of="X45.")
    turret.expect(commands=2)


def test_several_turrets_at_once() -> None:
    with Turret() as left, Turret(firmware="classic", ready=False) as right:
        assert left.port != right.port
        with open(left.port, "wb", 0) as port:
            port.write(b"X110.")
        left.expect(servo=110)
        assert right.counts()["received"] == 0
