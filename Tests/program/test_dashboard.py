"""The dashboard of a gateway and of a run, in headless Chromium.

A page may request nothing from another server, report no error, and must be accessible (axe), fit
its window, show what happens, move the turret, and recover when the gateway returns. The gateway
may show a client nothing that it must not.
"""
import contextlib
import gzip
import http.client
import json
import time

import pytest
from browser import check_looks, check_policy, wait, wait_for_text
from running import ROOT, Server, gateway, require, run
from wire import KEY

pytestmark = pytest.mark.needs("chromium")
MINUTES = 0.5
AWAY = "WebSocket connection to|Failed to load resource"
TOKEN = "the-token-of-this-check"
# A game pad whose stick and button the check controls.
PAD = """
  window.pad = { connected: true, axes: [0], buttons: [{ pressed: false }] };
  navigator.getGamepads = () => [window.pad];
"""


def request(port, path, method="GET", **fields):
    """Requests a path unchanged. Returns the status, the fields and the body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
    for name, value in headers.items():
        connection.putheader(name, value)
    connection.endheaders()
    reply = connection.getresponse()
    body = reply.read()
    connection.close()
    return reply.status, reply.headers, body


def check_files(port):
    """Checks that pages are compressed, tagged and protected, and that nothing else is served."""
    status, fields, _ = request(port, "/")
    require((status, fields["Location"]) == (302, "/dashboard/"), f"/ is {status}")
    script = (ROOT / "web/dashboard/minute.js").read_bytes()
    status, plain, body = request(port, "/dashboard/minute.js")
    require(status == 200 and body == script, f"a script is {status}")
    require("script-src 'self'" in plain["Content-Security-Policy"], "no policy")
    require(plain["Content-Type"].startswith("text/javascript"), plain["Content-Type"])
    require(plain["X-Content-Type-Options"] == "nosniff", "no nosniff")
    status, packed, body = request(port, "/dashboard/minute.js", Accept_Encoding="gzip, br")
    require(packed["Content-Encoding"] == "gzip" and gzip.decompress(body) == script, "no gzip")
    require(packed["ETag"] != plain["ETag"], "one tag for two contents")
    status, _, body = request(port, "/dashboard/minute.js", If_None_Match=plain["ETag"])
    require((status, body) == (304, b""), f"a known script is {status}")
    status, fields, body = request(port, "/dashboard/", "HEAD")
    require(status == 200 and body == b"" and int(fields["Content-Length"]) > 1000, "HEAD")
    status, fields, _ = request(port, "/dashboard/", "POST")
    require((status, fields["Allow"]) == (405, "GET, HEAD"), f"POST is {status}")
    for path, expected in [
        ("/dashboard/../../Package.swift", {400, 404}),
        ("/dashboard/..%2f..%2fPackage.swift", {404}),
        ("/dashboard/%2e%2e/common/theme.css", {404}), ("/dashboard//main.js", {404}),
        ("/dashboard/.", {404}), ("/dashboard/main.js/", {404}), ("/common/", {404}),
        ("//dashboard/", {400, 404}), ("/dashboard/" + "a" * 4000, {404}),
        ("/dashboard/" + "a" * 200_000, {400, 414, 431}),
    ]:
        try:
            status = request(port, path)[0]
        except (ConnectionError, http.client.BadStatusLine):
            status = 400  # closed without waiting for the end of the path
        require(status in expected, f"{path[:60]} is {status}")
    status, _, body = request(port, "/dashboard/", Host=f"attacker.example:{port}")
    require(status == 403, f"a page under another name is {status}")
    status, _, body = request(port, "/dashboard/", Origin="http://attacker.example")
    require(status == 403, f"a page for another origin is {status}")


def check_tokens(port):
    """Checks that pages need no token, but everything live does."""
    require(request(port, "/dashboard/")[0] == 200, "a page requires a token")
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
               "Sec_WebSocket_Key": KEY}
    for bad in ["", "?token=", "?token=wrong", "?token=" + TOKEN[:-1], f"?token={TOKEN}&token=x",
                "?token=%00", "?token=%", "?token=" + "a" * 4000]:
        for path in ("/session.jsonl", "/health"):
            status = request(port, path + bad)[0]
            require(status in (400, 401), f"{path}{bad[:40]} is {status}")
        path = "/events" + (bad + "&" if bad else "?") + "as=dashboard"
        status = request(port, path, **upgrade)[0]
        require(status in (400, 401), f"{path[:40]} is {status}")
    status, fields, body = request(port, "/session.jsonl", Authorization="Bearer " + TOKEN)
    require(status == 200 and body.startswith(b'{"format": "sentry-trace"'), f"trace: {status}")


def wait_for_dial(page, words):
    """Waits until the first dial's text for screen readers contains the words."""
    wait(page, "(document.querySelector('.dial svg')?.getAttribute('aria-label') ?? '')"
         f".includes({json.dumps(words)})")


