"""Shared by the tests of pages: Chromium, and rules for every page."""
import contextlib
import functools
import http.server
import re
import shutil
import threading
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from running import require

PATIENCE = 120_000  # milliseconds, for a busy machine


def wait(page, expression):
    """Waits until an expression holds. The page's policy blocks Playwright's own waiting."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(expression):
        require(time.monotonic() < end, f"timed out: {expression}\n{page.inner_text('body')}")
        time.sleep(0.02)


def wait_for_text(page, identifier, pattern):
    """Waits until the text of an element matches a pattern, and returns the match."""
    end = time.monotonic() + PATIENCE / 1000
    while not (found := re.search(pattern, page.locator(f"#{identifier}").text_content())):
        require(time.monotonic() < end,
                f"#{identifier} does not become {pattern}\n{page.inner_text('body')}")
        time.sleep(0.02)
    return found


class Browser:
    """Chromium. Collects errors and forbidden requests of its pages in `trouble`."""

    def __init__(self, chromium):
        self.chromium = chromium
        self.trouble = []
        self.awaited = None  # a pattern of reports that are expected at present

    def open(self, address, before=None, route=None, **settings):
        """Opens a page. `before` is a script that runs first, `route` a pattern of requests and
        what answers them."""
        context = self.chromium.new_context(accept_downloads=True, **settings)
        context.set_default_timeout(PATIENCE)
        if before:
            context.add_init_script(before)
        if route:
            context.route(*route)
        page = context.new_page()
        page.on("console", lambda message: self.note(message.text))
        page.on("pageerror", lambda error: self.note(str(error)))
        page.on("dialog", lambda dialog: self.note("dialog: " + dialog.message))
        scheme, _, host = address.split("/")[:3]
        allowed = ("data:", "blob:", *(
            [address] if scheme == "file:" else
            [f"{scheme}://{host}/" for scheme in ("http", "https", "ws", "wss")]))
        for event in ("request", "websocket"):
            page.on(event, lambda request: request.url.startswith(allowed)
                    or self.note("requests " + request.url))
        page.goto(address)
        return page

    def note(self, trouble):
        if not (self.awaited and re.search(self.awaited, trouble)):
            self.trouble.append(trouble)

    @contextlib.contextmanager
    def expecting(self, pattern):
        """Ignores the errors that match a pattern, such as those about a server that is away."""
        self.awaited = pattern
        try:
            yield
        finally:
            self.awaited = None

    def settle(self):
        require(not self.trouble, f"the page reports: {self.trouble}")


@contextlib.contextmanager
def browser(*arguments):
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", *arguments])
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@contextlib.contextmanager
def served(folder):
    """The address of a static server of a folder."""
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()


def check_looks(page, width):
    """Checks that axe finds nothing, and that the page is not wider than its window."""
    found = Axe().run(page)
    require(found.violations_count == 0, found.generate_report())
    wide = page.evaluate("document.documentElement.scrollWidth")
    require(wide <= width, f"at a width of {width}, the page is {wide} wide")


def check_policy(browser, page):
    """Checks that the policy blocks an added script and a request to another host."""
    before = len(browser.trouble)
    with contextlib.suppress(Exception):
        page.add_script_tag(content="document.title = 'changed'")
    require(page.title() != "changed", "the policy admits a script that is not the page's")
    page.evaluate("fetch('https://example.org/x').catch(() => {})")
    require(len(browser.trouble) > before, "the check does not detect what the policy refuses")
    refused = [report for report in browser.trouble[before:] if "Content Security" in report]
    require(len(refused) >= 2, f"the policy refuses only {refused}")
    del browser.trouble[before:]
