"""draw.py BENCH dashboard|phone|playground FILE: draws a picture of the guide, for .ci/pictures"""
import os
import pathlib
import sys
import tempfile
import time

import test_dashboard
import test_phone
import test_playground
from browser import browser, served, wait, wait_for_text
from running import gateway, run


def dashboard(bench, folder, picture):
    with gateway(bench, folder, "picture") as server, browser() as chromium:
        page = chromium.open(f"http://127.0.0.1:{server.port}/", color_scheme="light",
                             viewport={"width": 1200, "height": 900}, reduced_motion="reduce")
        test_dashboard.live(page)
        test_dashboard.follow_a_face(page, 45)
        wait_for_text(page, "refusals", "hello")
        time.sleep(1)
        page.screenshot(path=picture, full_page=True)


def phone(bench, folder, picture):
    video = folder / "face.mjpeg"
    run(test_phone.CAMERA / "python", "Tests/program/face_video.py", video)
    with (test_phone.serving(folder) as detector,
          gateway(bench, folder, "picture", "--control", "latest", "--detector",
                  detector.url) as server,
          browser("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                  f"--use-file-for-fake-video-capture={video}") as chromium):
        page = chromium.open(f"http://127.0.0.1:{server.port}/phone/", color_scheme="dark",
                             viewport={"width": 390, "height": 700})
        test_phone.start(page)
        wait_for_text(page, "latency", "ms$")
        # Wait until the face stays at the place that is entirely in the view.
        wait(page, """(() => {
          const angle = document.getElementById("degrees").textContent;
          if (window.kept?.angle !== angle) window.kept = { angle, since: performance.now() };
          return Math.abs(parseInt(angle) - 78) < 3 && performance.now() - kept.since > 1000;
        })()""")
        page.screenshot(path=picture)


def playground(_, __, picture):
    with served(test_playground.PAGE) as address, browser() as chromium:
        page = chromium.open(address, viewport={"width": 1120, "height": 1250},
                             color_scheme="light")
        wait(page, "parseFloat(document.getElementById('clock').textContent) >= 1.6")
        page.get_by_label("Degrees").fill("45")
        page.get_by_role("button", name="Aim", exact=False).click()
        for text, at in (("X100X20.", 2.6), ("L", 3.7)):
            wait(page, f"parseFloat(document.getElementById('clock').textContent) >= {at}")
            test_dashboard.type_line(page, text)
        wait(page, "parseFloat(document.getElementById('clock').textContent) >= 4.8")
        page.get_by_role("button", name="Pause").click()
        wait(page, "!playground.drive.isBusy")
        page.get_by_label("Line to send").fill("X100X20.")
        page.locator("h1").click()
        page.screenshot(path=picture)


def main(bench, name, picture):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The pages of this tree.
        os.environ["SENTRYBENCH_SHARE"] = str(folder / "share")
        run("packaging/pages", folder / "share")
        {"dashboard": dashboard, "phone": phone, "playground": playground}[name](
            bench, folder, picture)


main(*sys.argv[1:])
