"""The server, with real connections from this computer."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from threading import Event

import cv2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect as connect_now

from networks import LABELS, write_yolo
from pictures import blank, with_face
from sentry_camera import __version__
from sentry_camera.jpeg import MOST_BYTES
from sentry_camera.observations import Box, Found
from sentry_camera.serve import LONGEST_MESSAGE, MOST_CLIENTS, Service
from sentry_camera.yolo import Objects, load

PROGRAM = [sys.executable, "-m", "sentry_camera", "serve"]
FACE = Found("face", Box(0.25, 0.25, 0.5, 0.5), 1)


def jpeg(picture):
    return cv2.imencode(".jpg", picture)[1].tobytes()


def finds_a_face(picture):
    return [FACE]


class HeldDetector:
    """Finds nothing, and only once it is allowed to."""

    def __init__(self):
        self.began, self.allowed = Event(), Event()

    def __call__(self, picture):
        self.began.set()
        assert self.allowed.wait(30)
        return []


def serving(talk, detect=finds_a_face):
    """Runs `talk(address)` while a server detects with `detect`."""

    async def both():
        service = Service(detect, "faces")
        server = await service.open("127.0.0.1", 0)
        try:
            async with server, asyncio.timeout(30):
                await talk(f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        finally:
            service.close()

    asyncio.run(both())


async def answer(client):
    return json.loads(await client.recv())


def test_a_client_is_answered():
    async def talk(address):
        async with connect(address) as client:
            await client.send('{"hello": {"name": "test"}}')
            hello = (await answer(client))["hello"]
            assert (hello["name"], hello["version"]) == ("sentry-camera", __version__)
            assert (hello["protocol"], hello["detects"]) == (1, "faces")
            for number in (1, 2):
                await client.send(jpeg(blank(64, 48)))
                seen = await answer(client)
                assert (seen["seq"], seen["image"], seen["replaced"]) == (number, [64, 48], 0)
                assert seen["found"][0]["box"] == [0.25, 0.25, 0.5, 0.5]
                assert seen["ms"] >= 0

    serving(talk)


def test_the_answer_names_the_objects_that_a_network_finds(tmp_path):
    detect = Objects(load(write_yolo(tmp_path / "yolo.onnx")), LABELS)
    picture = blank(640, 320)
    picture[40:80, 80:120] = 0, 0, 255

    async def talk(address):
        async with connect(address) as client:
            await client.send(jpeg(picture))
            (found,) = (await answer(client))["found"]
            assert (found["kind"], found["label"]) == ("object", "red")
            # The middle is at (100, 60), and the box has 60 by 40 pixels.
            expected = [70 / 640, 240 / 320, 60 / 640, 40 / 320]
            assert found["box"] == pytest.approx(expected, abs=2e-6)

    serving(talk, detect)


def test_bad_messages_do_not_end_the_connection():
    async def talk(address):
        async with connect(address) as client:
            for message in (b"", b"no picture", bytes(MOST_BYTES + 1), "no hello"):
                await client.send(message)
                assert (await answer(client))["error"].endswith(".")
            await client.send(jpeg(blank(64, 48)))
            assert (await answer(client))["seq"] == 4

    serving(talk)


def test_a_picture_replaces_the_one_that_waits():
    detect = HeldDetector()

    async def talk(address):
        async with connect(address) as client:
            picture = jpeg(blank(64, 48))
            await client.send(picture)
            await asyncio.to_thread(detect.began.wait, 30)
            for _ in range(3):
                await client.send(picture)
            assert await answer(client) == {"seq": 2, "replaced_by": 3}
            assert await answer(client) == {"seq": 3, "replaced_by": 4}
            detect.allowed.set()
            first, last = await answer(client), await answer(client)
            assert [(one["seq"], one["replaced"]) for one in (first, last)] == [(1, 2), (4, 2)]

    serving(talk, detect)


def test_a_detector_that_fails_does_not_end_the_server():
    def detect(picture):
        raise cv2.error("broken")

    async def talk(address):
        for _ in range(2):
            async with connect(address) as client:
                await client.send(jpeg(blank(64, 48)))
                assert await answer(client) == {"seq": 1, "error": "The detector failed: error."}

    serving(talk, detect)


def test_a_client_that_leaves_while_its_picture_is_looked_at_does_no_harm():
    detect = HeldDetector()

    async def talk(address):
        async with connect(address) as client:
            await client.send(jpeg(blank(64, 48)))
            await asyncio.to_thread(detect.began.wait, 30)
        async with connect(address) as client:
            await client.send(jpeg(blank(64, 48)))
            detect.allowed.set()
            assert (await answer(client))["seq"] == 1

    serving(talk, detect)


def test_a_message_far_over_the_limit_ends_the_connection():
    async def talk(address):
        async with connect(address) as client:
            # Only the beginning of a binary frame: a length of 64 bits, and a mask of zeros. Sending
            # the rest could keep the answer from arriving.
            length = (LONGEST_MESSAGE + 1).to_bytes(8, "big")
            client.transport.write(b"\x82\xff" + length + bytes(4))
            with pytest.raises(ConnectionClosed) as error:
                await client.recv()
            assert error.value.rcvd.code == 1009

    serving(talk)


def test_a_web_page_is_refused():
    async def talk(address):
        for origin in ("https://example.com", "http://127.0.0.1:8000", "null"):
            with pytest.raises(InvalidStatus) as error:
                async with connect(address, origin=origin):
                    pass
            assert error.value.response.status_code == 403

    serving(talk)


def test_one_client_too_many_is_refused_with_a_reason():
    async def talk(address):
        clients = [await connect(address) for _ in range(MOST_CLIENTS)]
        async with connect(address) as client:
            with pytest.raises(ConnectionClosed) as error:
                await client.recv()
            assert (error.value.rcvd.code, error.value.rcvd.reason) == (
                1013,
                "At most 8 clients can connect.",
            )
        await clients[0].close()
        await clients[1].send('{"hello": {}}')
        assert "hello" in await answer(clients[1])

    serving(talk)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_the_program_finds_a_face_until_a_signal_ends_it(number, status):
    with subprocess.Popen(
        [*PROGRAM, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs these tests in the background ignores SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        line = process.stderr.readline()
        assert line.startswith("sentry-camera: listening on ws://127.0.0.1:")
        with connect_now(line.split()[-1]) as client:
            client.send(jpeg(with_face(320, 240, 200, 120)))
            seen = json.loads(client.recv(timeout=60))
            (face,) = seen["found"]
            assert abs(face["box"][0] + face["box"][2] / 2 - 200 / 320) < 0.05
            os.kill(process.pid, number)
            assert process.communicate(timeout=60) == ("", "")
        assert process.returncode == status


WRONG = {
    "no port": ([], 64, "The following arguments are required: --port."),
    "port": (["--port", "65536"], 64, "65536 is not a port 0...65535"),
    "host": (["--port", "0", "--host", "0.0.0.0"], 64, "0.0.0.0"),
    "strips": (["--port", "0", "--detect", "strips", "--model", "m"], 64, "requires --detect"),
    "no model": (["--port", "0", "--model", "none.onnx"], 66, "none.onnx does not exist."),
}


@pytest.mark.parametrize(("arguments", "status", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_wrong_usage_is_an_error(arguments, status, sentence):
    result = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
    assert result.returncode == status
    assert result.stderr.startswith("sentry-camera: ") and sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_port_in_use_is_an_error():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        result = subprocess.run(
            [*PROGRAM, "--port", str(port)], capture_output=True, text=True, timeout=60
        )
    assert result.returncode == 69
    expected = f"sentry-camera: 127.0.0.1:{port} cannot be opened: the address is in use.\n"
    assert result.stderr == expected
