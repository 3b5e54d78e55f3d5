"""What a page of another site can do to the listening ports.

Chromium shows a page that uses everything by which a page can make a browser connect: preconnect,
prefetch, fetch, forms, images, frames, WebSocket, WebTransport, WebRTC and others. It aims at every
port on which the program listens, and at a port of this check, to prove that the browser does
connect, silently as well. Meanwhile, with the page still open, real clients must find every port
free, must get control, and no byte from the page may reach a board or restart it. The page must not
find out which paths exist.
"""
import contextlib
import http.server
import json
import os
import queue
import re
import shutil
import socket
import subprocess
import threading
import time

import pytest
from running import PATIENCE, Failed, Server, expect, gateway, received, session_of, values
from wire import KEY, frame

pytestmark = pytest.mark.needs("chromium")
TOKEN = "0123456789abcdef0123456789abcdef"
PAGE = r"""<!doctype html><meta charset="utf-8"><title>another site</title><script type="module">
const task = await (await fetch("/task")).json();
const outcomes = [];
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

function element(name, fields, parent = document.head) {
  const made = Object.assign(document.createElement(name), fields);
  parent.append(made);
  return made;
}

function watched(port, what, made) {
  made.onload = () => outcomes.push([port, what, "loaded"]);
  made.onerror = () => outcomes.push([port, what, "failed"]);
}

async function fetched(port, what, address, options) {
  const outcome = await Promise.race([
    fetch(address, options).then(() => "loaded", () => "failed"), pause(3000).then(() => "open")]);
  outcomes.push([port, what, outcome]);
}

function visit(port) {
  const site = `http://127.0.0.1:${port}`;
  const text = "X45.L\nX45.\n";
  for (const address of [site, `https://127.0.0.1:${port}`]) {
    element("link", {rel: "preconnect", href: address});
    element("link", {rel: "preconnect", href: address, crossOrigin: "anonymous"});
  }
  element("link", {rel: "prefetch", href: site + "/X45.L"});
  element("link", {rel: "preload", as: "image", href: site + "/X45.X45."});
  element("link", {rel: "stylesheet", href: site + "/dashboard/dashboard.css"});
  for (const path of ["/health", "/dashboard/index.html", "/no/such/path", "/session.jsonl"]) {
    fetched(port, "fetch " + path, site + path, {mode: "no-cors"});
    const image = element("img", {}, document.body);
    watched(port, "image " + path, image);
    image.src = site + path;
    const script = document.createElement("script");
    watched(port, "script " + path, script);
    script.src = site + path;
    document.head.append(script);
  }
  fetched(port, "post", site + "/", {method: "POST", mode: "no-cors", body: text});
  fetched(port, "tls", `https://127.0.0.1:${port}/`, {mode: "no-cors"});
  navigator.sendBeacon(site + "/", text);
  element("iframe", {src: site + "/", name: "frame" + port}, document.body);
  element("object", {data: site + "/X45."}, document.body);
  element("video", {src: site + "/X45."}, document.body);
  const form = element("form", {
    action: site + "/", method: "post", enctype: "text/plain", target: "frame" + port,
  }, document.body);
  element("textarea", {name: "X45.L\r\nX45.", value: text}, form);
  form.submit();
  for (const path of ["/", "/events", "/events?as=dashboard"]) {
    const web = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    web.onopen = () => {
      outcomes.push([port, "websocket " + path, "loaded"]);
      web.send(text);
    };
  }
  new EventSource(site + "/events");
  if ("WebTransport" in window) {
    try {
      new WebTransport(`https://127.0.0.1:${port}/`).ready.then(
        () => outcomes.push([port, "webtransport", "loaded"]), () => 0);
    } catch {}
  }
  const call = new RTCPeerConnection({iceServers: [{
    urls: `turn:127.0.0.1:${port}?transport=tcp`, username: "X45.L\nX45.", credential: text}]});
  call.createDataChannel("X45.");
  call.createOffer().then((offer) => call.setLocalDescription(offer));
}

for (const port of task) visit(port);
await pause(4000);
// Connections that the page has made but not used are still open.
for (const port of task) element("link", {rel: "preconnect", href: `http://127.0.0.1:${port}`});
await pause(500);
await fetch("/result", {method: "POST", body: JSON.stringify(outcomes)});
</script><body></body>"""