def live(page):
    wait_for_text(page, "connection", "^Live$")


def take_control(page):
    page.get_by_role("button", name="Take control").click()
    wait_for_text(page, "whose", "^You control the turret")


def check_hands(page, pad):
    """Checks that slider, buttons, keys and game pad move the turret."""
    slider = page.get_by_role("slider")
    slider.fill("45")
    wait_for_dial(page, "commanded 45°, pulse 1008 µs, shaft 45°")
    slider.focus()
    page.keyboard.press("ArrowRight")
    wait_for_dial(page, "commanded 46°")
    page.locator("h1").click()  # so that no control has the focus
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    wait_for_dial(page, "commanded 35°")
    page.get_by_role("button", name="Centre").click()
    wait_for_dial(page, "commanded 90°")
    page.locator("h1").click()
    page.keyboard.press(" ")
    wait_for_text(page, "commands", "Lsweeps")
    slider.fill("120")
    wait_for_dial(page, "commanded 120°")
    wait_for_text(page, "commands", "X120\\.aimed at 120")
    if pad:
        page.evaluate("dispatchEvent(new Event('gamepadconnected')); pad.axes[0] = 1")
        wait_for_dial(page, "commanded 180°")
        page.evaluate("pad.axes[0] = 0")


def check_two(first, second, browser):
    """Checks that only one page is in control, and that refused commands are shown with reasons."""
    wait_for_text(second, "whose", "^Another client controls the turret: dashboard-[0-9a-f]{8} at ")
    require(second.locator("#refused").is_hidden(), "an empty list of refusals takes up space")
    second.get_by_role("button", name="Take control").click()
    wait_for_text(second, "whose", "You will control it when that client leaves")
    require(second.get_by_role("slider").is_disabled(), "a page without control has a slider")
    second.evaluate("""() => {
      window.rogue = new WebSocket(location.origin.replace('http', 'ws') + '/?name=rogue');
      rogue.onopen = () => { rogue.send('X45.'); rogue.send('<b>X999.</b>'); };
    }""")
    for page in (first, second):
        wait_for_text(page, "refusals", "X45\\.from a client not in controlrogue at 127.0.0.1")
        wait_for_text(page, "refusals", "<b>.*rogue at")
        require(page.locator("#refused").is_visible(), "the refusals are hidden")
        require(page.locator("#refusals b").count() == 0, "a message became a part of the page")
    second.evaluate("rogue.close()")
    first.get_by_role("button", name="Release control").click()
    wait_for_text(second, "whose", "^You control the turret")
    wait_for_text(first, "whose", "^Another client controls the turret")
    second.get_by_role("slider").fill("60")
    wait_for_dial(first, "commanded 60°")
    second.get_by_role("button", name="Release control").click()
    wait_for_text(first, "whose", "^No client controls the turret")


def check_download(page, bench, folder):
    """Checks that the last minutes can be saved, as a trace that verifies and as a report."""
    with page.expect_download() as download:
        page.get_by_role("button", name="as a trace").click()
    trace = folder / "saved.jsonl"
    download.value.save_as(trace)
    require(b'"X45."' in trace.read_bytes(), "the saved trace has no command")
    run(bench, "verify", trace)
    with page.expect_download() as download:
        page.get_by_role("button", name="as a report").click()
    report = folder / "saved.html"
    download.value.save_as(report)
    text = report.read_text()
    require(text.startswith("<!DOCTYPE html>") and "X45." in text, "the report has no command")
    wait_for_text(page, "saved", "^Saved.$")


