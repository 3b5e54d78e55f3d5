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
from running import ROOT, Server, events, expect, gateway, received, require, run
from test_sketches import Workshop
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
      const { showDials } = await import("/common/dials.js");
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


# A sketch of one's own, driven by hand.

AVR = pytest.mark.needs("avr-gcc", "avr-g++")


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    return Workshop(tmp_path_factory.mktemp("sketches"))


@contextlib.contextmanager
def driven(bench, folder, chromium, program, *options, **settings):
    """A page of a session of a program on the chip."""
    with Server(folder, "run", bench, "run", "--http", "127.0.0.1:0", "--device",
                f"avr:{program}.elf", *options) as server:
        page = open_page(chromium, server, **settings)
        yield page
        page.context.close()


def type_line(page, line):
    page.get_by_label("Line to send").fill(line)
    page.keyboard.press("Enter")


def lines(page):
    """The lines of the log without their times: `→sent: P120\\n`."""
    return [text.lstrip("0123456789.") for text in page.locator(".log li").all_text_contents()]


def wait_for_lines(page, *wanted):
    end = time.monotonic() + 20
    while not all(line in lines(page) for line in wanted):
        require(time.monotonic() < end, f"expected {wanted} among {lines(page)}")
        time.sleep(0.05)


def wait_for_lamp(page, name, state):
    wait(page, f"[...document.querySelectorAll('#lamps li')].some((lamp) => "
               f"lamp.textContent.includes({json.dumps(name)}) && {state})")


LIT = "lamp.classList.contains('lit')"


@AVR
def test_a_sketch_of_ones_own_is_driven_by_hand(bench, tmp_path, share, chromium, workshop):
    program = workshop.other("by-hand")
    with driven(bench, tmp_path, chromium, program, "--pins", "D7") as page:
        wait_for_lines(page, "←answered: ready\\r\\n")
        require(page.get_by_role("slider").count() == 0, "there is a slider for X90.")
        require(page.get_by_role("button", name="Sweep").count() == 0, "there is a Sweep")
        wait_for_text(page, "unable", "type them in the serial monitor")
        type_line(page, "P120")
        type_line(page, "T45")
        wait_for_dial(page, "D9: commanded 120°")
        wait(page, "document.querySelectorAll('.dial svg')[1]?.getAttribute('aria-label')"
                   ".includes('D10: commanded 45°')")
        wait_for_lines(page, "→sent: P120\\n", "→sent: T45\\n", "←answered: ok\\r\\n")
        require(lines(page).count("←answered: ok\\r\\n") == 2, f"answers: {lines(page)}")
        type_line(page, "F")
        wait_for_lamp(page, "D7", LIT)
        wait_for_lamp(page, "D7", f"!{LIT}")
        page.get_by_label("Hexadecimal").check()
        wait_for_lines(page, "→sent: 50 31 32 30 0A", "←answered: 6F 6B 0D 0A")
        page.get_by_label("Hexadecimal").uncheck()
        # The line ending is remembered, and a line can have its own.
        page.get_by_label("Line ending").select_option("No line ending")
        type_line(page, "P1\\q")
        wait_for_text(page, "monitor", "Not sent: expected ")
        type_line(page, "P30\\x0a")
        wait_for_dial(page, "D9: commanded 30°")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowUp")
        require(page.get_by_label("Line to send").input_value() == "F", "no history")
        with page.expect_download() as download:
            page.get_by_role("button", name="Save as a scenario").click()
        scenario = program.with_name("by-hand.yaml")
        download.value.save_as(scenario)
        text = scenario.read_text()
        require(text.count("- tx: \"ok\"") == 4 and '"P30\\n"' in text, text)
        run(bench, "test", scenario)
        check_looks(page, 1280)
        page.reload()
        live(page)
        # What passed before is shown to a page that comes later.
        wait_for_lines(page, "←answered: ready\\r\\n", "→sent: P30\\n")
        chosen = page.get_by_label("Line ending").input_value()
        require(chosen == "No line ending", f"the line ending is {chosen}")


@AVR
def test_the_monitor_says_what_is_no_longer_answered(bench, tmp_path, share, chromium, workshop):
    with driven(bench, tmp_path, chromium, workshop.other("by-hand")) as page:
        type_line(page, "P10")
        wait_for_lines(page, "←answered: ok\\r\\n")
        type_line(page, "H")
        time.sleep(0.2)
        type_line(page, "P20")
        time.sleep(0.2)
        type_line(page, "P30")
        wait_for_text(page, "monitor", r"No answer for 5 s to P\d0\\n")


@AVR
def test_the_monitor_says_that_the_speeds_differ(bench, tmp_path, share, chromium, workshop):
    with driven(bench, tmp_path, chromium, workshop.other("by-hand"), "--baud", "9600") as page:
        wait_for_text(page, "monitor", "The speeds differ: the sender writes at 9600 baud, the "
                      "board listens at 115200")


@AVR
def test_inputs_are_switches_and_sliders(bench, tmp_path, share, chromium, workshop):
    with driven(bench, tmp_path, chromium, workshop.other("relay-fire"), "--set", "D4=1",
                "--pins", "D7") as page:
        page.get_by_label("Line ending").select_option("No line ending")
        type_line(page, "F")
        wait_for_lines(page, "←answered: !")
        page.get_by_role("button", name="D4", pressed=True).click()
        page.get_by_role("button", name="D4", pressed=False).wait_for()
        type_line(page, "F")
        wait_for_lamp(page, "D7", LIT)
        page.locator("#inputs select").first.select_option("A1")
        page.get_by_label("Kind").select_option("voltage")
        page.get_by_role("button", name="Add an input").click()
        page.get_by_role("slider").fill("2.5")
        wait_for_text(page, "inputs", "2.5 V")
        check_looks(page, 1280)


