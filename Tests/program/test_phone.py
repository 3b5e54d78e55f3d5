"""The phone's page of a gateway, in headless Chromium.

Chromium's fake camera plays a face that moves. The page sends pictures to the gateway, a detector
(the camera program, as `make camera-setup` installs it) finds the face, and the page turns a turret
on the emulated chip, which must follow within 2 degrees; the recording must verify. The page must
draw boxes in the right place when the phone is turned or the picture mirrored, send `L` when it is
hidden or closed, recover when the gateway returns, request nothing from another server, and be
accessible.
"""
import base64
import contextlib

import pytest
from browser import PATIENCE, browser, check_looks, check_policy, wait, wait_for_text
from face_video import PLACES, STAYS
from phone_scripts import DENIED, DRAWN, HIDE, TRAPS
from running import CHIP, ROOT, Server, events, gateway, received, require, run, wait_until

pytestmark = [pytest.mark.needs("chromium"), pytest.mark.linux]
MINUTES = 1
AWAY = "WebSocket connection to|Failed to load resource"
TOKEN = "the-token-of-this-check"
CAMERA = ROOT / ".build/camera/bin"
OFF_MAX = 2  # degrees


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    """What the fake camera plays."""
    video = tmp_path_factory.mktemp("video") / "face.mjpeg"
    run(CAMERA / "python", "Tests/program/face_video.py", video)
    return video


@pytest.fixture
def chromium(video):
    with browser("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
                 f"--use-file-for-fake-video-capture={video}") as chromium:
        yield chromium
        chromium.settle()


@pytest.fixture(autouse=True)
def share(tmp_path, monkeypatch):
    """The pages, as `make install` puts them."""
    share = tmp_path / "share"
    run("packaging/pages", share)
    require((share / "phone/phone.wasm").exists(), "run make phone first")
    monkeypatch.setenv("SENTRYBENCH_SHARE", str(share))


def start(page):
    page.get_by_role("button", name="Start the camera").click()


def connected(page):
    wait_for_text(page, "connection", "^Connected$")


def sent(path):
    return received(events(path))


def wait_for(holds, what):
    wait_until(what, holds, PATIENCE / 1000)


def wait_until_sent(path, end):
    wait_for(lambda: sent(path).endswith(end), lambda: f"...{sent(path)[-40:]} ends with {end}")


def shown_share(share, shape, view):
    """Converts a place in the picture, a share of its width, to a place in a view that it fills."""
    scale = max(view[0] / shape[0], view[1] / shape[1])
    return 0.5 + (share - 0.5) * shape[0] * scale / view[0]


def angle(share, shape, view):
    """The angle for a place: 40 degrees at the left edge of the view, 140 at the right edge."""
    return 40 + 100 * min(1, max(0, shown_share(share, shape, view)))


class Pixels:
    """The colours of a page as it is shown, read by the browser itself."""

    def __init__(self, chromium):
        self.page = chromium.chromium.new_page()

    def at(self, page, x, y):
        picture = base64.b64encode(page.screenshot()).decode()
        return self.page.evaluate("""async ([picture, x, y]) => {
          const image = new Image();
          image.src = "data:image/png;base64," + picture;
          await image.decode();
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [image.width, image.height];
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          return [...context.getImageData(x, y, 1, 1).data.slice(0, 3)];
        }""", [picture, x, y])


def check_turned(page, record, pixels, mirrored):
    """Checks that the box is over the face and the turret turns to it, in each orientation."""
    for shape in ((640, 480), (480, 640), (640, 360), (360, 640)):
        for view in ((844, 390), (390, 844)):
            page.set_viewport_size({"width": view[0], "height": view[1]})
            for share in (0.42, 0.55):
                page.evaluate("([width, height, square]) => { scene = { width, height, square } }",
                              [*shape, [share, 0.5, 0.1]])
                # The camera does not mirror: the right of the scene is on the right of the picture.
                expected = angle(share, shape, view)
                wait_for_text(page, "degrees", r"^\d+°$")
                wait_for(lambda: abs(int(page.inner_text("#degrees")[:-1]) - expected) < 1.5,
                         lambda: f"{shape} in {view}: {page.inner_text('#degrees')} at {share}, "
                         f"not {expected:.1f}")
                wait_for(lambda: sent(record).endswith(f"X{page.inner_text('#degrees')[:-1]}."),
                         lambda: f"{page.inner_text('#degrees')}, sent: {sent(record)[-40:]}")
                wait(page, f"document.querySelector('#preview').videoWidth === {shape[0]}")
                middle = page.evaluate("""() => {
                  const box = document.querySelector("#boxes .target").getBoundingClientRect();
                  return [box.x + box.width / 2, box.y + box.height / 2];
                }""")
                shown = shown_share(share, shape, view) * view[0]
                wanted = view[0] - shown if mirrored else shown
                require(abs(middle[0] - wanted) < 6, f"the box is at {middle}, not {wanted}")
                red, green, blue = pixels.at(page, *middle)
                require(blue > 200 and red < 60, f"under the box is {red, green, blue}")