@contextlib.contextmanager
def check_return(pages, server, bench, folder, browser):
    """Checks that the page in control regains control after the gateway was away."""
    take_control(pages[0])
    with browser.expecting(AWAY):
        server.end()
        for page in pages:
            wait_for_text(page, "connection", "does not answer")
            require(page.get_by_role("slider").is_disabled(), "a slider without a gateway")
        with Server(folder, "again", bench, "gateway", "--listen",
                    f"127.0.0.1:{server.port}") as again:
            for page in pages:
                live(page)
            browser.awaited = None
            wait_for_text(pages[0], "whose", "^You control the turret")
            pages[0].get_by_role("slider").fill("30")
            wait_for_dial(pages[1], "commanded 30°")
            yield again


def check_token_form(browser, port):
    """Checks that the token is taken from the fragment, which then disappears, or from the form."""
    address = f"http://127.0.0.1:{port}/"
    page = browser.open(f"{address}#token={TOKEN}")
    live(page)
    require(page.evaluate("location.hash") == "", "the token stays in the address")
    page.reload()
    live(page)
    page.context.close()
    with browser.expecting(AWAY):
        page = browser.open(address)
        page.get_by_label("Token").fill("wrong")
        page.get_by_role("button", name="Connect").click()
        wait_for_text(page, "why", "^The gateway refuses this page")
        page.get_by_label("Token").fill(TOKEN)
        page.keyboard.press("Enter")
        live(page)
    take_control(page)
    with browser.expecting(AWAY):
        page.get_by_role("button", name="as a report").click()
        wait_for_text(page, "saved", "is not installed with this gateway")
    page.context.close()


def follow_a_face(page, seconds):
    """Moves the turret as a face tracker does, for the pictures."""
    page.evaluate("""(seconds) => {
      const socket = new WebSocket(location.origin.replace('http', 'ws') + '/?name=camera');
      const begun = performance.now();
      let isRefused = false;
      socket.onopen = () => setInterval(() => {
        const time = (performance.now() - begun) / 1000;
        socket.send(`X${Math.round(90 + 50 * Math.sin(time) + 15 * Math.sin(3.1 * time))}.`);
        if (isRefused || time < seconds - 2) return;
        isRefused = true;
        socket.send('hello');
      }, 100);
    }""", seconds)
    time.sleep(seconds)


def check_layout(page):
    """Checks that no part of a dial covers a label at any angle, and that no buttons touch.

    The dials show each angle in turn, one servo and then 18, as a hexapod has. Then the page shows
    the session again with its next message.
    """
    trouble = page.evaluate("""async () => {
      const { showDials } = await import("/dashboard/dials.js");
      const found = [];
      const boxes = (selector) => [...document.querySelectorAll(selector)]
        .filter((part) => part.checkVisibility())
        .map((part) => [part, part.getBoundingClientRect()]);
      const touch = (a, b, gap) => a.left < b.right + gap && b.left < a.right + gap
        && a.top < b.bottom + gap && b.top < a.bottom + gap;
      const servo = (pin, degrees) => ({
        pin, label: `leg-A-knee ${pin}`, commanded: degrees, pulse: 1472, pulse_degrees: degrees,
        shaft: 180 - degrees, moving: false });
      for (const count of [1, 2, 18]) {
        for (let degrees = 0; degrees <= 180; degrees += 5) {
          const pins = Array.from({ length: count }, (_, i) => `pca9685@0x40:${i}`);
          showDials(pins.map((pin) => servo(pin, degrees)));
          for (const [label, box] of boxes(".dial text")) {
            for (const [part, other] of boxes(".dial .commanded, .dial .way")) {
              // The way is an arc, whose box is larger than it is.
              if (part.classList.contains("way")) continue;
              if (touch(box, other, 0)) found.push(`${label.textContent} at ${degrees}`);
            }
            // A hand is a line: points on it.
            for (const hand of document.querySelectorAll(".dial line.shaft, .dial line.pulse")) {
              const matrix = hand.getScreenCTM();
              const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((n) => hand[n].baseVal.value);
              for (let part = 0; part <= 1; part += 0.02) {
                const at = new DOMPoint(x1 + part * (x2 - x1), y1 + part * (y2 - y1))
                  .matrixTransform(matrix);
                if (at.x > box.left && at.x < box.right && at.y > box.top && at.y < box.bottom) {
                  found.push(`${label.textContent} is covered at ${degrees}`);
                }
              }
            }
          }
        }
        const dials = boxes(".dial");
        dials.forEach(([, a], i) => dials.slice(i + 1).forEach(([, b]) => {
          if (touch(a, b, 0)) found.push("two dials overlap");
        }));
        if (count === 18 && innerWidth > 700) {
          const height = document.getElementById("dials").getBoundingClientRect().height;
          if (height > 900) found.push(`18 dials are ${height} pixels high`);
        }
        if (document.documentElement.scrollWidth > innerWidth) found.push(`${count} are too wide`);
      }
      const buttons = boxes("button");
      buttons.forEach(([, a], i) => buttons.slice(i + 1).forEach(([button, b]) => {
        if (touch(a, b, 4)) found.push(`${button.textContent} touches another button`);
      }));
      return [...new Set(found)].slice(0, 5);
    }""")
    require(not trouble, f"the page's layout: {', '.join(trouble)}")