FORMS = """\
commands: ["P{pan:0..180}\\n", "T{tilt:-1.50..1.50}\\n",
  '0xAA {servo:u8 0..5} {width:u16le} {sum 2..}',
  '$T{tilt:-90..90}*{xor hex 2..-2}{\\r?}\\n', 'a{pan:3}{tilt:3 -90..90}']
servos: {pan: D9, tilt: D10}
pins: {fire: D7}
"""


@AVR
def test_commands_of_a_profile_are_forms(bench, tmp_path, share, chromium, workshop):
    profile = tmp_path / "turret.yaml"
    profile.write_text(FORMS)
    recording = tmp_path / "session.jsonl"
    with driven(bench, tmp_path, chromium, workshop.other("by-hand"), "--profile", profile,
                "--record", recording) as page:
        wait_for_lamp(page, "fire D7", "true")
        forms = page.locator("#forms form")
        require(forms.count() == 5, f"{forms.count()} forms")
        values = [["120"], ["-0.5"], ["3", "1500"], ["-45"], ["7", "-9"]]
        for index, row in enumerate(values):
            form = forms.nth(index)
            for place, value in enumerate(row):
                form.locator("input").nth(place).fill(value)
            form.get_by_role("button").click()
            time.sleep(0.2)  # after a pause, a command is a line of its own
        wait_for_dial(page, "Servo pan D9: commanded 120°")
        # The arbiter passes on nothing but whole commands.
        type_line(page, "nonsense")
        wait_for_lines(page, "✗refused: nonsense")
        check_looks(page, 1280)
    expect("what was sent", received(events(recording)),
           "P120\nT-0.50\n\xaa\x03\xdc\x05\xe4$T-45*78\na007-09")


def test_the_monitor_fits_a_phone_and_has_its_line_end_for_models(
        bench, tmp_path, share, chromium):
    with Server(tmp_path, "run", bench, "run", "--http", "127.0.0.1:0") as server:
        for scheme in ("light", "dark"):
            page = open_page(chromium, server, viewport={"width": 390, "height": 800},
                             color_scheme=scheme)
            type_line(page, "X45.")
            wait_for_lines(page, "→sent: X45.")
            wait_for_text(page, "commands", "X45\\.aimed at 45")
            require(page.get_by_role("slider").is_enabled(), "no slider for a model")
            check_looks(page, 390)
            page.get_by_role("button", name="Release control").click()
            page.context.close()


ESCAPES = [
    ("X90.", "X90."), (r"a\n\r\t\\", "a\n\r\t\\"), (r"\x00\x7f\xFF", "\x00\x7f\xff"),
    ("é", "\xe9"), (r"\x41B", "AB"), *[(f"\\x{byte:02x}", chr(byte)) for byte in range(256)],
    ("\\", None), (r"\q", None), (r"\x", None), (r"\x4", None), (r"\xg0", None), (r"\x+1", None),
    ("€", None)]
SHOWN = [
    ("ok\r\n", r"ok\r\n", "6F 6B 0D 0A"), ("\x00\x1b\x7f", r"\x00\x1b\x7f", "00 1B 7F"),
    ("\xff", r"\xff", "FF"), ("20 \xc2\xb0C", "20 °C", "32 30 20 C2 B0 43"), ("\t", r"\t", "09"),
    ("", "", "")]


def test_the_monitor_reads_escapes_and_shows_bytes(bench, tmp_path, share, chromium):
    with gateway(bench, tmp_path, "gateway") as server:
        page = open_page(chromium, server)
        for line, wanted in ESCAPES:
            expect(line, page.evaluate("""async (line) => {
              const { typed, Mistake } = await import("/common/monitor.js");
              try { return typed(line); } catch (error) {
                if (!(error instanceof Mistake)) throw error;
                return null;
              }
            }""", line), wanted)
        for text, words, digits in SHOWN:
            expect(repr(text), page.evaluate("""async (text) => {
              const { hexadecimal, shown } = await import("/common/monitor.js");
              return [shown(text), hexadecimal(text)];
            }""", text), [words, digits])
        page.context.close()


def test_of_a_flood_the_last_lines_are_kept_and_few_are_elements(
        bench, tmp_path, share, chromium):
    with gateway(bench, tmp_path, "gateway") as server:
        page = open_page(chromium, server)
        found = page.evaluate("""async () => {
          const { Monitor } = await import("/common/monitor.js");
          const root = document.createElement("div");
          document.body.append(root);
          const monitor = new Monitor(root, () => {}, () => 0);
          for (let from = 0; from < 100_000; from += 1000) {
            monitor.take({ from, entries: Array.from({ length: 1000 },
              (_, i) => [from / 1000, "answered", `${from + i}\\n`]) });
          }
          // Those that it has already are not shown twice.
          monitor.take({ from: 99_999, entries: [[100, "answered", "99999\\n"]] });
          const wait = (time) => new Promise((resolve) => { setTimeout(resolve, time); });
          await wait(200);
          const log = root.querySelector(".log");
          const last = log.querySelector("li:last-child").textContent;
          log.scrollTop = 0;
          await wait(200);
          return [last, log.querySelector("li").textContent, log.querySelectorAll("li").length,
            log.getAttribute("aria-live")];
        }""")
        last, first, count, spoken = found
        require(last.endswith("99999\\n") and first.endswith(": 90000\\n"), found)
        require(count < 40 and spoken == "off", found)
        page.context.close()