class Site:
    """Another site, in a `with` block, and Chromium that shows its page."""

    def __init__(self, folder, ports):
        site = self
        self.folder = folder
        self.results = queue.Queue()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.answer("application/json" if self.path == "/task" else "text/html",
                            json.dumps(ports) if self.path == "/task" else PAGE)

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                site.results.put(json.loads(self.rfile.read(length)))
                self.answer("text/plain", "")

            def answer(self, kind, body):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.profile = os.path.join(self.folder, "profile")
        with open(os.path.join(self.folder, "chromium.log"), "wb") as log:
            self.browser = subprocess.Popen(
                ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
                 "--disable-dev-shm-usage", f"--user-data-dir={self.profile}",
                 f"http://localhost:{self.server.server_port}/"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def result(self):
        try:
            return self.results.get(timeout=3 * PATIENCE)
        except queue.Empty:
            raise Failed("the page did not respond; see chromium.log") from None

    def __exit__(self, *_):
        self.browser.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.browser.wait(PATIENCE)
        self.browser.kill()
        self.browser.wait()
        self.server.shutdown()
        shutil.rmtree(self.profile, ignore_errors=True)


class Bait:
    """A port of this check, which answers nothing. Keeps the first bytes of each connection."""

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.server.getsockname()[1]
        self.connections = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.server.accept()
            self.connections.append([connection, b""])
            threading.Thread(target=self.read, args=[self.connections[-1]], daemon=True).start()

    @staticmethod
    def read(entry):
        with contextlib.suppress(OSError):
            entry[1] = entry[0].recv(100)


def connect(port):
    client = socket.create_connection(("127.0.0.1", port), PATIENCE)
    client.settimeout(PATIENCE)
    return client


def answered(client, seconds):
    """What arrives within some time."""
    data, end = b"", time.monotonic() + seconds
    while (rest := end - time.monotonic()) > 0:
        client.settimeout(rest)
        try:
            more = client.recv(4096)
        except TimeoutError:
            break
        if not more:
            break
        data += more
    return data


def metric(port, name):
    with connect(port) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                       + TOKEN.encode() + b"\r\n\r\n")
        text = b"".join(iter(lambda: client.recv(65536), b"")).decode()
    found = re.search(rf"^{re.escape('sentrybench_' + name)} (\S+)$", text, re.M)
    if not found:
        raise Failed(f"no {name} in the metrics:\n{text}")
    return int(float(found[1]))


def command_by_token(port, command):
    """Sends a command over WebSocket, with a token. Returns what is answered within a second."""
    client = connect(port)
    client.sendall(
        f"GET /?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        f"Sec-WebSocket-Key: {KEY}\r\n\r\n".encode())
    client.sendall(frame(command))
    with client:
        return answered(client, 1)


def check(outcomes, ports, bait, remote, guarded, raw, vision):
    silent = sum(1 for _, first in bait.connections if first == b"")
    if silent == 0 or not any(b"HTTP/1.1" in first for _, first in bait.connections):
        raise Failed(f"the browser does not connect as expected: {bait.connections}")
    if not any(first[:2] == b"\x16\x03" for _, first in bait.connections):
        raise Failed("the browser does not begin TLS")

    for port, what, outcome in outcomes:
        if outcome == "loaded" and port != bait.port:
            raise Failed(f"the page can use what it gets from {ports[port]}: {what}")

    # The gateway's ports: the page has given no command and is not in control.
    for server in (guarded, raw):
        expect("messages of the page", metric(server.port, "message_bytes_received_total"), 0)
        expect("a client in control", metric(server.port, "controller_present"), 0)
    answer = command_by_token(guarded.port, b"X10.")
    if b"101 Switching" not in answer or b"not-in-control" in answer:
        raise Failed(f"a client with a token is not in control: {answer}")
    expect("aims", metric(guarded.port, 'commands_accepted_total{command="aim"}'), 1)
    for server in (guarded, raw):
        with connect(server.tcp) as client:
            client.sendall(b"X20.")
            answer = answered(client, 1)
            if b"not-in-control" in answer or b"closed" in answer:
                raise Failed(f"a client over TCP is not in control: {answer}")
    expect("aims", metric(guarded.port, 'commands_accepted_total{command="aim"}'), 2)
    expect("bytes", metric(raw.port, "message_bytes_received_total"), 4)

    # The port over TCP: a client gets it at once, and restarts the board.
    with connect(remote.port) as client:
        client.sendall(bytes([255, 251, 44]) + b"X77.")
        answer = answered(client, 1)
        if b"Another client" in answer:
            raise Failed("the page has the RFC 2217 port")

    # The vision phone: a client is answered, and the page has not ended it.
    with connect(vision.port) as client:
        client.sendall(b"VISION\n")
        if b"|" not in client.recv(100):
            raise Failed("the vision phone does not answer")


def test_a_page_of_another_site_gives_no_command_and_learns_nothing(bench, tmp_path):
    token, recording = tmp_path / "token", tmp_path / "session.jsonl"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    bait = Bait()
    local = "127.0.0.1:0"
    with (
        Server(tmp_path, "remote", bench, "run", "--rfc2217", "0", "--boot-time", "100ms",
               "--record", recording, pattern=r"rfc2217://127\.0\.0\.1:(\d+)") as remote,
        gateway(bench, tmp_path, "guarded", "--tcp", local, "--token-file", token) as guarded,
        gateway(bench, tmp_path, "raw", "--raw", "--tcp", local) as raw,
        Server(tmp_path, "vision", bench, "aim", "examples/seen.jsonl", "--serve", local,
               pattern=r"127\.0\.0\.1:(\d+)") as vision,
    ):
        for server in (guarded, raw):
            server.tcp = server.wait_for(r"tcp://127\.0\.0\.1:(\d+)")
        ports = {remote.port: "RFC 2217", guarded.port: "the gateway with a token",
                 guarded.tcp: "its bare TCP", raw.port: "the gateway without a token",
                 raw.tcp: "its bare TCP, raw", vision.port: "aim --serve", bait.port: "the bait"}
        with Site(tmp_path, list(ports)) as site:
            check(site.result(), ports, bait, remote, guarded, raw, vision)
        for server in (remote, guarded, raw):
            expect("the status at the end", server.end(), 143)
    # The board of the port over TCP was restarted once, and got only the real client's bytes.
    session = session_of(recording)
    expect("restarts", len(values("reset", session)), 1)
    expect("the board's bytes", received(session), "X77.")
