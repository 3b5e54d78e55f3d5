"""Cameras on the network: MJPEG over HTTP from this computer, and missing ones."""

import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import cv2
import pytest

from pictures import blank
from sentry_camera.errors import ExitError
from sentry_camera.sources import open_source


class Camera(BaseHTTPRequestHandler):
    """Sends pictures as parts of one answer, as network cameras do, and then nothing."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=part")
        self.end_headers()
        for number in range(20):
            picture = cv2.imencode(".jpg", blank(64, 48, 10 * number))[1].tobytes()
            head = f"Content-Type: image/jpeg\r\nContent-Length: {len(picture)}\r\n\r\n"
            self.wfile.write(b"--part\r\n" + head.encode() + picture + b"\r\n")

    def log_message(self, format, *arguments):
        pass


@pytest.fixture
def camera():
    with ThreadingHTTPServer(("127.0.0.1", 0), Camera) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("user", ["", "me:secret@"])
def test_a_camera_is_read_over_http(camera, user):
    source = open_source([f"http://{user}{camera}/video"], None)
    count = 0
    with pytest.raises(ExitError, match="no more pictures") as error:
        for frame in source.frames():
            assert frame.picture.shape == (48, 64, 3)
            count += 1
    source.close()
    assert error.value.status == 69
    assert count > 0 and count + source.dropped == 20


@pytest.mark.parametrize("scheme", ["http", "https", "rtsp"])
def test_a_missing_camera_is_an_error(scheme):
    # The port is bound but does not listen, so connections are refused and no other program uses
    # it.
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}/x"
        with pytest.raises(ExitError) as error:
            open_source([f"{scheme}://me:se/cret@{address}?user=me&pwd=se@cret"], None)
    expected = f"There is no camera at {scheme}://{address}, or it delivers no video."
    assert str(error.value) == expected
    assert error.value.status == 69


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (
            ["ftp://me:secret@h/x"],
            "ftp://h/x is not the address of a camera; it must begin with http, https or rtsp.",
        ),
        (
            ["http://h/x", "b.png"],
            "http://h/x is an address; a camera must be the only source.",
        ),
    ],
)
def test_other_addresses_are_refused(names, sentence):
    with pytest.raises(ExitError) as error:
        open_source(names, None)
    assert (str(error.value), error.value.status) == (sentence, 64)