def test_the_page_aims_in_each_orientation_and_sends_l_when_it_is_not_seen(
        bench, tmp_path, chromium):
    record = tmp_path / "own.jsonl"
    with gateway(bench, tmp_path, "own", "--record", str(record)) as server:
        page = chromium.open(f"http://127.0.0.1:{server.port}/phone", before=DRAWN)
        require(page.url.endswith("/phone/"), page.url)
        pixels = Pixels(chromium)
        start(page)
        connected(page)
        wait_until_sent(record, "L")
        check_turned(page, record, pixels, mirrored=False)
        page.get_by_role("button", name="Use the front camera").click()
        check_turned(page, record, pixels, mirrored=True)
        before = int(page.inner_text("#degrees")[:-1])
        page.get_by_label("Turn the other way").check()
        wait_for(lambda: page.inner_text("#degrees") == f"{180 - before}°",
                 lambda: f"{before}° the other way is {page.inner_text('#degrees')}")
        require(page.evaluate("locks.filter((lock) => !lock.released).length") == 1, "no wake lock")

        page.evaluate("scene.square = null")
        wait_until_sent(record, "L")
        wait_for_text(page, "title", "^Sentry mode$")
        page.evaluate("scene.square = [0.5, 0.5, 0.1]")
        wait_until_sent(record, "X90.")
        wait_for_text(page, "title", "^Target found$")
        page.evaluate(HIDE, "hidden")
        wait_until_sent(record, "L")
        page.evaluate(HIDE, "visible")
        wait_until_sent(record, "X90.")
        require(int(wait_for_text(page, "latency", r"^(\d+) ms$")[1]) > 0, "no latency")
        check_policy(chromium, page)

        other = chromium.open(f"http://127.0.0.1:{server.port}/phone", before=DRAWN)
        start(other)
        wait_for_text(other, "connection", "^Another client controls the turret$")
        count = len(sent(record))
        other.evaluate("scene.square = [0.3, 0.5, 0.1]")
        wait_for_text(other, "title", "^Target found$")
        require(len(sent(record)) == count, "a page that is not in control moves the turret")
        page.get_by_role("button", name="Stop").click()
        wait_for_text(page, "connection", "^Not connected$")
        connected(other)
        wait_for(lambda: sent(record)[count:].startswith("L") and sent(record).endswith("."),
                 lambda: f"after the other page: {sent(record)[count:]}")
        count = len(sent(record))
        other.goto("about:blank")
        wait_for(lambda: sent(record)[count:].startswith("L"), lambda: "L of a page that is left")
        chromium.settle()
    for opened in (page, other, pixels.page):
        opened.close()


def test_the_turret_gets_l_and_the_page_starts_again_if_its_webassembly_stops(
        bench, tmp_path, chromium):
    record = tmp_path / "trap.jsonl"
    with gateway(bench, tmp_path, "trap", "--record", str(record)) as server:
        page = chromium.open(f"http://127.0.0.1:{server.port}/phone", before=DRAWN + TRAPS)
        page.evaluate("scene.square = [0.5, 0.5, 0.1]")
        start(page)
        wait_until_sent(record, "X90.")
        page.evaluate("window.traps = true")
        wait_for_text(page, "notice", "^The page can no longer aim")
        wait_until_sent(record, "X90.L")
        page.evaluate("window.traps = false")
        start(page)
        wait_until_sent(record, "X90.")
        wait_for_text(page, "notice", "^$")
        chromium.settle()
        page.close()


def stays(recording):
    """The angles in a recording at which the turret stayed for some time."""
    kept = []
    servo = [(event[0], event[2]) for event in recording if event[1] == "servo"]
    for (begun, degrees), (ended, _) in zip(servo, servo[1:]):
        if ended - begun > STAYS / 2:
            kept.append(degrees)
    return kept


def serving(folder, name="detector", port=0):
    """A detector of faces."""
    return Server(folder, name, CAMERA / "sentry-camera", "serve", "--port", port)


@pytest.fixture
def detector(tmp_path):
    with serving(tmp_path) as detector:
        yield detector


@pytest.mark.parametrize("facing", ["back", "front"])
def test_the_turret_follows_a_face_within_two_degrees(
        bench, tmp_path, chromium, detector, record_property, facing):
    view = (800, 600)
    expected = [angle(place, (640, 480), view) for place in PLACES]
    record = tmp_path / "session.jsonl"
    with gateway(bench, tmp_path, facing, "--device", CHIP, "--record", str(record),
                 "--detector", detector.url) as server:
        page = chromium.open(f"http://127.0.0.1:{server.port}/phone/",
                             viewport={"width": view[0], "height": view[1]})
        start(page)
        if facing == "front":
            page.get_by_role("button", name="Use the front camera").click()
        connected(page)

        def followed():
            kept = stays(events(record))
            parts = (kept[at:at + len(expected)] for at in range(len(kept) - len(expected) + 1))
            return any(all(abs(one - other) <= OFF_MAX for one, other in zip(part, expected))
                       for part in parts)
        wait_for(followed, lambda: f"the turret stayed at {stays(events(record))}, not at "
                 f"{expected}\n{page.inner_text('body')}")
        require("L" in sent(record), "the face is absent, and there is no L")
        found = wait_for_text(page, "latency", r"^(\d+) ms$")
        chromium.settle()
        page.close()
        require(server.end() == 143, "the gateway does not end")
    run(bench, "verify", record, "--device", CHIP)
    record_property(f"{facing} camera", f"{found[1]} ms from the picture to its command")


