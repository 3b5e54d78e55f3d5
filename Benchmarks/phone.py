"""Measures the phone's page: the time from a camera's picture until its command is on the line.

Chromium's fake camera plays a face that moves (Tests/program/face_video.py). The page sends pictures to
the gateway, whose detector is the camera program, and turns the model. The times are those that the
page itself measures and shows.
"""
import os
import shutil
import statistics
import subprocess
import sys
import time

from common import ROOT, Failed

PAGE = os.path.join(ROOT, ".build/phone/phone.wasm")
CAMERA = os.path.join(ROOT, ".build/camera/bin")
TARGET_MS = 150
# Keeps each time that the page shows.
KEPT = """
  window.times = [];
  addEventListener("DOMContentLoaded", () => {
    const latency = document.getElementById("latency");
    new MutationObserver(() => times.push(Number(latency.dataset.last)))
      .observe(latency, { attributeFilter: ["data-last"] });
  });
"""


def times(seconds, bench, folder):
    """The page's own measurements, in milliseconds."""
    sys.path.insert(0, os.path.join(ROOT, "Tests/program"))
    from browser import browser, wait_for_text
    from running import Server, gateway

    video = os.path.join(folder, "face.mjpeg")
    subprocess.run([os.path.join(CAMERA, "python"), os.path.join(ROOT, "Tests/program/face_video.py"),
                    video], check=True)
    with Server(folder, "detector", os.path.join(CAMERA, "sentry-camera"), "serve", "--port",
                "0") as detector, \
            gateway(bench, folder, "phone", "--detector",
                    f"ws://127.0.0.1:{detector.port}") as server, \
            browser("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                    f"--use-file-for-fake-video-capture={video}") as chromium:
        page = chromium.open(f"http://127.0.0.1:{server.port}/phone/", before=KEPT)
        page.get_by_role("button", name="Start the camera").click()
        wait_for_text(page, "title", "^Target found$")
        page.evaluate("times.length = 0")
        time.sleep(seconds)
        return page.evaluate("times")


def measure(table, quick, bench, folder):
    print("the phone's page, from a picture to its command on the line, in Chromium")
    if not os.path.exists(PAGE) or not shutil.which("chromium") \
            or not os.path.exists(os.path.join(CAMERA, "sentry-camera")):
        table.note("skipped: requires chromium, `make phone` and `make camera-setup`")
        return
    try:
        import axe_playwright_python  # noqa: F401
    except ImportError:
        table.note("skipped: requires playwright and axe-playwright-python")
        return
    found = times(20 if quick else 90, bench, folder)
    if len(found) < 10:
        raise Failed(f"the page measured only {len(found)} commands")
    most = sorted(found)[len(found) * 99 // 100]
    table.row("picture to command, ms (median)", statistics.median(found), TARGET_MS, at_most=True)
    table.note(f"{len(found)} commands, 99 %: {most:.0f} ms; at most 15 pictures a second are "
               "sent, 320 pixels wide")
