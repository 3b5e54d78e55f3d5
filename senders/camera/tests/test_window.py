"""The window shows the drawn pictures, and closing it ends the program."""

import shutil
import signal
import subprocess
import sys
import time

import cv2
import pytest
from PIL import ImageGrab

from pictures import blank
from sentry_camera import display
from sentry_camera.cli import main
from sentry_camera.errors import WindowClosed
from sentry_camera.window import Window, shown_size

# The deadline for a screen, in seconds.
PATIENCE = 60
RED = (0, 0, 255)


@pytest.mark.parametrize(
    ("picture", "screen", "shown"),
    [
        ((640, 480), (1920, 1080), (640, 480)),
        ((1728, 972), (1920, 1080), (1728, 972)),
        ((1920, 1080), (1920, 1080), (1728, 972)),
        ((1080, 1920), (1920, 1080), (547, 972)),
        ((4000, 1), (1000, 1000), (900, 1)),
    ],
)
def test_a_picture_that_is_too_big_for_the_screen_is_made_smaller(picture, screen, shown):
    assert shown_size(picture, screen) == shown


class FakeWindow:
    """A window that the user closes when it has shown `count` pictures."""

    count = 1000

    def __init__(self, title):
        self.events = [title]
        FakeWindow.last = self

    def add(self, picture):
        self.events.append(picture.shape)
        if len(self.events) > self.count:
            raise WindowClosed

    def wait(self):
        self.events.append("wait")

    def close(self):
        self.events.append("close")


@pytest.fixture
def picture(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cv2.imwrite("a.png", blank(64, 48))
    return "a.png"


def test_the_last_picture_stays_until_the_window_is_closed(picture, monkeypatch, capsys):
    monkeypatch.setattr(display, "Window", FakeWindow)
    assert main([picture, picture, "--show"]) == 0
    shape = (48, 64, 3)
    assert FakeWindow.last.events == ["sentry-camera", shape, shape, "wait", "close"]
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_closing_the_window_ends_the_program_and_completes_its_video(picture, monkeypatch, capsys):
    monkeypatch.setattr(display, "Window", FakeWindow)
    monkeypatch.setattr(FakeWindow, "count", 3)
    assert main([*[picture] * 9, "--show", "--draw", "seen.mp4"]) == 0
    assert FakeWindow.last.events[-1] == "close"
    output = capsys.readouterr()
    assert len(output.out.splitlines()) == 4 and output.err == ""
    assert cv2.VideoCapture("seen.mp4").get(cv2.CAP_PROP_FRAME_COUNT) == 3


def test_without_tkinter_it_is_an_error(picture, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "tkinter", None)
    assert main([picture, "--show"]) == 69
    assert capsys.readouterr().err == (
        "sentry-camera: --show requires tkinter, which this Python does not have "
        "(on Debian, install python3-tk).\n"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems need no X server")
def test_without_a_screen_it_is_an_error(picture, monkeypatch, capsys):
    pytest.importorskip("tkinter")
    monkeypatch.delenv("DISPLAY", raising=False)
    assert main([picture, "--show"]) == 69
    error = capsys.readouterr().err
    assert error.startswith("sentry-camera: --show cannot open a window: no display")
    assert error.count("\n") == 1


@pytest.fixture(scope="module")
def server():
    """The name of an X server of 800 by 600 pixels without a real screen.

    It serves all tests, because Tk keeps its connection until the process ends.
    """
    pytest.importorskip("tkinter")
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    command = ["Xvfb", "-displayfd", "1", "-screen", "0", "800x600x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        yield f":{int(process.stdout.readline())}"
        process.terminate()


@pytest.fixture
def screen(server, monkeypatch):
    monkeypatch.setenv("DISPLAY", server)
    return server


@pytest.fixture
def window(screen):
    window = Window("test")
    yield window
    window.close()


def wait_until(is_true):
    end = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < end, "the deadline is over"


def reds(screen):
    """How many pixels of the screen are red."""
    image = ImageGrab.grab(xdisplay=screen)
    return sum(count for count, colour in image.getcolors(1 << 24) if colour == RED[::-1])


def test_the_window_shows_each_picture(screen, window):
    picture = blank(320, 240)
    picture[100:110, 50:70] = RED
    window.add(picture)
    wait_until(lambda: reds(screen) == 200)
    window.add(blank(320, 240))
    wait_until(lambda: reds(screen) == 0)
    # Half the size fits.
    picture = blank(1440, 900)
    picture[200:300, 200:300] = RED
    window.add(picture)
    wait_until(lambda: 2300 < reds(screen) < 2600)


@pytest.mark.parametrize("how", ["<Escape>", "q", "button"])
def test_the_user_closes_the_window(window, how):
    window.add(blank(64, 48))
    root = window.root
    if how == "button":
        root.after(0, root.tk.call, *root.tk.splitlist(root.protocol("WM_DELETE_WINDOW")))
    else:
        root.focus_force()
        root.update()
        root.event_generate(how, when="tail")
    window.wait()
    with pytest.raises(WindowClosed):
        window.add(blank(64, 48))


def test_a_signal_ends_it_while_the_window_is_open(screen, picture):
    with subprocess.Popen(
        [sys.executable, "-m", "sentry_camera", picture, "--show", "-o", "seen"],
        stderr=subprocess.PIPE,
    ) as process:
        grey = (127, 127, 127)
        try:
            wait_until(lambda: ImageGrab.grab(xdisplay=screen).getpixel((20, 20)) == grey)
        finally:
            process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (143, b"")