def test_the_page_says_that_the_detector_is_away_and_continues_when_it_is_back(
        bench, tmp_path, chromium):
    record = tmp_path / "detector.jsonl"
    with contextlib.ExitStack() as stack:
        first = stack.enter_context(contextlib.ExitStack())
        port = first.enter_context(serving(tmp_path)).port
        server = stack.enter_context(gateway(bench, tmp_path, "detected", "--record", str(record),
                                             "--detector", f"ws://127.0.0.1:{port}"))
        page = chromium.open(f"http://127.0.0.1:{server.port}/phone/")
        start(page)
        wait_for_text(page, "title", "^Target found$")
        first.close()
        wait_for_text(page, "connection", "^The detector does not answer$")
        wait_for_text(page, "title", "^Sentry mode$")
        wait_until_sent(record, "L")
        stack.enter_context(serving(tmp_path, "detector-again", port))
        connected(page)
        wait_for_text(page, "title", "^Target found$")
        chromium.settle()
        page.close()


def test_the_page_recovers_with_the_gateway_asks_for_a_token_and_names_what_is_missing(
        bench, tmp_path, chromium):
    tokens = tmp_path / "tokens"
    tokens.write_text(TOKEN + "\n")
    tokens.chmod(0o600)
    with gateway(bench, tmp_path, "token", "--token-file", str(tokens)) as server:
        address = f"http://127.0.0.1:{server.port}/phone#token="
        page = chromium.open(address + TOKEN, before=DRAWN)
        require(page.evaluate("location.hash") == "", "the token stays in the address")
        start(page)
        connected(page)
        page.evaluate("scene.square = [0.5, 0.5, 0.1]")
        wait_for_text(page, "title", "^Target found$")
        record = tmp_path / "again.jsonl"
        with chromium.expecting(AWAY):
            server.end()
            wait_for_text(page, "connection", "^The gateway does not answer$")
            with Server(tmp_path, "again", bench, "gateway", "--listen",
                        f"127.0.0.1:{server.port}", "--token-file", str(tokens),
                        "--record", str(record)):
                connected(page)
                # The new gateway is told where the face is, which has not moved.
                wait_until_sent(record, "X90.")
                page.close()
                page = chromium.open(address + "wrong", before=DRAWN)
                start(page)
                wait_for_text(page, "notice", "^The gateway refuses this page")
                page.get_by_label("Token").fill(TOKEN)
                page.keyboard.press("Enter")
                connected(page)
                page.close()
                page = chromium.open(address + TOKEN, before=DENIED)
                start(page)
                wait_for_text(page, "notice", "^The browser is not allowed to use the camera")
                wait_for_text(page, "connection", "^Not connected$")
                page.close()
                # Without any detector.
                page = chromium.open(address + TOKEN)
                start(page)
                wait_for_text(page, "connection", "^The gateway has no detector$")
                wait_for_text(page, "notice", "--detector")
                page.close()
    chromium.settle()


def test_the_page_works_with_the_gateways_own_certificate(bench, tmp_path, chromium):
    with gateway(bench, tmp_path, "tls", "--tls", "self-signed") as server:
        page = chromium.open(f"https://127.0.0.1:{server.port}/phone", before=DRAWN,
                             ignore_https_errors=True)
        heard = []
        page.on("websocket", lambda socket: socket.on(
            "framereceived", lambda _: heard.append(socket.url)))
        start(page)
        connected(page)
        # A page that is closed while a socket of it connects reports that.
        for _ in range(200):
            if any("/events" in url for url in heard):
                break
            page.wait_for_timeout(50)
        page.close()
    chromium.settle()


def test_the_page_fits_three_widths_light_and_dark(bench, tmp_path, chromium, detector):
    with gateway(bench, tmp_path, "looks", "--control", "latest", "--detector",
                 detector.url) as server:
        for width in (390, 820, 1440):
            for scheme in ("light", "dark"):
                page = chromium.open(
                    f"http://127.0.0.1:{server.port}/phone/", color_scheme=scheme,
                    viewport={"width": width, "height": 900}, reduced_motion="reduce")
                page.wait_for_selector("#start:enabled")
                check_looks(page, width)
                page.keyboard.press("Tab")
                start(page)
                wait_for_text(page, "title", "^Target found$")
                wait_for_text(page, "latency", "ms$")
                check_looks(page, width)
                wait_for_text(page, "title", "^Target found$")
                page.context.close()