@pytest.fixture
def share(tmp_path, monkeypatch):
    """The folder of the pages, at first only with the dashboard."""
    share = tmp_path / "share"
    share.mkdir()
    monkeypatch.setenv("SENTRYBENCH_SHARE", str(share))
    for page in ("dashboard", "common"):
        (share / page).symlink_to(ROOT / "web" / page)
    return share


def open_page(chromium, server, **settings):
    page = chromium.open(f"http://127.0.0.1:{server.port}/", **settings)
    live(page)
    return page


def test_pages_are_compressed_tagged_and_protected_and_nothing_else_is_served(
        bench, tmp_path, share):
    with gateway(bench, tmp_path, "gateway") as server:
        check_files(server.port)


def test_the_page_shows_the_session_moves_the_turret_and_regains_control(
        bench, tmp_path, share, chromium):
    playground = ROOT / ".build/playground"
    require(playground.is_dir(), "the dashboard's reports require `make playground`")
    (share / "playground").symlink_to(playground)
    with gateway(bench, tmp_path, "gateway") as server:
        pages = first, second = open_page(chromium, server, before=PAD), open_page(chromium, server)
        take_control(first)
        check_hands(first, pad=True)
        check_two(first, second, chromium)
        check_download(first, bench, tmp_path)
        chromium.settle()
        with check_return(pages, server, bench, tmp_path, chromium):
            check_policy(chromium, second)
            for page in pages:
                page.context.close()


def test_the_page_fits_three_widths_light_and_dark(bench, tmp_path, share, chromium):
    with gateway(bench, tmp_path, "gateway") as server:
        mover = open_page(chromium, server)
        follow_a_face(mover, 1)
        for width in (390, 820, 1440):
            for scheme in ("light", "dark"):
                page = open_page(chromium, server, viewport={"width": width, "height": 900},
                                 color_scheme=scheme, reduced_motion="reduce")
                wait_for_text(page, "commands", "aimed")
                check_looks(page, width)
                check_layout(page)
                page.context.close()
        mover.context.close()


def test_only_clients_with_the_token_see_the_session(bench, tmp_path, share, chromium):
    tokens = tmp_path / "tokens"
    tokens.write_text(TOKEN + "\n")
    tokens.chmod(0o600)
    with gateway(bench, tmp_path, "token", "--token-file", tokens) as server:
        check_tokens(server.port)
        check_token_form(chromium, server.port)


def test_run_shows_its_session_too(bench, tmp_path, share, chromium):
    with Server(tmp_path, "run", bench, "run", "--http", "127.0.0.1:0") as server:
        page = open_page(chromium, server)
        take_control(page)
        check_hands(page, pad=False)
        page.context.close()
